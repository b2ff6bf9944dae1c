//go:build !verify

package core

// verifier takes no space in a release build.
type verifier struct{}

// verify does nothing in a release build. Under the build tag verify it overwrites what Next handed
// out and checks what must hold between any two calls.
func (c *Conn) verify() {}

func (c *Conn) delivered([]byte) {}
