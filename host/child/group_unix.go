//go:build linux || darwin

package child

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// processGroup is a group of the system's. Its id is its leader's.
type processGroup struct{ cmd *exec.Cmd }

// startGroup starts cmd as the leader of a new process group.
func startGroup(cmd *exec.Cmd) (group, error) {
	if cmd.Dir != "" {
		// The system blames the program where the directory is missing.
		if info, err := os.Stat(cmd.Dir); err != nil {
			return nil, err
		} else if !info.IsDir() {
			return nil, &fs.PathError{Op: "chdir", Path: cmd.Dir, Err: syscall.ENOTDIR}
		}
	}
	if info, err := os.Stat(cmd.Path); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "exec", Path: cmd.Path, Err: syscall.EISDIR}
	}
	attr := new(syscall.SysProcAttr)
	if cmd.SysProcAttr != nil {
		*attr = *cmd.SysProcAttr // the caller may share it between commands
	}
	// A new session comes with a new group; its leader may not ask for one again.
	attr.Setpgid, attr.Pgid = !attr.Setsid, 0
	cmd.SysProcAttr = attr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &processGroup{cmd}, nil
}

func (g *processGroup) awaitExit() string { return awaitExit(g.cmd.Process.Pid) }

func (g *processGroup) reap() *os.ProcessState {
	// The error repeats an exit status other than 0, or says that somebody else in this program
	// reaped our child: then there is no state.
	_ = g.cmd.Wait()
	return g.cmd.ProcessState
}

func (g *processGroup) signal(sig signal) {
	number := unix.SIGTERM
	if sig == kill {
		number = unix.SIGKILL
	}
	// ESRCH: the group is empty. EPERM: nobody in it may be signalled by us, or, on Darwin, only
	// zombies are left. Neither leaves anything to be done, and empty answers accordingly.
	_ = unix.Kill(-g.cmd.Process.Pid, number)
}

func (g *processGroup) empty() bool { return unix.Kill(-g.cmd.Process.Pid, 0) != nil }
