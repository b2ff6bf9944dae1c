package resume_test

import (
	"errors"
	"testing"

	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/internal/linktable"
)

func TestTable(t *testing.T) {
	linktable.Play(t, "../../conformance/resume.table", func(_ *testing.T, cfg resume.Config) (linktable.Link, error) {
		link, err := resume.New(cfg)
		return native{link}, err
	})
}

type native struct{ *resume.Link }

func (n native) State() linktable.State {
	state := linktable.State{Session: n.Session(), Sent: n.Sent(), Received: n.Received()}
	var failure *resume.Failure
	if errors.As(n.Err(), &failure) {
		state.Failure, state.Text = failure.Kind, failure.Error()
		state.Code, state.Name = failure.Close()
	}
	return state
}
