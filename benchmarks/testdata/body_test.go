package scan

import (
	"os"
	"testing"
)

// BenchmarkBody scans the body in the file that PARLEY_BODY names. It is compiled into this package
// by benchmarks/barescan.go.
func BenchmarkBody(b *testing.B) {
	text, err := os.ReadFile(os.Getenv("PARLEY_BODY"))
	if err != nil {
		b.Fatal(err)
	}
	s := Scanner{DepthMax: 128}
	var m Message
	for b.Loop() {
		if fault, at := s.Message(text, &m); fault != FaultNone {
			b.Fatalf("fault %d at %d", fault, at)
		}
	}
}
