// Package core is one protocol state machine for JSON-RPC over streams. It does no I/O, reads no
// clock and starts no goroutine: bytes go in, bytes come out, facts come out, time goes in.
//
// # The turn
//
// A turn is: any number of inputs, then Advance(now), then draining.
//
//	buf := c.Reserve(4096)            // space to read into
//	n, _ := read(buf)
//	c.Commit(n)                       // frames are cut, scanned and judged here
//	c.Advance(now)                    // deadlines pass here and nowhere else
//	for c.Next(&ev) { ... }           // facts
//	if block := c.Take(spare); block != nil { ... write, then c.Wrote(len(block)) }
//	when, _ := c.Deadline()           // call Advance again at the latest then
//
// Inputs are Reserve, Commit, CommitMessage, CommitEOF, Advance and every command. The order of the
// inputs is the policy: an answer committed before Advance beats a deadline that has passed
// (CALL-3). Several inputs before a drain are legal.
//
// # How long a slice lives
//
// What Next filled is valid until the next input. Space from Reserve stays where it is until its
// Commit, whatever is called between. What Take returned belongs to the caller.
//
// A Conn is not safe for concurrent use. Rules cited as CALL-3 are those of docs/protocol.md.
package core
