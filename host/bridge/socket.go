package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
)

// socket is one WebSocket of a session: a reader, a writer, and somebody who asks whether it lives.
type socket struct {
	conn       *websocket.Conn
	relay      *relay
	generation resume.Generation
	greeting   []byte // nil: none

	beatEvery            time.Duration // between signs of life; 0: the page asks for none (RESUME-10)
	pingEvery, deadAfter time.Duration
	started              time.Time
	aliveAt              atomic.Int64 // ns since started: when the peer was last known to live
	waits                atomic.Bool  // the reader waits for the server, and hears no answer to a ping
}

// serve carries texts until the socket is lost or the session is over.
func (k *socket) serve(ctx context.Context, messageBytesMax int) {
	k.started = time.Now()
	k.conn.SetReadLimit(takenInFactor * int64(messageBytesMax))
	ctx, cancel := context.WithCancel(ctx)
	var others sync.WaitGroup
	others.Go(func() {
		if k.greet(ctx) {
			others.Go(func() { k.beat(ctx) })
			k.speak(ctx)
		}
		cancel()
	})
	others.Go(func() {
		k.watch(ctx)
		cancel()
	})
	err := k.read(ctx)
	switch status := websocket.CloseStatus(err); {
	case errors.Is(err, websocket.ErrMessageTooBig):
		// To let it reconnect would be to hear the same message again.
		k.relay.finishFrom(k.generation, tooLarge("more bytes than a session takes in")) // so has the library told it
	case status == websocket.StatusNormalClosure || status == websocket.StatusGoingAway:
		k.relay.finishFrom(k.generation, causePageGone) // the page was closed: nobody will ask for its session
	}
	k.relay.detach(k.generation)
	if ctx.Err() == nil { // frames that break RFC 6455; where the connection is lost this fails
		closeSocket(k.conn, causeBroke)
	}
	cancel()
	others.Wait()
	_ = k.conn.CloseNow() // closed already, mostly
}

// read takes whole messages, so that half of one never reaches a machine.
func (k *socket) read(ctx context.Context) error {
	var text bytes.Buffer
	for {
		_, message, err := k.conn.Reader(ctx)
		if err != nil {
			return err
		}
		if text.Reset(); text.Cap() > readBufferBytesMax {
			text = bytes.Buffer{}
		}
		if _, err := text.ReadFrom(living{k, message}); err != nil {
			return err
		}
		// What comes too late is ignored; reading goes on, for the sake of the close handshake.
		k.relay.receive(k.generation, text.Bytes(), k.setWaits)
	}
}

// readBufferBytesMax is the largest buffer that is kept between two messages.
const readBufferBytesMax = 1 * core.MiB

// living notes with each piece that the peer is there.
type living struct {
	socket *socket
	reader io.Reader
}

func (l living) Read(p []byte) (int, error) {
	n, err := l.reader.Read(p)
	l.socket.lives()
	return n, err
}

// greet writes what comes before everything else (RESUME-1). false: the socket is lost.
func (k *socket) greet(ctx context.Context) bool {
	return k.greeting == nil || k.writeText(ctx, k.greeting) == nil
}

// speak writes what is to be said, until there is nothing more and the socket is closed, or lost.
func (k *socket) speak(ctx context.Context) {
	for {
		text, c, isText := k.relay.next(k.generation)
		if !isText {
			closeSocket(k.conn, c)
			if c != causeSuperseded {
				k.relay.update(k.relay.tell)
			}
			return
		}
		if k.writeText(ctx, text) != nil {
			return
		}
	}
}

// beat gives the signs of life that the page has asked for, since no page can ping (RESUME-10). That
// the system takes them says nothing about the peer.
func (k *socket) beat(ctx context.Context) {
	if k.beatEvery == 0 {
		return
	}
	ticker := time.NewTicker(k.beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if k.conn.Write(ctx, websocket.MessageText, nil) != nil {
			return // closing, or lost: others notice
		}
	}
}

// writeText writes one message, a large one in pieces, so that a slow peer is told from a dead one.
func (k *socket) writeText(ctx context.Context, text []byte) error {
	defer k.lives()
	if len(text) <= writeBytesMax {
		return k.conn.Write(ctx, websocket.MessageText, text)
	}
	message, err := k.conn.Writer(ctx, websocket.MessageText)
	if err != nil {
		return err
	}
	for len(text) > 0 {
		n, err := message.Write(text[:min(len(text), writeBytesMax)])
		if err != nil {
			return err
		}
		k.lives()
		text = text[n:]
	}
	return message.Close()
}

// watch pings, and returns when the peer is dead: it has neither answered nor sent nor taken anything
// for deadAfter (BRIDGE-4). While our own reader waits for the server, nothing can be said about it.
func (k *socket) watch(ctx context.Context) {
	ticker := time.NewTicker(k.pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		silent := time.Since(k.started) - time.Duration(k.aliveAt.Load())
		if silent >= k.deadAfter && !k.waits.Load() {
			return
		}
		k.ping(ctx)
	}
}

func (k *socket) ping(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, k.pingEvery)
	defer cancel()
	if k.conn.Ping(ctx) == nil {
		k.lives()
	}
}

func (k *socket) lives() { k.aliveAt.Store(int64(time.Since(k.started))) }

func (k *socket) setWaits(waits bool) {
	if k.waits.Swap(waits) && !waits {
		k.lives()
	}
}

// closeSocket says why and closes. A peer that does not answer is waited for 5 s, by the library.
func closeSocket(conn *websocket.Conn, c cause) {
	_ = conn.Close(c.code, c.reason) // it fails where the peer is gone, which is as good
}
