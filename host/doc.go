// Package host runs sessions: a machine of package core, native or sandboxed, between a transport
// and the goroutines that use it.
//
//	p, err := host.New(host.Duplex(conn), host.LSP)
//	if err != nil { ... }
//	defer p.Close()
//	result, err := host.Call[InitializeResult](ctx, p, "initialize", params)
//
// A session has a reader, a writer and a timer. All of them, and every method of Peer, reach the
// machine through one door that makes a whole turn, so that the machine's contract cannot be
// broken. Handlers, codecs, loggers, observers and progress functions run outside of it: no lock is
// held and no reader waits while they do (API-9).
//
// What the peer asks and tells is served by a Mux, or fetched one by one with Peer.Messages. A Mux
// declares with each method its mode, its limits and what initialize may advertise for it; what the
// handshake did not negotiate is not sent. Peer.Snapshot, and for a client HandleDebugInfo, show the
// work in progress.
//
// Errors say whose fault they are. *RPCError is the peer's answer; *ParseError an answer that does
// not fit; *CallError a verb that failed here; *SessionError the end of the session, which every
// open call and every later verb reports. ErrTimeout, ErrCanceled, ErrClosed, ErrTooLarge and
// ErrUnsupported work with errors.Is, *core.ProtocolError with errors.As.
package host
