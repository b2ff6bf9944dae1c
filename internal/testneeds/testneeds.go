// Package testneeds is what tests do where the machine lacks something that they need.
package testneeds

import (
	"os"
	"testing"
)

// InCI reports whether this is CI, where everything is to be there and a test that skips would hide that it is not.
func InCI() bool { return os.Getenv("CI") == "true" }

// Missing skips the test and says what to install; in CI it fails.
func Missing(tb testing.TB, what string) {
	tb.Helper()
	if InCI() {
		tb.Fatal(what)
	}
	tb.Skip(what)
}
