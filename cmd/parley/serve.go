//go:build !wasip1

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host/bridge"
)

// serveCmd is "parley serve".
type serveCmd struct {
	Listen          string   `default:"127.0.0.1:7878" placeholder:"HOST:PORT" help:"Address to listen on, ${default}; port 0 takes a free one."`
	Profile         string   `enum:"lsp,mcp,plain" default:"lsp" help:"Protocol of the commands: ${enum}."`
	Server          []string `sep:"none" placeholder:"NAME[:PROFILE]=CMD" help:"One more command, at /ws/NAME. CMD is split at white space. May be repeated."`
	Root            string   `placeholder:"DIR" help:"Folder that the page may read and write, and working directory of the commands."`
	Engine          string   `enum:"native,wazero" default:"native" help:"Where the protocol runs: ${enum} (in a sandbox)."`
	MaxSessions     int      `default:"16" help:"Sessions, and so processes, at once."`
	MaxMessageBytes byteSize `default:"16MiB" help:"Largest message that is handed on, in both directions."`
	AllowOrigin     []string `sep:"none" placeholder:"ORIGIN" help:"Origin whose pages may connect, besides those of loopback names: https://ide.example. May be repeated."`
	AllowHost       []string `sep:"none" placeholder:"NAME" help:"Name under which this bridge may be reached, besides loopback names. May be repeated."`
	Token           string   `env:"PARLEY_TOKEN" placeholder:"TOKEN" help:"Token to ask for; a random one by default. Others see a command line: better set PARLEY_TOKEN."`
	NoToken         bool     `help:"Ask for no token. Only on a loopback address: every program of this machine can connect then."`
	KeepProcessID   bool     `name:"keep-process-id" help:"Leave initialize.params.processId as the page has it."`
	JSON            bool     `name:"json" help:"Print one document: address, URL, token, servers."`
	Verbose         bool     `short:"v" help:"Log sessions as they start and end."`

	wasiFlags    `embed:"" group:"Sandbox, for a server that nobody trusts."`
	controlFlags `embed:"" group:"Control connection, for parley sessions, requests, top and others."`
}

// Help is the part of the help below the flags' summary.
func (serveCmd) Help() string {
	return `Serves a page with an editor, and a WebSocket to one process a session. Open the URL that is printed. Without a command the
built-in JSON language server is served. Clients of your own connect to ws://HOST:PORT/ws/NAME?token=TOKEN and send one JSON
text a message. Runs until it is interrupted; then every process it started is ended.

Examples:

  parley serve
  parley serve --root . -- gopls
  parley serve --profile mcp -- my-mcp-server --stdio
  parley serve --root . --server go=gopls --server tools:mcp="my-mcp-server --stdio"
  parley serve --listen 127.0.0.1:0 --json -- gopls
  parley serve --wasi server.wasm --dir ./src -- --stdio`
}

// serveDocument is what serve --json prints once it listens. Names are stable.
type serveDocument struct {
	Address string        `json:"address"`
	URL     string        `json:"url"`
	Token   string        `json:"token"` // "": none is asked for
	Servers []servedEntry `json:"servers"`
}

type servedEntry struct {
	Name    string   `json:"name"`
	Profile string   `json:"profile"`
	Command []string `json:"command"`
	Socket  string   `json:"socket"` // URL of its WebSocket, without the token
}

// Run serves until the command is interrupted.
func (c *serveCmd) Run(ctx context.Context, e *env, server serverCommand) (err error) {
	if server, err = c.wasiFlags.command(e, server); err != nil {
		return err
	}
	options, err := c.options(e, server)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return usageError{"--listen: " + err.Error()}
	}
	if c.NoToken && !isLoopback(listener.Addr()) {
		return errors.Join(usageError{"--no-token: only on a loopback address, not on " + listener.Addr().String()}, listener.Close())
	}
	if len(c.AllowHost) == 0 && !isLoopback(listener.Addr()) {
		fmt.Fprintln(e.stderr, "other machines are refused until --allow-host names what they call this one")
	}
	for _, s := range options.Servers {
		if _, err := exec.LookPath(s.Command[0]); err != nil { // it may come to be there while this runs
			fmt.Fprintf(e.stderr, "sessions of %s cannot start: %s\n", s.Name, oneLine(err.Error()))
		}
	}
	engine, closeEngine, err := openEngine(ctx, c.Engine)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, closeEngine()) }()
	options.Engine = engine
	shown, err := c.controlFlags.open(e, "parley serve")
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer shown.close()
	options.Control = shown.connection()
	b, err := bridge.New(options)
	if err != nil {
		return errors.Join(usageError{strings.TrimPrefix(err.Error(), "bridge: ")}, listener.Close())
	}
	if err := c.announce(e, listener.Addr().String(), &options); err != nil {
		return errors.Join(err, listener.Close(), b.Close())
	}
	if err := b.Serve(ctx, listener); err != nil {
		return err
	}
	return context.Cause(ctx)
}

