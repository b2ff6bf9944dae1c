package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/parley-rpc/parley/internal/diagnose"
)

type doctorCmd struct {
	trialFlags `embed:""`
	JSON       bool `name:"json" help:"Print one document: findings, and what was seen each time the command was started."`
	Kinds      bool `help:"List what can be found, and do nothing else."`
}

// Help is the part of the help below the flags' summary.
func (doctorCmd) Help() string {
	return `Starts the command as an editor would, and says why it does not connect: one finding a line, what was seen and what
to do about it. A command that does not connect may be started twice more: with --stdio, and in the other protocol.
Each start is ended, and everything that it started, before the next. See parley probe for what a server that connects can do.

Examples:

  parley doctor -- gopls
  parley doctor --profile mcp -- npx my-mcp-server
  parley doctor --timeout 60s -- ./server --that-indexes-first
  parley doctor --json -- node server.js | jq .findings

Exit codes:

  1    there is a finding`
}

// doctorDocument is what doctor --json prints. Names are stable.
type doctorDocument struct {
	Command  []string           `json:"command"`
	Profile  string             `json:"profile"`
	Healthy  bool               `json:"healthy"`
	Findings []diagnose.Finding `json:"findings"`
	Trials   []trialDocument    `json:"trials"`
}

// Run examines the command.
func (c *doctorCmd) Run(ctx context.Context, e *env, server serverCommand) error {
	if c.Kinds {
		return c.list(e)
	}
	client, err := c.client(e, server)
	if err != nil {
		return err
	}
	found := client.Examine(ctx, server, diagnose.Protocol(c.Profile))
	if ctx.Err() != nil {
		return context.Cause(ctx) // what was found so far is the signal's work
	}
	if err := c.print(ctx, e, server, found); err != nil {
		return err
	}
	if count := len(found.Findings); count > 0 {
		return findings{count, "finding", "findings"}
	}
	return nil
}

func (c *doctorCmd) print(ctx context.Context, e *env, server serverCommand, found *diagnose.Case) error {
	if c.JSON {
		document := doctorDocument{
			Command: server, Profile: c.Profile,
			Healthy: len(found.Findings) == 0, Findings: append([]diagnose.Finding{}, found.Findings...),
		}
		for _, t := range found.Trials {
			document.Trials = append(document.Trials, newTrialDocument(ctx, t))
		}
		return writeJSON(e.stdout, document)
	}
	for _, f := range found.Findings {
		if _, err := fmt.Fprintf(e.stdout, "%s: %s -> %s\n", f.ID, oneLine(f.Evidence), f.Remedy); err != nil {
			return err
		}
	}
	if len(found.Findings) > 0 {
		return nil
	}
	t := found.Trials[0]
	_, err := fmt.Fprintf(e.stdout, "healthy: %s answered the handshake in %s and left in %s\n",
		nameOf(t), duration(t.Timings.HandshakeMs), duration(t.Timings.LeaveMs))
	return err
}

func (c *doctorCmd) list(e *env) error {
	if c.JSON {
		return writeJSON(e.stdout, diagnose.Kinds())
	}
	list := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, kind := range diagnose.Kinds() {
		fmt.Fprintf(list, "%s\t%s\n", kind.ID, kind.Remedy) // a tabwriter keeps its error for Flush
	}
	return list.Flush()
}
