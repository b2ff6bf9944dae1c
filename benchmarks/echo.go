package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// echoParams is what is sent and comes back.
var echoParams = json.RawMessage(`{"text":"the quick brown fox jumps over the lazy dog","line":10,"character":4}`)

// The names of contenders that targets use.
const (
	barePipesName = "bare ping-pong"
	skeletonName  = "skeleton, no protocol"
)

// echo is (c): round trips over two OS pipes within one process, with that many callers at once.
func echo(t *tools, callers int) contest {
	contenders := []contender{
		pair(parleyLibrary(nativeName, host.Native), callers),
		barePipes(callers),
		pair(skeletonLibrary(), callers),
	}
	for _, l := range libraries() {
		contenders = append(contenders, pair(l, callers))
	}
	contenders = append(contenders, pair(parleyLibrary(wazeroName+" on both ends", t.sandboxed), callers))
	return contest{fmt.Sprintf("echo-%d", callers), fmt.Sprintf("Echo over OS pipes, %d at once (ns/op is a round trip)", callers), contenders}
}

// echoChild is (d): the server is a process, the same program for all, and calls come one by one.
func echoChild(t *tools) contest {
	contenders := []contender{withChild(parleyLibrary(nativeName, host.Native), "lsp")}
	for _, l := range libraries() {
		server := "lsp"
		if l.isLined {
			server = "mcp"
		}
		contenders = append(contenders, withChild(l, server))
	}
	contenders = append(contenders, withChild(parleyLibrary(wazeroName, t.sandboxed), "lsp"))
	return contest{"echo-child", "Echo by a child process, one at a time (ns/op is a round trip)", contenders}
}

// notify is (f): one operation is notesCount notifications, until the server has handled all.
func notify(t *tools) contest {
	contenders := []contender{notes(parleyLibrary(nativeName, host.Native))}
	for _, l := range libraries() {
		if !l.isLined {
			contenders = append(contenders, notes(l))
		}
	}
	return contest{"notify", fmt.Sprintf("%d notifications over an OS pipe (ns/op is for all)", notesCount), contenders}
}

const notesCount = 100_000

// parleyLibrary is host.Peer as a library like the others.
func parleyLibrary(name string, engine host.Engine) library {
	return library{
		name: name,
		client: func(rw pipePair) (client, error) {
			options := host.LSP
			options.Engine = engine
			p, err := host.New(host.Pipes(rw.r, rw.w), options)
			if err != nil {
				return client{}, err
			}
			return client{
				call: func(ctx context.Context) error {
					_, err := p.CallRaw(ctx, "echo", echoParams)
					return err
				},
				notify: func(ctx context.Context) error { return p.NotifyRaw(ctx, "note", echoParams) },
				stop:   p.Close,
			}, nil
		},
		serve: func(rw pipePair, noted func()) (func() error, error) {
			mux := echoMux()
			mux.HandleNotificationRaw("note", core.ModeRead, func(context.Context, json.RawMessage) error { noted(); return nil })
			options := host.LSPServer
			options.Engine, options.Mux = engine, mux
			p, err := host.New(host.Pipes(rw.r, rw.w), options)
			if err != nil {
				return nil, err
			}
			return p.Close, nil
		},
	}
}

// echoMux answers echo with what it was sent.
func echoMux() *host.Mux {
	mux := host.NewMux()
	mux.HandleRaw("echo", core.ModeRead, func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
		return params, nil
	})
	return mux
}

func skeletonLibrary() library {
	return library{
		name: skeletonName,
		client: func(rw pipePair) (client, error) {
			s := newSkeleton(rw, false)
			return client{call: s.call, stop: s.stop}, nil
		},
		serve: func(rw pipePair, _ func()) (func() error, error) { return newSkeleton(rw, true).stop, nil },
	}
}

// connect starts a server and a client of one library at the ends of two pipes.
func connect(l library, noted func()) (client, error) {
	near, far, err := newPipes()
	if err != nil {
		return client{}, err
	}
	stopServer, err := l.serve(far, noted)
	if err != nil {
		return client{}, errors.Join(err, near.Close(), far.Close())
	}
	c, err := l.client(near)
	if err != nil {
		return client{}, errors.Join(err, near.Close(), stopServer())
	}
	stopClient := c.stop
	c.stop = func() error { return errors.Join(stopClient(), stopServer()) }
	return c, nil
}

