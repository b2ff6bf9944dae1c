// Package resume counts the JSON texts of one session on both sides of a link that breaks, and keeps
// those that may have to be sent again, so that a session outlives its sockets: nothing is lost,
// doubled or reordered, or the session ends and says what it lost. Like core it does no I/O, reads
// no clock and starts no goroutine. A text is opaque here.
//
// # The turn
//
//	l, err := resume.New(resume.Defaults(session))
//	gen, err := l.Attach(now)                 // there is a new socket: what it says is named by gen
//	err = l.Resume(gen, received, now)        // the peer says how many texts it has
//	err = l.Send(text, now)                   // at any time, also without a socket
//	text, ok := l.Next(gen)                   // write it; what the peer lacks comes first
//	if l.Receive(gen) { ... }                 // a text has come: it is new, deliver it
//	l.Detach(gen, now)                        // the socket is lost
//	when := l.Deadline()                      // call Advance again at the latest then
//
// Both sides do the same. The side that was connected to, in whose reach the session is, writes
// Greeting as its first text and takes the count of the other from the URL (ParseCount); the side
// that connects gives the first text of every socket to Greet, in the place of Resume.
//
// It ends by a *Failure, which says with which code the socket is to be closed. Nothing here is safe
// for concurrent use. Rules cited as RESUME-2 are those of docs/protocol.md.
package resume
