package resume

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/parley-rpc/parley/core"
)

// FuzzLiar gives one link a peer that keeps no rule: it greets as it likes, says that it has more or less
// than it has, comes on sockets that are over, floods, and leaves at any moment. Goal: whatever comes, the
// link does what its ledger does. So what it hands out is what was sent, in order and once a socket; what
// comes is counted once; what it keeps stays within its bound; and a session that ends says by which rule.
func FuzzLiar(f *testing.F) {
	f.Fuzz(func(t *testing.T, isServer bool, bytesMax uint16, script, greeting []byte) {
		cfg := Defaults("")
		if isServer {
			cfg.Session = "s"
		}
		cfg.BytesMax, cfg.TextBytesMax = 1+int(bytesMax), 1000
		link, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		l := &liar{t: t, link: link, ledger: newLedger(cfg), greeting: greeting}
		for ; len(script) > 1; script = script[2:] {
			l.step(script[0], int(script[1]))
			l.check()
		}
	})
}

// liar is the peer and the program around the link, which passes on what it is told.
type liar struct {
	t        *testing.T
	link     *Link
	ledger   *ledger
	greeting []byte
	now      core.Time
	sent     int
}

// step does one thing: the low bits say what, the next two on a socket how many before the newest.
func (l *liar) step(op byte, arg int) {
	gen := l.ledger.newest - Generation(op>>3&3) // may be none that ever was
	switch op & 7 {
	case 0:
		l.send(arg * 5)
	case 1:
		for range 1 + arg%16 {
			l.take(gen)
		}
	case 2: // a flood
		for range 1 + arg {
			l.same("receive", l.link.Receive(gen), l.ledger.receive(gen))
		}
	case 3:
		got, err := l.link.Attach(l.now)
		l.same("attach", kindOf(err), l.ledger.attach(l.now))
		if err == nil {
			l.same("generation", got, l.ledger.newest)
		}
	case 4:
		l.resume(gen, l.claim(arg))
	case 5:
		l.greet(gen, arg)
	case 6:
		l.link.Detach(gen, l.now)
		l.ledger.detach(gen, l.now)
	case 7:
		l.now += core.Time(arg-16) * core.Second // sometimes back
		if op>>3&1 == 0 {                        // or the next call tells the time
			l.link.Advance(l.now)
			l.ledger.advance(l.now)
		}
	}
}

func (l *liar) send(size int) {
	text := fmt.Appendf(nil, "%0*d", size, l.sent)
	l.sent++
	l.sameError("send", l.link.Send(text, l.now), l.ledger.send(text, l.now))
}

func (l *liar) take(gen Generation) {
	got, isText := l.link.Next(gen)
	want, wantText := l.ledger.take(gen)
	l.same("a text waits", isText, wantText)
	l.same("text", string(got), string(want))
}

// claim is a count that the peer says: most of them near what is true.
func (l *liar) claim(arg int) uint64 {
	m := l.ledger
	counts := [8]int64{int64(m.first), int64(m.next), int64(len(m.texts)), int64(m.first) - 1, int64(len(m.texts)) + 1, 0, int64(m.next) - 1, CountMax}
	return uint64(max(counts[arg&7], 0))
}

func (l *liar) resume(gen Generation, received uint64) {
	l.sameError("resume", l.link.Resume(gen, received, l.now), l.ledger.resume(gen, l.ledger.session, received, true, l.now))
}

// greet says a greeting of some shape, or bytes of the fuzzer's choice.
func (l *liar) greet(gen Generation, arg int) {
	text := fmt.Appendf(nil, greetings[arg>>3%len(greetings)], strconv.FormatUint(l.claim(arg), 10))
	if arg>>3 >= len(greetings) {
		text = l.greeting
	}
	session, received, isGreeting := judgeGreeting(text)
	err := l.link.Greet(gen, text, l.now)
	l.sameError("greet", err, l.ledger.resume(gen, session, received, isGreeting, l.now))
	if failure := (*Failure)(nil); errors.As(err, &failure) && len(failure.Sample) > core.SampleBytesMax {
		l.t.Fatalf("%d bytes of sample", len(failure.Sample))
	}
}

// greetings are texts that a peer may say first; %s is a count.
var greetings = []string{
	`{"parley":{"session":"s","received":%s}}`,
	` { "parley" : { "received" : %s , "session" : "s" } } `,
	`{"parley":{"session":"other","received":%s}}`,
	`{"parley":{"session":"s","received":-%s}}`,
	`{"parley":{"session":"s","received":%s.0}}`,
	`{"parley":{"session":"s","received":"%s"}}`,
	`{"parley":{"session":"s","received":%[1]s,"received":%[1]s}}`,
	`{"parley":{"session":"s\u0020","received":%s}}`,
	`{"parl\u0065y":{"session":"\u0073","received":%s}}`,
	`{"jsonrpc":"2.0","id":%s,"result":null}`,
	`[%s]`,
}

// check compares what can be seen, and what is kept, after each step.
func (l *liar) check() {
	m, b := l.ledger, &l.link.sent
	l.same("ended by", kindOf(l.link.Err()), m.over)
	l.same("session", l.link.Session(), m.session)
	l.same("received", l.link.Received(), m.received)
	l.same("sent", l.link.Sent(), uint64(len(m.texts)))
	l.same("deadline", l.link.Deadline(), m.deadline())
	l.same("kept", b.texts.Count(), len(m.texts)-m.first)
	l.same("charged", b.chargedBytes, m.chargedBytes(m.first))
	l.same("waiting", b.waitingBytes, m.chargedBytes(m.next))
	if b.texts.Count() > 1 && b.chargedBytes > m.cfg.BytesMax {
		l.t.Fatalf("RESUME-5: %d texts of %d bytes kept, at most %d", b.texts.Count(), b.chargedBytes, m.cfg.BytesMax)
	}
}

func (l *liar) same(what string, got, want any) {
	l.t.Helper()
	if got != want {
		l.t.Fatalf("%s: %v, the ledger says %v", what, got, want)
	}
}

// sameError wants the same failure, or the same error that is none.
func (l *liar) sameError(what string, got, want error) {
	l.t.Helper()
	l.same(what, kindOf(got), kindOf(want))
	if kindOf(want) == FailureNone {
		l.same(what, got, want)
	}
}
