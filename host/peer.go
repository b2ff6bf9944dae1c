package host

import (
	"context"

	"github.com/parley-rpc/parley/core"
)

// Peer is one session: a machine, a transport and the goroutines between them. Every method may
// be called from any goroutine.
type Peer struct{}

// New claims the transport and starts the session. A transport already claimed is ErrUnsupported;
// a refused configuration claims nothing (API-1).
func New(transport *Transport, options Options) (*Peer, error) { return nil, ErrUnsupported }

// Codec returns the session's codec.
func (p *Peer) Codec() Codec { return Codec{} }

// Flush returns when everything accepted before it has been written, or why not (API-8).
func (p *Peer) Flush(ctx context.Context) error { return ErrUnsupported }

// FinishInput closes the peer's input behind everything queued and returns when that is done. It
// is repeatable; ctx ends the waiting, not the closing. Where the transport has no half-close it
// is ErrUnsupported (STOP-5).
func (p *Peer) FinishInput(ctx context.Context) error { return ErrUnsupported }

// Shutdown ends the session in order: nothing new is accepted, what runs may finish within
// Config.GraceNs, what is owed is written within ShutdownNs (STOP-2). When ctx ends first, the
// session is aborted. It returns Err.
func (p *Peer) Shutdown(ctx context.Context) error { return ErrUnsupported }

// Close is Shutdown without a context, bounded by the configured times. It is repeatable.
func (p *Peer) Close() error { return ErrUnsupported }

// Done is closed once the session has ended, its transport is closed and every call has its
// outcome.
func (p *Peer) Done() <-chan struct{} { return nil }

// Err is nil while the session goes on and after a clean end: the peer's end of output, Shutdown,
// exit. Otherwise it is a *SessionError.
func (p *Peer) Err() error { return nil }

// FrameMax is the largest body in bytes, in both directions (API-7).
func (p *Peer) FrameMax() int { return 0 }

// MessagesMax is how many messages wait for Messages at most (BACK-1).
func (p *Peer) MessagesMax() int { return 0 }

// DroppedMessages counts the notifications that were not delivered since the start (BACK-1).
func (p *Peer) DroppedMessages() int64 { return 0 }

// Stats returns the machine's counters.
func (p *Peer) Stats() core.Stats { return core.Stats{} }

// State returns where the session stands.
func (p *Peer) State() core.State { return core.State{} }

// ExitCode is what a server process returns (STOP-9). It is final once Done is closed.
func (p *Peer) ExitCode() int { return 0 }
