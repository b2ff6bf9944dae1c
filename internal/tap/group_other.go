//go:build !unix

package tap

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func ownGroup(*exec.Cmd) {}

// signalGroup ends the server: there is no other signal to give here.
func signalGroup(server *os.Process, _ syscall.Signal) {
	// It has ended if it cannot be.
	_ = server.Kill()
}

// Notify sends the signals that a tap passes on to c.
func Notify(c chan<- os.Signal) { signal.Notify(c, os.Interrupt) }

func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
