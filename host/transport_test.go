package host_test

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// API-1: one session a transport, and a refused configuration claims nothing.
func TestClaim(t *testing.T) {
	near, far := connect(roomy)
	defer far.Close()
	transport := host.Duplex(near)
	refused := withLimits(host.Plain, func(l *core.Limits) { l.FrameBytesMax = 0 })
	var configErr *core.ConfigError
	if _, err := host.New(transport, refused); !errors.As(err, &configErr) || configErr.Field != "Limits.FrameBytesMax" {
		t.Errorf("a frame limit of 0: %v", err)
	}
	relay := host.Plain
	relay.Config.Role = core.RoleRelay
	if _, err := host.New(transport, relay); !errors.Is(err, host.ErrUnsupported) {
		t.Errorf("a relay: %v", err)
	}
	p, err := host.New(transport, host.Plain)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := host.New(transport, host.Plain); !errors.Is(err, host.ErrUnsupported) {
		t.Errorf("a second session: %v", err)
	}
	if p.FrameMax() != host.Plain.Config.Limits.FrameBytesMax {
		t.Errorf("FrameMax %d", p.FrameMax())
	}
}

// API-3: without the peer's input every send is refused and receiving works.
func TestReceiveOnly(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		near, far := connect(roomy)
		options := host.Plain
		options.Engine = engine
		p, err := host.New(host.Pipes(near, nil), options)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		_, call := p.CallRaw(t.Context(), "m", nil)
		for name, err := range map[string]error{
			"call": call, "notify": p.NotifyRaw(t.Context(), "m", nil), "finish input": p.FinishInput(t.Context()),
		} {
			if !errors.Is(err, host.ErrUnsupported) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := io.WriteString(far, `{"jsonrpc":"2.0","method":"heard"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		for m, err := range p.Messages(t.Context()) {
			if err != nil || m.Method != "heard" {
				t.Errorf("got %v, %v", m, err)
			}
			break
		}
	})
}

// pieces records the size of each write and lets the far end of a stream be silent.
type pieces struct {
	*stream
	sizes []int
}

func (w *pieces) Write(p []byte) (int, error) {
	w.sizes = append(w.sizes, len(p))
	return w.stream.Write(p)
}

// SEND-6: a larger block leaves in writes of 16 KiB.
func TestWritesArePieces(t *testing.T) {
	onEngines(t, func(t *testing.T, engine host.Engine) {
		near, far := connect(roomy)
		defer far.Close()
		recorder := &pieces{stream: near}
		options := host.Plain
		options.Engine = engine
		p, err := host.New(host.Duplex(recorder), options)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		notify(t, p, "m", 40<<10)
		if err := p.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		sum := 0
		for _, size := range recorder.sizes {
			sum += size
		}
		if len(recorder.sizes) != 3 || recorder.sizes[0] != 16<<10 || recorder.sizes[1] != 16<<10 || uint64(sum) != p.State().WrittenBytes {
			t.Errorf("writes of %v bytes", recorder.sizes)
		}
	})
}

// Real descriptors: pipes, with the deadline's poll, and a socket.
func TestRealTransports(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine.name+"/pipes", func(t *testing.T) {
			theirIn, ourOut := osPipe(t)
			ourIn, theirOut := osPipe(t)
			echo(t, engine.make(t), host.Pipes(ourIn, ourOut), host.Pipes(theirIn, theirOut))
		})
		t.Run(engine.name+"/socket", func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			near, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			far, err := listener.Accept()
			if err != nil {
				t.Fatal(err)
			}
			echo(t, engine.make(t), host.Duplex(near), host.Duplex(far))
		})
	}
}

func osPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func echo(t *testing.T, engine host.Engine, near, far *host.Transport) {
	t.Helper()
	mux := host.NewMux()
	mux.HandleRaw("echo", core.ModeRead, echoRaw)
	server, client := host.PlainServer, host.Plain
	server.Engine, client.Engine = engine, engine
	served := make(chan error, 1)
	go func() { served <- host.Serve(t.Context(), far, mux, server) }()
	p, err := host.New(near, client)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 100_000, 3 << 20} {
		sent := []string{strings.Repeat("x", size)}
		got, err := host.Call[[]string](t.Context(), p, "echo", sent, host.WithTimeout(time.Minute))
		if err != nil || len(got) != 1 || got[0] != sent[0] {
			t.Fatalf("%d bytes: %v", size, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Errorf("server: %v", err)
	}
}