func (c *serveCmd) options(e *env, command serverCommand) (bridge.Options, error) {
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelInfo
	}
	o := bridge.Options{
		AllowHosts: c.AllowHost, AllowOrigins: c.AllowOrigin,
		SessionsMax: c.MaxSessions, MessageBytesMax: int(min(c.MaxMessageBytes, math.MaxInt)), KeepProcessID: c.KeepProcessID,
		Root: c.Root, Version: buildInfo().Version,
		Logger: slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: level})),
	}
	if c.MaxSessions < 1 {
		return o, usageError{"--max-sessions: want 1 or more"}
	}
	if info, err := os.Stat(c.Root); c.Root != "" && (err != nil || !info.IsDir()) {
		return o, usageError{"--root: " + c.Root + " is not a folder"}
	}
	switch {
	case c.NoToken && c.Token != "":
		return o, usageError{"--no-token and --token (or PARLEY_TOKEN) exclude each other"}
	case c.Token != "":
		o.Token = c.Token
	case !c.NoToken:
		o.Token = rand.Text()
	}
	var err error
	o.Servers, err = c.servers(e, command)
	return o, err
}

// profiles are the values of --profile.
var profiles = map[string]core.Profile{"lsp": core.ProfileLSP, "mcp": core.ProfileMCP, "plain": core.ProfilePlain}

// servers are the command behind --, those of --server, or else the built-in one.
func (c *serveCmd) servers(e *env, command serverCommand) ([]bridge.Server, error) {
	var servers []bridge.Server
	if command != nil {
		if len(command) == 0 {
			return nil, usageError{"no command behind --"}
		}
		servers = append(servers, bridge.Server{Name: "default", Title: c.wasiFlags.title(command), Profile: profiles[c.Profile], Command: c.located(e, command)})
	}
	for _, text := range c.Server {
		name, line, _ := strings.Cut(text, "=")
		name, profileName, isNamed := strings.Cut(name, ":")
		if !isNamed {
			profileName = c.Profile
		}
		profile, known := profiles[profileName]
		words := strings.Fields(line)
		if len(words) == 0 || !known {
			return nil, usageError{fmt.Sprintf("--server %s: want NAME=CMD or NAME:PROFILE=CMD, with profile lsp, mcp or plain", text)}
		}
		servers = append(servers, bridge.Server{Name: name, Profile: profile, Command: c.located(e, words)})
	}
	if len(servers) > 0 {
		return servers, nil
	}
	if c.Profile != "lsp" {
		return nil, usageError{"the built-in server speaks LSP; for --profile " + c.Profile + " a command is expected behind --"}
	}
	program, err := e.executable()
	return []bridge.Server{{Name: "json", Profile: core.ProfileLSP, Command: []string{program, "peer", "lsp"}}}, err
}

// located names a program by where it lies, seen from where parley was started and not from --root.
func (c *serveCmd) located(e *env, command []string) []string {
	program := command[0]
	if c.Root == "" || filepath.IsAbs(program) || filepath.Base(program) == program {
		return command
	}
	directory, err := e.directory()
	if err != nil { // it is gone: what is relative to it is not found either
		return command
	}
	return append([]string{filepath.Join(directory, program)}, command[1:]...)
}

// announce prints where the page is. It is printed once connections are taken.
func (c *serveCmd) announce(e *env, address string, o *bridge.Options) error {
	page := url.URL{Scheme: "http", Host: reachable(address), Path: "/"}
	if o.Token != "" {
		page.RawQuery = url.Values{"token": {o.Token}}.Encode()
	}
	if !c.JSON {
		for _, s := range o.Servers {
			fmt.Fprintf(e.stderr, "%s (%s): %s\n", s.Name, s.Profile, oneLine(strings.Join(s.Command, " ")))
		}
		_, err := fmt.Fprintln(e.stdout, page.String())
		return err
	}
	document := serveDocument{Address: address, URL: page.String(), Token: o.Token}
	for _, s := range o.Servers {
		socket := url.URL{Scheme: "ws", Host: reachable(address), Path: "/ws/" + s.Name}
		document.Servers = append(document.Servers, servedEntry{s.Name, s.Profile.String(), s.Command, socket.String()})
	}
	return writeJSON(e.stdout, document)
}

// reachable is an address by which this machine reaches a listener, also one on all addresses.
func reachable(address string) string {
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().IsUnspecified() {
		return fmt.Sprintf("localhost:%d", at.Port())
	}
	return address
}

func isLoopback(address net.Addr) bool {
	at, err := netip.ParseAddrPort(address.String())
	return err == nil && at.Addr().IsLoopback()
}
