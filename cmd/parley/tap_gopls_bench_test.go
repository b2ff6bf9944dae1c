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

// BenchmarkTapGopls is a hover of gopls: alone, alone again, behind two programs that copy, and behind a tap that
// records. The four run side by side and are asked in turn. A round is hoversPerRound of each. The figures are medians
// over the rounds of each round's median; what the second lone server takes more or less is the noise.
//
//	go test ./cmd/parley -run - -bench TapGopls -benchtime 20x
func BenchmarkTapGopls(b *testing.B) {
	gopls, err := filepath.Abs("../../build/bin/gopls")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(gopls); err != nil {
		b.Skip("build/bin/gopls is missing; `make deps` installs it")
	}
	servers := [...]func(){
		openGopls(b, gopls),
		openGopls(b, gopls),
		openGopls(b, "sh", "-c", "cat | "+gopls+" | cat"),
		openGopls(b, binary, "tap", "--record", filepath.Join(b.TempDir(), "gopls.cap"), "--", gopls),
	}
	var aloneUs, againPercent, copiedPercent, tappedPercent []float64
	for b.Loop() {
		medianUs := hoverRound(servers)
		aloneUs = append(aloneUs, medianUs[0])
		againPercent = append(againPercent, 100*(medianUs[1]/medianUs[0]-1))
		copiedPercent = append(copiedPercent, 100*(medianUs[2]/medianUs[0]-1))
		tappedPercent = append(tappedPercent, 100*(medianUs[3]/medianUs[0]-1))
	}
	b.ReportMetric(median(aloneUs), "µs-alone")
	b.ReportMetric(median(againPercent), "%-more-alone-again")
	b.ReportMetric(median(copiedPercent), "%-more-copied")
	b.ReportMetric(median(tappedPercent), "%-more-tapped")
}

const hoversPerRound = 100

// hoverRound is how long the median hover of each server took, in µs. Each goes first equally often, and
// follows each other one equally often.
func hoverRound(servers [4]func()) (medianUs [4]float64) {
	orders := [4][4]int{{0, 1, 3, 2}, {1, 2, 0, 3}, {2, 3, 1, 0}, {3, 0, 2, 1}}
	var tookUs [4][]float64
	for i := range hoversPerRound {
		for _, which := range orders[i%len(orders)] {
			begun := time.Now()
			servers[which]()
			tookUs[which] = append(tookUs[which], float64(time.Since(begun).Nanoseconds())/1000)
		}
	}
	for which := range servers {
		medianUs[which] = median(tookUs[which])
	}
	return medianUs
}

func median(figures []float64) float64 {
	slices.Sort(figures)
	return figures[len(figures)/2]
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
