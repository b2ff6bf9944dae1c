// Package mcp speaks the Model Context Protocol in both of its eras: legacy, which opens a session
// with initialize, and modern, in which every request carries its version.
//
// A client does not have to know which era a server is of. Connect asks it, falls back where it has
// to, and remembers the answer (package core/era decides, this package does what it says):
//
//	s, err := mcp.Connect(ctx, mcp.Command(exec.Command("server")), mcp.NewOptions("editor", "1.0"))
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	tools, err := host.Call[ListToolsResult](ctx, s, "tools/list", nil)
//
// A Server is a table of methods that serves both eras on one stream:
//
//	server := mcp.NewServer("files", "1.0")
//	mcp.Handle(server, "tools/list", core.ModeRead, listTools)
//	mcp.Handle(server, "tools/call", core.ModeDefault, callTool)
//	transport, err := host.Stdio()
//	if err != nil {
//		return err
//	}
//	return mcp.Serve(ctx, transport, server, host.MCPServer)
//
// The example of Serve is a whole one. Not here: HTTP and subscriptions/listen.
//
// Rules cited as ERA-2 are those of docs/protocol.md.
package mcp
