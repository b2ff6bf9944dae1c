package host

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/parley-rpc/parley/core"
)

// Peer is one session: a machine, a transport, and between them a reader, a writer, a crew that runs
// handlers, and a timer. Every method may be called from any goroutine.
type Peer struct {
	transport    *Transport
	clock        Clock
	codec        Codec
	mux          *Mux // nil: messages wait for Messages
	log          *slog.Logger
	explain      func(ctx context.Context) string
	profile      core.Profile
	role         core.Role
	sessionID    string
	limits       core.Limits
	shutdownCode core.Code                 // answers what a shutdown leaves unanswered (REQ-7)
	turns        map[*route]chan struct{}  // of the methods with a limit of their own
	handshake    atomic.Pointer[handshake] // nil: none has been seen

	// handlers is the parent of every handler's context; it ends with the session.
	handlers       context.Context
	cancelHandlers context.CancelCauseFunc

	done         chan struct{}
	outputClosed chan struct{}
	observations chan Observation // nil when nobody observes
	observeLost  uint64           // guarded by mu
	freeCalls    sync.Pool        // of *pendingCall

	mu       sync.Mutex // guards the machine and everything below; never held while caller code runs
	machine  Machine
	event    core.Event // reused by every drain
	calls    map[core.CallID]*pendingCall
	requests map[core.ReqID]*request
	crew     crew
	lone     lone
	room     room
	flushes  []flush
	inbox    inbox
	end      end

	mayRead     *sync.Cond // the reader: input is no longer paused, or over
	mayWrite    *sync.Cond // the writer: it is ready for the output there is, or that is done, or over
	mayServe    *sync.Cond // one of the crew: there is an item, or the session is over
	writerReady bool
	spare       []byte // an emptied block, for the machine
	timer       Timer
	armed       core.Time // what timer is set to; Never: nothing that will come
	hold        hold
	readErr     error // the transport's, beside io.EOF
	writeErr    error
}

// New claims the transport and starts the session. A transport already claimed is ErrUnsupported;
// a refused configuration claims nothing (API-1).
func New(transport *Transport, options Options) (*Peer, error) {
	cfg := options.Config
	if cfg.Role == core.RoleRelay || cfg.Framing == core.FramingWhole {
		return nil, ErrUnsupported // a relay has no calls, a stream no message boundaries
	}
	cfg.Inbound = core.InboundMessages
	if options.Mux != nil {
		cfg.Inbound = core.InboundHandlers
		cfg.Methods = options.Mux.seal()
	}
	if cfg.Seed == 0 {
		cfg.Seed = rand.Uint64()
	}
	engine := options.Engine
	if engine == nil {
		engine = Native
	}
	machine, err := engine(cfg)
	if err != nil {
		return nil, err
	}
	if !transport.claim() {
		return nil, errors.Join(ErrUnsupported, machine.Close())
	}
	p := newPeer(transport, machine, cfg, options)
	p.startObserving(options.Observe)
	p.start()
	if options.Started != nil {
		options.Started(p)
	}
	return p, nil
}

func newPeer(transport *Transport, machine Machine, cfg core.Config, options Options) *Peer {
	p := &Peer{
		transport:    transport,
		machine:      machine,
		clock:        options.Clock,
		codec:        options.Codec.orDefault(),
		mux:          options.Mux,
		log:          options.Logger,
		explain:      options.Explain,
		profile:      cfg.Profile,
		role:         cfg.Role,
		sessionID:    cfg.SessionID,
		limits:       machine.Limits(),
		turns:        map[*route]chan struct{}{},
		done:         make(chan struct{}),
		outputClosed: make(chan struct{}),
		calls:        map[core.CallID]*pendingCall{},
		requests:     map[core.ReqID]*request{},
		armed:        core.Never,
	}
	p.shutdownCode = core.CodeInternal
	if cfg.Profile == core.ProfileLSP {
		p.shutdownCode = core.CodeServerCanceled
	}
	if p.mux != nil {
		for _, r := range p.mux.routes {
			if r.runningMax > 0 {
				p.turns[r] = make(chan struct{}, r.runningMax)
			}
		}
	}
	if p.clock == nil {
		p.clock = SystemClock()
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.mayRead, p.mayWrite, p.mayServe = sync.NewCond(&p.mu), sync.NewCond(&p.mu), sync.NewCond(&p.mu)
	p.inbox.arrived = make(chan struct{}, 1)
	p.end.described = make(chan struct{})
	p.writerReady = transport.ready == nil
	p.handlers, p.cancelHandlers = context.WithCancelCause(context.WithValue(context.Background(), peerKey{}, p))
	return p
}

// start makes the first turn before any goroutine, so that none of them finds the clock unset.
func (p *Peer) start() {
	// The machine holds a timer from the start, so that arming it never fails later.
	p.timer = p.clock.AfterFunc(forever, p.tick)
	_ = p.update(func(m Machine) error {
		if p.mux != nil {
			m.Want(creditMax)
		}
		return nil
	})
	go p.readLoop()
	go p.writeLoop()
	if !p.writerReady {
		go p.awaitReady()
	}
}

// Codec returns the session's codec.
func (p *Peer) Codec() Codec { return p.codec }

// FrameMax is the largest body in bytes, in both directions (API-7).
func (p *Peer) FrameMax() int { return p.limits.FrameBytesMax }

// MessagesMax is how many messages wait for Messages at most (BACK-1).
func (p *Peer) MessagesMax() int { return p.limits.MessagesMax }

// DroppedMessages counts the notifications that were not delivered since the start (BACK-1).
func (p *Peer) DroppedMessages() int64 { return int64(p.Stats().Dropped) }

// Stats returns the machine's counters.
func (p *Peer) Stats() core.Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end.over {
		return p.end.stats
	}
	return p.machine.Stats()
}

// State returns where the session stands.
func (p *Peer) State() core.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state()
}

func (p *Peer) state() core.State {
	if p.end.over {
		return p.end.state
	}
	return p.machine.State()
}

// SetVersion tells the machine the negotiated version of profile MCP; "" while a client negotiates.
// It decides what is served: see core.Conn.SetVersion (ERA-1, ERA-7, MSG-8).
func (p *Peer) SetVersion(version string) error {
	return p.update(func(m Machine) error { return m.SetVersion(version) })
}

// ExitCode is what a server process returns (STOP-9). It is final once Done is closed.
func (p *Peer) ExitCode() int { return p.State().ExitCode }
