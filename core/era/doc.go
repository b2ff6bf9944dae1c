// Package era decides, for one connection to an MCP server, which era of the protocol is spoken on
// it: the modern one, in which every request carries its version, or the legacy one, which opens
// with initialize. Like core it does no I/O, reads no clock and starts no goroutine.
//
// # The turn
//
//	n, err := era.New(cfg)
//	n.Advance(now)                 // the first one begins, and starts the connect budget
//	for n.Next(&step) { ... }      // do what each step says, in order
//	n.Settle(step.Call, &event)    // a call has its outcome: the event of core.Conn as it is
//	when := n.Deadline()           // call Advance again at the latest then
//
// It ends with exactly one of StepModern, StepLegacy and StepFailed. Only a StepProbed may follow,
// for an answer that came late (ERA-6).
//
// Cache and Probes remember what negotiations learned; Claim is the server's side of the same
// question. Nothing here is safe for concurrent use. Rules cited as ERA-2 are those of
// docs/protocol.md.
package era
