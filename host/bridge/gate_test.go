package bridge

import (
	"net/http"
	"testing"
)

func TestHostsThatAreServed(t *testing.T) {
	g, err := newGate(&Options{AllowHosts: []string{"ide.example", "Box.example:8443"}})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{
		"localhost":                     true,
		"localhost:7878":                true,
		"LocalHost:1":                   true,
		"localhost.":                    true,
		"localhost.:7878":               true,
		"127.0.0.1:7878":                true,
		"127.9.9.9":                     true,
		"[::1]:7878":                    true,
		"[::1]":                         true,
		"[::ffff:127.0.0.1]:7878":       true,
		"ide.example":                   true,
		"IDE.example:99":                true,
		"box.example:8443":              true,
		"box.example:8444":              false, // allowed on its port alone
		"box.example":                   false,
		"":                              false,
		":7878":                         false,
		"evil.example":                  false, // DNS rebinding: the name points here
		"evil.example:7878":             false,
		"localhost.evil.example":        false,
		"evil.localhost":                false,
		"127.0.0.1.evil.example":        false,
		"127.0.0.1.":                    false,
		"localhost..":                   false,
		"localhost@evil.example":        false,
		"evil.example@localhost":        false,
		"localhost/evil.example":        false,
		"localhost?evil.example":        false,
		"localhost#evil.example":        false,
		"localhost:7878:80":             false,
		"localhost:x":                   false,
		"0.0.0.0:7878":                  false,
		"[::]:7878":                     false,
		"[::1%25lo]:7878":               false,
		"::1":                           false,
		"2130706433":                    false, // 127.0.0.1 as some spell it
		"0x7f.1":                        false,
		"127.1":                         false,
		"127.0.0.01":                    false,
		"192.168.0.1":                   false,
		"ide.example.evil.example:7878": false,
	} {
		if got := g.admitsHost(host); got != want {
			t.Errorf("Host %q: %v, want %v", host, got, want)
		}
	}
}

func TestOriginsThatAreServed(t *testing.T) {
	g, err := newGate(&Options{AllowOrigins: []string{"https://IDE.example", "https://box.example:8443", "vscode-webview://abc"}})
	if err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]bool{
		"http://localhost":                   true,
		"http://localhost:3000":              true,
		"HTTP://LOCALHOST:3000":              true,
		"https://localhost.":                 true,
		"http://127.0.0.1:7878":              true,
		"http://[::1]:7878":                  true,
		"https://ide.example":                true,
		"https://ide.example:443":            true,
		"https://box.example:8443":           true,
		"vscode-webview://abc":               true,
		"http://ide.example":                 false, // another scheme
		"https://ide.example:8443":           false,
		"https://box.example":                false,
		"https://sub.ide.example":            false,
		"":                                   false,
		"null":                               false,
		"http://":                            false,
		"localhost":                          false,
		"//localhost":                        false,
		"http:localhost":                     false,
		"file://localhost":                   false,
		"https://evil.example":               false,
		"http://localhost.evil.example":      false,
		"http://localhost@evil.example":      false,
		"http://evil.example@localhost":      false,
		"http://evil.example:x@localhost":    false,
		"http://localhost/":                  false, // an origin has no path
		"http://localhost?":                  false,
		"http://localhost#x":                 false,
		"http://localhost, https://evil.org": false,
		"http://127.0.0.1.evil.example":      false,
		"http://0.0.0.0":                     false,
	} {
		if got := g.admitsOrigin(origin); got != want {
			t.Errorf("Origin %q: %v, want %v", origin, got, want)
		}
	}
}

func TestTheGateRefusesSeveralOrigins(t *testing.T) {
	g, err := newGate(&Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &http.Request{Host: "localhost", Header: http.Header{}}
	if err := g.admits(r); err != nil {
		t.Errorf("no origin: %v", err)
	}
	r.Header["Origin"] = []string{"http://localhost"}
	if err := g.admits(r); err != nil {
		t.Errorf("one origin: %v", err)
	}
	r.Header["Origin"] = []string{"http://localhost", "https://evil.example"}
	if err := g.admits(r); err == nil {
		t.Error("two origins are served")
	}
}

func TestTheGateRefusesWhatIsNoNameToAllow(t *testing.T) {
	for _, o := range []Options{
		{AllowHosts: []string{""}},
		{AllowHosts: []string{"a/b"}},
		{AllowHosts: []string{"user@a"}},
		{AllowOrigins: []string{"ide.example"}},
		{AllowOrigins: []string{"https://ide.example/"}},
		{AllowOrigins: []string{"*"}},
	} {
		if _, err := newGate(&o); err == nil {
			t.Errorf("%q and %q are accepted", o.AllowHosts, o.AllowOrigins)
		}
	}
}
