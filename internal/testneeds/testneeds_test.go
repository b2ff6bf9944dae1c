package testneeds

import "testing"

// recorder is a test that notes how it ends. It does not end: what follows is the test's own.
type recorder struct {
	testing.TB
	end string
}

func (*recorder) Helper()             {}
func (r *recorder) Fatal(args ...any) { r.end += "fails" }
func (r *recorder) Skip(args ...any)  { r.end += "skips" }

func TestMissing(t *testing.T) {
	for ci, want := range map[string]string{"true": "fails", "": "skips", "false": "skips"} {
		t.Setenv("CI", ci)
		var r recorder
		Missing(&r, "a tool")
		if r.end[:5] != want {
			t.Errorf("CI=%q: the test %s, want %s", ci, r.end, want)
		}
	}
}
