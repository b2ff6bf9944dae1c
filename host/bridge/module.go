package bridge

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"

	"github.com/parley-rpc/parley/wasm"
)

// serveModule serves the machine that the page runs, compressed as the browser likes it best.
func serveModule(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept-Encoding")
	accepted := r.Header.Get("Accept-Encoding")
	content, encoding := wasm.Reactor, ""
	switch {
	case accepts(accepted, "br"):
		content, encoding = brotliModule(), "br"
	case accepts(accepted, "gzip"):
		content, encoding = gzipModule(), "gzip"
	}
	if encoding != "" {
		w.Header().Set("Content-Encoding", encoding)
	}
	serveContent(w, r, "application/wasm", encoding, content)
}

// brotliLevel is where the work for the first page stops paying: 0.2 s for a quarter of the size.
const brotliLevel = 5

// Each is made once, when the first browser asks for it.
var (
	brotliModule = sync.OnceValue(func() []byte {
		return compressed(wasm.Reactor, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotliLevel) })
	})
	gzipModule = sync.OnceValue(func() []byte {
		return compressed(wasm.Reactor, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	})
)

func compressed(content []byte, open func(io.Writer) io.WriteCloser) []byte {
	var buffer bytes.Buffer
	w := open(&buffer)
	if _, err := w.Write(content); err != nil {
		panic(err) // a buffer takes everything
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return buffer.Bytes()
}

// accepts reports whether an Accept-Encoding header names an encoding and does not forbid it.
func accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) {
			quality := strings.ReplaceAll(strings.TrimSpace(params), " ", "")
			return quality != "q=0" && quality != "q=0.0" && quality != "q=0.00" && quality != "q=0.000"
		}
	}
	return false
}
