package main

import (
	"bufio"
	"bytes"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/transcript"
)

type filterCmd struct {
	captureFiles
	capturePrint

	Method []string      `placeholder:"PATTERN" help:"Of this method, or of one of these, and its answers: textDocument/*."`
	Kind   []string      `placeholder:"KIND" enum:"request,notification,result,error,invalid,batch,noise,gap,eof,exit,signal" help:"Of this kind: request, notification, result, error, invalid, batch, noise, gap, eof, exit, signal."`
	From   []string      `placeholder:"WHO" enum:"client,server,stderr,tap,capture" help:"From client, server, stderr, tap (signals and the exit) or capture (its header)."`
	ID     []string      `placeholder:"ID" help:"With this id, spelled as on the wire: 7 or '\"a\"'."`
	Grep   []string      `placeholder:"TEXT" help:"With TEXT in its text."`
	Slower time.Duration `placeholder:"TIME" help:"Answers that took at least TIME."`
	Since  time.Duration `placeholder:"TIME" help:"TIME after the session began, or later."`
	Until  time.Duration `placeholder:"TIME" help:"TIME after the session began, or earlier."`
	Output string        `short:"o" placeholder:"FILE" help:"Write what is left as a capture, a read for each message, instead of printing it."`
}

// Help is the part of the help below the flags' summary.
func (filterCmd) Help() string {
	return `Prints, in the manner of parley cat, what all the flags given let through. A flag given more than once lets
through what one of its values does. Members of batches are looked at one by one, and written with their batch.

Examples:

  parley filter --method 'textDocument/*' --slower 100ms gopls.cap
  parley filter --kind error --kind invalid --kind noise gopls.cap
  parley filter --id 7 --body gopls.cap
  parley filter --until 30s -o start.cap gopls.cap`
}

// Run prints what is left, or writes it.
func (c *filterCmd) Run(e *env) (err error) {
	for _, pattern := range c.Method {
		if _, err := path.Match(pattern, ""); err != nil {
			return usageError{"--method " + pattern + ": " + err.Error()}
		}
	}
	if c.Output != "" {
		return c.write(e)
	}
	out := bufio.NewWriter(e.stdout)
	err = c.each(e, capture.NewFollower(), func(_ *capture.Seen, line *capture.Line, passes bool) error {
		if !passes {
			return nil
		}
		return c.print(out, line)
	})
	return firstError(err, out.Flush())
}

// each shows every line of the captures, and whether the flags let it through. Where they let through none,
// stderr says so.
func (c *filterCmd) each(e *env, f *capture.Follower, see func(seen *capture.Seen, line *capture.Line, passes bool) error) error {
	messages, passed := 0, 0
	err := c.follow(e, f, func(seen *capture.Seen) error {
		if seen.IsMessage() {
			messages++
		}
		line := capture.NewLine(seen, &f.Header)
		passes := c.passes(line)
		if passes {
			passed++
		}
		return see(seen, line, passes)
	})
	if err == nil && passed == 0 {
		fmt.Fprintf(e.stderr, "parley: nothing in %s passes these flags\n", countMessages(messages))
	}
	return err
}

func (c *filterCmd) write(e *env) error {
	file, err := createCapture(c.Output)
	if err != nil {
		return err
	}
	writer := capture.NewWriter(file, capture.SpellBinary)
	f := capture.NewFollower()
	var record transcript.Record
	isLeft := false // record may be written, once, however many members of a batch pass
	err = c.each(e, f, func(seen *capture.Seen, line *capture.Line, passes bool) error {
		if !seen.InBatch {
			record, isLeft = f.Reframe(seen)
		}
		if !isLeft || line.From != "capture" && !passes {
			return nil
		}
		isLeft = false
		return writer.Write(&record)
	})
	err = firstError(err, writer.Close())
	return firstError(err, file.Close())
}

// passes reports whether every flag lets the line through.
func (c *filterCmd) passes(l *capture.Line) bool {
	at := time.Duration(l.Ms * float64(time.Millisecond))
	switch {
	case len(c.Method) > 0 && !slices.ContainsFunc(c.Method, func(pattern string) bool {
		matched, _ := path.Match(pattern, l.Method) // the pattern was tried
		return matched
	}):
		return false
	case len(c.Kind) > 0 && !slices.Contains(c.Kind, l.Kind),
		len(c.From) > 0 && !slices.Contains(c.From, l.From),
		len(c.ID) > 0 && !slices.Contains(c.ID, string(l.ID)):
		return false
	case len(c.Grep) > 0 && !slices.ContainsFunc(c.Grep, func(text string) bool {
		return bytes.Contains(l.Message, []byte(text)) || bytes.Contains([]byte(l.Text), []byte(text))
	}):
		return false
	case c.Slower > 0 && (l.ElapsedMs == nil || *l.ElapsedMs < float64(c.Slower)/float64(time.Millisecond)):
		return false
	}
	return at >= c.Since && (c.Until == 0 || at <= c.Until)
}
