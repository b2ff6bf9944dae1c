package core

import (
	"fmt"
	"testing"
)

// What a caller gets wrong is refused with a type, and changes nothing.

func TestReserveAndCommit(t *testing.T) {
	c := newConn(t, Defaults(ProfileMCP, RoleServer))
	c.Want(10)
	space := c.Reserve(10)
	if again := c.Reserve(5); &again[0] != &space[0] || len(again) != len(space) {
		t.Error("a second Reserve returns other space")
	}
	for _, n := range []int{-1, len(space) + 1} {
		if err := c.Commit(n); err != ErrBadCount {
			t.Errorf("Commit(%d): %v", n, err)
		}
	}
	if err := c.CommitMessage(1); err != ErrUnsupported {
		t.Errorf("CommitMessage in framing line: %v", err)
	}
	n := copy(space, `{"jsonrpc":"2.0","method":"m"}`+"\n")
	if err := c.Commit(n); err != nil {
		t.Fatal(err)
	}
	if evs := drain(c); len(evs) != 1 || string(evs[0].Method) != "m" {
		t.Errorf("events %+v", evs)
	}
	if err := c.Commit(1); err != ErrBadCount {
		t.Errorf("a second Commit: %v", err)
	}
}

// What waits to be fetched was never delivered: it is neither answered nor ended (REQ-2).
func TestUndeliveredIsUnknown(t *testing.T) {
	c := newConn(t, Defaults(ProfilePlain, RoleServer))
	c.Want(10)
	if err := feed(t, c, `{"jsonrpc":"2.0","id":1,"method":"m"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	req := c.requests.items.At(0).handle
	for what, err := range map[string]error{
		"Reply": c.Reply(req, nil), "Fail": c.Fail(req, 1, "", nil), "Done": c.Done(req), "Done of the notification": c.Done(req | notificationBit),
	} {
		if err != ErrUnknownRequest {
			t.Errorf("%s before Next: %v", what, err)
		}
	}
	drain(c)
	if err := c.Done(req | notificationBit); err != ErrUnknownRequest {
		t.Errorf("Done of a request as a notification: %v", err)
	}
	if err := c.Done(req); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[error]error{
		ErrAnswered: c.Done(req), ErrUnknownRequest: c.Done(req + 1<<40), ErrNotRequest: c.Reply(0, nil),
	} {
		if err != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

// Who reads messages ends a request by answering it, and ends no notification (API-4).
func TestDoneIsForHandlers(t *testing.T) {
	cfg := Defaults(ProfilePlain, RoleServer)
	cfg.Inbound = InboundMessages
	c := newConn(t, cfg)
	c.Want(10)
	if err := feed(t, c, `{"jsonrpc":"2.0","id":1,"method":"m"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := c.Done(drain(c)[0].Req); err != ErrUnsupported {
		t.Errorf("Done: %v", err)
	}
}

// The limits in force can be read, and the count of calls starts at 1 where nothing else is said
// (API-7, CALL-1).
func TestLimitsInForce(t *testing.T) {
	cfg := Defaults(ProfilePlain, RoleClient)
	cfg.FirstID, cfg.Limits.FrameBytesMax = 0, 1234
	c := newConn(t, cfg)
	if c.Limits() != cfg.Limits {
		t.Errorf("limits %+v", c.Limits())
	}
	if _, err := c.Call("m", nil, CallOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, want := written(c), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`+"\n", 1); got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}