func pair(l library, callers int) contender {
	return contender{l.name, 0, func() (worker, error) {
		c, err := connect(l, func() {})
		if err != nil {
			return worker{}, err
		}
		return callEcho(c, callers), nil
	}}
}

// callEcho spreads n calls over the callers and waits for all of them.
func callEcho(c client, callers int) worker {
	w := new(waits)
	run := func(n int) (time.Duration, error) {
		var wait sync.WaitGroup
		failures := make([]error, callers)
		start := time.Now()
		for caller := range callers {
			wait.Go(func() {
				for i := caller; i < n && failures[caller] == nil; i += callers {
					began := time.Now()
					failures[caller] = c.call(context.Background())
					w.add(time.Since(began))
				}
			})
		}
		wait.Wait()
		return time.Since(start), errors.Join(failures...)
	}
	return worker{run: run, stop: c.stop, waits: w}
}

// withChild lets a library call the program that serveEcho is.
func withChild(l library, server string) contender {
	return contender{l.name, 0, func() (worker, error) {
		self, err := os.Executable()
		if err != nil {
			return worker{}, err
		}
		cmd := exec.Command(self, "-serve", server)
		cmd.Stderr = os.Stderr
		pipes, err := startPiped(cmd)
		if err != nil {
			return worker{}, err
		}
		c, err := l.client(pipes)
		if err != nil {
			return worker{}, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
		}
		w := callEcho(c, 1)
		w.stop = func() error {
			c.stop()
			_ = pipes.w.Close() // the library may have closed it
			return cmd.Wait()
		}
		return w, nil
	}}
}

// serveEcho is the child of withChild: it answers on stdin and stdout until its input ends.
func serveEcho(ctx context.Context, server string) error {
	if server == "mcp" {
		return serveMCP(ctx, pipePair{os.Stdin, os.Stdout})
	}
	stdio, err := host.Stdio()
	if err != nil {
		return err
	}
	options := host.LSPServer
	options.Mux = echoMux()
	p, err := host.New(stdio, options)
	if err != nil {
		return err
	}
	<-p.Done()
	// Why a client of some library left is no concern of the server's.
	_ = p.Close()
	return nil
}

func notes(l library) contender {
	return contender{l.name, notesCount * len(echoParams), func() (worker, error) {
		var count atomic.Int64
		all := make(chan struct{})
		c, err := connect(l, func() {
			if count.Add(1) == notesCount {
				all <- struct{}{}
			}
		})
		if err != nil {
			return worker{}, err
		}
		op := func() error {
			count.Store(0)
			for range notesCount {
				if err := c.notify(context.Background()); err != nil {
					return err
				}
			}
			<-all
			return nil
		}
		return loop(op, c.stop), nil
	}}
}

// barePipes is the floor: as many bytes go and come back, all callers' in one write, and a
// goroutine at the far end returns them without looking.
func barePipes(callers int) contender {
	return contender{barePipesName, 0, func() (worker, error) {
		near, far, err := newPipes()
		if err != nil {
			return worker{}, err
		}
		block := make([]byte, callers*(len(echoParams)+envelopeBytes))
		returned := make(chan error, 1)
		go func() { returned <- returnBlocks(far, len(block)) }()
		run := func(n int) (time.Duration, error) {
			start := time.Now()
			for range (n + callers - 1) / callers {
				if _, err := near.Write(block); err != nil {
					return 0, err
				}
				if _, err := io.ReadFull(near, block); err != nil {
					return 0, err
				}
			}
			return time.Since(start), nil
		}
		stop := func() error { return errors.Join(near.w.Close(), <-returned, near.r.Close()) }
		return worker{run: run, stop: stop}, nil
	}}
}

func returnBlocks(rw pipePair, blockBytes int) error {
	defer rw.Close()
	block := make([]byte, blockBytes)
	for {
		if _, err := io.ReadFull(rw, block); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if _, err := rw.Write(block); err != nil {
			return err
		}
	}
}
