// Package e2e holds conversations with real servers: the language server of Go, and MCP servers of
// both eras on the SDKs for Go and TypeScript. Each is held once an engine, and all engines must get the same answers.
// Our own MCP server is held against clients on two SDKs, which are in peers, a module of its own.
// `make deps` installs what is not ours.
package e2e
