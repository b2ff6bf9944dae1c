package diagnose

import (
	"sync"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// headBytesMax is how much of a server's output is kept to be judged: its beginning.
const headBytesMax = 64 * core.KiB

// recording is what a session was given of its server's output.
type recording struct {
	begun time.Time

	mu      sync.Mutex
	head    []byte
	total   int64 // bytes
	firstMs float64
}

// listen makes machines of engine that are listened to.
func (r *recording) listen(engine host.Engine) host.Engine {
	if engine == nil {
		engine = host.Native
	}
	return func(cfg core.Config) (host.Machine, error) {
		machine, err := engine(cfg)
		if err != nil {
			return nil, err
		}
		return &listener{Machine: machine, recording: r}, nil
	}
}

func (r *recording) add(bytes []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.total == 0 && len(bytes) > 0 {
		r.firstMs = milliseconds(time.Since(r.begun))
	}
	r.total += int64(len(bytes))
	r.head = append(r.head, bytes[:min(len(bytes), headBytesMax-len(r.head))]...)
}

func (r *recording) bytesTotal() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total
}

// read returns the beginning of the output, how much there was in all, and when it began.
func (r *recording) read() (head []byte, total int64, firstMs float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]byte(nil), r.head...), r.total, r.firstMs
}

// listener is a machine that tells a recording what it is given.
type listener struct {
	host.Machine
	recording *recording
	reserved  []byte
}

func (l *listener) Reserve(n int) []byte {
	l.reserved = l.Machine.Reserve(n)
	return l.reserved
}

func (l *listener) Commit(n int) error {
	l.recording.add(l.reserved[:n]) // before the machine may use the space again
	return l.Machine.Commit(n)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
