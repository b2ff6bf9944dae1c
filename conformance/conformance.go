// Package conformance holds the vectors that every home of the core must agree on, and the homes.
// README.md explains how to read and write a vector.
package conformance

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"strings"

	"github.com/parley-rpc/parley/internal/transcript"
)

//go:embed *.rpc GAPS
var files embed.FS

// Vector is a vector with the name by which tests and DIGEST know it.
type Vector struct {
	Name string
	// Gap says why not every home does what the vector wants; "" where all do. A gap stands in
	// GAPS until it is closed, and is no part of the digest.
	Gap string
	transcript.Vector
}

// File is one *.rpc file.
type File struct {
	Name    string
	Text    []byte
	Vectors []Vector
}

// Files reads every *.rpc file, in order of name. No two vectors share a name.
func Files() ([]File, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	gaps, err := readGaps()
	if err != nil {
		return nil, err
	}
	var list []File
	seen := map[string]bool{}
	for _, entry := range entries {
		f := File{Name: entry.Name()}
		if !strings.HasSuffix(f.Name, ".rpc") {
			continue
		}
		if f.Text, err = files.ReadFile(f.Name); err != nil {
			return nil, err
		}
		vectors, err := transcript.Parse(f.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		for _, v := range vectors {
			name := v.Name(f.Name)
			if seen[name] {
				return nil, fmt.Errorf("%s: two vectors are named %s", f.Name, name)
			}
			seen[name] = true
			f.Vectors = append(f.Vectors, Vector{Name: name, Gap: gaps[name], Vector: v})
			delete(gaps, name)
		}
		list = append(list, f)
	}
	for name := range gaps {
		return nil, fmt.Errorf("GAPS: no vector is named %s", name)
	}
	return list, nil
}

// readGaps reads GAPS: a name, a colon, a reason.
func readGaps() (map[string]string, error) {
	text, err := files.ReadFile("GAPS")
	if err != nil {
		return nil, err
	}
	gaps := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, reason, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || gaps[name] != "" {
			return nil, fmt.Errorf("GAPS: %q: want a name, a colon and a reason, once", line)
		}
		gaps[name] = reason
	}
	return gaps, nil
}

// Digest spells what DIGEST holds: one line a vector, its name and the SHA-256 of its observations,
// then the SHA-256 over those lines. Gaps are left out.
func Digest(vectors []Vector) (lines []byte, total string) {
	for i := range vectors {
		if vectors[i].Gap != "" {
			continue
		}
		lines = fmt.Appendf(lines, "%s %x\n", vectors[i].Name, vectors[i].Digest())
	}
	total = fmt.Sprintf("%x", sha256.Sum256(lines))
	return fmt.Appendf(lines, "total %s\n", total), total
}

// Play plays every vector uncut on one home.
func Play(home *Home, files []File) ([]Vector, error) {
	var played []Vector
	for _, f := range files {
		for i := range f.Vectors {
			v := &f.Vectors[i]
			result, err := v.Play(home.Open, &transcript.Cutting{})
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", home.Name, v.Name, err)
			}
			played = append(played, Vector{Name: v.Name, Gap: v.Gap, Vector: result})
		}
	}
	return played, nil
}
