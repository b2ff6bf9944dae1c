package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/host/child"
)

// session is one child process and the relay in front of it. Its sockets come and go (socket.go).
type session struct {
	id      string
	server  *Server
	relay   *relay
	process *child.Process
	log     *slog.Logger
	status  string        // how the process ended; valid once gone is closed
	gone    chan struct{} // closed once nothing of it is left
}

// shownIDBytes is how much of a session's id a log shows: who knows all of it can take the session over.
const shownIDBytes = 6

// startSession starts a server and everything around it. An error is the server's, or the engine's;
// nothing is left then.
func startSession(o *Options, server *Server, id string, resumable bool) (*session, error) {
	relay, err := openRelay(o, server.Profile, id, resumable)
	if err != nil {
		return nil, err
	}
	command := exec.Command(server.Command[0], server.Command[1:]...)
	command.Dir = o.Root
	process, err := child.StartProcess(command, child.WithBounds(o.Bounds))
	if err != nil {
		return nil, errors.Join(err, relay.close())
	}
	s := &session{
		id: id, server: server, relay: relay, process: process, gone: make(chan struct{}),
		log: o.Logger.With("session", id[:shownIDBytes], "server", server.Name),
	}
	s.log.Info("session started", "resumable", resumable)
	s.show(o.Control)
	go s.run(o.Bounds)
	return s, nil
}

// openRelay opens the two machines of a session.
func openRelay(o *Options, profile core.Profile, id string, resumable bool) (*relay, error) {
	cfg := o.machineConfigs(profile)
	link, err := resume.New(o.linkConfig(id, resumable))
	if err != nil {
		return nil, err
	}
	cfg.page.Seed, cfg.server.Seed = rand.Uint64(), rand.Uint64()
	page, err := o.Engine(cfg.page)
	if err != nil {
		return nil, err
	}
	server, err := o.Engine(cfg.server)
	if err != nil {
		return nil, errors.Join(err, page.Close())
	}
	r := newRelay(o, profile, page, server, link)
	r.resumable = resumable
	if profile == core.ProfileLSP && !o.KeepProcessID {
		r.processID = strconv.AppendInt(nil, int64(os.Getpid()), 10)
	}
	return r, nil
}

// run carries a session from its start to its end, whoever ends it: the server or the page, or time.
func (s *session) run(bounds child.Bounds) {
	defer close(s.gone)
	var pumps sync.WaitGroup
	pumps.Go(func() {
		s.relay.readServer(s.process.Stdout)
		_ = s.process.Stdout.Close() // has no error
	})
	written := make(chan struct{})
	pumps.Go(func() {
		defer close(written)
		if err := s.relay.writeServer(s.process.Stdin); err != nil {
			s.log.Debug("writing to the server ended", "error", err.Error())
		}
	})

	select {
	case <-s.relay.end.serverOver:
		c := s.lastWords()
		s.relay.update(func() { s.relay.finish(c) })
	case <-s.relay.end.over:
	}
	s.stop(bounds, written)
	<-s.relay.end.told
	pumps.Wait()
	if err := s.relay.close(); err != nil {
		s.log.Warn("closing the machines failed", "error", err.Error())
	}
}

// lastWords is why a server that says no more does so.
func (s *session) lastWords() (c cause) {
	var state core.State
	isExiting := false
	s.relay.update(func() {
		state, isExiting = s.relay.server.machine.State(), s.relay.life.isExiting
	})
	c.flush = true
	switch state.Reason {
	case core.ReasonViolation:
		c.code, c.reason = CloseServerBroke, reasonText("server-broke-protocol", violationText(state))
		return c
	case core.ReasonStalled:
		c.code, c.reason = CloseServerStalled, reasonText("server-stalled", "it does not read its input")
		return c
	}
	last := s.process.Obituary(context.Background())
	detail := last.Status
	if !last.Exited {
		detail = "it closed its input or output"
	}
	if last.Stderr != "" {
		detail += ": " + last.Stderr
	}
	c.code, c.reason = CloseServerExited, reasonText("server-exited", detail)
	if isExiting {
		c.code = websocket.StatusNormalClosure // it did as it was told
	}
	return c
}

// stop ends the child and whatever it started: a language server hears the words that it expects,
// then its input ends, then come signals (STOP-6, STOP-10).
func (s *session) stop(bounds child.Bounds, written <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), graceOf(bounds))
	defer cancel()
	s.relay.sayFarewell(ctx)
	select {
	case <-written: // the last words are in the pipe
	case <-ctx.Done():
	}
	if err := s.process.Stop(); err != nil {
		s.log.Error("the server could not be ended", "error", err.Error())
	}
	last := s.process.Obituary(context.Background())
	s.status = last.Status
	s.log.Info("session ended", "status", s.status, "stderr", last.Stderr, "cause", s.cause().reason)
}

func (s *session) cause() cause {
	s.relay.mu.Lock()
	defer s.relay.mu.Unlock()
	if s.relay.end.cause == nil {
		return cause{}
	}
	return *s.relay.end.cause
}

// finish ends the session from outside.
func (s *session) finish(c cause) { s.relay.update(func() { s.relay.finish(c) }) }

// startFailure is the cause that a page is told when its session could not be started.
func startFailure(err error) cause {
	var start *child.StartError
	if errors.As(err, &start) {
		return cause{code: CloseServerNotStarted, reason: reasonText("server-not-started", fmt.Sprintf("%s: %v", start.Program, start.Err))}
	}
	return cause{code: websocket.StatusInternalError, reason: reasonText("engine-failed", err.Error())}
}
