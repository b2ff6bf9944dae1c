package transcript

import (
	"fmt"
	"runtime/debug"
)

// Mismatch is a vector that did not come out as it should under one cutting.
type Mismatch struct {
	Name    string
	Cutting string
	Diff    string
}

func (e *Mismatch) Error() string {
	return e.Name + ": " + e.Cutting + ":\n" + e.Diff + "commit the diff only if you can explain it"
}

// Replay plays the vector in every way that FRAME-1 wants and compares each with the observations
// that the vector holds; they are reported as a *Mismatch. Of the two-part cuts only every stride-th
// is played: 1 is all.
func (v *Vector) Replay(name string, open Factory, stride int) error {
	cuttings, err := v.Cuttings(name)
	if err != nil {
		return err
	}
	want := v.Append(nil)
	cuts := 0
	for cutting := range cuttings {
		if cutting.At > 0 {
			cuts++
			if cuts%stride != 0 {
				continue
			}
		}
		played, err := v.playGuarded(open, cutting)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, cutting, err)
		}
		if diff := Diff(want, played.Append(nil)); diff != "" {
			return &Mismatch{Name: name, Cutting: cutting.String(), Diff: diff}
		}
	}
	return nil
}

// playGuarded turns a panic of the machine into an error, so that it is reported with the vector
// and the cutting that caused it.
func (v *Vector) playGuarded(open Factory, cutting *Cutting) (played Vector, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the machine panicked: %v\n%s", cause, debug.Stack())
		}
	}()
	return v.Play(open, cutting)
}
