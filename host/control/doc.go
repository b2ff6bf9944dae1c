// Package control is the control connection: how a command line, a dashboard or another program looks
// into a process that speaks JSON-RPC, cancels what it works on, and traces it. A process has one
// Unix domain socket in a folder of its user's (CTL-1); over it runs a second, separate JSON-RPC
// conversation with a contract of its own, listed in docs/control.md (CTL-2, CTL-8).
//
// A Go program opts in with Listen, and registers its sessions: see the example. Whoever asks uses a
// Client, or Discover for all processes of this account.
//
// Whoever attaches owns nothing: closing a control connection leaves every session as it was (CTL-7).
package control
