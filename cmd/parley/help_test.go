package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Every command says in the same form what it does, and its examples are command lines it takes.
func TestEveryCommandHasExamplesThatParse(t *testing.T) {
	parser := helpParser(t, &commands{})
	for _, command := range leaves(parser.Model.Node) {
		t.Run(command.Path(), func(t *testing.T) {
			if !strings.HasSuffix(command.Help, ".") {
				t.Errorf("its summary is no sentence: %q", command.Help)
			}
			details, rest, _ := strings.Cut(command.Detail, "\n\nExamples:\n\n")
			if strings.Contains(details, "\n  parley ") {
				t.Error("an example stands outside of Examples")
			}
			examples, _, _ := strings.Cut(rest, "\n\n")
			for line := range strings.Lines(examples) {
				if !strings.HasPrefix(line, "  ") {
					t.Errorf("an example is not indented: %q", line)
				}
				checkCommandLine(t, line)
			}
			name := "parley " + strings.TrimPrefix(command.Path(), parser.Model.Name+" ")
			if !strings.Contains(examples, name) {
				t.Errorf("no example of %s, in:\n%s", name, command.Detail)
			}
		})
	}
}

func helpParser(t *testing.T, cli *commands) *kong.Kong {
	t.Helper()
	parser, err := kong.New(cli, kong.Name("parley"), kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// leaves are the commands that can be run, without the hidden ones.
func leaves(node *kong.Node) []*kong.Node {
	var all []*kong.Node
	for _, child := range node.Children {
		switch {
		case child.Hidden:
		case child.Leaf():
			all = append(all, child)
		default:
			all = append(all, leaves(child)...)
		}
	}
	return all
}

// checkCommandLine parses each parley of a shell's command line, those behind a -- included.
func checkCommandLine(t *testing.T, line string) {
	t.Helper()
	for _, words := range shellCommands(line) {
		for len(words) > 0 && words[0] == "parley" {
			args, server := words[1:], []string(nil)
			if dashes := slices.Index(args, "--"); dashes >= 0 {
				args, server = args[:dashes], args[dashes+1:]
			}
			parsed, err := helpParser(t, &commands{}).Parse(args)
			if err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
				return
			}
			if verb, _, _ := strings.Cut(parsed.Command(), " "); server != nil && behindDashes[verb] == "" {
				t.Errorf("%s: %s takes no command behind --", strings.TrimSpace(line), verb)
			}
			words = server
		}
	}
}

// shellCommands splits a line as a shell does, at blanks and pipes outside of quotes. A redirection
// and its file are left out.
func shellCommands(line string) [][]string {
	var (
		all   [][]string
		words []string
		word  strings.Builder
		quote rune
		begun bool
	)
	endWord := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range strings.TrimSpace(line) + "|" {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && r == ' ':
			endWord()
		case quote == 0 && r == '|':
			endWord()
			all, words = append(all, withoutRedirections(words)), nil
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	return all
}

func withoutRedirections(words []string) []string {
	for i := 0; i < len(words); i++ {
		if words[i] == "<" || words[i] == ">" {
			words = slices.Delete(words, i, min(i+2, len(words)))
			i--
		}
	}
	return words
}
