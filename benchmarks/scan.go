package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// The scanner is internal to core and this is another module, so its own Go benchmark is compiled
// once and run as a process, one round at a time like everybody else.

// buildScanTest compiles that benchmark into a file, which the caller removes.
func buildScanTest() (path string, err error) {
	file, err := os.CreateTemp("", "scan-*.test")
	if err != nil {
		return "", err
	}
	file.Close()
	cmd := exec.Command("go", "test", "-c", "-o", file.Name(), "./core/internal/scan")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		os.Remove(file.Name())
		return "", fmt.Errorf("go test -c ./core/internal/scan: %w\n%s", err, out)
	}
	return file.Name(), nil
}

var benchmarkLine = regexp.MustCompile(`(?m)^BenchmarkMessage/\S+\s+\d+\s+([0-9.]+) ns/op`)

// bareScan is the strict scan of one body that lies in memory: no frame, no event, no copy.
func bareScan(scanTest, benchmark string, opBytes int) contender {
	run := func(n int) (time.Duration, error) {
		out, err := exec.Command(scanTest, "-test.run", "^$", "-test.bench", "^BenchmarkMessage$/^"+benchmark+"$",
			"-test.benchtime", strconv.Itoa(n)+"x").CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("%w\n%s", err, out)
		}
		m := benchmarkLine.FindSubmatch(out)
		if m == nil {
			return 0, fmt.Errorf("no benchmark %s in:\n%s", benchmark, out)
		}
		opNs, err := strconv.ParseFloat(string(m[1]), 64)
		return time.Duration(opNs * float64(n)), err
	}
	return contender{"bare scan", opBytes, func() (func(int) (time.Duration, error), func() error, error) {
		return run, func() error { return nil }, nil
	}}
}
