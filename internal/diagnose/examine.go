package diagnose

import (
	"context"
	"slices"
	"strings"
)

// Case is what was found out about one command.
type Case struct {
	Trials   []*Trial // in order; the first is as it was asked for
	Findings []Finding
}

// stdio is what many servers want to be told, and end without.
const stdio = "--stdio"

// ofOther are the findings that a healthy server of the other protocol may give too.
var ofOther = []string{
	"exits", "dies", "wants-arguments", "closes-stdout", "wrong-framing", "no-message", "silent", "refused", "bad-answer",
}

// Examine tries a command. Where it ends without a handshake it is tried with --stdio behind it, and where
// that could be, in the other protocol: that tells a wrong command line from a broken server.
func (c *Client) Examine(ctx context.Context, command []string, protocol Protocol) *Case {
	asked := c.Try(ctx, command, protocol)
	found := &Case{Trials: []*Trial{asked}, Findings: c.Judge(asked)}
	if asked.Err == nil || asked.Starts == 0 || ctx.Err() != nil {
		return found
	}
	if asked.Ended && !slices.Contains(command, stdio) {
		with := c.Try(ctx, append(slices.Clone(command), stdio), protocol)
		found.Trials = append(found.Trials, with)
		if with.Err == nil {
			finding := newFinding("wants-arguments", "without %s: %s%s; with it the handshake is answered in %.0f ms",
				stdio, asked.Exit.Status, stderrOf(asked), with.Timings.HandshakeMs)
			found.Findings = append([]Finding{finding}, c.Judge(with)...)
			return found
		}
	}
	if !slices.Contains(ofOther, found.Findings[0].ID) || ctx.Err() != nil {
		return found
	}
	other := c.Try(ctx, command, otherThan(protocol))
	found.Trials = append(found.Trials, other)
	if other.Err == nil {
		finding := newFinding("wrong-protocol", "it was spoken to in %s, and answers the handshake of %s in %.0f ms",
			strings.ToUpper(string(protocol)), strings.ToUpper(string(other.Protocol)), other.Timings.HandshakeMs)
		found.Findings = append([]Finding{finding}, c.Judge(other)...)
	}
	return found
}

func otherThan(protocol Protocol) Protocol {
	if protocol == LSP {
		return MCP
	}
	return LSP
}
