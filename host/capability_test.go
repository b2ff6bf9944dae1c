package host_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

func nothing(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }

// REQ-8: what is registered is advertised, merged member by member, and nothing else.
func TestCapabilitiesAreThoseOfTheMethods(t *testing.T) {
	mux := host.NewMux()
	if got := string(mux.Capabilities()); got != `{}` {
		t.Errorf("of nothing: %s", got)
	}
	mux.HandleRaw("plain", core.ModeRead, nothing)
	mux.HandleRaw("textDocument/hover", core.ModeRead, nothing, host.Capability(`{"hoverProvider":true}`))
	note := func(context.Context, json.RawMessage) error { return nil }
	mux.HandleNotificationRaw("open", core.ModeOrder, note, host.Capability(`{"sync":{"open":true,"most":9007199254740993}}`))
	mux.HandleNotificationRaw("change", core.ModeOrder, note, host.Capability(`{"sync":{"change":2,"open":true}}`))
	const want = `{"hoverProvider":true,"sync":{"change":2,"most":9007199254740993,"open":true}}`
	if got := string(mux.Capabilities()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, contrary := range []string{`{"hoverProvider":{}}`, `{"sync":{"change":1}}`, `[]`, `true`, `{`} {
		mustPanic(t, contrary, func() { mux.HandleRaw("contrary", core.ModeRead, nothing, host.Capability(contrary)) })
	}
	if got := string(mux.Capabilities()); got != want {
		t.Errorf("after refusals: got %s, want %s", got, want)
	}
}
