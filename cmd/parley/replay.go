package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/capture/replay"
)

type replayCmd struct {
	Files    []string      `arg:"" name:"file" complete:"capture" help:"A capture, in any spelling, or its parts in order; - is stdin."`
	Against  bool          `xor:"side" help:"Be the client, against the server's command behind --. The default where there is one."`
	AsServer bool          `xor:"side" help:"Be the server, on stdin and stdout."`
	Match    string        `default:"shape" enum:"ids,shape,strict" help:"ids: answered alike; shape: and the same members and types; strict: and the same values."`
	Patience time.Duration `default:"10s" placeholder:"TIME" help:"How long one answer is waited for: ${default}."`
	JSON     bool          `name:"json" help:"One JSON document a line for each difference."`
}

// Help is the part of the help below the flags' summary.
func (replayCmd) Help() string {
	return `As the client it says what was recorded, in the recorded order and without the recorded pauses, and compares each
answer with the recorded one. As the server it answers what is asked as it was answered, and compares the params: put it
in the place of the server in your editor's settings. Differences go to stdout, one a line, as the server to stderr.

What a capture masks is replayed masked: record with --no-secrets where the server needs them.

Examples:

  parley replay gopls.cap --against -- gopls
  parley replay gopls.cap --match strict -- ./gopls-of-yesterday
  parley replay gopls.cap --as-server

Exit codes:

  1    there is a difference`
}

// Run plays.
func (c *replayCmd) Run(ctx context.Context, e *env, server serverCommand) error {
	switch {
	case c.AsServer && server != nil:
		return usageError{"--as-server takes no command behind --"}
	case !c.AsServer && len(server) == 0:
		return usageError{"against which server? Give its command behind --, or --as-server"}
	case c.Patience <= 0:
		return usageError{"--patience: want more than 0s"}
	}
	matching, err := replay.ParseMatching(c.Match)
	if err != nil {
		return usageError{"--match " + err.Error()}
	}
	var recorded *replay.Conversation
	err = interruptible(ctx, func() (err error) {
		recorded, err = loadConversation(e, c.Files)
		return err
	})
	if err != nil {
		return err
	}
	if c.AsServer {
		out := differences{to: e.stderr, asJSON: c.JSON, in: recorded}
		player := replay.Server{Recorded: recorded, Matching: matching, Found: out.print}
		return out.end(e, player.Play(ctx, e.stdin, e.stdout))
	}
	out := differences{to: e.stdout, asJSON: c.JSON, in: recorded}
	player := replay.Client{Recorded: recorded, Matching: matching, Patience: c.Patience, Found: out.print}
	return out.end(e, playTo(ctx, &player, server))
}

// playTo starts the server, and leaves nothing of it behind.
func playTo(ctx context.Context, player *replay.Client, server serverCommand) error {
	process, err := child.StartProcess(exec.Command(server[0], server[1:]...))
	if err != nil {
		return err
	}
	defer process.Stop()
	defer process.Stdout.Close()
	err = player.Play(ctx, process.Stdout, process.Stdin)
	if errors.Is(err, syscall.EPIPE) {
		return peerDied{process.Obituary(ctx).String()}
	}
	return err
}

// loadConversation reads captures into memory.
func loadConversation(e *env, files []string) (*replay.Conversation, error) {
	conversation, follower := replay.NewConversation(), capture.NewFollower()
	err := captureFiles{files}.follow(e, follower, func(seen *capture.Seen) error {
		conversation.See(follower, seen)
		return nil
	})
	if err == nil && len(conversation.Messages) == 0 {
		err = usageError{"no message in " + files[0]}
	}
	return conversation, err
}

// differences prints what was found and counts it.
type differences struct {
	to     io.Writer
	asJSON bool
	in     *replay.Conversation // that of which requests were compared
	count  int
	failed error
}

func (d *differences) print(found replay.Difference) {
	d.count++
	var err error
	if d.asJSON {
		err = writeJSON(d.to, found)
	} else {
		arrow := map[string]string{"client": ">", "server": "<"}[found.From]
		_, err = fmt.Fprintf(d.to, "%s %s #%d: %s\n", arrow, oneLine(found.Method), found.Nth, oneLine(found.Detail))
	}
	d.failed = firstError(d.failed, err)
}

// end is the outcome of a comparison that ended with err.
func (d *differences) end(e *env, err error) error {
	if err = firstError(err, d.failed); err != nil {
		return err
	}
	return findings{d.count, "difference", "differences"}.in(e, count(d.in.RequestCount(), "request", "requests"))
}
