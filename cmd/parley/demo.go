package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// demoCmd is "parley demo": it needs nothing but this program.
type demoCmd struct {
	Engine string `enum:"both,native,wazero" default:"both" help:"Where the client's protocol runs: ${enum}."`
	JSON   bool   `name:"json" help:"Print one document."`
}

// demoMax bounds the demo, compiling the module for the sandbox included.
const demoMax = 60 * time.Second

// demoBounds give the server time on a busy machine, because leaving by itself is checked.
var demoBounds = child.Bounds{Grace: 5 * time.Second, Terminate: time.Second}

// demoDocument is what demo --json prints. Names are stable.
type demoDocument struct {
	OK      bool      `json:"ok"`
	Error   string    `json:"error,omitempty"` // what ended the demo early
	Engines []demoRun `json:"engines"`
	Checks  []check   `json:"checks"` // about the engines together; each run has its own
}

// demoRun is one conversation on one engine.
type demoRun struct {
	Engine     string        `json:"engine"`
	StartMs    float64       `json:"startMs"` // engine and server, until the session stands
	TalkMs     float64       `json:"talkMs"`  // the conversation, until shutdown is answered
	RoundTrips int           `json:"roundTrips"`
	Counters   host.Counters `json:"counters"`
	Digests    digests       `json:"digests"`
	Steps      []step        `json:"steps"`
	Checks     []check       `json:"checks"`
}

// Help is the part of the help below the flags' summary.
func (demoCmd) Help() string {
	return `Starts this program as a language server, talks to it natively and from the sandbox, and checks that both said and heard
the same bytes. Needs nothing else, and takes a few seconds.

Examples:

  parley demo
  parley demo --engine native
  parley demo --json | jq .ok

Exit codes:

  1    a check failed; the lines above say which`
}

// Run holds the same conversation on each engine and compares what went over the wire.
func (c demoCmd) Run(ctx context.Context, e *env) error {
	ctx, cancel := context.WithTimeout(ctx, demoMax)
	defer cancel()
	out := bufio.NewWriter(e.stdout)
	var document demoDocument
	err := c.converse(ctx, e, out, &document)
	failed := document.failed()
	switch {
	case err != nil:
		document.Error = errorLine(ctx, err)
	case failed > 0:
		err = checkError{failed}
	default:
		document.OK = true
	}
	if c.JSON {
		return errors.Join(err, writeJSON(e.stdout, document))
	}
	printChecks(out, document.Checks)
	if err == nil {
		fmt.Fprintln(out, "\nThe same server behind a page, in your browser: parley serve")
	}
	return firstError(err, out.Flush())
}

// converse shows on out what was said on an engine, as soon as it was.
func (c demoCmd) converse(ctx context.Context, e *env, out *bufio.Writer, document *demoDocument) error {
	engines := []string{c.Engine}
	if c.Engine == "both" {
		engines = []string{engineNative, engineWazero}
	}
	for _, engine := range engines {
		run, err := converse(ctx, e, engine)
		if err != nil {
			return fmt.Errorf("demo on %s: %w", engine, err)
		}
		document.Engines = append(document.Engines, run)
		if c.JSON {
			continue
		}
		run.print(out)
		if err := out.Flush(); err != nil {
			return err
		}
	}
	if len(engines) > 1 {
		document.Checks = append(document.Checks, compareDigests(document.Engines))
	}
	return nil
}

// converse starts "parley peer lsp" and holds the conversation with it.
func converse(ctx context.Context, e *env, engineName string) (run demoRun, err error) {
	program, err := e.executable()
	if err != nil {
		return run, err
	}
	watch := startWatch(e.clock)
	engine, closeEngine, err := openEngine(ctx, engineName)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, closeEngine()) }()

	talk := newConversation()
	var wire *recorder
	options := host.LSP
	options.Mux = talk.mux()
	options.Clock = e.clock
	options.Engine = func(cfg core.Config) (host.Machine, error) {
		machine, err := engine(cfg)
		if err != nil {
			return nil, err
		}
		wire, err = newRecorder(machine, cfg.Profile)
		return wire, err
	}
	command := exec.Command(program, "peer", "lsp")
	command.Stderr = e.stderr
	talk.peer, err = child.Start(ctx, command, options, child.WithBounds(demoBounds))
	if err != nil {
		return run, err
	}
	run.Engine, run.StartMs = engineName, watch.lapMs()

	err = talk.hold(ctx)
	run.TalkMs = watch.lapMs()
	if err = errors.Join(err, talk.peer.Close()); err != nil {
		return run, err
	}
	left, err := checkLeft(ctx, talk.peer)
	run.RoundTrips, run.Counters, run.Digests = talk.calls, host.Counters(talk.peer.Stats()), wire.digests()
	run.Steps, run.Checks = talk.steps, append(talk.checks, left)
	return run, err
}

// checkLeft checks that the server, told exit after shutdown, left with 0 and by itself (STOP-9).
func checkLeft(ctx context.Context, peer *child.Peer) (check, error) {
	state, err := peer.Process.Wait(ctx)
	if err != nil {
		return check{}, err
	}
	return check{"the server leaves by itself with exit code 0", state.ExitCode() == 0, state.String()}, nil
}

// compareDigests checks that both engines said and heard the same messages, in the same order,
// byte for byte.
func compareDigests(runs []demoRun) check {
	c := check{Name: "both engines held the same conversation", OK: runs[0].Digests == runs[1].Digests}
	c.Text = fmt.Sprintf("sent %.12s, received %.12s", runs[0].Digests.Sent, runs[0].Digests.Received)
	if !c.OK {
		c.Text = fmt.Sprintf("%+v against %+v", runs[0].Digests, runs[1].Digests)
	}
	return c
}

func (d *demoDocument) failed() int {
	count := failures(d.Checks)
	for _, run := range d.Engines {
		count += failures(run.Checks)
	}
	return count
}

func failures(checks []check) int {
	count := 0
	for _, c := range checks {
		if !c.OK {
			count++
		}
	}
	return count
}

func (r *demoRun) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", r.Engine)
	for _, s := range r.Steps {
		fmt.Fprintf(w, "  %-28s %s\n", s.Method, oneLine(s.Text))
	}
	fmt.Fprintf(w, "  %d round trips, %d messages out (%d bytes), %d in (%d bytes), start %.1f ms, talk %.1f ms\n",
		r.RoundTrips, r.Counters.FramesOut, r.Counters.BytesOut, r.Counters.FramesIn, r.Counters.BytesIn, r.StartMs, r.TalkMs)
	fmt.Fprintf(w, "  sent     sha256 %s\n  received sha256 %s\n", r.Digests.Sent, r.Digests.Received)
	printChecks(w, r.Checks)
}

func printChecks(w io.Writer, checks []check) {
	for _, c := range checks {
		verdict := "ok"
		if !c.OK {
			verdict = "FAILED"
		}
		fmt.Fprintf(w, "  %-6s %s: %s\n", verdict, c.Name, oneLine(c.Text))
	}
}
