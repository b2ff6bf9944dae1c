package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"

	jrpc2 "github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	sourcegraph "github.com/sourcegraph/jsonrpc2"
	lspdev "go.lsp.dev/jsonrpc2"
	xexp "golang.org/x/exp/jsonrpc2"
)

// library is one of the Go libraries that parley is measured against, each with the fastest means
// that it exports for the work. A member that is nil: it exports none.
type library struct {
	name    string
	isLined bool // MCP: one message a line
	// decoder returns a function that decodes one more message from r.
	decoder func(r io.Reader, isAnswer bool) func() error
	// encoder returns a function that writes one more notification of that method.
	encoder func(w io.Writer, method string, params json.RawMessage) func() error
	// client connects over a pair of pipes; serve answers echo and note there.
	client func(rw pipePair) (client, error)
	serve  func(rw pipePair, noted func()) (stop func() error, err error)
}

// client is one end of a session with a server that answers echo.
type client struct {
	call   func(ctx context.Context) error
	notify func(ctx context.Context) error // nil: it has no notification of one's own
	stop   func() error
}

// The names that targets use.
const (
	xexpName      = "golang.org/x/exp/jsonrpc2"
	jrpc2Name     = "creachadair/jrpc2"
	framingSuffix = ", framing alone"
)

func libraries() []library {
	return []library{xexpLibrary(), jrpc2Library(), sourcegraphLibrary(), lspdevLibrary(), mcpLibrary()}
}

func xexpLibrary() library {
	dial := func(rw pipePair, handle xexp.HandlerFunc) (*xexp.Connection, error) {
		return xexp.Dial(context.Background(), rw, xexp.ConnectionOptions{Framer: xexp.HeaderFramer(), Handler: handle})
	}
	return library{
		name: xexpName,
		decoder: func(r io.Reader, _ bool) func() error {
			reader := xexp.HeaderFramer().Reader(r)
			return func() error {
				_, _, err := reader.Read(context.Background())
				return err
			}
		},
		encoder: func(w io.Writer, method string, params json.RawMessage) func() error {
			writer := xexp.HeaderFramer().Writer(w)
			return func() error {
				message, err := xexp.NewNotification(method, params)
				if err == nil {
					_, err = writer.Write(context.Background(), message)
				}
				return err
			}
		},
		client: func(rw pipePair) (client, error) {
			c, err := dial(rw, nil)
			if err != nil {
				return client{}, err
			}
			return client{
				call: func(ctx context.Context) error {
					var result json.RawMessage
					return c.Call(ctx, "echo", echoParams).Await(ctx, &result)
				},
				notify: func(ctx context.Context) error { return c.Notify(ctx, "note", echoParams) },
				stop:   func() error { return closed(c.Close()) },
			}, nil
		},
		serve: func(rw pipePair, noted func()) (func() error, error) {
			c, err := dial(rw, func(_ context.Context, req *xexp.Request) (any, error) {
				if !req.IsCall() {
					noted()
					return nil, nil
				}
				return req.Params, nil
			})
			if err != nil {
				return nil, err
			}
			return func() error { return closed(c.Close()) }, nil
		},
	}
}

func jrpc2Library() library {
	return library{
		name: jrpc2Name,
		decoder: func(r io.Reader, isAnswer bool) func() error {
			if isAnswer {
				return nil // it exports nothing that reads answers
			}
			frames := channel.LSP(r, nil)
			return func() error {
				frame, err := frames.Recv()
				if err == nil {
					_, err = jrpc2.ParseRequests(frame)
				}
				return err
			}
		},
		client: func(rw pipePair) (client, error) {
			c := jrpc2.NewClient(channel.LSP(rw.r, rw.w), nil)
			return client{
				call: func(ctx context.Context) error {
					_, err := c.Call(ctx, "echo", echoParams)
					return err
				},
				notify: func(ctx context.Context) error { return c.Notify(ctx, "note", echoParams) },
				stop:   func() error { return closed(c.Close()) },
			}, nil
		},
		serve: func(rw pipePair, noted func()) (func() error, error) {
			methods := handler.Map{
				"echo": func(_ context.Context, req *jrpc2.Request) (any, error) {
					var params json.RawMessage
					return &params, req.UnmarshalParams(&params)
				},
				"note": func(context.Context, *jrpc2.Request) (any, error) { noted(); return nil, nil },
			}
			s := jrpc2.NewServer(methods, &jrpc2.ServerOptions{Concurrency: 64}).Start(channel.LSP(rw.r, rw.w))
			return func() error { s.Stop(); return s.Wait() }, nil
		},
	}
}

// jrpc2Framing is what its framing costs alone: it reads no JSON.
func jrpc2Framing(r io.Reader) func() error {
	frames := channel.LSP(r, nil)
	return func() error {
		_, err := frames.Recv()
		return err
	}
}

