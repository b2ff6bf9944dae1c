//go:build !unix

package host

import "os"

// Stdio is the transport of a server on standard input and output. Descriptors cannot be moved
// here: nothing else in the process may print to standard output (FRAME-8).
func Stdio() (*Transport, error) { return Pipes(os.Stdin, os.Stdout), nil }
