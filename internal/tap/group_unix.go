//go:build unix

package tap

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes the server the leader of a process group, so that a signal which the terminal sends
// to ours reaches the server once: from us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to the server and to what it started, as a terminal would.
func signalGroup(server *os.Process, s syscall.Signal) {
	// What it was for has ended if it reaches nobody.
	_ = unix.Kill(-server.Pid, s)
}

// Notify sends the signals that a tap passes on to c. Writing to a client that is gone is an error
// from then on, and not a signal.
func Notify(c chan<- os.Signal) {
	// Ignored it would stay ignored in the server; caught it is as ever there.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signal.Notify(c, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2)
}

func exitOf(state *os.ProcessState) Exit {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: status.Signal()}
	}
	return Exit{Code: state.ExitCode()}
}
