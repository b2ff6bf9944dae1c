package diagnose

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/parley-rpc/parley/core/era"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// Judge says what one trial shows.
func (c *Client) Judge(t *Trial) []Finding {
	if start := (*child.StartError)(nil); t.Starts == 0 && errors.As(t.Err, &start) {
		return []Finding{judgeStart(start)}
	}
	found := judgeOutput(t)
	if t.Err == nil {
		return append(found, c.judgeSession(t)...)
	}
	if t.Ended {
		return append(found, judgeEnd(t))
	}
	if len(found) == 0 { // else that is why
		found = append(found, c.judgeSilence(t))
	}
	return found
}

func judgeStart(err *child.StartError) Finding {
	missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && strings.Contains(err.Program, " "):
		return newFinding("one-word", "no program %q: its name has spaces in it", err.Program)
	case errors.Is(err, exec.ErrNotFound):
		return newFinding("not-found", "no program %q in any folder of PATH", err.Program)
	case errors.Is(err, fs.ErrNotExist):
		return newFinding("not-found", "%q: %v; for a script it may be the interpreter in its first line that is missing", err.Program, err.Err)
	}
	return newFinding("not-executable", "%q: %v", err.Program, err.Err)
}

// echoed is a request that only a client makes.
var echoed = regexp.MustCompile(`"method":"(initialize|server/discover)"`)

func judgeOutput(t *Trial) []Finding {
	if request := echoed.Find(t.Head); request != nil {
		return []Finding{newFinding("echoes", "stdout has what was sent to stdin: %s", shown(request))}
	}
	var found []Finding
	s, sick := firstSymptom(t.Head, t.Protocol, t.Err != nil)
	if sick && t.Ended && (s.unended || asksForArguments(t)) {
		sick = false // its end says more
	}
	if sick {
		id := s.kind(t.Protocol)
		if id == "banner" && wantingArguments.Match(t.Head) {
			id = "wants-arguments"
		}
		found = append(found, newFinding(id, "%s", s.evidence()))
	}
	if t.Stats.ByteOrderMarks > 0 {
		found = append(found, newFinding("byte-order-mark", "a byte order mark stands before the first message: %s", shown(t.Head)))
	}
	return found
}

// judgeEnd is for a server that closed its stdout before the handshake was answered.
func judgeEnd(t *Trial) Finding {
	id := "exits"
	switch {
	case !t.Exit.Exited:
		return newFinding("closes-stdout", "it closed its stdout before it answered the handshake, and goes on running%s", stderrOf(t))
	case strings.HasPrefix(t.Exit.Status, "signal"):
		id = "dies"
	case asksForArguments(t):
		id = "wants-arguments"
	}
	evidence := "it ended before it answered the handshake: " + t.Exit.Status
	if t.BytesTotal > 0 {
		evidence += fmt.Sprintf("; %d bytes on stdout: %s", t.BytesTotal, shownEnd(t.Head))
	}
	return newFinding(id, "%s%s", evidence, stderrOf(t))
}

// wantingArguments is what programs say that were started without the arguments they need.
var wantingArguments = regexp.MustCompile(`(?im)^\s*usage:|--stdio\b|(unknown|unrecognized|invalid|missing|required|unexpected|expected) (sub)?(option|flag|argument|command)|(argument|option|flag|command)s? (is|are) required`)

func asksForArguments(t *Trial) bool {
	return wantingArguments.Match(t.Stderr) || wantingArguments.Match(t.Head)
}

// judgeSilence is for a server that did not agree, and about whose stdout there is nothing to say.
func (c *Client) judgeSilence(t *Trial) Finding {
	var refusal *host.RPCError
	var disagreement *era.Failure
	switch {
	case errors.As(t.Err, &refusal):
		return newFinding("refused", "it answers the handshake with error %d: %s", refusal.Code, shown([]byte(refusal.Message)))
	case errors.As(t.Err, &disagreement) && disagreement.Kind == era.FailureVersions:
		return newFinding("no-version", "%v", t.Err)
	case !errors.Is(t.Err, host.ErrTimeout):
		return newFinding("bad-answer", "%v", t.Err)
	case t.BytesLate > 0:
		return newFinding("buffered", "nothing for %v, and %d bytes once its stdin was closed: %s", c.Handshake, t.BytesLate, shown(t.Head))
	case t.BytesTotal > 0:
		return newFinding("silent", "no answer to the handshake in %v, but %d bytes of other messages: %s%s", c.Handshake, t.BytesTotal, shown(t.Head), stderrOf(t))
	}
	return newFinding("silent", "it runs, and nothing came on its stdout in %v%s", c.Handshake, stderrOf(t))
}

func stderrOf(t *Trial) string {
	if len(t.Stderr) == 0 {
		return "; nothing on stderr"
	}
	return "; stderr: " + shownEnd(t.Stderr)
}

// judgeSession is for a server that connects.
func (c *Client) judgeSession(t *Trial) []Finding {
	var found []Finding
	add := func(wrong bool, id, evidence string, args ...any) {
		if wrong {
			found = append(found, newFinding(id, evidence, args...))
		}
	}
	add(t.Starts > 1, "dies-on-discover", "it ended when it was asked server/discover, and was started again for initialize")
	slow := time.Duration(t.Timings.HandshakeMs * float64(time.Millisecond))
	add(slow > c.Slow, "slow-start", "the handshake took %v, its first byte came after %.0f ms", slow.Round(time.Millisecond), t.Timings.FirstByteMs)
	add(!isHandshake(t), "bad-answer", "no object with capabilities in it: %s", shown(t.Result))

	var refusal *host.RPCError
	if !errors.As(t.Unknown, &refusal) {
		add(t.Unknown == nil, "accepts-unknown", "%s has a result", unknownMethod)
		add(errors.Is(t.Unknown, host.ErrTimeout), "never-refuses", "no answer to %s in %v", unknownMethod, c.Handshake)
		add(errors.Is(t.Unknown, host.ErrClosed), "dies", "it ended when it was asked %s: %v", unknownMethod, t.Unknown)
	}
	add(t.Stats.Late > 0, "answers-twice", "%d answers to a request that was answered already", t.Stats.Late)
	add(t.Stats.Unknown > 0, "answers-nobody", "%d answers with an id that no request had", t.Stats.Unknown)
	add(t.Stats.PeerErrors > 0, "answers-nobody", "%d errors without an id", t.Stats.PeerErrors)
	if errors.Is(t.Unknown, host.ErrClosed) {
		return found
	}
	if errors.As(t.LeaveErr, &refusal) {
		add(true, "leaves-badly", "shutdown is answered with error %d: %s", refusal.Code, shown([]byte(refusal.Message)))
	}
	// MCP's clients end a server by SIGTERM where the end of its stdin did not, and many rely on that.
	add(t.Stayed && (t.Protocol == LSP || t.Left == "signal: killed"), "stays", "it was asked to leave, and it or what it started was there after %v; then: %s", c.Leave, t.Left)
	add(!t.Stayed && t.LeftCode != 0, "leaves-badly", "after an orderly farewell: %s%s", t.Left, stderrOf(t))
	return found
}

// isHandshake reports a result that says what the server can do.
func isHandshake(t *Trial) bool {
	var result struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	return json.Unmarshal(t.Result, &result) == nil && result.Capabilities != nil
}
