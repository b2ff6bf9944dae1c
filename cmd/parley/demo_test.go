package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

func TestDemoHoldsOneConversationOnBothEngines(t *testing.T) {
	got := asProcess(t, "demo", "--json")
	var d demoDocument
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || got.code != exitOK || got.stderr != "" {
		t.Fatal(err, got)
	}
	if !d.OK || len(d.Engines) != 2 || d.Engines[0].Engine != "native" || d.Engines[1].Engine != "wazero" {
		t.Fatalf("document %s", got.stdout)
	}
	for _, run := range d.Engines {
		if len(run.Checks) != 3 || run.RoundTrips < 5 || run.Counters.FramesIn == 0 || len(run.Digests.Sent) != 64 {
			t.Errorf("run %+v", run)
		}
	}
	if d.Engines[0].Digests != d.Engines[1].Digests {
		t.Error("the engines' conversations differ")
	}
}

func TestDemoForPeople(t *testing.T) {
	got := inProcess(t, "", "demo", "--engine", "native")
	for _, want := range []string{"2:8", "3:10", "9007199254740993", "round trips", "sha256"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the demo does not print %q:\n%s", want, got.stdout)
		}
	}
	if got.code != exitOK || strings.Contains(got.stdout, "FAILED") {
		t.Errorf("exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// A server that answers everything and looks at nothing fails both checks of the text.
func TestDemoSeesThroughAStub(t *testing.T) {
	stub := filepath.Join(t.TempDir(), "stub")
	script := "#!/bin/sh\nexec env " + strings.Join(peerEnviron("stub"), " ") + " '" + os.Args[0] + "'\n"
	if err := os.WriteFile(stub, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	e := systemEnv()
	e.stdout, e.stderr = &stdout, &stderr
	e.executable = func() (string, error) { return stub, nil }
	code := run(t.Context(), []string{"demo", "--engine", "native", "--json"}, e)
	outcome{code, "", stderr.String()}.wantLine(t, exitAnswer, "2 of the checks failed")
	var d demoDocument
	if err := json.Unmarshal(stdout.Bytes(), &d); err != nil || d.OK || d.failed() != 2 || d.Engines[0].Checks[2].OK == false {
		t.Errorf("%v, document %s", err, stdout.String())
	}
}

func TestDifferentConversationsAreSeen(t *testing.T) {
	if compareDigests([]demoRun{{Digests: digests{Sent: "a"}}, {Digests: digests{Sent: "b"}}}).OK {
		t.Error("different conversations count as the same")
	}
}

func TestDigestsAreOfMessagesAndNotOfTheirCuts(t *testing.T) {
	const call, result = `{"jsonrpc":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":1,"result":[1]}`
	answer := frame(result)
	converse := func(cut int) digests {
		machine, err := host.Native(host.LSP.Config)
		if err != nil {
			t.Fatal(err)
		}
		wire, err := newRecorder(machine, core.ProfileLSP)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wire.Call("m", nil, core.CallOptions{}); err != nil {
			t.Fatal(err)
		}
		wire.Wrote(len(wire.Take(nil)))
		for rest := answer; rest != ""; {
			size := copy(wire.Reserve(cut)[:cut], rest)
			if err := wire.Commit(size); err != nil {
				t.Fatal(err)
			}
			rest = rest[size:]
		}
		return wire.digests()
	}
	hashed := func(text string) string {
		sum := sha256.Sum256([]byte("\n" + text))
		return hex.EncodeToString(sum[:])
	}
	want := digests{Sent: hashed(call), Received: hashed(result)}
	for _, cut := range []int{1, 7, len(answer)} {
		if got := converse(cut); got != want {
			t.Errorf("cut every %d bytes: %+v, want %+v", cut, got, want)
		}
	}
}
