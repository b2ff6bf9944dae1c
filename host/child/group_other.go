//go:build !linux && !darwin

package child

import (
	"fmt"
	"os/exec"
	"runtime"

	"github.com/parley-rpc/parley/host"
)

// startGroup refuses: without process groups that we have tested, descendants would be left.
func startGroup(*exec.Cmd) (group, error) {
	return nil, fmt.Errorf("child processes on %s: %w", runtime.GOOS, host.ErrUnsupported)
}
