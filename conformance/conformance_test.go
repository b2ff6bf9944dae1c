package conformance

import (
	"errors"
	"flag"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/parley-rpc/parley/internal/transcript"
	"github.com/parley-rpc/parley/wasm/wasmtest"
)

var update = flag.Bool("update", false, "rewrite the observations of all vectors, and DIGEST, with what the native core does")

// Every home shows what the vectors say, uncut and under every cut (FRAME-1), and so has the digest
// that DIGEST holds. The homes play beside each other: behind pipes one side always waits for the other.
func TestVectors(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	homes := homesOf(t)
	if *update {
		rewrite(t, &homes[0], files)
	}
	open := make([]map[string]bool, len(homes)) // by home, the gaps that it still has; nil where -run left it out
	var all sync.WaitGroup
	for i := range homes {
		home := &homes[i]
		all.Go(func() {
			t.Run(home.Name, func(t *testing.T) {
				showsDigest(t, home, files)
				open[i] = showsVectors(t, home, files)
			})
			if err := home.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	isOpen := map[string]bool{}
	for _, gaps := range open {
		if gaps == nil {
			return
		}
		maps.Copy(isOpen, gaps)
	}
	for _, f := range files {
		for i := range f.Vectors {
			if v := &f.Vectors[i]; v.Gap != "" && !isOpen[v.Name] {
				t.Errorf("%s is no gap any more: take its line out of GAPS", v.Name)
			}
		}
	}
}

// showsVectors replays every vector in a home, and returns the gaps that the home still has.
func showsVectors(t *testing.T, home *Home, files []File) (open map[string]bool) {
	t.Helper()
	open = map[string]bool{}
	for _, f := range files {
		for i := range f.Vectors {
			v := &f.Vectors[i]
			err := v.Replay(v.Name, home.Open, home.Stride)
			var mismatch *transcript.Mismatch
			if v.Gap != "" && errors.As(err, &mismatch) {
				open[v.Name] = true
			} else if err != nil {
				t.Error(err)
			}
		}
	}
	return open
}

// homesOf makes every home of the sources at hand; without Node, every home but that.
func homesOf(t *testing.T) []Home {
	t.Helper()
	modules := Modules{Reactor: wasmtest.Reactor(t), Command: wasmtest.Command(t)}
	want := []string{"native", "wazero", "wazero-pipe", "node-pipe"}
	var missing string
	if modules.Runner, missing = wasmtest.Runner(t); missing != "" {
		t.Log("left out: ", missing)
		want = want[:3]
	}
	homes, err := Homes(modules)
	var names []string
	for i := range homes {
		names = append(names, homes[i].Name)
	}
	if err != nil || !slices.Equal(names, want) {
		t.Fatalf("homes %q, want %q: %v", names, want, err)
	}
	return homes
}

// showsDigest fails where a home leaves a vector out, whatever it shows of the others.
func showsDigest(t *testing.T, home *Home, files []File) {
	t.Helper()
	played, err := Play(home, files)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("DIGEST")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := Digest(played)
	if diff := transcript.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// DIGEST is the digest of the vectors as they are written. With TestVectors it is the digest of
// every home.
func TestDigest(t *testing.T) {
	if *update {
		t.Skip("DIGEST is being rewritten")
	}
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	var vectors []Vector
	for _, f := range files {
		vectors = append(vectors, f.Vectors...)
	}
	want, err := os.ReadFile("DIGEST")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := Digest(vectors)
	if diff := transcript.Diff(want, got); diff != "" {
		t.Errorf("DIGEST:\n%scommit the diff only if you can explain it", diff)
	}
}

// Files are written as Print would write them, so that -update touches observations alone.
func TestFilesAreCanonical(t *testing.T) {
	if *update {
		t.Skip("the files are being rewritten")
	}
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if diff := transcript.Diff(f.Text, spell(f.Vectors)); diff != "" {
			t.Errorf("%s:\n%s", f.Name, diff)
		}
	}
}

// rewrite writes what home does into the files, and into the vectors at hand.
func rewrite(t *testing.T, home *Home, files []File) {
	played, err := Play(home, files)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := Digest(played)
	write(t, "DIGEST", lines)
	for i := range files {
		f := &files[i]
		for j := range f.Vectors {
			if f.Vectors[j].Gap == "" {
				f.Vectors[j] = played[j]
			}
		}
		played = played[len(f.Vectors):]
		write(t, f.Name, spell(f.Vectors))
	}
}

func write(t *testing.T, name string, text []byte) {
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func spell(vectors []Vector) []byte {
	plain := make([]transcript.Vector, len(vectors))
	for i := range vectors {
		plain[i] = vectors[i].Vector
	}
	return transcript.Print(plain)
}
