package main

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/internal/jsonls"
)

// demoURI names a document that exists in the conversation alone.
const demoURI = "file:///demo.json"

// demoText has one mistake, behind an emoji on its line: a character outside the basic plane is
// one to people, two to LSP, four to UTF-8.
const demoText = "{\n  \"zebra\": 9007199254740993,\n  \"😀\": tru,\n  \"apple\": 1.0e+2\n}\n"

// conversation is the demo's client: its own copy of the text, and what it has seen.
type conversation struct {
	peer        *child.Peer
	diagnostics chan diagnosticsParams
	text        string
	version     int32
	calls       int

	steps  []step
	checks []check
}

// step is one thing said and what came of it.
type step struct {
	Method string `json:"method"`
	Text   string `json:"text"`
}

// check is one thing that has to be so.
type check struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Text string `json:"text"` // what was found
}

type diagnosticsParams struct {
	URI         string              `json:"uri"`
	Version     int32               `json:"version"`
	Diagnostics []jsonls.Diagnostic `json:"diagnostics"`
}

// object spells parameters.
type object map[string]any

func newConversation() *conversation {
	// One document, one version after the other: the client waits for each.
	return &conversation{diagnostics: make(chan diagnosticsParams, 1), text: demoText}
}

// mux takes the server's diagnostics.
func (c *conversation) mux() *host.Mux {
	mux := host.NewMux()
	host.HandleNotification(mux, "textDocument/publishDiagnostics", core.ModeOrder,
		func(ctx context.Context, params diagnosticsParams) error {
			select {
			case c.diagnostics <- params:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	return mux
}

// hold is the whole conversation.
func (c *conversation) hold(ctx context.Context) error {
	for _, part := range []func(context.Context) error{
		c.initialize, c.open, c.move, c.repair, c.hover, c.symbols, c.format, c.leave,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *conversation) say(method, format string, args ...any) {
	c.steps = append(c.steps, step{method, fmt.Sprintf(format, args...)})
}

// ask is a call that counts as a round trip.
func ask[R any](ctx context.Context, c *conversation, method string, params any) (R, error) {
	c.calls++
	return host.Call[R](ctx, c.peer, method, params)
}

func (c *conversation) initialize(ctx context.Context) error {
	result, err := ask[struct {
		Capabilities map[string]any    `json:"capabilities"`
		ServerInfo   map[string]string `json:"serverInfo"`
	}](ctx, c, "initialize", object{
		// A server may watch its client by this number; this one has the end of its stdin for
		// that, and the digests need no normalising without it.
		"processId": nil,
		"rootUri":   nil,
		"capabilities": object{
			"general":      object{"positionEncodings": []string{"utf-16"}},
			"textDocument": object{"publishDiagnostics": object{"versionSupport": true}},
		},
	})
	if err != nil {
		return err
	}
	c.say("initialize", "%s, positions in %v, %d capabilities",
		result.ServerInfo["name"], result.Capabilities["positionEncoding"], len(result.Capabilities))
	return c.peer.Notify(ctx, "initialized", object{})
}

func (c *conversation) open(ctx context.Context) error {
	c.version = 1
	err := c.peer.Notify(ctx, "textDocument/didOpen", object{
		"textDocument": object{"uri": demoURI, "languageId": "json", "version": c.version, "text": c.text},
	})
	if err != nil {
		return err
	}
	_, err = c.diagnose(ctx, "textDocument/didOpen")
	return err
}

// move changes the text above and before the mistake, without touching it, and checks that the
// diagnostic follows to where this client, counting by itself, finds the mistake.
func (c *conversation) move(ctx context.Context) error {
	before := c.find("tru,")
	if err := c.change(ctx, "{", "{\n  \"above\": \"😀\","); err != nil {
		return err
	}
	if err := c.change(ctx, "\"😀\":", "\"😀😀\":"); err != nil {
		return err
	}
	return c.checkMoved(ctx, before)
}

func (c *conversation) checkMoved(ctx context.Context, before jsonls.Position) error {
	found, err := c.diagnose(ctx, "textDocument/didChange")
	if err != nil {
		return err
	}
	want := jsonls.Range{Start: c.find("tru,"), End: c.find(",\n  \"apple\"")}
	ok := len(found) == 1 && found[0].Range == want
	text := fmt.Sprintf("from %d:%d to %d:%d", before.Line, before.Character, want.Start.Line, want.Start.Character)
	if !ok {
		text = fmt.Sprintf("want it at %v, got %v", want, found)
	}
	c.checks = append(c.checks, check{"a diagnostic moves with the text above and before it, in UTF-16 units", ok, text})
	return nil
}

func (c *conversation) repair(ctx context.Context) error {
	if err := c.change(ctx, "tru,", "true,"); err != nil {
		return err
	}
	_, err := c.diagnose(ctx, "textDocument/didChange")
	return err
}

func (c *conversation) hover(ctx context.Context) error {
	result, err := ask[jsonls.Hover](ctx, c, "textDocument/hover", object{
		"textDocument": object{"uri": demoURI}, "position": c.find("9007"),
	})
	if err != nil {
		return err
	}
	c.say("textDocument/hover", "%s", strings.ReplaceAll(result.Contents.Value, "\n", " is "))
	return nil
}

func (c *conversation) symbols(ctx context.Context) error {
	result, err := ask[[]jsonls.Symbol](ctx, c, "textDocument/documentSymbol", object{
		"textDocument": object{"uri": demoURI},
	})
	if err != nil {
		return err
	}
	names := make([]string, 0, len(result))
	for _, symbol := range result {
		names = append(names, symbol.Name)
	}
	c.say("textDocument/documentSymbol", "%s", strings.Join(names, ", "))
	return nil
}

// format spoils the layout, has the server restore it, and checks that nothing but white space
// has changed: a number above 2^53, an exponent and the order of names survive.
func (c *conversation) format(ctx context.Context) error {
	layout := c.text
	for _, spoil := range [][2]string{{"{\n  ", "{"}, {": 9007", ":9007"}, {"\n}", "}"}} {
		if err := c.change(ctx, spoil[0], spoil[1]); err != nil {
			return err
		}
	}
	if _, err := c.diagnose(ctx, "textDocument/didChange"); err != nil {
		return err
	}
	edits, err := ask[[]jsonls.TextEdit](ctx, c, "textDocument/formatting", object{
		"textDocument": object{"uri": demoURI},
		"options":      object{"tabSize": 2, "insertSpaces": true},
	})
	if err != nil {
		return err
	}
	c.say("textDocument/formatting", "%d edits", len(edits))
	formatted := jsonls.Apply(jsonls.NewText(c.text), edits)
	kept := strings.Contains(formatted, "\"zebra\": 9007199254740993,") &&
		strings.Index(formatted, "zebra") < strings.Index(formatted, "apple")
	found := fmt.Sprintf("9007199254740993, 1.0e+2 and zebra before apple, after %d edits", len(edits))
	if !kept || formatted != layout {
		kept = false
		found = fmt.Sprintf("want %q, got %q", layout, formatted)
	}
	c.checks = append(c.checks, check{"formatting keeps 2^53+1 and the order of names", kept, found})
	return nil
}

// leave asks the server to shut down; exit is said when the session is closed (STOP-10).
func (c *conversation) leave(ctx context.Context) error {
	if _, err := ask[any](ctx, c, "shutdown", nil); err != nil {
		return err
	}
	c.say("shutdown", "answered")
	return nil
}

// change replaces the first old in the text by fresh, here and at the server.
func (c *conversation) change(ctx context.Context, old, fresh string) error {
	start := strings.Index(c.text, old)
	c.version++
	params := object{
		"textDocument": object{"uri": demoURI, "version": c.version},
		"contentChanges": []object{{
			"range": jsonls.Range{Start: positionOf(c.text, start), End: positionOf(c.text, start+len(old))},
			"text":  fresh,
		}},
	}
	c.text = strings.Replace(c.text, old, fresh, 1)
	return c.peer.Notify(ctx, "textDocument/didChange", params)
}

// diagnose waits for what the server thinks of the newest text.
func (c *conversation) diagnose(ctx context.Context, method string) ([]jsonls.Diagnostic, error) {
	for {
		select {
		case params := <-c.diagnostics:
			if params.Version != c.version {
				continue
			}
			text := "no diagnostics"
			for i, d := range params.Diagnostics {
				if i == 0 {
					text = ""
				}
				text += fmt.Sprintf("%d:%d %s", d.Range.Start.Line, d.Range.Start.Character, d.Message)
			}
			c.say(method, "%s", text)
			return params.Diagnostics, nil
		case <-c.peer.Done():
			return nil, c.peer.Err()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// find is where needle stands in this client's own text.
func (c *conversation) find(needle string) jsonls.Position {
	return positionOf(c.text, strings.Index(c.text, needle))
}

// positionOf counts by itself, the slow way, to be no accomplice of the server's index.
func positionOf(text string, offset int) jsonls.Position {
	line := text[:offset]
	start := strings.LastIndexByte(line, '\n') + 1
	return jsonls.Position{
		Line:      uint32(strings.Count(line, "\n")),
		Character: uint32(len(utf16.Encode([]rune(line[start:])))),
	}
}
