package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/transcript"
)

// captureCommands are the commands that make captures and look at them.
type captureCommands struct {
	Tap     tapCmd     `cmd:"" group:"Captures" help:"Stand between a client and a server, and record what passes."`
	Cat     catCmd     `cmd:"" group:"Captures" help:"Print what a capture holds, one line a message."`
	Filter  filterCmd  `cmd:"" group:"Captures" help:"Print, or write, a part of what a capture holds."`
	Lint    lintCmd    `cmd:"" group:"Captures" help:"Say what is wrong with the traffic in a capture."`
	Replay  replayCmd  `cmd:"" group:"Captures" help:"Play one side of a capture, and compare what the other says."`
	Diff    diffCmd    `cmd:"" group:"Captures" help:"Compare the requests and answers of two captures."`
	Convert convertCmd `cmd:"" group:"Captures" help:"Write a capture in another spelling, or make one of a trace of VS Code."`
}

// captureFiles are what the commands about captures read.
type captureFiles struct {
	Files []string `arg:"" name:"file" complete:"capture" help:"Captures, in any spelling: parts of one session in order, or several sessions; - is stdin."`
}

// follow shows what the captures tell, one after the other. A tail that is torn is said on stderr and
// does not keep the rest from being read.
func (c captureFiles) follow(e *env, follower *capture.Follower, see func(*capture.Seen) error) error {
	var failed error
	show := func(seen *capture.Seen) {
		if failed == nil {
			failed = see(seen)
		}
	}
	for _, path := range c.Files {
		err := eachRecord(e, path, func(r *transcript.Record) error {
			if err := follower.Take(r, show); err != nil {
				return usageError{path + ": " + err.Error()}
			}
			return failed
		})
		if err != nil {
			return err
		}
	}
	follower.End(show)
	return failed
}

// createCapture makes a file for its owner alone; what is there stays as it is.
func createCapture(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, usageError{path + " is there already: remove it, or choose another name"}
	}
	if err != nil {
		return nil, usageError{err.Error()}
	}
	return file, nil
}

func countMessages(n int) string { return count(n, "message", "messages") }

// eachRecord reads one capture.
func eachRecord(e *env, path string, take func(*transcript.Record) error) error {
	source, err := capture.Open(path, e.stdin)
	if err != nil {
		return usageError{err.Error()}
	}
	defer source.Close()
	for r, err := range source.Records() {
		if errors.As(err, new(*transcript.TornError)) {
			fmt.Fprintf(e.stderr, "parley: %s: %s\n", oneLine(path), oneLine(err.Error()))
			return nil
		}
		if err != nil {
			return usageError{err.Error()}
		}
		if err := take(r); err != nil {
			return err
		}
	}
	return nil
}
