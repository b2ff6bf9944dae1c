package pipehost_test

import (
	"testing"

	"github.com/parley-rpc/parley/conformance"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Goal: a machine behind pipes does what every vector says, also where it is cut (FRAME-1). Method: a
// command that is a goroutine, at which the cuts cost little; package conformance plays the vectors on
// the ones that are built for WASI.
func TestVectorsInThisProcess(t *testing.T) {
	files, err := conformance.Files()
	if err != nil {
		t.Fatal(err)
	}
	e := inProcess(t, transcript.Serve)
	const stride = 29
	for _, f := range files {
		for i := range f.Vectors {
			if v := &f.Vectors[i]; v.Gap == "" {
				if err := v.Replay(v.Name, e.Machine, stride); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