func sourcegraphLibrary() library {
	dial := func(rw pipePair, h sourcegraph.Handler) *sourcegraph.Conn {
		stream := sourcegraph.NewBufferedStream(rw, sourcegraph.VSCodeObjectCodec{})
		return sourcegraph.NewConn(context.Background(), stream, h)
	}
	return library{
		name: "sourcegraph/jsonrpc2",
		decoder: func(r io.Reader, isAnswer bool) func() error {
			buffered := bufio.NewReader(r)
			return func() error {
				var codec sourcegraph.VSCodeObjectCodec
				if isAnswer {
					return codec.ReadObject(buffered, new(sourcegraph.Response))
				}
				return codec.ReadObject(buffered, new(sourcegraph.Request))
			}
		},
		encoder: func(w io.Writer, method string, params json.RawMessage) func() error {
			return func() error {
				return sourcegraph.VSCodeObjectCodec{}.WriteObject(w, &sourcegraph.Request{Method: method, Params: &params, Notif: true})
			}
		},
		client: func(rw pipePair) (client, error) {
			ignore := sourcegraph.HandlerWithError(func(context.Context, *sourcegraph.Conn, *sourcegraph.Request) (any, error) {
				return nil, nil
			})
			c := dial(rw, ignore)
			return client{
				call: func(ctx context.Context) error {
					var result json.RawMessage
					return c.Call(ctx, "echo", echoParams, &result)
				},
				notify: func(ctx context.Context) error { return c.Notify(ctx, "note", echoParams) },
				stop:   func() error { return closed(c.Close()) },
			}, nil
		},
		serve: func(rw pipePair, noted func()) (func() error, error) {
			handle := sourcegraph.HandlerWithError(func(_ context.Context, _ *sourcegraph.Conn, req *sourcegraph.Request) (any, error) {
				if req.Notif {
					noted()
				}
				return req.Params, nil
			})
			c := dial(rw, sourcegraph.AsyncHandler(handle))
			return func() error { return closed(c.Close()) }, nil
		},
	}
}

func lspdevLibrary() library {
	dial := func(rw pipePair, h lspdev.Handler) lspdev.Conn {
		c := lspdev.NewConn(lspdev.NewHeaderStream(rw))
		c.Go(context.Background(), h)
		return c
	}
	return library{
		name: "go.lsp.dev/jsonrpc2",
		decoder: func(r io.Reader, _ bool) func() error {
			stream := lspdev.NewHeaderStream(pipePair{io.NopCloser(r), nil})
			return func() error {
				_, _, err := stream.Read(context.Background())
				return err
			}
		},
		encoder: func(w io.Writer, method string, params json.RawMessage) func() error {
			stream := lspdev.NewHeaderStream(pipePair{nil, writeNopCloser{w}})
			return func() error {
				_, err := stream.Write(context.Background(), lspdev.NewNotification(method, lspdev.RawMessage(params)))
				return err
			}
		},
		client: func(rw pipePair) (client, error) {
			c := dial(rw, lspdev.MethodNotFoundHandler)
			return client{
				call: func(ctx context.Context) error {
					var result json.RawMessage
					_, err := c.Call(ctx, "echo", echoParams, &result)
					return err
				},
				notify: func(ctx context.Context) error { return c.Notify(ctx, "note", echoParams) },
				stop:   func() error { return closed(c.Close()) },
			}, nil
		},
		serve: func(rw pipePair, noted func()) (func() error, error) {
			// Inline, as the library does by default: params are lent until the handler returns.
			c := dial(rw, func(_ context.Context, req *lspdev.Request) (any, error) {
				if !req.IsCall() {
					noted()
					return nil, nil
				}
				return json.RawMessage(req.Params()), nil
			})
			return func() error { return closed(c.Close()) }, nil
		},
	}
}

func mcpLibrary() library {
	connect := func(r io.Reader, w io.WriteCloser) (mcp.Connection, error) {
		return (&mcp.IOTransport{Reader: io.NopCloser(r), Writer: w, MaxLineLength: -1}).Connect(context.Background())
	}
	return library{
		name:    "MCP Go SDK",
		isLined: true,
		decoder: func(r io.Reader, _ bool) func() error {
			c, err := connect(r, writeNopCloser{io.Discard})
			return func() error {
				if err != nil {
					return err
				}
				_, err := c.Read(context.Background())
				return err
			}
		},
		encoder: func(w io.Writer, method string, params json.RawMessage) func() error {
			c, err := connect(eof{}, writeNopCloser{w})
			return func() error {
				if err != nil {
					return err
				}
				return c.Write(context.Background(), &jsonrpc.Request{Method: method, Params: params})
			}
		},
		client: func(rw pipePair) (client, error) {
			c, err := mcp.NewClient(aboutMCP, nil).Connect(context.Background(), &mcp.IOTransport{Reader: rw.r, Writer: rw.w}, nil)
			if err != nil {
				return client{}, err
			}
			// ping is the shortest round trip that it has; it carries no params.
			return client{call: func(ctx context.Context) error { return c.Ping(ctx, nil) }, stop: func() error { return closed(c.Close()) }}, nil
		},
		serve: func(rw pipePair, _ func()) (func() error, error) {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- serveMCP(ctx, rw) }()
			return func() error { cancel(); return closed(<-done) }, nil
		},
	}
}

var aboutMCP = &mcp.Implementation{Name: "benchmarks", Version: "1"}

func serveMCP(ctx context.Context, rw pipePair) error {
	return mcp.NewServer(aboutMCP, nil).Run(ctx, &mcp.IOTransport{Reader: rw.r, Writer: rw.w})
}

// closed drops what ending a session reports: libraries differ in what they say about pipes that are
// closed below them, and the work is done by then.
func closed(error) error { return nil }

type writeNopCloser struct{ io.Writer }

func (writeNopCloser) Close() error { return nil }

// eof is an input that has ended.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }
