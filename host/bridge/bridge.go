package bridge

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/child"
)

// Bridge serves pages and their sessions. It is an http.Handler; every method may be called from any
// goroutine.
type Bridge struct {
	options Options
	gate    *gate
	root    *os.Root // nil: none
	routes  http.Handler

	ctx    context.Context // of all sockets; it ends with Close
	cancel context.CancelFunc

	mu       sync.Mutex
	sessions map[string]*session
	starting int // sessions that are being started, which count like those that are there
	health   map[string]*health
	ended    []obituary
	closing  bool
	work     sync.WaitGroup // sockets and sessions
}

// obituary is what is kept of a session that is gone.
type obituary struct {
	id     string
	stderr *child.Tail
}

// obituariesMax is how many sessions' stderr can still be read after their end.
const obituariesMax = 16

// New makes a bridge, or says what is wrong with the options. Close has to be called in the end.
func New(options Options) (*Bridge, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	b := &Bridge{options: o, sessions: map[string]*session{}, health: map[string]*health{}}
	if b.gate, err = newGate(&o); err != nil {
		return nil, err
	}
	if o.Root != "" {
		if b.root, err = os.OpenRoot(o.Root); err != nil {
			return nil, err
		}
	}
	for _, s := range o.Servers {
		b.health[s.Name] = &health{}
	}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.routes = b.newRoutes()
	return b, nil
}

func (b *Bridge) newRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", b.serveHealth)
	mux.HandleFunc("GET /{$}", servePage)
	mux.HandleFunc("GET /assets/{name...}", serveAsset)
	mux.HandleFunc("GET /parley.wasm", serveModule)
	for pattern, handler := range map[string]http.HandlerFunc{
		"GET /config.json":          b.serveConfig,
		"GET /ws":                   b.serveSocket,
		"GET /ws/{name}":            b.serveSocket,
		"GET /files/{path...}":      b.serveFile,
		"PUT /files/{path...}":      b.saveFile,
		"GET /sessions/{id}/stderr": b.serveStderr,
	} {
		mux.HandleFunc(pattern, b.withToken(handler))
	}
	return mux
}

// ServeHTTP checks Host and Origin before anything else, and the token after them (BRIDGE-1).
func (b *Bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer") // the token may stand in the URL
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if err := b.gate.admits(r); err != nil {
		b.options.Logger.Warn("refused a request", "why", err.Error(), "from", r.RemoteAddr)
		b.refuse(w, r, http.StatusForbidden, err.Error())
		return
	}
	if admitOrigin(w, r) {
		return
	}
	b.routes.ServeHTTP(w, r)
}

func (b *Bridge) withToken(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !b.gate.knows(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			b.refuse(w, r, http.StatusUnauthorized, "the token is missing or wrong")
			return
		}
		next(w, r)
	}
}

// Serve serves on a listener until ctx ends, then closes both the listener and the bridge. Its error is
// why it could not go on; the end of ctx is none.
func (b *Bridge) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           b,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 * core.KiB,
		ErrorLog:          slog.NewLogLogger(b.options.Logger.Handler(), slog.LevelWarn),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // Serve reports what matters
	err := server.Serve(listener)
	if !stop() && errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, b.Close())
}

// Close ends every session and returns once no child, socket or goroutine is left. It is repeatable.
func (b *Bridge) Close() error {
	b.mu.Lock()
	b.closing = true
	open := make([]*session, 0, len(b.sessions))
	for _, s := range b.sessions {
		open = append(open, s)
	}
	b.mu.Unlock()
	for _, s := range open {
		s.finish(causeStopped)
	}
	b.work.Wait()
	b.cancel()
	if b.root != nil {
		return b.root.Close()
	}
	return nil
}

// place reserves room for one more session; false when there is none.
func (b *Bridge) place() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closing || len(b.sessions)+b.starting >= b.options.SessionsMax {
		return false
	}
	b.starting++
	b.work.Add(1)
	return true
}

// open starts a session in a place that was reserved. The place is free again once the session is gone,
// child included.
func (b *Bridge) open(server *Server, resumable bool) (*session, error) {
	s, err := startSession(&b.options, server, rand.Text(), resumable)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starting--
	h := b.health[server.Name]
	if err != nil {
		h.failed(startFailure(err).reason)
		b.work.Done()
		return nil, err
	}
	h.started++
	b.sessions[s.id] = s
	if b.closing { // since the place was reserved
		go s.finish(causeStopped)
	}
	go func() {
		defer b.work.Done()
		<-s.gone
		b.forget(s)
	}()
	return s, nil
}

// forget keeps of a session that is gone what may still be asked for.
func (b *Bridge) forget(s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.sessions, s.id)
	b.health[s.server.Name].ended(s)
	b.ended = append(b.ended, obituary{s.id, s.process.Stderr})
	b.ended = b.ended[max(0, len(b.ended)-obituariesMax):]
}

// find returns a session that is there; nil where it is not, or not any more.
func (b *Bridge) find(id string) *session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessions[id]
}

// stderrOf returns the tail of a session's stderr, also of one that ended lately; nil where it is unknown.
func (b *Bridge) stderrOf(id string) *child.Tail {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.sessions[id]; s != nil {
		return s.process.Stderr
	}
	for _, o := range b.ended {
		if o.id == id {
			return o.stderr
		}
	}
	return nil
}
