package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/parley-rpc/parley/host"
)

// acceptRetry is the pause after a failure to accept, such as too many open files.
const acceptRetry = 100 * time.Millisecond

// Options is what a Server is told.
type Options struct {
	// Program says what this process is, for people, in a line; empty: the name of its executable.
	Program string
	// IdleTimeout closes a connection that is idle that long: whole seconds, 1 to 120. 0 is what
	// PARLEY_CONTROL_IDLE_TIMEOUT_SECONDS says, else 120 s (CTL-4).
	IdleTimeout time.Duration
	// Directory holds the socket instead of the account's Directory, under the same conditions. It is
	// made where it is missing.
	Directory string
	// Logger is told of connections that were refused or broke the protocol; nil discards it.
	Logger *slog.Logger
	// Clock is the connections' time; nil is host.SystemClock.
	Clock host.Clock
}

// Server is a process's control connection: one socket, and the sessions that can be seen over it.
// Every method may be called from any goroutine.
type Server struct {
	sessions

	path     string
	listener *net.UnixListener
	info     Connection
	idle     time.Duration
	clock    host.Clock
	log      *slog.Logger
	partyOf  func(*net.UnixConn) (party, error)
	mux      *host.Mux

	places      places
	closing     context.Context // ends when Close begins
	cancel      context.CancelFunc
	connections sync.WaitGroup
	closed      func() error
}

// Listen opens the control connection of this process and answers it until Close. A process has one:
// a second is ErrInUse. A place that is not this account's alone is ErrNotPrivate, one with too long
// a path ErrPathTooLong, a bad idle limit ErrIdleTimeout; where the platform cannot keep others out,
// the error matches host.ErrUnsupported (CTL-1).
func Listen(options Options) (*Server, error) {
	idle, err := idleTimeout(options.IdleTimeout)
	if err != nil {
		return nil, err
	}
	directory, err := orDirectory(options.Directory)
	if err != nil {
		return nil, err
	}
	listener, path, err := bind(directory)
	if err != nil {
		return nil, err
	}
	s := newServer(options, idle)
	s.listener, s.path = listener, path
	s.connections.Go(s.accept)
	return s, nil
}

func newServer(options Options, idle time.Duration) *Server {
	s := &Server{
		idle:    idle,
		clock:   options.Clock,
		log:     options.Logger,
		partyOf: partyOf,
		info: Connection{
			ProtocolVersion: Version, PID: os.Getpid(), Program: shorten(options.Program),
			IdleTimeoutMs: idle.Milliseconds(), KeepAliveIntervalMs: (idle / 3).Milliseconds(),
		},
	}
	if s.info.Program == "" {
		s.info.Program = filepath.Base(os.Args[0])
	}
	if s.clock == nil {
		s.clock = host.SystemClock()
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.sessions.clock = s.clock
	s.mux = s.contract()
	s.closing, s.cancel = context.WithCancel(context.Background())
	s.closed = sync.OnceValue(s.close)
	return s
}

// bind makes the folder and this process's socket in it.
func bind(directory string) (*net.UnixListener, string, error) {
	path, err := socketPath(directory, os.Getpid())
	if err != nil {
		return nil, "", err
	}
	if err := makeDirectory(directory); err != nil {
		return nil, "", err
	}
	if err := clearPath(path); err != nil {
		return nil, "", fmt.Errorf("control: %w", err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, "", fmt.Errorf("control: %w", err)
	}
	listener.SetUnlinkOnClose(false) // it goes last, behind the connections (SCHED-7)
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, "", errors.Join(fmt.Errorf("control: %w", err), listener.Close(), os.Remove(path))
	}
	return listener, path, nil
}

// clearPath removes what a dead process that had this id left, and nothing that somebody listens on.
func clearPath(path string) error {
	conn, err := net.Dial("unix", path)
	switch {
	case err == nil:
		return errors.Join(fmt.Errorf("%s: %w", path, ErrInUse), conn.Close())
	case errors.Is(err, os.ErrNotExist):
		return nil
	case refused(err):
		return os.Remove(path)
	}
	return err
}

// Path is the socket.
func (s *Server) Path() string { return s.path }

// Close ends the control connection: nothing new is admitted, connections are closed, a request in
// work having a second to end, and the socket is removed. Sessions are left as they are (CTL-7). It is
// repeatable.
func (s *Server) Close() error { return s.closed() }

func (s *Server) close() error {
	s.cancel()
	err := s.listener.Close()
	s.connections.Wait()
	if removed := os.Remove(s.path); !errors.Is(removed, os.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// accept admits connections until Close.
func (s *Server) accept() {
	for {
		conn, err := s.listener.AcceptUnix()
		switch {
		case err == nil:
			s.admit(conn)
		case s.closing.Err() != nil:
			return
		default:
			s.log.Warn("control: accepting failed", "error", err)
			s.pause()
		}
	}
}

// pause waits until accepting may be tried again.
func (s *Server) pause() {
	passed := make(chan struct{})
	timer := s.clock.AfterFunc(acceptRetry, func() { close(passed) })
	defer timer.Stop()
	select {
	case <-passed:
	case <-s.closing.Done():
	}
}

// admit gives a connection a goroutine, and refuses it where it is somebody else's or too many are
// there (CTL-1, CTL-3).
func (s *Server) admit(conn *net.UnixConn) {
	who, err := s.partyOf(conn)
	if err == nil && who.uid != os.Geteuid() {
		err = fmt.Errorf("it is account %d's", who.uid)
	}
	if err != nil {
		s.log.Warn("control: a connection was refused", "error", err)
		conn.Close()
		return
	}
	turn, ok := s.places.enter()
	if !ok {
		s.log.Warn("control: a connection was refused", "error", errBusy)
		refuse(conn)
		return
	}
	s.connections.Go(func() {
		defer s.places.leave(turn)
		newConnection(s, conn).run(turn)
	})
}
