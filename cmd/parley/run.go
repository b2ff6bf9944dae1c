package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const description = `Calls, serves and demonstrates JSON-RPC peers over pipes: language servers and MCP servers.

Results go to stdout, talk to stderr.

Exit codes:
  0    ok
  1    the peer answered with an error, or a check failed
  2    the command line or the params are wrong
  3    the command cannot be started
  4    the time is up
  5    the peer broke the protocol
  6    the peer ended before it answered
  70   parley itself failed
  130  interrupted (143: terminated)`

// serverCommand is what stands behind --: a program and its arguments, untouched.
type serverCommand []string

// run is the whole program but for its process: it returns the exit code.
func run(ctx context.Context, args []string, e *env) int {
	var server serverCommand
	if dashes := slices.Index(args, "--"); dashes >= 0 {
		args, server = args[:dashes], args[dashes+1:]
	}
	err := dispatch(ctx, args, server, e)
	if err == nil {
		return exitOK
	}
	code := exitCode(ctx, err)
	if line := errorLine(ctx, err); line != "" {
		fmt.Fprintln(e.stderr, "parley: "+line)
	}
	return code
}

func dispatch(ctx context.Context, args []string, server serverCommand, e *env) error {
	var cli commands
	helped := false // kong goes on after its exit function returns
	parser, err := kong.New(
		&cli,
		kong.Name("parley"),
		kong.Description(description),
		kong.Help(printHelp),
		kong.Writers(e.stdout, e.stderr),
		kong.Exit(func(int) { helped = true }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(e, server),
	)
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(args)
	if helped {
		return nil
	}
	if err != nil {
		return misread(err)
	}
	verb, _, _ := strings.Cut(parsed.Command(), " ")
	if server != nil && behindDashes[verb] == "" {
		return usageError{parsed.Command() + " takes no command behind --"}
	}
	if startsNothing(verb) {
		return interruptible(ctx, func() error { return parsed.Run() })
	}
	return parsed.Run()
}
