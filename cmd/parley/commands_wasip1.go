package main

// commands is what makes sense inside a sandbox, where nothing can be started: the servers. The
// rest would only make the module five times as large to compile.
type commands struct {
	Peer    peerCmd    `cmd:"" help:"Be a server on stdin and stdout."`
	Version versionCmd `cmd:"" help:"Print version, commit, Go and the hash of the embedded module."`
}
