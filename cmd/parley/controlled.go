package main

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/control"
)

// controlFlags are those of a command that runs long and can be looked into.
type controlFlags struct {
	NoControl        bool   `env:"PARLEY_NO_CONTROL" help:"Open none. So does PARLEY_NO_CONTROL=1."`
	ControlIdle      *int   `placeholder:"SECONDS" help:"Close it for who says nothing this long, 1 to 120. (default 120, or $$PARLEY_CONTROL_IDLE_TIMEOUT_SECONDS)"`
	ControlDirectory string `placeholder:"DIR" help:"Where its socket is, in place of .parley/sockets in your account's home."`
}

// controlled is the control connection of this process. A nil one shows nothing.
type controlled struct {
	server *control.Server
	log    *slog.Logger
}

// open opens the control connection. A server works without: where none can be had, stderr says why.
// Only a bad idle limit is a mistake of the command line, and an error (CTL-4).
func (f controlFlags) open(e *env, program string) (*controlled, error) {
	if f.NoControl {
		return nil, nil
	}
	c := &controlled{log: peerLogger(e)}
	options := control.Options{Program: program, Directory: f.ControlDirectory, Logger: c.log}
	if f.ControlIdle != nil {
		options.IdleTimeout = time.Duration(*f.ControlIdle) * time.Second
		if options.IdleTimeout < time.Second || options.IdleTimeout > control.IdleTimeoutMax {
			return nil, usageError{fmt.Sprintf("--control-idle is %d: %v", *f.ControlIdle, control.ErrIdleTimeout)}
		}
	}
	var err error
	c.server, err = control.Listen(options)
	switch {
	case err == nil:
		return c, nil
	case errors.Is(err, control.ErrIdleTimeout):
		return nil, usageError{err.Error()}
	case !errors.Is(err, host.ErrUnsupported): // a platform without is no news
		fmt.Fprintln(e.stderr, "parley: no control connection: "+oneLine(err.Error()))
	}
	return nil, nil
}

// join has the session that is made with these options shown under a name.
func (c *controlled) join(options host.Options, name string) host.Options {
	if c == nil {
		return options
	}
	options.Config.SessionID = c.server.NewSessionID()
	options.Started = func(p *host.Peer) {
		if err := c.server.Register(p, name); err != nil {
			c.log.Warn("the session is not shown", "error", oneLine(err.Error()))
		}
	}
	return options
}

// connection is the server itself; nil where there is none.
func (c *controlled) connection() *control.Server {
	if c == nil {
		return nil
	}
	return c.server
}

// close is the last thing a command does, behind its sessions (SCHED-7).
func (c *controlled) close() {
	if c == nil {
		return
	}
	if err := c.server.Close(); err != nil {
		c.log.Warn("closing the control connection failed", "error", oneLine(err.Error()))
	}
}
