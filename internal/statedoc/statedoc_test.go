package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestStatesPageIsGenerated(t *testing.T) {
	text, err := os.ReadFile(phaseFile)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := readTables(text)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	if want := render(tables); !bytes.Equal(page, want) {
		t.Errorf("docs/states.md is not what core/phase.go says: go generate ./internal/statedoc\nwant:\n%s", want)
	}
}

const sample = `package core

type doorSignal uint8

const (
	doorPush doorSignal = iota // somebody
	doorLock
)

// doorTable: a locked door
// stays.
var doorTable = [3][2]Door{
	Open:   {doorLock: impossible, doorPush: Shut},
	Shut:   {Open, Locked},
	Locked: {Locked, Locked},
}
`

func TestRenderShowsEveryTransition(t *testing.T) {
	tables, err := readTables([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	page := string(render(tables))
	for _, want := range []string{
		"## door\n\ndoorTable: a locked door stays.\n",
		"[*] --> Open\n    Open --> Shut: doorPush\n    Shut --> Open: doorPush\n    Shut --> Locked: doorLock\n```\n",
		"| Open | Shut | impossible |\n",
		"- doorPush: somebody\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks\n%s\nit is\n%s", want, page)
		}
	}
}

func TestReadTablesRefusesWhatItCannotDraw(t *testing.T) {
	for name, text := range map[string]string{
		"no table":        "package core\n",
		"a missing cell":  strings.Replace(sample, "doorLock: impossible, ", "", 1),
		"a cell too many": strings.Replace(sample, "{Open, Locked}", "{Open, Locked, Open}", 1),
		"an alien signal": strings.Replace(sample, "doorLock: impossible", "doorKick: Open", 1),
		"not Go":          "table",
	} {
		if tables, err := readTables([]byte(text)); err == nil {
			t.Errorf("%s: accepted as %+v", name, tables)
		}
	}
}
