//go:build unix

package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// Servers that people use are healthy to parley doctor, and each is known for what it is where it is
// taken for one of the other protocol.
func TestDoctorOnRealServers(t *testing.T) {
	t.Parallel()
	program := parley(t)
	doctor := func(t *testing.T, cmd *exec.Cmd, flags, want string) {
		t.Helper()
		args := append([]string{"doctor", "--slow", "1m"}, strings.Fields(flags)...)
		server := append([]string{"--"}, cmd.Args...)
		run := exec.Command(program, append(args, server...)...)
		run.Env, run.Dir = cmd.Env, t.TempDir()
		output, err := run.Output()
		if (err == nil) != (want == "healthy: ") || !strings.HasPrefix(string(output), want) {
			t.Errorf("%s: %v, %q", flags, err, output)
		}
	}
	t.Run("gopls", func(t *testing.T) {
		t.Parallel()
		cmd := exec.Command(installed(t, "../build/bin/gopls"))
		cmd.Env = goplsEnv(t)
		doctor(t, cmd, "--timeout 1m --leave 30s", "healthy: ") // a busy machine is neither slow nor stubborn
	})
	t.Run("everything", func(t *testing.T) {
		t.Parallel()
		doctor(t, serverEverything(t), "--profile mcp --timeout 1m --leave 1s", "healthy: ")
	})
	t.Run("everything for a language server", func(t *testing.T) {
		t.Parallel()
		doctor(t, serverEverything(t), "--leave 1s", "wrong-protocol: ")
	})
}
