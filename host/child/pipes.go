package child

import "os"

// pipe is one of a child's three: our end and the child's.
type pipe struct{ ours, theirs *os.File }

type pipes struct{ stdin, stdout, stderr pipe }

// openPipes makes real pipes instead of letting os/exec copy through goroutines: a host asks the
// system whether bytes lie in them, and when they are closed is ours to decide.
func openPipes(withStdin bool) (*pipes, error) {
	p := new(pipes)
	var err error
	if withStdin {
		p.stdin.theirs, p.stdin.ours, err = os.Pipe()
	}
	if err == nil {
		p.stdout.ours, p.stdout.theirs, err = os.Pipe()
	}
	if err == nil {
		p.stderr.ours, p.stderr.theirs, err = os.Pipe()
	}
	if err != nil {
		p.closeTheirs()
		p.closeOurs()
		return nil, err
	}
	return p, nil
}

// closeTheirs drops our copies of what the child now holds.
func (p *pipes) closeTheirs() { closeAll(p.stdin.theirs, p.stdout.theirs, p.stderr.theirs) }

func (p *pipes) closeOurs() { closeAll(p.stdin.ours, p.stdout.ours, p.stderr.ours) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			// Closing an end of a pipe flushes nothing: its error would concern nobody.
			_ = f.Close()
		}
	}
}
