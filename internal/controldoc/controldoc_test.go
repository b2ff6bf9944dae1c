package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestControlPageIsGenerated(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, want) {
		t.Error("docs/control.md is not what host/control/contract.go says: go generate ./internal/controldoc")
	}
	for _, link := range regexp.MustCompile(`\[(\w+)\]\(#`).FindAllSubmatch(want, -1) {
		if !bytes.Contains(want, []byte("\n### "+string(link[1])+"\n")) {
			t.Errorf("no section is called %s", link[1])
		}
	}
}

const sample = "package p\n" + `
type Method[P, R any] struct{ Name string }

var (
	// DoorOpen opens
	// it.
	DoorOpen = Method[None, Door]{Name: "door/open", Mutates: true}
)

const CodeLocked = -1 // it is locked

// None is nothing.
type None struct{}

// Door is one.
type Door struct {
	Width float64 ` + "`json:\"width\"`" + ` // in cm
	Rooms []Room  ` + "`json:\"rooms,omitempty\"`" + `
	Guard *string ` + "`json:\"guard\"`" + `
}

type Room struct {
	Lit bool ` + "`json:\"lit\"`" + `
}
`

func TestRenderShowsMethodsCodesAndTypes(t *testing.T) {
	page, err := renderText(sample)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| `door/open` | [None](#none) | [Door](#door) | Opens it. It changes something, ",
		"| -1 | It is locked |\n",
		"### Door\n\nDoor is one.\n\n| member | type | |\n|---|---|---|\n| `width` | number | in cm |\n" +
			"| `rooms` | array of [Room](#room), or absent |  |\n| `guard` | string or null |  |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks\n%s\nit is\n%s", want, page)
		}
	}
}

func TestSourcesThatSayTooLittleAreRefused(t *testing.T) {
	for bad, want := range map[string]string{
		strings.Replace(sample, "type None", "type Nothing", 1):           "no type None",
		strings.Replace(sample, "`json:\"lit\"`", "", 1):                  "without a name in JSON",
		strings.Replace(sample, "	// DoorOpen opens\n	// it.\n", "", 1):   "no comment",
		strings.Replace(sample, "CodeLocked = -1", "CodeLocked = len", 1): "no negative number",
	} {
		if _, err := renderText(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func renderText(text string) (string, error) {
	var c contract
	if err := c.read("sample.go", []byte(text)); err != nil {
		return "", err
	}
	page, err := c.render()
	return string(page), err
}
