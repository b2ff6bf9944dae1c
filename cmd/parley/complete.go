//go:build !wasip1

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// completeCmd is "parley complete", which the scripts of parley completion call. Behind -- stand the words
// of the line behind "parley", up to the one under the cursor. The first line of the answer says what
// the rest is; then comes one candidate a line, with a tab and its description:
//
//	values  these and nothing else
//	paths   files and, with a slash behind, folders
//	any     nothing is known: the shell completes files as it does elsewhere
type completeCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish"`
}

// candidate is one way to go on.
type candidate struct{ value, description string }

// Run answers.
func (c completeCmd) Run(ctx context.Context, e *env, parsed *kong.Context, words serverCommand) error {
	if len(words) == 0 {
		return usageError{"which words? Give those behind parley, behind --"}
	}
	if c.Shell == "bash" {
		words = rejoin(words)
	}
	kind, candidates := complete(ctx, e, parsed.Model.Node, words)
	var out strings.Builder
	fmt.Fprintln(&out, kind)
	partial := words[len(words)-1]
	for _, found := range candidates {
		if !strings.HasPrefix(found.value, partial) || oneLine(found.value) != found.value {
			continue
		}
		if c.Shell == "bash" { // it replaces what stands behind the last of its word breaks
			found.value = found.value[strings.LastIndexAny(partial, "=:")+1:]
		}
		fmt.Fprintf(&out, "%s\t%s\n", found.value, oneLine(found.description))
	}
	_, err := fmt.Fprint(e.stdout, out.String())
	return err
}

// rejoin undoes what bash does to words: it splits them at = and at :.
func rejoin(words []string) []string {
	var joined []string
	glued := false
	for i, word := range words {
		isBreak := word != "" && strings.Trim(word, "=:") == ""
		if i > 0 && (glued || isBreak) {
			joined[len(joined)-1] += word
		} else {
			joined = append(joined, word)
		}
		glued = isBreak
	}
	return joined
}

// place is where on the command line the cursor stands.
type place struct {
	node        *kong.Node
	positionals int               // given before it
	awaits      *kong.Flag        // the flag whose value comes next
	given       map[string]string // flags, with their values
}

// complete says how the last word may go on.
func complete(ctx context.Context, e *env, root *kong.Node, words []string) (kind string, found []candidate) {
	last := len(words) - 1
	partial := words[last]
	at := place{node: root, given: map[string]string{}}
	for i, word := range words[:last] {
		if word == "--" && at.awaits == nil {
			if i == last-1 {
				return servers(partial)
			}
			return "any", nil // the server's own arguments
		}
		at.pass(word)
	}
	name, _, hasValue := strings.Cut(partial, "=")
	switch {
	case at.awaits != nil:
		return at.values(ctx, e, at.awaits.Value, partial)
	case strings.HasPrefix(partial, "--") && hasValue:
		flag := at.flag(name)
		if flag == nil {
			return "values", nil
		}
		kind, found = at.values(ctx, e, flag.Value, partial[len(name)+1:])
		for i := range found {
			found[i].value = name + "=" + found[i].value
		}
		return kind, found
	case strings.HasPrefix(partial, "-"):
		return "values", at.flags()
	case len(at.node.Children) > 0:
		return "values", commandsBelow(at.node)
	case len(at.node.Positional) > 0:
		current := at.node.Positional[min(at.positionals, len(at.node.Positional)-1)]
		if at.positionals < len(at.node.Positional) || current.IsCumulative() {
			return at.values(ctx, e, current, partial)
		}
	}
	return "values", at.flags()
}

// pass goes on behind a word.
func (at *place) pass(word string) {
	name, value, hasValue := strings.Cut(word, "=")
	switch {
	case at.awaits != nil:
		at.given[at.awaits.Name] = word
		at.awaits = nil
	case strings.HasPrefix(word, "-") && len(word) > 1:
		flag := at.flag(name)
		switch {
		case flag == nil:
		case hasValue:
			at.given[flag.Name] = value
		case !flag.IsBool() && !flag.IsCounter():
			at.awaits = flag
		}
	case len(at.node.Children) > 0:
		for _, child := range at.node.Children {
			if child.Name == word {
				at.node = child
				return
			}
		}
	default:
		at.positionals++
	}
}

func (at *place) flag(name string) *kong.Flag {
	for _, group := range at.node.AllFlags(true) {
		for _, flag := range group {
			if name == "--"+flag.Name || flag.Short != 0 && name == "-"+string(flag.Short) {
				return flag
			}
		}
	}
	return nil
}

// flags are those of the command, and the -- before a server's.
func (at *place) flags() []candidate {
	var all []candidate
	for _, group := range at.node.AllFlags(true) {
		for _, flag := range group {
			name := "--" + flag.Name
			if flag.Tag.Negatable != "" {
				name = "--no-" + flag.Name // they are on by default
			}
			all = append(all, candidate{name, flag.Help})
		}
	}
	verb, _, _ := strings.Cut(strings.TrimPrefix(at.node.Path(), "parley "), " ")
	if behindDashes[verb] != "" {
		all = append(all, candidate{"--", "the server's command follows"})
	}
	return all
}

func commandsBelow(node *kong.Node) []candidate {
	var all []candidate
	for _, child := range node.Children {
		if !child.Hidden {
			all = append(all, candidate{child.Name, child.Help})
		}
	}
	return all
}
