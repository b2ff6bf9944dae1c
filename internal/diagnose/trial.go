// Package diagnose finds out why a client and a server do not connect. A Trial is one start of the
// server, spoken to as a client would, and everything that was seen of it; Examine makes as many
// trials as it takes, and judges them.
//
// It judges what any session saw: no rule of the protocol is written a second time here.
package diagnose

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/mcp"
)

// Protocol is what a server is spoken to in.
type Protocol string

// The protocols that a server is tried in.
const (
	LSP Protocol = "lsp"
	MCP Protocol = "mcp"
)

// Client is who tries servers.
type Client struct {
	LSP        host.Options // with a Mux
	Initialize any          // the params of LSP's initialize
	MCP        mcp.Options  // its Host and its times are set here

	Handshake time.Duration // how long a server may take to answer the handshake
	Slow      time.Duration // what is slow for that
	Leave     time.Duration // how long it may take to leave
}

// Trial is one start of a server. What was not reached is zero.
type Trial struct {
	Command  []string
	Protocol Protocol
	Starts   int // 2: an MCP server that ended on the question about its era, and was started again

	Err     error           // why there was no handshake; nil: there was
	Result  json.RawMessage // what the server said of itself
	Version string          // MCP: what was agreed on
	Unknown error           // what became of a request that no server knows; an *host.RPCError is due
	Stats   core.Stats

	Head       []byte // the beginning of stdout
	BytesTotal int64  // of stdout
	BytesLate  int64  // of stdout, once stdin was closed, where there was no handshake

	Ended    bool           // it closed its stdout before the handshake was answered,
	Exit     child.Obituary // and this became of it
	LeaveErr error          // what came of an orderly farewell
	Stayed   bool           // it did not leave upon that within Leave
	Left     string         // how it ended
	LeftCode int
	Stderr   []byte // the end of it

	Timings Timings
}

// Timings are in milliseconds, from the start unless the name says otherwise.
type Timings struct {
	StartMs     float64 `json:"startMs"`     // the process was there
	FirstByteMs float64 `json:"firstByteMs"` // the first byte on its stdout
	HandshakeMs float64 `json:"handshakeMs"` // the handshake was answered
	RoundTripMs float64 `json:"roundTripMs"` // a request and its answer, by itself
	LeaveMs     float64 `json:"leaveMs"`     // from the farewell to the end of the process, by itself
	TotalMs     float64 `json:"totalMs"`
}

// session is what is asked once there was a handshake.
type session interface {
	host.Caller
	Stats() core.Stats
	Close() error
}

// Try starts the command, shakes hands, asks what no server knows, and says goodbye. Nothing of it is
// left when Try returns, which is after twice Handshake and the ladder of Leave at the latest.
func (c *Client) Try(ctx context.Context, command []string, protocol Protocol) *Trial {
	s := &subject{ctx: ctx, client: c, trial: &Trial{Command: command, Protocol: protocol}, begun: time.Now()}
	bounded, cancel := context.WithTimeout(ctx, c.Handshake)
	defer cancel()
	shake := s.shakeLSP
	if protocol == MCP {
		shake = s.shakeMCP
	}
	t := s.trial
	var open session
	if open, t.Err = shake(bounded); t.Err == nil {
		t.Timings.HandshakeMs = s.sinceStart()
		s.connected = true
		s.askUnknown(ctx, open)
		t.LeaveErr = open.Close()
		t.Stats = open.Stats()
	}
	if s.heard != nil {
		t.Head, t.BytesTotal, t.Timings.FirstByteMs = s.heard.read()
	}
	t.Timings.TotalMs = s.sinceStart()
	return t
}

// subject is the server of a trial while it runs.
type subject struct {
	ctx       context.Context // of the trial: a Close that is nobody's call ends with it
	client    *Client
	trial     *Trial
	begun     time.Time
	connected bool
	heard     *recording // of the process started last
}

func (s *subject) sinceStart() float64 { return milliseconds(time.Since(s.begun)) }

// start starts the process, and listens to it.
func (s *subject) start(ctx context.Context, options host.Options) (*patient, error) {
	heard := &recording{begun: s.begun}
	options.Engine = heard.listen(options.Engine)
	command := exec.Command(s.trial.Command[0], s.trial.Command[1:]...)
	peer, err := child.Start(ctx, command, options, child.WithBounds(child.Bounds{
		Grace: ladderWait, Terminate: ladderWait,
	}))
	if err != nil {
		return nil, err
	}
	s.heard = heard
	s.trial.Starts++
	s.trial.Timings.StartMs = s.sinceStart()
	return &patient{Peer: peer, subject: s}, nil
}

// ladderWait is how long a server may take to obey, on each rung of the ladder, once it had its time.
const ladderWait = 500 * time.Millisecond

