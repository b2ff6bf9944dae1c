package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
)

// pipePair is one end of two pipes.
type pipePair struct {
	r io.ReadCloser
	w io.WriteCloser
}

func (p pipePair) Read(b []byte) (int, error)  { return p.r.Read(b) }
func (p pipePair) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p pipePair) Close() error {
	err := p.w.Close()
	if rerr := p.r.Close(); err == nil {
		err = rerr
	}
	return err
}

// Dial lets x/exp use the pair.
func (p pipePair) Dial(context.Context) (io.ReadWriteCloser, error) { return p, nil }

// newPipes are the two ends of two OS pipes.
func newPipes() (near, far pipePair, err error) {
	nearIn, farOut, err := os.Pipe()
	if err != nil {
		return near, far, err
	}
	farIn, nearOut, err := os.Pipe()
	if err != nil {
		return near, far, errors.Join(err, nearIn.Close(), farOut.Close())
	}
	return pipePair{nearIn, nearOut}, pipePair{farIn, farOut}, nil
}

// startPiped starts a command whose stdin and stdout are at the far end of the pair.
func startPiped(cmd *exec.Cmd) (pipePair, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return pipePair{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return pipePair{}, err
	}
	return pipePair{out, in}, cmd.Start()
}
