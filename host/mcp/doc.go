// Package mcp speaks the Model Context Protocol in both of its eras: legacy, which opens a session
// with initialize, and modern, in which every request carries its version.
//
//	options := mcp.NewOptions("editor", "1.0")
//	s, err := mcp.Connect(ctx, mcp.Command(exec.Command("server")), options)
//	if err != nil { return err }
//	defer s.Close()
//	tools, err := host.Call[ListToolsResult](ctx, s, "tools/list", nil)
//
// Connect finds out the era of the server and remembers it (package core/era decides, this package
// does what it says). A Server answers both eras on one stream:
//
//	server := mcp.NewServer("files", "1.0")
//	mcp.Handle(server, "tools/list", core.ModeDefault, listTools)
//	transport, err := host.Stdio()
//	if err != nil { return err }
//	return mcp.Serve(ctx, transport, server, host.MCPServer)
//
// Rules cited as ERA-2 are those of docs/protocol.md.
package mcp
