package frame

import (
	"math/rand/v2"
	"testing"
)

// FuzzChunks holds that what a stream reports does not depend on its cuts (FRAME-1), whatever the
// bytes; replay holds the invariants of every single step. options chooses the configuration.
func FuzzChunks(f *testing.F) {
	const resync, discard, minimum = 4, 8, 16
	f.Add([]byte("Content-Length: 1\r\n\r\n1"), uint8(Header), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, options uint8, seed uint64) {
		cfg := config(Framing(options % 4))
		cfg.Resync = options&resync != 0
		cfg.Discard = options&discard != 0 && cfg.Framing != Whole
		if options&minimum != 0 {
			cfg.BodyBytesMin = 1
		}
		random := rand.New(rand.NewPCG(seed, 0))
		if cfg.Framing == Whole {
			pieceBytes := 1 + random.IntN(1+len(data))
			if whole, cut := replayWhole(t, cfg, len(data)+1, string(data)), replayWhole(t, cfg, pieceBytes, string(data)); cut != whole {
				t.Fatalf("in pieces of %d:\n%swhole:\n%s", pieceBytes, cut, whole)
			}
			return
		}
		var pieces [][]byte
		for rest := data; len(rest) > 0; {
			size := 1 + random.IntN(min(len(rest), 1+random.IntN(64)))
			pieces = append(pieces, rest[:size])
			rest = rest[size:]
		}
		if whole, cut := replay(t, cfg, data), replay(t, cfg, pieces...); cut != whole {
			t.Fatalf("in pieces %q:\n%swhole:\n%s", pieces, cut, whole)
		}
	})
}
