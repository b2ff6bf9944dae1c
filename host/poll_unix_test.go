//go:build unix

package host

import (
	"os"
	"testing"
)

// CALL-3: the poll sees bytes and the end, and does not wait for either.
func TestReadable(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	raw := descriptor(r)
	if readable(raw) {
		t.Error("an empty pipe")
	}
	if _, err := w.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if !readable(raw) {
		t.Error("a byte in the pipe")
	}
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if !readable(raw) {
		t.Error("the end of the pipe")
	}
	if readable(nil) {
		t.Error("no descriptor")
	}
}
