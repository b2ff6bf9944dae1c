// Package e2e holds conversations with real servers: the language server of Go, and the MCP
// project's own test server. Each is held once an engine, and all engines must get the same answers.
// `make deps` installs the servers.
package e2e
