package main

import (
	"io"
	"os"

	"github.com/parley-rpc/parley/host"
)

// env is everything a command takes from its process, so that tests need none.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	clock          host.Clock
	directory      func() (string, error) // the working directory, absolute
	executable     func() (string, error) // this program
}

func systemEnv() *env {
	return &env{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		clock:      host.SystemClock(),
		directory:  os.Getwd,
		executable: os.Executable,
	}
}
