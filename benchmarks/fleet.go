package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parley-rpc/parley/host"
)

// fleet is (g): many peers in one process of their own, so that its memory is theirs alone.
type fleet struct {
	Peers          int
	RSSEachKiB     float64 // resident memory a peer, buffers and goroutines included
	Goroutines     int
	CallsPerSecond float64 // 0: idle
}

// The sizes of fleets. Half of the peers call the other half.
const (
	idlePeers = 10_000
	busyPeers = 1000
)

// runFleets measures both; none where the system does not tell memory in Linux's way.
func runFleets() ([]fleet, error) {
	if runtime.GOOS != "linux" {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var fleets []fleet
	for _, which := range []string{"idle", "busy"} {
		out, err := exec.Command(self, "-serve", which).Output()
		if err != nil {
			return nil, fmt.Errorf("fleet, %s: %w", which, err)
		}
		var f fleet
		if err := json.Unmarshal(out, &f); err != nil {
			return nil, fmt.Errorf("fleet, %s: %w", which, err)
		}
		fleets = append(fleets, f)
	}
	return fleets, nil
}

// serveFleet is the process: it makes the peers, lets each pair talk, and prints what it found.
func serveFleet(w io.Writer, isBusy bool) error {
	const busySeconds = 2
	f := fleet{Peers: idlePeers}
	if isBusy {
		f.Peers = busyPeers
	}
	before, err := residentKiB()
	if err != nil {
		return err
	}
	clients := make([]client, f.Peers/2)
	for i := range clients {
		if clients[i], err = connectInMemory(parleyLibrary(nativeName, host.Native)); err != nil {
			return err
		}
		if err := clients[i].call(context.Background()); err != nil {
			return err
		}
	}
	if isBusy {
		if f.CallsPerSecond, err = keepBusy(clients, busySeconds*time.Second); err != nil {
			return err
		}
	}
	after, err := residentKiB()
	if err != nil {
		return err
	}
	f.RSSEachKiB, f.Goroutines = float64(after-before)/float64(f.Peers), runtime.NumGoroutine()
	return json.NewEncoder(w).Encode(f)
}

// connectInMemory is connect over pipes that take no file descriptors.
func connectInMemory(l library) (client, error) {
	nearIn, farOut := io.Pipe()
	farIn, nearOut := io.Pipe()
	if _, err := l.serve(pipePair{farIn, farOut}, func() {}); err != nil {
		return client{}, err
	}
	return l.client(pipePair{nearIn, nearOut})
}

// keepBusy lets all clients call one after the other's answer until the time is over.
func keepBusy(clients []client, spell time.Duration) (callsPerSecond float64, err error) {
	counts, failures := make([]int, len(clients)), make([]error, len(clients))
	start := time.Now()
	var wait sync.WaitGroup
	for i, c := range clients {
		wait.Go(func() {
			for time.Since(start) < spell && failures[i] == nil {
				failures[i] = c.call(context.Background())
				counts[i]++
			}
		})
	}
	wait.Wait()
	calls := 0
	for _, count := range counts {
		calls += count
	}
	return float64(calls) / time.Since(start).Seconds(), errors.Join(failures...)
}

// residentKiB is what the process has in memory, its garbage given back.
func residentKiB() (int, error) {
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			return strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		}
	}
	return 0, errors.New("/proc/self/status has no VmRSS")
}

// fleetTable writes what fleets cost.
func fleetTable(w io.Writer, fleets []fleet) {
	if len(fleets) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### Many peers in one process\n\n`go run . -only '^fleet$'`\n\n| peers | KiB each | goroutines | calls/s |\n|---|---:|---:|---:|\n")
	for _, f := range fleets {
		fmt.Fprintf(w, "| %d | %.1f | %d | %.0f |\n", f.Peers, f.RSSEachKiB, f.Goroutines, f.CallsPerSecond)
	}
}
