//go:build !verify

package core

// verifier takes no space in a release build.
type verifier struct{}

// expire ends the life of what Next handed out. Under the build tag verify it overwrites it.
func (c *Conn) expire() {}

func (c *Conn) delivered([]byte) {}
