package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/capture/lint"
)

type lintCmd struct {
	Files  []string `arg:"" optional:"" name:"file" complete:"capture" help:"Captures, in any spelling; - is stdin."`
	Ignore []string `placeholder:"RULE" help:"Leave out what breaks this rule."`
	Errors bool     `help:"Leave out warnings."`
	Rules  bool     `help:"List the rules, and do nothing else."`
	JSON   bool     `name:"json" help:"One JSON document a line for each finding."`
}

// Help is the part of the help below the flags' summary.
func (lintCmd) Help() string {
	return `Prints one line a finding: when, how much it matters, the rule, from whom and at which byte of what that side sent,
and what was seen. Where nothing was found, stderr says in how many messages.

Examples:

  parley lint gopls.cap
  parley lint --ignore position-out-of-range --errors gopls.cap
  parley lint --rules

Exit codes:

  1    there is a finding`
}

// Run judges.
func (c *lintCmd) Run(e *env) error {
	for _, id := range c.Ignore {
		if !slices.ContainsFunc(lint.Rules(), func(r *lint.Rule) bool { return r.ID == id }) {
			return usageError{"--ignore " + id + ": no such rule (parley lint --rules)"}
		}
	}
	if c.Rules {
		return c.list(e.stdout)
	}
	if len(c.Files) == 0 {
		return usageError{"which capture? parley lint FILE"}
	}
	out := bufio.NewWriter(e.stdout)
	messages, count := 0, 0
	var failed error
	linter := lint.New(func(f lint.Finding) {
		if slices.Contains(c.Ignore, f.Rule) || c.Errors && f.Severity != lint.Error {
			return
		}
		count++
		failed = firstError(failed, c.print(out, f))
	})
	follower := capture.NewFollower()
	err := captureFiles{c.Files}.follow(e, follower, func(seen *capture.Seen) error {
		if seen.IsMessage() {
			messages++
		}
		linter.See(seen)
		return failed
	})
	if err == nil {
		linter.End()
	}
	if err := firstError(err, firstError(failed, out.Flush())); err != nil {
		return err
	}
	return findings{count, "finding", "findings"}.in(e, countMessages(messages))
}

func (c *lintCmd) print(to io.Writer, f lint.Finding) error {
	if c.JSON {
		return writeJSON(to, f)
	}
	where := f.From
	if f.Offset > 0 {
		where += fmt.Sprintf(" byte %d", f.Offset)
	}
	if f.Method != "" {
		where += " " + f.Method
	}
	if f.ID != "" {
		where += " id " + f.ID
	}
	_, err := fmt.Fprintf(to, "%12.3f ms  %-7s  %-20s  %s\n", f.Ms, f.Severity, f.Rule, oneLine(where+": "+f.Detail))
	return err
}

func (c *lintCmd) list(to io.Writer) error {
	if c.JSON {
		return writeJSON(to, lint.Rules())
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, r := range lint.Rules() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.ID, r.Severity, r.Text)
	}
	return table.Flush()
}
