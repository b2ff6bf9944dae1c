package main

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// behindDashes says what the commands that take something behind -- take there.
var behindDashes = map[string]string{
	"call": "-- COMMAND ...", "doctor": "-- COMMAND ...", "probe": "-- COMMAND ...", "tap": "-- COMMAND ...",
	"replay": "[-- COMMAND ...]", "serve": "[-- COMMAND ...]", "sandbox": "[-- ARGUMENT ...]", "complete": "-- WORD ...",
}

// printHelp is kong's help. kong knows nothing of what stands behind --, so that goes into its first line here.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	stdout := ctx.Stdout
	var text bytes.Buffer
	ctx.Stdout = &text
	err := kong.DefaultHelpPrinter(options, ctx)
	ctx.Stdout = stdout
	if err != nil {
		return err
	}
	usage, rest, _ := strings.Cut(text.String(), "\n")
	if selected := ctx.Selected(); selected != nil && behindDashes[selected.Name] != "" {
		usage += " " + behindDashes[selected.Name]
	}
	_, err = io.WriteString(stdout, usage+"\n"+rest)
	return err
}

// misread is what kong says about a command line that it cannot read, and whose help says how it can.
func misread(err error) error {
	help := "parley"
	parse := new(kong.ParseError)
	if errors.As(err, &parse) && parse.Context.Selected() != nil {
		help = parse.Context.Selected().FullPath()
	}
	return usageError{err.Error() + " (see " + help + " --help)"}
}
