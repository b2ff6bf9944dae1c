//go:build unix && !linux

package host

import "golang.org/x/sys/unix"

// replace makes fd a copy of replacement.
func replace(replacement, fd int) error { return unix.Dup2(replacement, fd) }
