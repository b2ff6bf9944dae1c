//go:build linux || darwin

package child

import (
	"testing"

	"github.com/parley-rpc/parley/host"
)

// API-1: a session claims the child's pipes, so that nobody reads or writes beside it.
func TestSessionClaimsThePipes(t *testing.T) {
	p := startPeer(t, script(`exec sleep 300`), host.LSP, short)
	if p.Process.Stdin != nil || p.Process.Stdout != nil {
		t.Error("the pipes are still to be had")
	}
}
