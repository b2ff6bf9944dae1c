//go:build canary

package sim

import "testing"

// A simulation that finds nothing proves nothing: goal, that it finds each bug planted in the core.
func TestCanaries(t *testing.T) {
	if err := Canaries(t.Output()); err != nil {
		t.Error(err)
	}
}
