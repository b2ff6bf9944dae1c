package host

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
)

// REQ-6: foreign text is one line, cut, and free of what moves a terminal or a reader's eye.
func TestForeignTextIsOneLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "no such file", "no such file"},
		{"lines", "a\r\nb\u2028c", "a��b�c"},
		{"terminal", "\x1b[2J\x07", "�[2J�"},
		{"bidirectional", "a\u202eb\u2066c", "a�b�c"},
		{"not UTF-8", "a\xffb", "a�b"},
		{"512 characters", strings.Repeat("é", 512), strings.Repeat("é", 512)},
		{"513 characters", strings.Repeat("é", 513), strings.Repeat("é", 512) + "…"},
	}
	for _, test := range tests {
		if got := oneLine(test.text); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// Errors say whose fault it is, where, and what happened; foreign parts in them are escaped.
func TestErrorTexts(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{&RPCError{Method: "m", Code: -32601, Message: "no\nsuch"}, `parley: call "m": peer: error -32601: no�such`},
		{&CallError{Op: "call", Method: "m", ID: "7", Fault: FaultPeer, Err: ErrTimeout}, `parley: call "m" (id 7): peer: no answer in the time given`},
		{&CallError{Op: "call", Method: "m", Err: ErrCanceled, Cause: context.Canceled}, `parley: call "m": caller: cancelled by the caller`},
		{&CallError{Op: "notify", Method: "m", Err: core.ErrBadParams}, `parley: notify "m": caller: params must be an object or an array`},
		{
			&CallError{Op: "call", Method: "m", Fault: FaultSession, Err: &SessionError{Reason: core.ReasonEOF, Detail: "gopls: exit status 2"}},
			`parley: call "m": session: the peer's output has ended (gopls: exit status 2)`,
		},
		{
			&SessionError{Reason: core.ReasonViolation, Err: &core.ProtocolError{Kind: core.ViolationNoise, Offset: 5, Sample: []byte("hello")}},
			`parley: session: the peer broke the protocol: noise at byte 5: "hello"`,
		},
		{&SessionError{Trapped: true, Err: errors.New("unreachable")}, `parley: session: the engine failed: unreachable`},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
