package control

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// connection is one client, from its accept to its end.
type connection struct {
	server  *Server
	conn    *net.UnixConn
	idle    *idleWatch
	expired chan struct{}
}

func newConnection(s *Server, conn *net.UnixConn) *connection {
	c := &connection{server: s, conn: conn, expired: make(chan struct{})}
	c.idle = watchIdle(s.clock, s.idle, func() { close(c.expired) })
	return c
}

// run waits for its turn and answers. The limit of idleness runs from the accept: who waits that long
// is refused (CTL-3, CTL-4).
func (c *connection) run(turn <-chan struct{}) {
	defer c.idle.stop()
	select {
	case <-turn:
		c.serve()
	case <-c.expired:
		refuse(c.conn)
	case <-c.server.closing.Done():
		c.conn.Close()
	}
}

func (c *connection) serve() {
	options := sessionOptions(core.RoleServer, c.server.clock)
	options.Config.StallMaxNs = core.Time(c.server.idle) // who does not read is idle, too
	options.Mux = c.server.mux
	options.Logger = c.server.log
	options.Engine = func(cfg core.Config) (host.Machine, error) {
		machine, err := host.Native(cfg)
		return watchedMachine{machine, c.idle}, err
	}
	session, err := host.New(host.Duplex(c.conn), options)
	if err != nil {
		panic("control: invariant: a fresh connection takes a session: " + err.Error())
	}
	select {
	case <-session.Done():
	case <-c.expired:
		now, cancel := context.WithCancel(context.Background())
		cancel()
		_ = session.Shutdown(now) // nothing is owed to an idle client
	case <-c.server.closing.Done():
		_ = session.Close() // how a client took it changes nothing here
	}
}

// sessionOptions are those of both sides: the profile, with bounds that fit a conversation of short
// questions, so that sixteen connections stay small.
func sessionOptions(role core.Role, clock host.Clock) host.Options {
	cfg := core.Defaults(core.ProfileControl, role)
	cfg.Limits.RunningMax, cfg.Limits.QueuedMax, cfg.Limits.BackgroundMax = 16, 64, 16
	cfg.Limits.QueuedBytesMax, cfg.Limits.ParkedBytesMax, cfg.Limits.ParkedMax = 4*core.MiB, 4*core.MiB, 256
	cfg.Limits.CallsMax, cfg.Limits.AbandonedMax = 256, 256
	cfg.GraceNs, cfg.ShutdownNs = core.Second, core.Second
	return host.Options{Config: cfg, Clock: clock}
}

// errBusy is what a refused connection is told.
var errBusy = &host.RPCError{
	Code:    CodeBusy,
	Message: fmt.Sprintf("%d control connections are served and %d wait; try again when one has left", servedMax, waitingMax),
}

// refuse says once, to no request in particular, that there are too many connections. The text fits an
// empty socket buffer, so the deadline is only for what cannot happen.
func refuse(conn *net.UnixConn) {
	defer conn.Close()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, errBusy.Code, errBusy.Message)
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	if err := conn.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		return
	}
	// A client that has left needs no refusal.
	_, _ = conn.Write(frame)
}