func (s *subject) shakeLSP(ctx context.Context) (session, error) {
	p, err := s.start(ctx, s.client.LSP)
	if err != nil {
		return nil, err
	}
	s.trial.Result, err = host.Call[json.RawMessage](ctx, p, "initialize", s.client.Initialize)
	if err == nil {
		err = p.Notify(ctx, "initialized", struct{}{})
	}
	if err != nil {
		// Why there was no handshake is err.
		_ = p.Close()
		return nil, err
	}
	return p, nil
}

// shakeMCP gives the question about the era half of the time, so that a server which does not answer
// what it does not know can still be told initialize.
func (s *subject) shakeMCP(ctx context.Context) (session, error) {
	options := s.client.MCP
	options.ConnectTimeout = s.client.Handshake
	options.ProbeTimeout = min(options.ProbeTimeout, s.client.Handshake/4)
	options.StartupAllowance = min(options.StartupAllowance, s.client.Handshake/4)
	open, err := mcp.Connect(ctx, mcp.Endpoint{
		Spawned: true,
		Open: func(ctx context.Context, options host.Options) (mcp.Conn, error) {
			p, err := s.start(ctx, options)
			if err != nil {
				return nil, err // not p: a nil *patient is no nil Conn
			}
			return p, nil
		},
	}, options)
	if err != nil {
		return nil, err
	}
	s.trial.Result, s.trial.Version = open.Server(), open.Version()
	return open, nil
}

// unknownMethod is one that no server has. Its refusal may take as long as the handshake: a server that
// loads its files upon initialized may do that first.
const unknownMethod = "parley/unknown"

func (s *subject) askUnknown(ctx context.Context, open session) {
	asked := time.Now()
	_, s.trial.Unknown = open.CallRaw(ctx, unknownMethod, json.RawMessage("{}"), host.WithTimeout(s.client.Handshake))
	s.trial.Timings.RoundTripMs = milliseconds(time.Since(asked))
}

// patient is a server whose end is watched.
type patient struct {
	*child.Peer
	subject *subject
}

// Close ends the server and says how it ended.
func (p *patient) Close() error {
	s, t := p.subject, p.subject.trial
	var err error
	if s.connected {
		err = p.askToLeave()
	} else {
		p.watchEnd()
	}
	closeErr := p.Peer.Close()
	t.Stats = p.Stats()
	t.Stderr = p.Process.Stderr.Bytes()
	if errors.Is(closeErr, child.ErrSurvived) {
		return closeErr
	}
	if state, waitErr := p.Process.Wait(context.Background()); waitErr == nil && state != nil {
		t.Left, t.LeftCode = state.String(), state.ExitCode()
	}
	return err
}

// askToLeave says goodbye as the protocol asks, closes stdin, and waits for the end of the process. The
// error is the server's refusal.
func (p *patient) askToLeave() error {
	t, asked := p.subject.trial, time.Now()
	ctx, cancel := context.WithTimeout(p.subject.ctx, p.subject.client.Leave)
	defer cancel()
	var err error
	if t.Protocol == LSP {
		if _, err = p.CallRaw(ctx, "shutdown", nil); err == nil {
			err = p.NotifyRaw(ctx, "exit", nil)
		}
	}
	// Where it cannot be closed the session has ended, and stdin with it.
	_ = p.FinishInput(ctx)
	_, waitErr := p.Process.Wait(ctx)
	t.Stayed = waitErr != nil
	t.Timings.LeaveMs = milliseconds(time.Since(asked))
	return err
}

// watchEnd looks at a server that has not answered: whether it has ended by itself, and what it still
// has to say once its stdin is closed.
func (p *patient) watchEnd() {
	t, heard := p.subject.trial, p.subject.heard
	if state := p.State(); state.Reason != core.ReasonNone {
		if t.Ended = endedByItself(state); t.Ended {
			t.Exit = p.Process.Obituary(context.Background())
		}
		return
	}
	before := heard.bytesTotal()
	ctx, cancel := context.WithTimeout(p.subject.ctx, p.subject.client.Leave)
	defer cancel()
	// Where nothing can be sent any more the session has ended, or does.
	_ = p.FinishInput(ctx)
	select {
	case <-p.Done():
	case <-ctx.Done():
	}
	t.BytesLate = heard.bytesTotal() - before
}

// endedByItself reports that the server closed its output; where it broke the protocol it was told to
// leave for that.
func endedByItself(state core.State) bool {
	switch state.Reason {
	case core.ReasonEOF, core.ReasonWriteFailed:
		return true
	case core.ReasonViolation:
		return state.Err.Kind == core.ViolationTruncated
	}
	return false
}
