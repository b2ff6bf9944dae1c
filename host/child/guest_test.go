//go:build linux || darwin

package child

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/host"
)

// STOP-4, STOP-6: a guest is a child like any other: its stdin ends first, and its status explains what
// was lost.
func TestGuest(t *testing.T) {
	p, err := StartGuest(t.Context(), &Guest{
		Name: "guest",
		Run: func(stdin, stdout, stderr *os.File) string {
			lines := bufio.NewScanner(stdin)
			lines.Scan()
			fmt.Fprintln(stdout, `{"jsonrpc":"2.0","id":1,"result":7}`)
			fmt.Fprintln(stderr, "last words")
			lines.Scan()
			return "exit status 3"
		},
		Interrupt: func() {},
	}, host.Plain, patient)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := host.Call[int](t.Context(), p, "m", nil); answer != 7 || err != nil {
		t.Errorf("answer %d, %v", answer, err)
	}
	mustBeLost(t, p, "guest: exit status 3", "last words") // the second line is this call
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if state, err := p.Process.Wait(t.Context()); state != nil || err != nil {
		t.Errorf("state %v, %v, want none of either", state, err)
	}
}

// STOP-6: a guest that heeds nothing is given up.
func TestGuestSurvives(t *testing.T) {
	release, interrupted := make(chan struct{}), make(chan struct{}, 2)
	bounds := Bounds{Grace: time.Millisecond, Terminate: time.Millisecond, Kill: time.Millisecond}
	p, err := StartGuest(t.Context(), &Guest{
		Name: "guest",
		Run: func(_, _, _ *os.File) string {
			<-release
			return "exit status 0"
		},
		Interrupt: func() { interrupted <- struct{}{} },
	}, host.Plain, WithBounds(bounds))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); !errors.Is(err, ErrSurvived) {
		t.Errorf("Close: %v, want ErrSurvived", err)
	}
	<-interrupted // in place of SIGTERM
	<-interrupted // and of SIGKILL
	close(release)
	if _, err := p.Process.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestGuestIsRefused(t *testing.T) {
	never := &Guest{Name: "guest", Run: func(_, _, _ *os.File) string { panic("it runs") }, Interrupt: func() {}}
	_, err := StartGuest(t.Context(), never, host.Plain, WithBounds(Bounds{Grace: -1}))
	if start := new(StartError); !errors.As(err, &start) || start.Program != "guest" || !strings.Contains(err.Error(), "Grace") {
		t.Errorf("%v, want a *StartError about Grace", err)
	}
}
