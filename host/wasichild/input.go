package wasichild

import (
	"io"
	"os"
)

// input is a guest's stdin: always a pipe of our own, which can be waited for beside timers, may be
// made non-blocking, and ends when we say so.
type input struct{ ours, theirs *os.File }

// feed copies what from yields into a new pipe, until from ends or is closed. A nil from is empty.
func feed(from *os.File) (*input, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in := &input{ours: ours, theirs: theirs}
	if from == nil {
		in.end()
		return in, nil
	}
	go func() {
		// Whatever ends the copy is the end of input for the guest, and its only news.
		_, _ = io.Copy(ours, from)
		in.end()
	}()
	return in, nil
}

// end ends the guest's stdin, and a wait for it.
func (in *input) end() { closeFiles(in.ours) }

func (in *input) close() { closeFiles(in.ours, in.theirs) }

func closeFiles(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			// Pipes have nothing to flush, and one may be closed before by whoever was first.
			_ = f.Close()
		}
	}
}
