package tidy

import (
	"os"
	"strings"
	"testing"
)

// The README's program is docs/example, which is compiled with everything else; only its first
// line, the comment that says so, is left out.
func TestReadmeShowsTheExampleThatCompiles(t *testing.T) {
	readme, err := os.ReadFile(root + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(root + "/docs/example/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(example), "\n")
	if got := goBlock(string(readme)); got != program {
		t.Errorf("README.md shows\n%s\nand docs/example/main.go is\n%s", got, program)
	}
}

func TestGoBlockCutsTheFirstOne(t *testing.T) {
	const text = "a\n```sh\nls\n```\n```go\npackage p\n```\n```go\nx\n```\n"
	if got := goBlock(text); got != "package p\n" {
		t.Errorf("got %q", got)
	}
}

// goBlock is the first fenced block of Go in a Markdown text, "" without one.
func goBlock(markdown string) string {
	_, rest, _ := strings.Cut(markdown, "```go\n")
	block, _, _ := strings.Cut(rest, "```\n")
	return block
}
