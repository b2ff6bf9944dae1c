package main

import (
	"bytes"
	"fmt"
)

const preface = `# States

Generated from core/phase.go by internal/statedoc (go generate ./internal/statedoc). A signal that
leaves a state as it is has no arrow; one that is impossible in a state panics, since only a defect of
ours can send it there.
`

// render writes the page: a picture and the whole table for each direction.
func render(tables []table) []byte {
	var page bytes.Buffer
	page.WriteString(preface)
	for _, t := range tables {
		fmt.Fprintf(&page, "\n## %s\n\n%s\n", t.name, t.doc)
		t.draw(&page)
		t.list(&page)
	}
	return page.Bytes()
}

// draw writes the transitions between different states as a Mermaid diagram.
func (t *table) draw(page *bytes.Buffer) {
	fmt.Fprintf(page, "\n```mermaid\nstateDiagram-v2\n    [*] --> %s\n", t.rows[0].from)
	for _, r := range t.rows {
		for i, to := range r.to {
			if to != impossible && to != r.from {
				fmt.Fprintf(page, "    %s --> %s: %s\n", r.from, to, t.signals[i].name)
			}
		}
	}
	page.WriteString("```\n")
}

// list writes every cell, and what each signal means.
func (t *table) list(page *bytes.Buffer) {
	page.WriteString("\n| state |")
	for _, s := range t.signals {
		fmt.Fprintf(page, " %s |", s.name)
	}
	page.WriteString("\n|---|")
	for range t.signals {
		page.WriteString("---|")
	}
	page.WriteByte('\n')
	for _, r := range t.rows {
		fmt.Fprintf(page, "| %s |", r.from)
		for _, to := range r.to {
			fmt.Fprintf(page, " %s |", to)
		}
		page.WriteByte('\n')
	}
	page.WriteByte('\n')
	for _, s := range t.signals {
		if s.doc != "" {
			fmt.Fprintf(page, "- %s: %s\n", s.name, s.doc)
		}
	}
}
