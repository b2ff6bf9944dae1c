package bridge

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core/resume"
)

// resumeProtocol is the subprotocol under which a socket may be lost and replaced (RESUME).
const resumeProtocol = "parley.resume.1"

// acceptOptions leave Host and Origin to the gate. Nothing is compressed: it costs more than loopback gains.
var acceptOptions = &websocket.AcceptOptions{
	InsecureSkipVerify: true,
	Subprotocols:       []string{resumeProtocol},
}

// serveSocket upgrades a request and gives the socket a session: a new one, whose server is started
// now, or under the subprotocol the one that the URL names. Whatever goes wrong after the upgrade is
// told by the close code, because a page does not get to see the answer to a refused upgrade.
func (b *Bridge) serveSocket(w http.ResponseWriter, r *http.Request) {
	server := b.server(r.PathValue("name"))
	if server == nil {
		b.refuse(w, r, http.StatusNotFound, "there is no server of this name")
		return
	}
	beatEvery, isBeat := beatOf(r)
	if !isBeat {
		b.refuse(w, r, http.StatusBadRequest, "beat: want whole milliseconds, 100 to 3600000")
		return
	}
	if !b.enter() {
		http.Error(w, "the bridge is closing", http.StatusServiceUnavailable)
		return
	}
	defer b.work.Done()
	conn, err := websocket.Accept(w, r, acceptOptions)
	if err != nil {
		return // Accept has answered
	}
	b.converse(conn, server, r, beatEvery)
}

// refuse turns away who will not be let in as long as he asks like this. Pages do not get to see the
// status of a refused upgrade: a socket that offers to resume is taken to be told by its close code, so
// that it does not try again (BRIDGE-9). Nothing that it says is looked at.
func (b *Bridge) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if !offersToResume(r) || !b.enter() {
		http.Error(w, why, status)
		return
	}
	defer b.work.Done()
	conn, err := websocket.Accept(w, r, acceptOptions)
	if err != nil {
		return // Accept has answered
	}
	closeSocket(conn, cause{code: CloseRefused, reason: reasonText("refused", why)})
}

// offersToResume reports whether a request asks for a socket that resumes.
func offersToResume(r *http.Request) bool {
	offered := strings.Split(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",")
	return slices.ContainsFunc(offered, func(name string) bool { return strings.TrimSpace(name) == resumeProtocol })
}

// beatOf reads how often a page wants a sign of life; 0: never. false: it asks for what it cannot have.
func beatOf(r *http.Request) (time.Duration, bool) {
	text := r.URL.Query().Get("beat")
	if text == "" {
		return 0, true
	}
	ms, err := strconv.ParseUint(text, 10, 32)
	every := time.Duration(ms) * time.Millisecond
	return every, err == nil && every >= beatMin && every <= beatMax
}

const (
	beatMin = 100 * time.Millisecond
	beatMax = time.Hour
)

// server returns a server by name, the first one for none.
func (b *Bridge) server(name string) *Server {
	for i := range b.options.Servers {
		if s := &b.options.Servers[i]; name == "" || s.Name == name {
			return s
		}
	}
	return nil
}

// enter counts a socket, for Close to wait for; false once the bridge is closing.
func (b *Bridge) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closing {
		return false
	}
	b.work.Add(1)
	return true
}

func (b *Bridge) converse(conn *websocket.Conn, server *Server, r *http.Request, beatEvery time.Duration) {
	s, received, c := b.sessionFor(conn, server, r)
	if s == nil {
		closeSocket(conn, c)
		return
	}
	generation, greeting, err := s.relay.attach(received)
	if err != nil && generation == 0 {
		closeSocket(conn, causeLost)
		return
	}
	k := &socket{
		conn: conn, relay: s.relay, generation: generation, greeting: greeting,
		pingEvery: b.options.PingEvery, deadAfter: b.options.DeadAfter,
	}
	if s.relay.resumable {
		k.beatEvery = beatEvery
	}
	k.serve(b.ctx, b.options.MessageBytesMax)
}

// sessionFor finds or starts the session of a socket; nil with the cause to close it.
func (b *Bridge) sessionFor(conn *websocket.Conn, server *Server, r *http.Request) (*session, uint64, cause) {
	query := r.URL.Query()
	resumable := conn.Subprotocol() == resumeProtocol
	if id := query.Get("session"); id != "" && resumable {
		s := b.find(id)
		received, isCount := resume.ParseCount(query.Get("received"))
		if s == nil || s.server != server || !isCount || !s.relay.resumable {
			return nil, 0, causeLost
		}
		return s, received, cause{}
	}
	if !b.place() {
		return nil, 0, causeFull
	}
	s, err := b.open(server, resumable)
	if err != nil {
		return nil, 0, startFailure(err)
	}
	return s, 0, cause{}
}
