package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/parley-rpc/parley/host"
)

// Why a process's control connection was not used. errors.Is finds them.
var (
	ErrGone     = errors.New("nobody listens there any more")
	ErrBusy     = errors.New("the process answers as many control connections as it may")
	ErrStranger = errors.New("somebody else answers")
	ErrVersion  = errors.New("it speaks another version of the control protocol")
)

// Client asks one process. It connects when it is first used, and again when its connection was lost;
// in between it keeps the connection alive. Every method may be called from any goroutine. Methods
// return the process's errors as *host.RPCError, with the codes of the contract.
type Client struct {
	pid   int
	path  string
	clock host.Clock

	connecting chan struct{} // a token: whoever connects holds it
	mu         sync.Mutex
	link       *link // nil: not connected
	closed     bool
}

// NewClient returns a client of the process whose socket is at path; its name holds the process id,
// which must be that of whoever answers (CTL-6). clock nil is host.SystemClock.
func NewClient(path string, clock host.Clock) (*Client, error) {
	pid, ok := pidOf(filepath.Base(path))
	if !ok {
		return nil, fmt.Errorf("control: %s is no name of a control socket: want <pid>%s", path, socketSuffix)
	}
	if len(path) > socketPathBytesMax {
		return nil, fmt.Errorf("control: %s: %w", path, ErrPathTooLong)
	}
	if clock == nil {
		clock = host.SystemClock()
	}
	return &Client{pid: pid, path: path, clock: clock, connecting: make(chan struct{}, 1)}, nil
}

// PID is the process.
func (c *Client) PID() int { return c.pid }

// Close closes the connection. The process and its sessions go on (CTL-7). It is repeatable.
func (c *Client) Close() error {
	c.mu.Lock()
	l := c.link
	c.link, c.closed = nil, true
	c.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.close()
}

// Connection says who answers.
func (c *Client) Connection(ctx context.Context) (Connection, error) {
	l, err := c.connect(ctx)
	if err != nil {
		return Connection{}, err
	}
	return l.info, nil
}

// Sessions lists the process's sessions.
func (c *Client) Sessions(ctx context.Context) (Sessions, error) {
	return ask(ctx, c, SessionsList, None{})
}

// Session shows one session.
func (c *Client) Session(ctx context.Context, id string) (SessionDetail, error) {
	return ask(ctx, c, SessionsGet, SessionParams{id})
}

// Requests lists what a session works on; session "" is all.
func (c *Client) Requests(ctx context.Context, session string) (Requests, error) {
	return ask(ctx, c, RequestsList, FilterParams{session})
}

// Cancel cancels a request and waits until it has ended: true only then, false where it had ended
// before or never was. When ctx ends first the request stays cancelled.
func (c *Client) Cancel(ctx context.Context, correlationID string) (bool, error) {
	answer, err := ask(ctx, c, RequestsCancel, CancelParams{correlationID})
	return answer.Cancelled, err
}

// TraceStart starts a session's trace.
func (c *Client) TraceStart(ctx context.Context, session string) (Tracing, error) {
	return ask(ctx, c, TraceStart, SessionParams{session})
}

// TraceStop stops a session's trace and returns it.
func (c *Client) TraceStop(ctx context.Context, session string) (Trace, error) {
	return ask(ctx, c, TraceStop, SessionParams{session})
}

// Stats are a session's counters.
func (c *Client) Stats(ctx context.Context, session string) (Stats, error) {
	return ask(ctx, c, StatsGet, SessionParams{session})
}

// ask calls a method. A read whose connection is lost is asked once more on a new one, a mutation may
// have been carried out and is not (CTL-7).
func ask[P, R any](ctx context.Context, c *Client, m Method[P, R], params P) (R, error) {
	for again := !m.Mutates; ; again = false {
		l, err := c.connect(ctx)
		if err != nil {
			var none R
			return none, err
		}
		result, err := host.Call[R](ctx, l.session, m.Name, params)
		if err == nil || !errors.Is(err, host.ErrClosed) {
			return result, err
		}
		c.lost(l)
		if !again {
			return result, err
		}
	}
}

// connect returns the connection, and makes one where there is none: one at a time, whoever else asks
// meanwhile waits for it.
func (c *Client) connect(ctx context.Context) (*link, error) {
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	l, err := c.current()
	if l != nil || err != nil {
		return l, err
	}
	if l, err = c.dial(ctx); err != nil {
		return nil, fmt.Errorf("control: process %d: %w", c.pid, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.Join(host.ErrClosed, l.close())
	}
	c.link = l
	return l, nil
}

// current is the connection where there is a living one.
func (c *Client) current() (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fmt.Errorf("control: the client is closed: %w", host.ErrClosed)
	}
	if c.link != nil {
		select {
		case <-c.link.session.Done():
			c.link = nil
		default:
		}
	}
	return c.link, nil
}

// lost forgets a connection.
func (c *Client) lost(l *link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == l {
		c.link = nil
	}
}

// dial connects and finds out who answers.
func (c *Client) dial(ctx context.Context) (*link, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", c.path)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", ErrGone, err)
	}
	if err != nil {
		return nil, err
	}
	who, err := partyOf(conn.(*net.UnixConn))
	switch {
	case err != nil:
	case who.uid != os.Geteuid():
		err = fmt.Errorf("%w: account %d", ErrStranger, who.uid)
	case who.pid != 0 && who.pid != c.pid:
		err = fmt.Errorf("%w: process %d", ErrStranger, who.pid)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	l := newLink(conn, c.clock)
	if err := l.greet(ctx, c.pid); err != nil {
		_ = l.close() // it is not what was looked for
		return nil, err
	}
	go l.keepAlive(c.clock)
	return l, nil
}
