package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// The scanner is internal to core and this is another module. So testdata/body_test.go is laid over
// its folder, compiled there once, and run as a process, one round at a time like everybody else.

// buildScanTest compiles that benchmark into dir.
func buildScanTest(dir string) (path string, err error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "core/internal/scan/body_test.go"): filepath.Join(root, "benchmarks/testdata/body_test.go"),
	}})
	if err != nil {
		return "", err
	}
	list, path := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "scan.test")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "test", "-c", "-overlay", list, "-o", path, "./core/internal/scan")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go test -c ./core/internal/scan: %w\n%s", err, out)
	}
	return path, nil
}

var benchmarkLine = regexp.MustCompile(`(?m)^BenchmarkBody\S*\s+\d+\s+([0-9.]+) ns/op`)

// bareScan is the strict scan of one body that lies in memory: no frame, no event, no copy.
func (t *tools) bareScan(body []byte) contender {
	start := func() (worker, error) {
		file, err := t.file(body)
		if err != nil {
			return worker{}, err
		}
		run := func(n int) (time.Duration, error) { return runScan(t.scanTest, file, n) }
		return worker{run: run, stop: func() error { return nil }}, nil
	}
	return contender{bareScanName, len(body), start}
}

const bareScanName = "parley, bare scan"

func runScan(scanTest, body string, n int) (time.Duration, error) {
	cmd := exec.Command(scanTest, "-test.run", "^$", "-test.bench", "^BenchmarkBody$", "-test.benchtime", strconv.Itoa(n)+"x")
	cmd.Env = append(os.Environ(), "PARLEY_BODY="+body)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	m := benchmarkLine.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no result in:\n%s", out)
	}
	opNs, err := strconv.ParseFloat(string(m[1]), 64)
	return time.Duration(opNs * float64(n)), err
}
