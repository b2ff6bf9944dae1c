//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/transcript"
)

// Goal: an editor and gopls notice nothing of a tap between them, and every command about captures
// works on what it recorded. Method: what goes into the tap and what comes out of it is kept on both
// sides and compared byte by byte, with each other and with the capture.
func TestTapUnderGopls(t *testing.T) {
	t.Parallel()
	gopls := installed(t, "../build/bin/gopls")
	env := goplsEnv(t)
	directory := t.TempDir()
	program := parley(t)
	file := func(name string) string { return filepath.Join(directory, name) }
	converse := func(name, script string, args ...string) {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...)
			cmd.Env = env
			askGopls(t, cmd, host.Native)
		})
	}
	recording := file("gopls.cap")
	converse("recorded", `tee "$3/client-before" | "$1" tap --no-secrets --record "$4" -- \
		sh -c 'tee "$2/client-behind" | "$1" | tee "$2/server-before"' sh "$2" "$3" | tee "$3/server-behind"`,
		program, gopls, directory, recording)
	client, server := passed(t, recording)
	for name, recorded := range map[string][]byte{
		"client-before": client, "client-behind": client, "server-before": server, "server-behind": server,
	} {
		kept, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		if len(kept) == 0 || !bytes.Equal(kept, recorded) {
			t.Errorf("%s: %d bytes passed and %d were recorded, or they differ", name, len(kept), len(recorded))
		}
	}

	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env = env
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("parley %s: %v\n%.2000s", fmt.Sprint(args), err, output)
		}
	}
	run("cat", recording)
	run("stats", recording)
	run("lint", "--errors", recording)
	run("filter", "--kind", "request", recording)
	run("convert", recording, file("gopls.txt"))
	run("diff", recording, file("gopls.txt"))
	run("replay", recording, "--match", "ids", "--patience", callMax.String(), "--", gopls)
	converse("played by the capture", `exec "$1" replay "$2" --as-server --match ids`, program, recording)
}

// passed is what a capture holds of the client and of the server.
func passed(t *testing.T, path string) (client, server []byte) {
	t.Helper()
	source, err := capture.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	for r, err := range source.Records() {
		if err != nil {
			t.Fatal(err)
		}
		switch r.Op {
		case transcript.OpClient:
			client = append(client, r.Text...)
		case transcript.OpServer:
			server = append(server, r.Text...)
		}
	}
	return client, server
}
