package tidy

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"testing"
)

// foreignPath matches absolute paths that only exist on the machine somebody worked on. The
// letters stand in brackets so that this file does not match itself.
var foreignPath = regexp.MustCompile(`/(wor[k]|roo[t]|tm[p]/bas[h])[/_][A-Za-z.]`)

func TestNoFileNamesSomebodysMachine(t *testing.T) {
	for _, name := range treeFiles(t) {
		text, err := os.ReadFile(root + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.ContainsRune(text, 0) {
			report(t, foreignPaths(name, text))
		}
	}
}

func TestForeignPathsFindsThem(t *testing.T) {
	bad := []byte("fine\nsee /wor" + "k/main/core\n/usr/bin is fine, /tmp/x too\ncd /roo" + "t/go\n")
	wantFindings(t, foreignPaths("a.md", bad), "a.md:2", "a.md:4")
}

// foreignPaths lists the lines of one file that hold such a path.
func foreignPaths(name string, text []byte) []string {
	var found []string
	for i, line := range bytes.Split(text, []byte("\n")) {
		if m := foreignPath.Find(line); m != nil {
			found = append(found, fmt.Sprintf("%s:%d: names a path of one machine: %s", name, i+1, m))
		}
	}
	return found
}
