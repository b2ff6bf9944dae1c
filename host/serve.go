package host

import "context"

// Serve runs a session until it ends: what a server's main does. options.Mux is set to mux. It
// returns nil after a clean end; when ctx ends the session is shut down first, bounded by
// Config.GraceNs and ShutdownNs. Peer.ExitCode is what the process returns (STOP-9).
func Serve(ctx context.Context, transport *Transport, mux *Mux, options Options) error {
	return ErrUnsupported
}
