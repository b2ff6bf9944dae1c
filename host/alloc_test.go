package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

func echoRaw(_ context.Context, params json.RawMessage) (json.RawMessage, error) { return params, nil }

// parrot is a peer that answers every call with true and allocates nothing.
type parrot struct {
	answers chan []byte
	buf     []byte
}

func newParrot() *parrot {
	return &parrot{answers: make(chan []byte, 1), buf: make([]byte, 0, 256)}
}

func (r *parrot) Write(p []byte) (int, error) {
	_, rest, found := bytes.Cut(p, []byte(`"id":`))
	if !found {
		return len(p), nil
	}
	id, _, _ := bytes.Cut(rest, []byte(","))
	r.buf = append(r.buf[:0], `{"jsonrpc":"2.0","id":`...)
	r.buf = append(r.buf, id...)
	r.buf = append(r.buf, `,"result":true}`+"\n"...)
	r.answers <- r.buf
	return len(p), nil
}

func (r *parrot) Read(p []byte) (int, error) {
	answer, open := <-r.answers
	if !open {
		return 0, io.EOF
	}
	return copy(p, answer), nil
}

func (r *parrot) Close() error {
	close(r.answers)
	return nil
}

// A call costs its caller the result and little else.
func TestCallAllocates(t *testing.T) {
	const allocsMax = 4
	p, err := host.New(host.Duplex(newParrot()), host.Plain)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	params := json.RawMessage(`[1]`)
	call := func() {
		if result, err := p.CallRaw(t.Context(), "m", params); string(result) != "true" || err != nil {
			t.Fatalf("%s, %v", result, err)
		}
	}
	allocs := testing.AllocsPerRun(1000, call)
	t.Logf("%v allocations a call", allocs)
	if allocs > allocsMax {
		t.Errorf("%v allocations a call, want %d at most", allocs, allocsMax)
	}
}

// BenchmarkCallRaw is a round trip through the whole host, to a peer that costs nothing.
func BenchmarkCallRaw(b *testing.B) {
	p, err := host.New(host.Duplex(newParrot()), host.Plain)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	params := json.RawMessage(`[1]`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.CallRaw(context.Background(), "m", params); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkServe is a round trip between two sessions over memory.
func BenchmarkServe(b *testing.B) {
	mux := host.NewMux()
	mux.HandleRaw("echo", core.ModeRead, echoRaw)
	near, far := connect(roomy)
	options := host.PlainServer
	options.Mux = mux
	server, err := host.New(host.Duplex(far), options)
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	p, err := host.New(host.Duplex(near), host.Plain)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.CallRaw(context.Background(), "echo", json.RawMessage(`[1]`)); err != nil {
			b.Fatal(err)
		}
	}
}
