package host_test

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Whoever embeds the host gets neither a sandbox nor codecs nor flags with it.
func TestImportsStaySmall(t *testing.T) {
	forbidden := []string{"wazero", "msgp", "kong", "/wasm", "/host/"}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range forbidden {
				if strings.Contains(path, part) {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
	if files < 10 {
		t.Errorf("looked at %d files only", files)
	}
}
