//go:build unix

package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/host/control"
)

func TestControlConnectionShowsSessions(t *testing.T) {
	around, err := os.MkdirTemp("", "ctl") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(around) })
	server, err := control.Listen(control.Options{Directory: filepath.Join(around, "sockets")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	looks, err := control.NewClient(server.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { looks.Close() })

	scripted := scriptedServer("plain")
	scripted.Title = "of the test"
	f := begin(t, Options{Control: server, Servers: []Server{scripted}})
	p := f.dial(wsPath)
	p.send(`{"jsonrpc":"2.0","id":"z","method":"ask","params":[7]}`)
	p.receive() // the server asks back
	seen, err := looks.Requests(t.Context(), "")
	if err != nil || len(seen.Requests) != 2 || seen.Requests[0].Method != "ask" || seen.Requests[1].Method != "asked" {
		t.Errorf("%+v, %v", seen, err)
	}
	p.send(`{"jsonrpc":"2.0","id":"q","result":[8]}`)
	p.answer(`"z"`)
	list, err := looks.Sessions(t.Context())
	if err != nil || len(list.Sessions) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	s := list.Sessions[0]
	if s.Name != "of the test" || s.Profile != "lsp" || s.Role != "relay" || s.Running != 0 || s.Requests != 2 || s.BytesIn == 0 || s.BytesOut == 0 {
		t.Errorf("%+v", s)
	}
	if strings.Contains(s.ID, f.only().id) {
		t.Error("it gives away the id that takes a session over")
	}
	stats, err := looks.Stats(t.Context(), s.ID)
	if err != nil || len(stats.Methods) != 2 || stats.Methods[0].Count != 1 {
		t.Errorf("%+v, %v", stats, err)
	}

	if err := p.conn.CloseNow(); err != nil {
		t.Error(err)
	}
	f.emptied()
	if list, err = looks.Sessions(t.Context()); err != nil || len(list.Sessions) != 0 {
		t.Errorf("after its end: %+v, %v", list, err)
	}
}
