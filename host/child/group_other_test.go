//go:build !linux && !darwin

package child

import (
	"errors"
	"os/exec"
	"testing"

	"github.com/parley-rpc/parley/host"
)

// STOP-6: where descendants would be left behind no child is started, and the error says so.
func TestChildrenAreUnsupported(t *testing.T) {
	var startErr *StartError
	if _, err := StartProcess(exec.Command("true")); !errors.Is(err, host.ErrUnsupported) || !errors.As(err, &startErr) {
		t.Errorf("got %v", err)
	}
}
