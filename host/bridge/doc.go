// Package bridge lets a web page speak to language servers and MCP servers: a WebSocket on one side, a
// child process with pipes on the other, one process a session.
//
//	b, err := bridge.New(bridge.Options{
//		Servers: []bridge.Server{{Name: "go", Profile: core.ProfileLSP, Command: []string{"gopls"}}},
//		Token:   rand.Text(),
//	})
//	if err != nil { ... }
//	err = b.Serve(ctx, listener) // until ctx ends; then every child has been ended
//
// A bridge relays: it frames, scans and bounds what passes with two machines of role relay, and hands
// each message on byte for byte, but for initialize.params.processId (BRIDGE-2). It speaks for itself
// only where a message cannot be handed on, and when a page has left its server behind.
//
// Who may connect is decided by Host, Origin and token, in this order, before the upgrade (BRIDGE-1). A
// socket that offers the subprotocol parley.resume.1 may be lost and replaced (RESUME); any other takes
// its session with it. Why a session is over stands in the close code and reason (BRIDGE-5).
package bridge
