package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
)

// terminal is an input at which somebody sits and types nothing.
type terminal struct {
	asked    func() // at the first read
	released chan struct{}
}

func (t terminal) Read([]byte) (int, error) {
	t.asked()
	<-t.released
	return 0, io.EOF
}

// A signal ends what waits for its input.
func TestSignalsEndReaders(t *testing.T) {
	for _, line := range []string{
		"cat -", "convert - - --to text", "diff - x", "filter -", "frame", "lint -", "stats -", "unframe",
		"call x - -- true", "replay - -- true", "replay - --as-server",
	} {
		t.Run(line, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			asked := sync.OnceFunc(func() { cancel(signalError(2)) })
			in := terminal{asked: asked, released: make(chan struct{})}
			defer close(in.released)
			var stdout, stderr bytes.Buffer
			code := run(ctx, strings.Fields(line), testEnv(in, &stdout, &stderr))
			outcome{code, stdout.String(), stderr.String()}.wantLine(t, 130, "interrupt")
		})
	}
}
