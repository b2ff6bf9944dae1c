package main

import (
	"bytes"
	"fmt"
	"strings"
)

const preface = `# The control connection

Generated from host/control/contract.go by internal/controldoc (go generate ./internal/controldoc). Rules CTL-1 to
CTL-8 of [protocol.md](protocol.md) say how it behaves, the [guide](guides/control.md) how to look into a process with it.

A process that has one listens on the Unix domain socket ` + "`.parley/sockets/<pid>.parley.socket`" + ` in the home of its
account. Each message is a four-byte big-endian length, 1 to 4,194,304, and as many bytes of JSON-RPC 2.0. Params are
an object; without members it may be left out. Members that a reader does not know are to be ignored.
`

const notice = `
A client that gives up on one of its own requests says so with the notification
` + "`parley/control/v1/connection/cancel-request`" + `, whose params are ` + "`{\"number\":n}` or `{\"text\":s}`" + `, as the request's
id is. It reaches requests of the same connection only.
`

// render writes the page. A type that the sources do not declare is an error.
func (c *contract) render() ([]byte, error) {
	var page bytes.Buffer
	page.WriteString(preface)
	page.WriteString("\n## Methods\n\n| method | params | result | |\n|---|---|---|---|\n")
	for _, m := range c.methods {
		doc := m.doc
		if m.mutates {
			doc += " It changes something, so that a client does not repeat it."
		}
		for _, used := range []string{m.params, m.result} {
			if !c.declares(used) {
				return nil, fmt.Errorf("%s: no type %s is declared", m.name, used)
			}
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", m.name, link(m.params), link(m.result), doc)
	}
	page.WriteString(notice)
	page.WriteString("\n## Errors\n\nBeside the codes of JSON-RPC itself:\n\n| code | |\n|---|---|\n")
	for _, e := range c.codes {
		fmt.Fprintf(&page, "| %s | %s |\n", e.value, capital(e.doc))
	}
	page.WriteString("\n## Types\n\nTimes are in milliseconds where the name ends in `Ms`, sizes in bytes. Numbers are exact up to 2^53.\n")
	for _, s := range c.shapes {
		fmt.Fprintf(&page, "\n### %s\n\n%s\n", s.name, s.doc)
		if len(s.members) == 0 {
			continue
		}
		page.WriteString("\n| member | type | |\n|---|---|---|\n")
		for _, m := range s.members {
			fmt.Fprintf(&page, "| `%s` | %s | %s |\n", m.name, m.kind, m.doc)
		}
	}
	return page.Bytes(), nil
}

func (c *contract) declares(name string) bool {
	for _, s := range c.shapes {
		if s.name == name {
			return true
		}
	}
	return false
}

// link is a type's name that leads to its section.
func link(name string) string { return "[" + name + "](#" + strings.ToLower(name) + ")" }
