package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// Live is a session that can be seen and reached: a *host.Peer, or what answers for one. It is asked
// at any time, from any goroutine, and may not wait but in CancelRequest.
type Live interface {
	// Snapshot shows it; it fails once the session has ended.
	Snapshot() (host.Snapshot, error)
	// CancelRequest cancels what has that ordinal in the Snapshot, and returns as
	// host.Peer.CancelRequest does. A session that cannot is host.ErrUnsupported.
	CancelRequest(ctx context.Context, ordinal uint64) (bool, error)
	// TraceStart and TraceStop are core.ErrTracing where one runs, or none.
	TraceStart() error
	TraceStop() error
	// Done is closed once the session has ended; it is forgotten then.
	Done() <-chan struct{}
}

var _ Live = (*host.Peer)(nil)

// idBytesMax bounds a session's id, which is typed by people and part of every correlation id.
const idBytesMax = 64

// sessions are the registered ones.
type sessions struct {
	clock host.Clock

	mu         sync.Mutex
	registered []*session // in the order of registration
	numbered   int
}

type session struct {
	live  Live
	id    string
	name  string
	since core.Time
}

// NewSessionID returns an id for core.Config.SessionID that no other session of this machine has: the
// process id, a dot and a number.
func (s *sessions) NewSessionID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nextID()
}

func (s *sessions) nextID() string {
	s.numbered++
	return strconv.Itoa(os.Getpid()) + "." + strconv.Itoa(s.numbered)
}

// Register shows a session under its Config.SessionID until it ends; one without an id is given one.
// name says to people what it is. An id is at most 64 printable ASCII characters without spaces, and
// taken once. Nothing of the session is owned (CTL-7).
func (s *sessions) Register(live Live, name string) error {
	snapshot, err := live.Snapshot()
	if err != nil {
		return fmt.Errorf("control: registering session %q: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := snapshot.SessionID
	if id == "" {
		id = s.nextID()
	}
	if !validID(id) {
		return fmt.Errorf("control: a session's id is %q; want 1 to %d printable ASCII characters without spaces", id, idBytesMax)
	}
	s.prune()
	for _, r := range s.registered {
		if r.id == id {
			return fmt.Errorf("control: the session id %q is taken; ids come from NewSessionID", id)
		}
	}
	s.registered = append(s.registered, &session{live: live, id: id, name: name, since: s.clock.Now()})
	return nil
}

func validID(id string) bool {
	return id != "" && len(id) <= idBytesMax && strings.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// prune forgets the sessions that have ended. sessions.mu is held.
func (s *sessions) prune() {
	kept := s.registered[:0]
	for _, r := range s.registered {
		select {
		case <-r.live.Done():
		default:
			kept = append(kept, r)
		}
	}
	clear(s.registered[len(kept):])
	s.registered = kept
}

// all returns the sessions that have not ended, oldest first.
func (s *sessions) all() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prune()
	return append([]*session(nil), s.registered...)
}

// find returns the session of an id.
func (s *sessions) find(id string) (*session, error) {
	for _, r := range s.all() {
		if r.id == id {
			return r, nil
		}
	}
	return nil, noSession(id)
}

func noSession(id string) error {
	return &host.RPCError{Code: CodeNoSession, Message: fmt.Sprintf("no session %q here; it may have ended", id)}
}

// snapshot is the session's, or the answer that it has ended.
func (r *session) snapshot() (host.Snapshot, error) {
	snapshot, err := r.live.Snapshot()
	if errors.Is(err, host.ErrClosed) {
		return snapshot, noSession(r.id)
	}
	return snapshot, err
}

func (r *session) correlationID(ordinal uint64) string {
	return r.id + "-" + strconv.FormatUint(ordinal, 10)
}

// ParseCorrelationID takes a correlation id apart, at its last hyphen.
func ParseCorrelationID(text string) (session string, ordinal uint64, err error) {
	if cut := strings.LastIndexByte(text, '-'); cut > 0 {
		session = text[:cut]
		ordinal, err = strconv.ParseUint(text[cut+1:], 10, 64)
		if err == nil && validID(session) {
			return session, ordinal, nil
		}
	}
	return "", 0, fmt.Errorf("control: %q is no correlation id: want a session's id, a hyphen and a number", text)
}
