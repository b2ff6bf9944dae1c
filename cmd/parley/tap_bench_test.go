//go:build unix

package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkTap is the round trip of one small message through cat: alone, behind a tap, and behind
// one that records. What counts is the difference of the medians.
func BenchmarkTap(b *testing.B) {
	for _, bench := range []struct {
		name string
		args []string
	}{
		{"alone", []string{"cat"}},
		{"tap not shown", []string{binary, "tap", "--no-control", "--", "cat"}},
		{"tap", []string{binary, "tap", "--", "cat"}},
		{"record", []string{binary, "tap", "--record", filepath.Join(b.TempDir(), "a.cap"), "--", "cat"}},
		{"record everything", []string{binary, "tap", "--no-secrets", "--record", filepath.Join(b.TempDir(), "b.cap"), "--", "cat"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			command := exec.Command(bench.args[0], bench.args[1:]...)
			stdin, err := command.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			stdout, err := command.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := command.Start(); err != nil {
				b.Fatal(err)
			}
			message := []byte(frame(`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"position":{"line":1,"character":2}}}`))
			echo := make([]byte, len(message))
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				if _, err := stdin.Write(message); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(stdout, echo); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begun))
			}
			stdin.Close()
			if err := command.Wait(); err != nil {
				b.Fatal(err)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-median")
		})
	}
}
