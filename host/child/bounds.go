package child

import (
	"fmt"
	"time"
)

// Bounds are the times that a child is given (STOP-4, STOP-6). A zero field means its default, a
// negative one is refused when the child is started.
type Bounds struct {
	// Grace is how long a child may take to leave once it is asked to: what is queued for its
	// stdin is written and stdin closed meanwhile. Then the rest is dropped and its process group
	// gets SIGTERM. Default 2 s.
	Grace time.Duration
	// Terminate is how long the group may live after SIGTERM; then it gets SIGKILL. Default 2 s.
	Terminate time.Duration
	// Kill is how long a killed leader may take to vanish, which only the kernel can delay; then
	// stopping fails. Default 2 s.
	Kill time.Duration
	// Output is how long the output of a child that has exited is still read, because a
	// descendant may hold the pipe open for ever; the rest of stderr gets as long. Default 500 ms.
	Output time.Duration
}

func (b Bounds) withDefaults() (Bounds, error) {
	for _, field := range []struct {
		name     string
		value    *time.Duration
		fallback time.Duration
	}{
		{"Grace", &b.Grace, 2 * time.Second},
		{"Terminate", &b.Terminate, 2 * time.Second},
		{"Kill", &b.Kill, 2 * time.Second},
		{"Output", &b.Output, 500 * time.Millisecond},
	} {
		if *field.value < 0 {
			return b, fmt.Errorf("bound %s is %v, want 0 (the default) or more", field.name, *field.value)
		}
		if *field.value == 0 {
			*field.value = field.fallback
		}
	}
	return b, nil
}

// within waits for done, but no longer than limit, and reports whether done was closed.
func within(limit time.Duration, done <-chan struct{}) bool {
	if isClosed(done) { // even when the limit is already past
		return true
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
