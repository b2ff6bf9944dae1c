//go:build linux || darwin

package control

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/host"
)

func TestCTL6FindsTheSessionsOfEveryProcess(t *testing.T) {
	s := serveWith(t, Options{Program: "mine"})
	newSubject(t, s)
	directory := filepath.Dir(s.Path())
	must(t, os.WriteFile(filepath.Join(directory, "notes.txt"), nil, 0o600))
	must(t, os.WriteFile(filepath.Join(directory, "007"+socketSuffix), nil, 0o600)) // no name of ours
	theirs := startOther(t, directory)

	found := discover(t, directory)
	if len(found.Processes) != 2 || len(found.Silent) != 0 || found.Truncated {
		t.Fatalf("%+v", found)
	}
	byPID := map[int]Process{}
	for _, p := range found.Processes {
		byPID[p.PID] = p
	}
	if p := byPID[os.Getpid()]; p.Program != "mine" || len(p.Sessions) != 1 || p.Sessions[0].Name != "editor" {
		t.Errorf("mine: %+v", p)
	}
	if p := byPID[theirs.Process.Pid]; p.Program != "other" || len(p.Sessions) != 1 || p.Sessions[0].Name != "the other's" {
		t.Errorf("the other's: %+v", p)
	}
	if found.Processes[0].PID > found.Processes[1].PID {
		t.Error("not in the order of process ids")
	}

	must(t, theirs.input.Close())
	must(t, theirs.Wait())
	if found = discover(t, directory); len(found.Processes) != 1 {
		t.Errorf("after it left in order: %+v", found)
	}
}

func TestCTL6SocketOfAKilledProcessIsRemoved(t *testing.T) {
	directory := folder(t)
	killed := startOther(t, directory)
	path := filepath.Join(directory, socketName(killed.Process.Pid))
	c, err := NewClient(path, nil)
	must(t, err)
	defer c.Close()
	if list, err := c.Sessions(t.Context()); err != nil || len(list.Sessions) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	must(t, killed.Process.Kill())
	_ = killed.Wait()
	if _, err := c.Sessions(t.Context()); err == nil {
		t.Error("a dead process answers")
	}
	if _, err := os.Lstat(path); err != nil {
		t.Fatalf("it was to be left behind: %v", err)
	}
	if found := discover(t, directory); len(found.Processes)+len(found.Silent) != 0 {
		t.Errorf("%+v", found)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket: %v", err)
	}
}

func TestCTL6KeepsWhatIsNotStale(t *testing.T) {
	directory := folder(t)
	must(t, makeDirectory(directory))
	dead, living := deadPID(t), os.Getpid()
	file := filepath.Join(directory, socketName(dead))
	must(t, os.WriteFile(file, nil, 0o600))
	leaveSocket(t, filepath.Join(directory, socketName(living))) // between its bind and its listen
	found := discover(t, directory)
	if len(found.Processes) != 0 || len(found.Silent) != 2 {
		t.Fatalf("%+v", found)
	}
	for _, silent := range found.Silent {
		if _, err := os.Lstat(silent.Path); err != nil {
			t.Errorf("%s was removed: %v", silent.Path, silent.Err)
		}
		if silent.PID == dead && !strings.Contains(silent.Err.Error(), "no socket") {
			t.Errorf("%+v", silent)
		}
	}
}

func TestCTL6WhoAnswersMustBeTheProcessOfTheName(t *testing.T) {
	directory := folder(t)
	must(t, makeDirectory(directory))
	pretends := filepath.Join(directory, socketName(os.Getppid()))
	listener, err := net.Listen("unix", pretends)
	must(t, err)
	defer listener.Close()
	found := discover(t, directory)
	if len(found.Silent) != 1 || !errors.Is(found.Silent[0].Err, ErrStranger) {
		t.Errorf("%+v", found)
	}
}

func TestCTL6SilentProcessCostsTwoSeconds(t *testing.T) {
	directory := folder(t)
	must(t, makeDirectory(directory))
	listener, err := net.Listen("unix", filepath.Join(directory, socketName(os.Getpid())))
	must(t, err)
	defer listener.Close()
	clock := newFakeClock()
	done := make(chan Discovery)
	go func() {
		found, err := Discover(t.Context(), directory, clock)
		if err != nil {
			t.Error(err)
		}
		done <- found
	}()
	clock.await(1, probeTimeout)
	clock.advance(probeTimeout)
	found := <-done
	if len(found.Silent) != 1 || !errors.Is(found.Silent[0].Err, host.ErrTimeout) {
		t.Errorf("%+v", found)
	}
}

func TestCTL6EntriesAndSessionsAreBounded(t *testing.T) {
	s := serveWith(t, Options{})
	directory := filepath.Dir(s.Path())
	for i := range 9 { // the socket is one
		must(t, os.WriteFile(filepath.Join(directory, fmt.Sprint("x", i)), nil, 0o600))
	}
	if paths, err := socketsIn(directory, 10); err != nil || len(paths) != 1 || paths[0] != s.Path() {
		t.Errorf("%v, %v", paths, err)
	}
	if _, err := socketsIn(directory, 9); !errors.Is(err, ErrTooManyEntries) {
		t.Errorf("one more: %v", err)
	}

	probes := make([]probe, 3)
	for i := range probes {
		probes[i].process = &Process{PID: i + 1, Sessions: make([]Session, 100)}
	}
	found := gather(probes)
	if len(found.Processes) != 3 || len(found.Processes[2].Sessions) != discoveredSessionMax-200 || !found.Truncated {
		t.Errorf("%d processes, truncated %v", len(found.Processes), found.Truncated)
	}
	if found = gather(probes); found.Truncated {
		t.Error("exactly the bound is truncated")
	}
}

func TestCTL6NothingServedIsNothingFound(t *testing.T) {
	found := discover(t, folder(t))
	if len(found.Processes)+len(found.Silent) != 0 {
		t.Errorf("%+v", found)
	}
}

func discover(t *testing.T, directory string) Discovery {
	t.Helper()
	found, err := Discover(t.Context(), directory, nil)
	must(t, err)
	return found
}

// deadPID is the id of a process that has ended just now.
func deadPID(t *testing.T) int {
	t.Helper()
	command := exec.Command("true")
	must(t, command.Run())
	return command.Process.Pid
}
