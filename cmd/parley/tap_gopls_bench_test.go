//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// BenchmarkTapGopls is a hover of gopls, alone and behind a tap that records: both run side by side, and
// ask in turn. A round is hoversPerRound of each. The figures are medians over the rounds, of each
// round's median and of its fastest tenth, which others on the machine disturb less.
//
//	go test ./cmd/parley -run - -bench TapGopls -benchtime 10x
func BenchmarkTapGopls(b *testing.B) {
	gopls, err := filepath.Abs("../../build/bin/gopls")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(gopls); err != nil {
		b.Skip("build/bin/gopls is missing; `make deps` installs it")
	}
	alone := openGopls(b, gopls)
	tapped := openGopls(b, binary, "tap", "--record", filepath.Join(b.TempDir(), "gopls.cap"), "--", gopls)
	figures := map[string][]float64{}
	for b.Loop() {
		first, second := hoverRound(alone, tapped)
		for name, at := range map[string]int{"median": hoversPerRound / 2, "fastest-tenth": hoversPerRound / 10} {
			figures["µs-alone-"+name] = append(figures["µs-alone-"+name], first[at])
			figures["%-more-"+name] = append(figures["%-more-"+name], 100*(second[at]/first[at]-1))
		}
	}
	for name, rounds := range figures {
		slices.Sort(rounds)
		b.ReportMetric(rounds[len(rounds)/2], name)
	}
}

const hoversPerRound = 100

// hoverRound is how long each hover took, in µs, fastest first. Who asks first changes with every pair.
func hoverRound(alone, tapped func()) (aloneUs, tappedUs []float64) {
	var took [2][]float64
	for i := range 2 * hoversPerRound {
		which := (i + i/2) % 2
		begun := time.Now()
		[]func(){alone, tapped}[which]()
		took[which] = append(took[which], float64(time.Since(begun).Nanoseconds())/1000)
	}
	slices.Sort(took[0])
	slices.Sort(took[1])
	return took[0], took[1]
}

// openGopls starts a server on a module of one file, and returns a hover of it.
func openGopls(b *testing.B, command ...string) (hover func()) {
	b.Helper()
	root := b.TempDir()
	const text = "package a\n\nimport \"strings\"\n\n// Shout says it loudly.\nfunc Shout(what string) string { return strings.ToUpper(what) + \"!\" }\n"
	for name, content := range map[string]string{"go.mod": "module a\n\ngo 1.26\n", "a.go": text} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOPROXY=off", "XDG_CONFIG_HOME="+root)
	ctx := b.Context()
	options := host.LSP
	options.Mux = new(host.Mux)
	p, err := child.Start(ctx, cmd, options)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { p.Close() })
	ask := func(method string, params any) json.RawMessage {
		result, err := host.Call[json.RawMessage](ctx, p, method, params)
		if err != nil {
			b.Fatal(err)
		}
		return result
	}
	uri := "file://" + filepath.Join(root, "a.go")
	ask("initialize", map[string]any{"processId": os.Getpid(), "rootUri": "file://" + root, "capabilities": map[string]any{}})
	if err := p.Notify(ctx, "initialized", map[string]any{}); err != nil {
		b.Fatal(err)
	}
	document := map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": text}
	if err := p.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": document}); err != nil {
		b.Fatal(err)
	}
	place := map[string]any{"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": 5, "character": 52}}
	if len(ask("textDocument/hover", place)) < 100 {
		b.Fatal("gopls knows nothing about strings.ToUpper")
	}
	return func() { ask("textDocument/hover", place) }
}
