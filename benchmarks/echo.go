package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// echoParams is what is sent and comes back.
var echoParams = json.RawMessage(`{"text":"the quick brown fox jumps over the lazy dog","line":10,"character":4}`)

// echo compares round trips over two OS pipes with that many callers at once.
func echo(callers int, sandboxed host.Engine) contest {
	return contest{fmt.Sprintf("echo over OS pipes, %d at once (ns/op is a round trip)", callers), []contender{
		echoPeers("host.Peer, native", host.Native, callers),
		barePipes(callers),
		echoPeers("host.Peer, wazero on both ends", sandboxed, callers),
	}}
}

// pipes are the two directions between a client and a server.
type pipes struct {
	clientIn, serverIn   *os.File
	clientOut, serverOut *os.File
}

func newPipes() (p pipes, err error) {
	if p.clientIn, p.serverOut, err = os.Pipe(); err != nil {
		return p, err
	}
	if p.serverIn, p.clientOut, err = os.Pipe(); err != nil {
		return p, errors.Join(err, p.clientIn.Close(), p.serverOut.Close())
	}
	return p, nil
}

// barePipes is the floor: as many bytes go and come back, all callers' in one write, and a
// goroutine at the far end returns them without looking.
func barePipes(callers int) contender {
	start := func() (func(int) (time.Duration, error), func() error, error) {
		p, err := newPipes()
		if err != nil {
			return nil, nil, err
		}
		block := make([]byte, callers*(len(echoParams)+64)) // 64: about what envelope and header add
		far := make(chan error, 1)
		go func() { far <- returnBlocks(p, len(block)) }()
		run := func(n int) (time.Duration, error) {
			start := time.Now()
			for range (n + callers - 1) / callers {
				if _, err := p.clientOut.Write(block); err != nil {
					return 0, err
				}
				if _, err := io.ReadFull(p.clientIn, block); err != nil {
					return 0, err
				}
			}
			return time.Since(start), nil
		}
		stop := func() error {
			return errors.Join(p.clientOut.Close(), <-far, p.clientIn.Close())
		}
		return run, stop, nil
	}
	return contender{"bare pipes, one block for all", 0, start}
}

func returnBlocks(p pipes, blockBytes int) error {
	defer p.serverIn.Close()
	defer p.serverOut.Close()
	block := make([]byte, blockBytes)
	for {
		if _, err := io.ReadFull(p.serverIn, block); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if _, err := p.serverOut.Write(block); err != nil {
			return err
		}
	}
}

// echoPeers is a client and a server of package host: each round trip is a call, a handler and an
// answer.
func echoPeers(name string, engine host.Engine, callers int) contender {
	start := func() (func(int) (time.Duration, error), func() error, error) {
		p, err := newPipes()
		if err != nil {
			return nil, nil, err
		}
		server, err := startEchoServer(p, engine)
		if err != nil {
			return nil, nil, err
		}
		options := host.LSP
		options.Engine = engine
		client, err := host.New(host.Pipes(p.clientIn, p.clientOut), options)
		if err != nil {
			return nil, nil, errors.Join(err, server.Close())
		}
		run := func(n int) (time.Duration, error) { return callAll(client, callers, n) }
		stop := func() error { return errors.Join(client.Close(), server.Close()) }
		return run, stop, nil
	}
	return contender{name, 0, start}
}

func startEchoServer(p pipes, engine host.Engine) (*host.Peer, error) {
	mux := host.NewMux()
	mux.HandleRaw("echo", core.ModeRead, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
		return params, nil
	})
	options := host.LSPServer
	options.Engine, options.Mux = engine, mux
	return host.New(host.Pipes(p.serverIn, p.serverOut), options)
}

// callAll spreads n calls over the callers and waits for all of them.
func callAll(client *host.Peer, callers, n int) (time.Duration, error) {
	var wait sync.WaitGroup
	failures := make([]error, callers)
	start := time.Now()
	for caller := range callers {
		wait.Go(func() {
			for i := caller; i < n && failures[caller] == nil; i += callers {
				_, failures[caller] = client.CallRaw(context.Background(), "echo", echoParams)
			}
		})
	}
	wait.Wait()
	return time.Since(start), errors.Join(failures...)
}
