//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
)

func TestProbeIntroducesServers(t *testing.T) {
	for _, test := range []struct{ flags, peer, name, version, capability string }{
		{"", "lsp", "parley-json", "", "hoverProvider"},
		{"--profile mcp", "mcp", "parley", "2026-07-28", "tools"},
	} {
		r := newRegister(t)
		args := append([]string{"probe", "--json", "--leave", "10s"}, strings.Fields(test.flags)...)
		got := asProcess(t, append(args, r.sign("exec "+binary+" peer "+test.peer)...)...)
		r.wantNobody(t)
		var d struct {
			trialDocument
			Server       struct{ Name string }      `json:"server"`
			Capabilities map[string]json.RawMessage `json:"capabilities"`
		}
		if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || got.code != exitOK || got.stderr != "" {
			t.Fatalf("%v, %+v", err, got)
		}
		if d.Server.Name != test.name || d.MCPVersion != test.version || d.Capabilities[test.capability] == nil || d.Left != "exit status 0" {
			t.Errorf("%s: %s", test.peer, got.stdout)
		}
		text := asProcess(t, append([]string{"probe"}, append(strings.Fields(test.flags), "--", binary, "peer", test.peer)...)...)
		for _, want := range []string{"server        " + test.name, test.version, test.capability, "round trip", ": exit status 0\n"} {
			if text.code != exitOK || !strings.Contains(text.stdout, want) {
				t.Errorf("%+v, want %q", text, want)
			}
		}
	}
}

func TestProbeSaysWhatIsOdd(t *testing.T) {
	got := asProcess(t, "probe", "--", binary, "peer", "lsp", "--answer-twice", "1")
	if got.code != exitOK || !strings.Contains(got.stdout, "\nodd           answers-twice: ") {
		t.Errorf("%+v", got)
	}
}

// A probe that fails has the exit codes of a call that does.
func TestProbeFailsAsACallDoes(t *testing.T) {
	for _, test := range []struct {
		script string
		code   int
		want   string
	}{
		{"exec " + binary + " peer lsp --bare-lf", exitProtocol, "line-end at byte"},
		{"exec " + binary + " peer lsp --never-answer", exitTimeout, "no answer in the time given"},
		{"exec " + binary + " peer lsp --fail because", exitPeerDied, "because"},
		{"exec no-such-program", exitPeerDied, "exit status 127"},
	} {
		r := newRegister(t)
		got := asProcess(t, append([]string{"probe", "--timeout", "1s"}, r.sign(test.script)...)...)
		got.wantLine(t, test.code, test.want)
		r.wantNobody(t)
	}
	asProcess(t, "probe", "--", "no-such-program").wantLine(t, exitStart, "no-such-program")
}

// A signal ends the trial, and the server with it.
func TestSignalsEndTrials(t *testing.T) {
	for _, verb := range []string{"probe", "doctor"} {
		w := newWitness(t)
		args := append([]string{verb, "--timeout", "1h", "--leave", "1h"}, w.hold("exec sleep 300")...)
		signalled(t, w, syscall.SIGTERM, args...).wantLine(t, exitSignal+int(syscall.SIGTERM), "terminated")
	}
}
