//go:build linux || darwin

package control

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

const thirty = 30 * time.Second

func TestCTL2FirstCallSaysWhoAnswersAndForHowLong(t *testing.T) {
	r := dialRaw(t, serveWith(t, Options{Program: "me"}))
	r.call("parley/control/v1/connection/get", "null")
	r.wantFrame(`"protocolVersion":1`, `"program":"me"`, `"idleTimeoutMs":120000`, `"keepAliveIntervalMs":40000`)
	r.call("parley/control/v1/connection/keep-alive", "{}")
	r.wantFrame(`"result":{"alive":true}`)
}

func TestCTL5NothingElseIsServed(t *testing.T) {
	s := serveWith(t, Options{})
	r := dialRaw(t, s)
	for _, method := range []string{
		"parley/control/v2/connection/get", "parley/control/v1/sessions/set", "initialize", "shutdown", "work", "",
		"parley/control/v1/connection/cancel-request", "parley/control/v1/Connection/get",
	} {
		r.call(method, "{}")
		r.wantFrame(`"id":1`, `"code":-32601`)
	}
	r.call("parley/control/v1/sessions/get", `{"session":7}`)
	r.wantFrame(`"code":-32602`)
	r.call("parley/control/v1/sessions/get", `[]`)
	r.wantFrame(`"code":-32602`)
}

func TestAbuseOfFramingEndsThatConnectionAlone(t *testing.T) {
	s := serveWith(t, Options{})
	good := dialRaw(t, s)
	for name, bytes := range map[string]string{
		"zero":            "\x00\x00\x00\x00",
		"negative":        "\xff\xff\xff\xff",
		"most negative":   "\x80\x00\x00\x00",
		"one too large":   "\x00\x40\x00\x01",
		"largest":         "\x7f\xff\xff\xff",
		"little-endian":   "\x02\x00\x00\x00{}",
		"a header":        "Content-Length: 2\r\n\r\n{}",
		"no JSON":         "\x00\x00\x00\x03abc",
		"no message":      "\x00\x00\x00\x02{}",
		"an array":        "\x00\x00\x00\x02[]",
		"half, then gone": "\x00\x00\x00\x09{\"jso",
	} {
		t.Run(name, func(t *testing.T) {
			r := dialRaw(t, s)
			if _, err := io.WriteString(r, bytes); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, "gone") {
				r.Close()
			} else {
				_, _ = io.Copy(io.Discard, r) // until the end, or the test does not end
			}
			good.call(ConnectionGet.Name, "null")
			good.wantFrame(`"protocolVersion":1`)
		})
	}
	t.Run("exactly 4 MiB is a message", func(t *testing.T) {
		r := dialRaw(t, s)
		body := `{"jsonrpc":"2.0","id":1,"method":"` + KeepAlive.Name + `"}`
		r.send(body + strings.Repeat(" ", 4<<20-len(body)))
		r.wantFrame(`"alive":true`)
	})
}

func TestCTL3ServesSixteenLetsSixteenWaitAndRefusesTheRest(t *testing.T) {
	s := serveWith(t, Options{})
	clients := make([]*raw, 40)
	for i := range clients {
		clients[i] = dialRaw(t, s)
		if i < 32 {
			clients[i].call(KeepAlive.Name, "null")
		}
	}
	for _, served := range clients[:16] {
		served.wantFrame(`"alive":true`)
	}
	for _, refused := range clients[32:] {
		refused.wantFrame(`"id":null`, `"code":-32004`, "16 control connections are served and 16 wait")
		refused.wantEnd()
	}
	if served, waiting := s.places.counts(); served != 16 || waiting != 16 {
		t.Errorf("%d are served and %d wait", served, waiting)
	}
	for i := range 16 { // each that leaves makes room for the one that waits longest
		clients[i].Close()
		clients[16+i].wantFrame(`"alive":true`)
	}
}

func TestCTL3ClientIsToldThatTheProcessIsBusy(t *testing.T) {
	s := serveWith(t, Options{})
	for range servedMax + waitingMax {
		dialRaw(t, s)
	}
	_, err := clientOf(t, s, nil).Sessions(t.Context())
	var answer *host.RPCError
	if !errors.Is(err, ErrBusy) || !errors.As(err, &answer) || answer.Code != CodeBusy {
		t.Errorf("the 33rd: %v", err)
	}
}

func TestCTL4IdleAndPartialConnectionsEndAndWorkingOnesDoNot(t *testing.T) {
	clock := newFakeClock()
	s := serveWith(t, Options{Clock: clock, IdleTimeout: thirty})
	sub := newSubject(t, s)
	sub.ask(t, 1, "work", "[]")
	<-sub.started

	working, silent, partial, half := dialRaw(t, s), dialRaw(t, s), dialRaw(t, s), dialRaw(t, s)
	working.call(RequestsCancel.Name, `{"correlationId":"`+sub.CorrelationID(1)+`"}`)
	<-sub.cancelled
	must2(t)(io.WriteString(partial, "\x00"))
	must2(t)(half.Write(binary.BigEndian.AppendUint32(nil, 100)))
	must2(t)(io.WriteString(half, `{"jsonrpc":`))
	clock.await(4, thirty)

	clock.advance(thirty)
	for _, r := range []*raw{silent, partial, half} {
		r.wantEnd()
	}
	sub.letGo()
	working.wantFrame(`"cancelled":true`)
	clock.await(1, thirty) // from the end of its request

	clock.advance(thirty - 1)
	working.call(KeepAlive.Name, "null")
	working.wantFrame(`"alive":true`)
	clock.await(1, thirty) // from the message
	clock.advance(thirty)
	working.wantEnd()
}

