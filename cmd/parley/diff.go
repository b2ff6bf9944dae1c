package main

import "github.com/parley-rpc/parley/internal/capture/replay"

type diffCmd struct {
	A     string `arg:"" complete:"capture" help:"A capture, in any spelling; - is stdin."`
	B     string `arg:"" complete:"capture" help:"Another."`
	Match string `default:"strict" enum:"ids,shape,strict" help:"ids: answered alike; shape: and the same members and types; strict: and the same values, and notifications too."`
	JSON  bool   `name:"json" help:"One JSON document a line for each difference."`
}

// Help is the part of the help below the flags' summary.
func (diffCmd) Help() string {
	return `Compares the n-th request of a method in A with the n-th of it in B: params and answer. Ids and times do not count.
Prints one line a difference: > from the client, < from the server.

Examples:

  parley diff yesterday.cap today.cap
  parley diff --match shape yesterday.cap today.cap

Exit codes:

  1    there is a difference`
}

// Run compares.
func (c *diffCmd) Run(e *env) error {
	matching, err := replay.ParseMatching(c.Match)
	if err != nil {
		return usageError{"--match " + err.Error()}
	}
	a, err := loadConversation(e, []string{c.A})
	if err != nil {
		return err
	}
	b, err := loadConversation(e, []string{c.B})
	if err != nil {
		return err
	}
	out := differences{to: e.stdout, asJSON: c.JSON, in: a}
	for _, found := range replay.Diff(a, b, matching) {
		out.print(found)
	}
	return out.end(e, nil)
}
