//go:build !unix

package host

import "syscall"

// readable is false where descriptors cannot be polled: the one re-arm of CALL-3 is all there is.
func readable(syscall.RawConn) bool { return false }
