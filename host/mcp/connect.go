package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
)

// Connect opens a session with a server and agrees on an era with it. ctx bounds the connecting
// alone, and so does Options.ConnectTimeout. It fails with a *ConnectError, with what the endpoint
// says where that cannot be opened, and with a *core.ConfigError where an option is out of range;
// either way nothing is left running.
func Connect(ctx context.Context, endpoint Endpoint, options Options) (*Session, error) {
	if options.Host.Mux != nil {
		return nil, fmt.Errorf("mcp: connect: Options.Host.Mux is set, use Serve and Notified: %w", host.ErrUnsupported)
	}
	if _, err := options.negotiation(era.EraUnknown, endpoint.Spawned); err != nil {
		return nil, fmt.Errorf("mcp: connect: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, options.ConnectTimeout)
	defer cancel()

	known, learner := era.EraUnknown, learner{}
	if endpoint.Key != "" && options.Mode == era.ModeAuto {
		learner.eras, learner.key = options.Eras, endpoint.Key
		if learner.eras == nil {
			learner.eras = processEras()
		}
		var err error
		if known, learner.probe, err = learner.eras.ask(ctx, endpoint.Key); err != nil {
			return nil, interrupted(ctx, nil)
		}
		defer learner.end()
	}

	c, err := newConnector(ctx, endpoint, &options, known, learner)
	if err != nil {
		return nil, err
	}
	session, err := c.run(ctx)
	if err != nil {
		c.stopCalls()
		// Why the session came to nothing is err; how it was closed changes nothing about it.
		_ = c.conn.Close()
		return nil, err
	}
	return session, nil
}

// connector does what one era.Negotiation says.
type connector struct {
	endpoint Endpoint
	options  *Options
	clock    host.Clock
	learner  learner

	negotiation *era.Negotiation
	client      era.Client
	inbound     *inbound
	conn        Conn
	consumed    chan struct{} // closed when inbound is through with conn

	calls     context.Context // of every call; it outlives Connect, for an answer that comes late
	stopCalls context.CancelFunc
	outcomes  chan outcome
	open      int // calls without an outcome

	lost error   // how the connection ended, as the last lost call told it
	ends []error // how the connections before it ended
}

// outcome is what became of a call of the negotiation.
type outcome struct {
	call  uint32
	event core.Event
	err   error
}

// callsMax is more calls than any negotiation makes, so that nobody waits to tell an outcome.
const callsMax = 16

func newConnector(ctx context.Context, endpoint Endpoint, options *Options, known era.Era, l learner) (*connector, error) {
	cfg, err := options.negotiation(known, endpoint.Spawned)
	if err != nil {
		return nil, err
	}
	if deadline, bounded := ctx.Deadline(); bounded { // waiting for another's probe used some of it
		cfg.ConnectNs = max(1, min(cfg.ConnectNs, core.Time(time.Until(deadline))))
	}
	negotiation, err := era.New(cfg)
	if err != nil {
		return nil, err
	}
	c := &connector{
		endpoint: endpoint, options: options, learner: l, clock: options.Host.Clock,
		negotiation: negotiation, client: cfg.Client, inbound: newInbound(options),
		outcomes: make(chan outcome, callsMax),
	}
	if c.clock == nil {
		c.clock = host.SystemClock()
	}
	c.calls, c.stopCalls = context.WithCancel(context.Background())
	if err := c.openConn(ctx); err != nil {
		c.stopCalls()
		return nil, err
	}
	return c, nil
}

func (c *connector) openConn(ctx context.Context) error {
	session := c.options.Host
	session.Clock = c.clock
	session.Engine = undecided(session.Engine)
	conn, err := c.endpoint.Open(ctx, session)
	if err != nil {
		return fmt.Errorf("mcp: connect: %w", err)
	}
	consumed := make(chan struct{})
	c.conn, c.consumed = conn, consumed
	go func() {
		defer close(consumed)
		c.inbound.run(conn)
	}()
	return nil
}

// undecided makes machines that serve nothing from their first byte on (ERA-1): a session of an
// engine's machine reads as soon as it is made.
func undecided(engine host.Engine) host.Engine {
	if engine == nil {
		engine = host.Native
	}
	return func(cfg core.Config) (host.Machine, error) {
		machine, err := engine(cfg)
		if err != nil {
			return nil, err
		}
		if err := machine.SetVersion(""); err != nil {
			return nil, errors.Join(err, machine.Close())
		}
		return machine, nil
	}
}

// run takes turns until there is a decision. Where an answer and the end of a budget come together,
// the answer wins (CALL-3).
func (c *connector) run(ctx context.Context) (*Session, error) {
	due := make(chan struct{}, 1)
	timer := c.clock.AfterFunc(c.options.ConnectTimeout, func() {
		select {
		case due <- struct{}{}:
		default: // the last one has not been seen yet
		}
	})
	defer timer.Stop()
	for {
		c.negotiation.Advance(c.clock.Now())
		if session, err := c.takeSteps(ctx); session != nil || err != nil {
			return session, err
		}
		timer.Reset(time.Duration(max(0, c.negotiation.Deadline()-c.clock.Now())))
		select {
		case o := <-c.outcomes:
			c.settle(&o)
		case <-due:
			select {
			case o := <-c.outcomes:
				c.settle(&o)
			default:
			}
		case <-ctx.Done():
			return nil, interrupted(ctx, c.ends)
		}
	}
}

// takeSteps does what the negotiation wants done by now.
func (c *connector) takeSteps(ctx context.Context) (*Session, error) {
	var step, initialized era.Step
	for c.negotiation.Next(&step) {
		var err error
		switch step.Kind {
		case era.StepCall:
			c.call(&step)
		case era.StepNotify:
			initialized = step // until it is known what the server may send upon it
		case era.StepProbed, era.StepForget:
			c.learner.learn(&step)
		case era.StepRestart:
			err = c.restart(ctx)
		case era.StepModern:
			c.serve(step.Version)
			return c.session(era.EraModern, &step), nil
		case era.StepLegacy:
			c.serve(step.Version)
			if err = c.conn.NotifyRaw(ctx, initialized.Method, initialized.Params); err == nil {
				return c.session(era.EraLegacy, &step), nil
			}
		case era.StepFailed:
			return nil, c.failed()
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// call makes a call and brings its outcome back. The era is the legacy one from its first byte on,
// which a server may answer with a ping.
func (c *connector) call(step *era.Step) {
	version := ""
	if step.Method == "initialize" {
		version = era.LegacyVersions()[0]
	}
	c.serve(version)
	c.open++
	conn, call := c.conn, step.Call
	method, params := step.Method, json.RawMessage(step.Params)
	options := []host.CallOption{host.Quiet(), host.WithTimeout(time.Duration(max(0, step.Deadline-c.clock.Now())))}
	if step.ID != nil {
		options = append(options, host.WithID(step.ID))
	}
	go func() {
		result, err := conn.CallRaw(c.calls, method, params, options...)
		c.outcomes <- outcome{call, eventOf(result, err), err}
	}()
}

// serve tells the machine what is served from now on. Where the session has ended, the next call or
// notification says so.
func (c *connector) serve(version string) { _ = c.conn.SetVersion(version) }

// eventOf is the outcome of a call as the core told it to the host.
func eventOf(result json.RawMessage, err error) core.Event {
	var refusal *host.RPCError
	var misfit *host.ParseError
	switch {
	case err == nil:
		return core.Event{Kind: core.EventResult, Body: result}
	case errors.As(err, &refusal):
		return core.Event{Kind: core.EventError, Code: refusal.Code, Text: []byte(refusal.Message), Body: refusal.Data}
	case errors.As(err, &misfit):
		return core.Event{Kind: core.EventInvalidAnswer, Body: misfit.Raw}
	case errors.Is(err, host.ErrTimeout):
		return core.Event{Kind: core.EventTimeout}
	case errors.Is(err, host.ErrCanceled):
		return core.Event{Kind: core.EventCanceled}
	}
	return core.Event{Kind: core.EventLost} // also where nothing can be sent at all
}

func (c *connector) settle(o *outcome) {
	c.open--
	if o.event.Kind == core.EventLost {
		c.lost = o.err
	}
	c.negotiation.Settle(o.call, &o.event)
}

// restart starts the server once more, in place of the one that ended (ERA-5).
func (c *connector) restart(ctx context.Context) error {
	c.ends = append(c.ends, c.lost)
	// It has ended already; why is in c.lost.
	_ = c.conn.Close()
	<-c.consumed // one goroutine at a time hands notifications over
	return c.openConn(ctx)
}

func (c *connector) failed() error {
	e := &ConnectError{Failure: c.negotiation.Failure(), Ends: c.ends}
	if e.Failure.Kind == era.FailureLost {
		e.Ends = append(e.Ends, c.lost)
	}
	return e
}

// interrupted is what the caller's context, or the connect budget on it, makes of a connect.
func interrupted(ctx context.Context, ends []error) error {
	failure := &era.Failure{Kind: era.FailureCanceled, Method: "connect"}
	if ctx.Err() == context.DeadlineExceeded {
		failure.Kind = era.FailureTimeout
	}
	return &ConnectError{Failure: failure, Ends: append(ends, context.Cause(ctx))}
}

// session hands the connection over. A probe that was given up on may still teach (ERA-6): its
// answer is waited for until the connect budget or the session ends.
func (c *connector) session(chosen era.Era, step *era.Step) *Session {
	go func() {
		for c.open > 0 {
			o := <-c.outcomes
			c.settle(&o)
			var late era.Step
			for c.negotiation.Next(&late) {
				c.learner.learn(&late)
			}
		}
		c.stopCalls()
	}()
	return &Session{
		conn: c.conn, client: c.client, stopCalls: c.stopCalls,
		era: chosen, version: step.Version, server: step.Result,
	}
}
