package wasmhost

import (
	"strconv"
	"sync"
)

// TrapError is the failure of an instance: it trapped, was interrupted, or its engine was closed.
// Every connection on the instance has ended; nothing is ever asked of it again, because a Go
// program that has panicked answers on with broken state.
type TrapError struct {
	Export string // the export that was called
	Panic  string // what the module wrote to its stderr, at most 16 KiB: the Go panic; escape it before showing it
	Err    error  // what the runtime said
}

func (e *TrapError) Error() string {
	s := "wasmhost: the sandbox failed in " + e.Export
	if e.Panic != "" {
		s += ": " + strconv.QuoteToASCII(e.Panic)
	}
	return s + ": " + strconv.QuoteToASCII(e.Err.Error())
}

// Unwrap gives the runtime's error: a *sys.ExitError where a context interrupted the machine.
func (e *TrapError) Unwrap() error { return e.Err }

// stderrBytesMax is what is kept of a module's stderr: the start, where the panic's text is.
const stderrBytesMax = 16 << 10

// stderr keeps the first bytes written and swallows the rest.
type stderr struct {
	mu   sync.Mutex
	text []byte
}

func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p[:min(len(p), stderrBytesMax-len(s.text))]...)
	return len(p), nil
}

func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}

func (s *stderr) bytes() []byte { return []byte(s.String()) }
