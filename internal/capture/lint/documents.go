package lint

import (
	"encoding/json"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/jsonls"
)

// documents are the texts that the client has open, as the server has to see them.
type documents struct {
	isUTF16 bool
	open    map[string]*document // by URI, as it is spelled
}

type document struct {
	version int64
	text    *jsonls.Text // nil: a change could not be followed
}

// documentBytesMax is the largest document whose text is followed: every change copies it. Unit: bytes.
const documentBytesMax = 4 * core.MiB

// textOf is the text of a document, nil where it is too large to be followed.
func textOf(content string) *jsonls.Text {
	if len(content) > documentBytesMax {
		return nil
	}
	return jsonls.NewText(content)
}

func newDocuments() *documents {
	return &documents{isUTF16: true, open: map[string]*document{}}
}

// about is what the params of requests and notifications about documents have.
type about struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int64 `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
	Position       *jsonls.Position `json:"position"`
	Range          *jsonls.Range    `json:"range"`
	ContentChanges []struct {
		Range *jsonls.Range `json:"range"`
		Text  string        `json:"text"`
	} `json:"contentChanges"`
	Token json.RawMessage            `json:"token"`
	Meta  map[string]json.RawMessage `json:"_meta"`

	WorkDoneToken      json.RawMessage `json:"workDoneToken"`
	PartialResultToken json.RawMessage `json:"partialResultToken"`
	ProgressToken      json.RawMessage `json:"progressToken"`
}

// content judges what the params say: documents, positions, progress.
func (l *Linter) content(seen *capture.Seen) {
	ev := seen.Found.Message
	var p about
	// Params of other shapes are about other things.
	if json.Unmarshal(ev.Body, &p) != nil {
		return
	}
	l.progress(seen, &p)
	if seen.Side != core.SideClient || p.TextDocument.URI == "" || l.s.isGapped {
		return
	}
	d := l.s.documents
	doc := d.open[p.TextDocument.URI]
	switch method := string(ev.Method); method {
	case "textDocument/didOpen":
		if doc != nil {
			l.report(openedTwice, seen, "%s", p.TextDocument.URI)
		}
		doc = &document{text: textOf(p.TextDocument.Text)}
		if p.TextDocument.Version != nil {
			doc.version = *p.TextDocument.Version
		}
		d.open[p.TextDocument.URI] = doc
	case "textDocument/didChange", "textDocument/didSave", "textDocument/didClose", "textDocument/willSave":
		if doc == nil {
			l.report(notOpened, seen, "%s", p.TextDocument.URI)
			return
		}
		if method == "textDocument/didChange" {
			l.change(seen, doc, &p)
		}
		if method == "textDocument/didClose" {
			delete(d.open, p.TextDocument.URI)
		}
	default:
		if p.Position != nil {
			l.position(seen, doc, *p.Position)
		}
		if p.Range != nil {
			l.position(seen, doc, p.Range.Start)
			l.position(seen, doc, p.Range.End)
		}
	}
}

func (l *Linter) change(seen *capture.Seen, doc *document, p *about) {
	if version := p.TextDocument.Version; version != nil {
		if *version <= doc.version {
			l.report(versionFalls, seen, "%d after %d of %s", *version, doc.version, p.TextDocument.URI)
		}
		doc.version = *version
	}
	for _, change := range p.ContentChanges {
		switch {
		case change.Range == nil:
			doc.text = textOf(change.Text)
		case doc.text == nil || !l.s.documents.isUTF16:
			doc.text = nil
		default:
			l.position(seen, doc, change.Range.Start)
			l.position(seen, doc, change.Range.End)
			text := doc.text.String()
			start, end := doc.text.Offset(change.Range.Start), doc.text.Offset(change.Range.End)
			doc.text = textOf(text[:start] + change.Text + text[max(start, end):])
		}
	}
}

// position judges a position in a document that is open.
func (l *Linter) position(seen *capture.Seen, doc *document, p jsonls.Position) {
	if doc == nil || doc.text == nil || !l.s.documents.isUTF16 {
		return
	}
	if nearest := doc.text.Position(doc.text.Offset(p)); nearest != p {
		l.report(outOfRange, seen, "line %d character %d, and the nearest is line %d character %d (from 0)",
			p.Line, p.Character, nearest.Line, nearest.Character)
	}
}

// progress judges tokens. A token is known from the request that carries it, or from the server's
// window/workDoneProgress/create.
func (l *Linter) progress(seen *capture.Seen, p *about) {
	s := l.s
	for _, token := range []json.RawMessage{p.WorkDoneToken, p.PartialResultToken, p.ProgressToken, p.Meta["progressToken"]} {
		if seen.Found.Message.Class == core.ClassRequest && len(token) > 0 {
			s.progress[string(token)] = true
		}
	}
	switch string(seen.Found.Message.Method) {
	case "window/workDoneProgress/create":
		s.progress[string(p.Token)] = true
	case "$/progress":
		l.known(seen, p.Token)
	case "notifications/progress":
		l.known(seen, p.ProgressToken)
	}
}

func (l *Linter) known(seen *capture.Seen, token json.RawMessage) {
	if !l.s.progress[string(token)] && !l.s.isGapped {
		l.report(unknownProgress, seen, "token %s", token)
	}
}
