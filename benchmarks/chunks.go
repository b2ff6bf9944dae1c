package main

import (
	"fmt"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

const (
	chunkBytes   = 8 * core.KiB
	oneChunkName = "parley, in one chunk"
)

// chunked is (e): one large message that arrives in small reads.
func chunked(t *tools, bytesMin int, label string) contest {
	w := workOf(completions.body(bytesMin), true)
	contenders := []contender{
		decodeIn(nativeName, host.Native, w, chunkBytes),
		decodeIn(oneChunkName, host.Native, w, len(w.input)),
		decodeIn(wazeroName, t.sandboxed, w, chunkBytes),
	}
	for _, l := range libraries() {
		if l.decoder(eof{}, true) == nil {
			continue
		}
		input := w.input
		if l.isLined {
			input = w.lines
		}
		contenders = append(contenders, readChunks(l, input))
	}
	return contest{"chunks-" + label, fmt.Sprintf("One answer of %d B in chunks of 8 KiB", len(w.input)), contenders}
}

func readChunks(l library, input []byte) contender {
	return contender{l.name, len(input), func() (worker, error) {
		read := l.decoder(&endless{input: input, chunkBytes: chunkBytes}, true)
		return loop(read, nil), nil
	}}
}
