package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/bridge"
)

// relay is (j): round trips of a page over a WebSocket to a server that is a process, through a bridge
// and through a proxy that does the least. One message is under way at a time.
func relay(paramsBytes int, label string) contest {
	params := itemsOf(completions.body(paramsBytes))
	request := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"echo","params":%s}`, params)
	return contest{"relay-" + label, fmt.Sprintf("A page, a relay and an echoing child, %d B each way", len(request)), []contender{
		overSocket("parley's bridge", request, startBridge),
		overSocket("copying proxy", request, startProxy),
	}}
}

func overSocket(name string, request []byte, start func() (http.Handler, func() error, error)) contender {
	return contender{name, len(request), func() (worker, error) {
		handler, stop, err := start()
		if err != nil {
			return worker{}, err
		}
		web := httptest.NewServer(handler)
		socket, _, err := websocket.Dial(context.Background(), "ws"+strings.TrimPrefix(web.URL, "http")+"/ws", nil)
		if err != nil {
			web.Close()
			return worker{}, errors.Join(err, stop())
		}
		socket.SetReadLimit(-1)
		op := func() error {
			if err := socket.Write(context.Background(), websocket.MessageText, request); err != nil {
				return err
			}
			_, answer, err := socket.Read(context.Background())
			if err == nil && !bytes.Contains(answer[:min(len(answer), 64)], []byte(`"result"`)) {
				return fmt.Errorf("no result: %.100q", answer)
			}
			return err
		}
		return loop(op, func() error {
			_ = socket.CloseNow() // the server ends when its page is gone
			err := stop()
			web.Close()
			return err
		}), nil
	}}
}

func startBridge() (http.Handler, func() error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	b, err := bridge.New(bridge.Options{
		Servers: []bridge.Server{{Name: "echo", Profile: core.ProfileLSP, Command: []string{self, "-serve", "lsp"}}},
		Logger:  slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, nil, err
	}
	return b, func() error { b.Close(); return nil }, nil
}

// startProxy copies: a message becomes a frame, a frame a message. It looks at nothing else.
func startProxy() (http.Handler, func() error, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	done := make(chan error, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { done <- proxy(w, r, self) })
	return handler, func() error { return <-done }, nil
}

func proxy(w http.ResponseWriter, r *http.Request, self string) error {
	socket, err := websocket.Accept(w, r, nil)
	if err != nil {
		return err
	}
	socket.SetReadLimit(-1)
	cmd := exec.CommandContext(r.Context(), self, "-serve", "lsp")
	pipes, err := startPiped(cmd)
	if err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() { answered <- copyFrames(r.Context(), socket, bufio.NewReaderSize(pipes, 64<<10)) }()
	for {
		_, text, err := socket.Read(r.Context())
		if err != nil { // the page has left
			_ = pipes.w.Close()
			<-answered
			return cmd.Wait()
		}
		if _, err := pipes.Write(framed(text)); err != nil {
			return err
		}
	}
}

func copyFrames(ctx context.Context, socket *websocket.Conn, from *bufio.Reader) error {
	for {
		header, err := from.ReadString('\n')
		if err != nil {
			return err
		}
		length, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(header, "Content-Length: ")))
		if err != nil {
			return err
		}
		if _, err := from.Discard(len("\r\n")); err != nil {
			return err
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(from, body); err != nil {
			return err
		}
		if err := socket.Write(ctx, websocket.MessageText, body); err != nil {
			return err
		}
	}
}