func TestCTL4WaitingConnectionsAreIdleToo(t *testing.T) {
	clock := newFakeClock()
	s := serveWith(t, Options{Clock: clock, IdleTimeout: thirty})
	served := make([]*raw, servedMax)
	for i := range served {
		served[i] = dialRaw(t, s)
	}
	waiting := dialRaw(t, s)
	clock.await(servedMax+1, thirty)
	clock.advance(thirty - 1)
	for _, r := range served {
		r.call(KeepAlive.Name, "null")
		r.wantFrame(`"alive":true`)
	}
	clock.await(servedMax, thirty)
	clock.advance(1)
	waiting.wantFrame(`"code":-32004`)
	waiting.wantEnd()
	served[0].call(KeepAlive.Name, "null")
	served[0].wantFrame(`"alive":true`)
}

// A client that asks and never reads is not idle by its messages; it loses its place all the same.
func TestClientThatDoesNotReadLosesItsPlace(t *testing.T) {
	clock := newFakeClock()
	s := serveWith(t, Options{Clock: clock, IdleTimeout: thirty})
	must(t, s.Register(newCrowd(), "crowd"))
	deaf := dialRaw(t, s)
	for range 16 {
		deaf.call(RequestsList.Name, "{}")
	}
	clock.await(1, 5*time.Second) // writing has stalled
	for served := 1; served > 0; served, _ = s.places.counts() {
		clock.advance(thirty)
	}
}

// Sixteen cancels that wait for their requests do not keep a client from saying that it lives.
func TestCTL4KeepAliveIsAnsweredWhateverWaits(t *testing.T) {
	s := serveWith(t, Options{})
	sub := newSubject(t, s)
	sub.ask(t, 1, "work", "[]")
	<-sub.started
	r := dialRaw(t, s)
	for i := range 40 {
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"correlationId":%q}}`, 100+i, RequestsCancel.Name, sub.CorrelationID(1)))
	}
	r.call(KeepAlive.Name, "null")
	r.wantFrame(`"id":1,`, `"alive":true`)
	sub.letGo()
}

func TestIdleWatch(t *testing.T) {
	clock := newFakeClock()
	expired := make(chan struct{}, 1)
	w := watchIdle(clock, thirty, func() { expired <- struct{}{} })
	over := func() bool {
		w.tick()
		return len(expired) == 1
	}
	step := func(d time.Duration) {
		clock.mu.Lock()
		clock.now += core.Time(d)
		clock.mu.Unlock()
	}
	step(thirty - 1)
	if over() {
		t.Error("over before the limit")
	}
	w.observe(1, true) // a message that is a request
	step(10 * thirty)
	if over() {
		t.Error("over while a request is in work")
	}
	w.observe(1, false)
	step(thirty - 1)
	w.observe(1, false) // a turn in which no message was completed
	step(1)
	if !over() {
		t.Error("a turn without a message moved the limit")
	}
	w.observe(2, false)
	if len(clock.timers) > 1 {
		t.Error("it goes on after the end")
	}
}

func TestCTL7SessionsOutliveTheirVisitors(t *testing.T) {
	s := serveWith(t, Options{})
	sub := newSubject(t, s)
	sub.ask(t, 1, "work", "[]")
	<-sub.started
	c := clientOf(t, s, nil)
	if list, err := c.Requests(t.Context(), ""); err != nil || len(list.Requests) != 1 {
		t.Fatalf("requests: %+v, %v", list, err)
	}
	must(t, c.Close())
	sub.ask(t, 2, "echo", "[2]")
	must(t, s.Close())
	if _, err := sub.CancelRequest(t.Context(), 99); err != nil {
		t.Errorf("the session is gone with the control connection: %v", err)
	}
}

func TestSCHED7CloseEndsConnectionsAndRemovesTheSocket(t *testing.T) {
	s := serveWith(t, Options{})
	idle, answered := dialRaw(t, s), dialRaw(t, s)
	answered.call(KeepAlive.Name, "null")
	answered.wantFrame(`"alive":true`)
	for range servedMax + 3 { // some of these wait, and none has been looked at
		dialRaw(t, s)
	}
	must(t, s.Close())
	idle.wantEnd()
	answered.wantEnd()
	if _, err := os.Lstat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket: %v", err)
	}
	must(t, s.Close())
}

// must2 is must for what returns a count besides.
func must2(t *testing.T) func(int, error) {
	return func(_ int, err error) {
		t.Helper()
		must(t, err)
	}
}
