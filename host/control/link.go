package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// link is one connection of a client's.
type link struct {
	session *host.Peer
	info    Connection
	refused atomic.Pointer[host.RPCError] // what the process said before it closed
}

func newLink(conn net.Conn, clock host.Clock) *link {
	l := &link{}
	options := sessionOptions(core.RoleClient, clock)
	options.Engine = func(cfg core.Config) (host.Machine, error) {
		machine, err := host.Native(cfg)
		return refusalMachine{machine, l}, err
	}
	session, err := host.New(host.Duplex(conn), options)
	if err != nil {
		panic("control: invariant: a fresh connection takes a session: " + err.Error())
	}
	l.session = session
	return l
}

// refusalMachine hears the refusal of a process that has too many connections, which answers no call:
// here, and not as an observation, so that it is known before the call is lost (CTL-3).
type refusalMachine struct {
	host.Machine
	link *link
}

func (m refusalMachine) Next(ev *core.Event) bool {
	more := m.Machine.Next(ev)
	if more && ev.Kind == core.EventPeerError && ev.Code == CodeBusy {
		m.link.refused.Store(&host.RPCError{Method: ConnectionGet.Name, Code: ev.Code, Message: string(ev.Text)})
	}
	return more
}

// lossOf explains a call that was lost: the process may have said why, which is still to be read where
// the loss was noticed by writing (SEND-5).
func (l *link) lossOf(ctx context.Context, err error) error {
	if !errors.Is(err, host.ErrClosed) {
		return err
	}
	select {
	case <-l.session.Done():
	case <-ctx.Done():
	}
	if refused := l.refused.Load(); refused != nil {
		return fmt.Errorf("%w: %w", ErrBusy, refused)
	}
	return err
}

// greet is the first call: it must be answered by the process that was looked for, in our version.
func (l *link) greet(ctx context.Context, pid int) error {
	info, err := host.Call[Connection](ctx, l.session, ConnectionGet.Name, nil)
	idle, interval := info.IdleTimeoutMs, info.KeepAliveIntervalMs
	switch {
	case err != nil:
		return l.lossOf(ctx, err)
	case info.ProtocolVersion != Version:
		return fmt.Errorf("%w: %d, and this side %d", ErrVersion, info.ProtocolVersion, Version)
	case info.PID != pid:
		return fmt.Errorf("%w: it says to be process %d", ErrStranger, info.PID)
	case interval <= 0 || interval >= idle || idle > IdleTimeoutMax.Milliseconds():
		return fmt.Errorf("it wants a sign of life every %d ms and is patient for %d ms, which does not fit together", interval, idle)
	}
	l.info = info
	return nil
}

// keepAlive says that the client is there until the connection ends. One that is not answered, or
// answered no, ends it, so that the next question finds a new one.
func (l *link) keepAlive(clock host.Clock) {
	interval := time.Duration(l.info.KeepAliveIntervalMs) * time.Millisecond
	patience := time.Duration(l.info.IdleTimeoutMs)*time.Millisecond - interval // until it would be closed
	due := make(chan struct{}, 1)
	timer := clock.AfterFunc(interval, func() { due <- struct{}{} })
	defer timer.Stop()
	for {
		select {
		case <-due:
		case <-l.session.Done():
			return
		}
		alive, err := host.Call[Alive](context.Background(), l.session, KeepAlive.Name, nil, host.WithTimeout(patience))
		if err != nil || !alive.Alive {
			_ = l.close() // the next question says what is wrong
			return
		}
		timer.Reset(interval)
	}
}

// close ends the conversation; what is still asked fails.
func (l *link) close() error {
	err := l.session.Close()
	if errors.Is(err, host.ErrClosed) {
		return nil // it had ended by itself
	}
	return err
}
