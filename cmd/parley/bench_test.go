//go:build !wasip1

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBenchBodiesHaveTheirSize(t *testing.T) {
	for _, size := range []int{benchBytesMin, benchBytesMin + 1, 179, 300, 1 << 10, 1<<16 + 7} {
		body := benchBody(size)
		if len(body) != size || !json.Valid(body) {
			t.Errorf("benchBody(%d) has %d bytes, valid %v", size, len(body), json.Valid(body))
		}
	}
}

func TestBenchMeasuresEachEngineAtEachSize(t *testing.T) {
	plot := filepath.Join(t.TempDir(), "framing.svg")
	got := inProcess(t, "", "bench", "--json", "--rounds", "2", "--slice", "1ms", "--size", "179,64KiB", "--plot", plot)
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit code %d, stderr %q", got.code, got.stderr)
	}
	var document benchDocument
	if err := json.Unmarshal([]byte(got.stdout), &document); err != nil {
		t.Fatal(err)
	}
	var measured []string
	for _, f := range document.Figures {
		if f.MinNs <= 0 || f.MinNs > f.MedianNs || f.MedianNs > f.MaxNs {
			t.Errorf("%s at %d bytes: min %v, median %v, max %v", f.Engine, f.SizeBytes, f.MinNs, f.MedianNs, f.MaxNs)
		}
		measured = append(measured, fmt.Sprint(f.Engine, " ", f.SizeBytes))
	}
	if want := "native 179, native 65536, wazero 179, wazero 65536"; strings.Join(measured, ", ") != want {
		t.Errorf("measured %q, want %q", measured, want)
	}
	picture, err := os.ReadFile(plot)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(picture, []byte("<svg")) || !bytes.Contains(picture, []byte("wazero")) {
		t.Error("the plot is no SVG with both engines in it")
	}
}

func TestBenchRefusesWhatItCannotMeasure(t *testing.T) {
	for _, args := range [][]string{
		{"--size", "127"},
		{"--size", "65MiB"},
		{"--rounds", "0"},
		{"--slice", "0s"},
		{"--slice", "11s"},
		{"--engine", "jit"},
		{"--plot", "framing.png"},
	} {
		got := inProcess(t, "", append([]string{"bench"}, args...)...)
		if got.code != exitUsage || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("bench %q: exit code %d, stdout %q, stderr %q", args, got.code, got.stdout, got.stderr)
		}
	}
}
