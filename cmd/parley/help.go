package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/charmbracelet/x/term"
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
	forget := tellWidth(stdout)
	err := kong.DefaultHelpPrinter(options, ctx)
	forget()
	ctx.Stdout = stdout
	if err != nil {
		return err
	}
	usage, rest, _ := strings.Cut(text.String(), "\n")
	if selected := ctx.Selected(); selected != nil && behindDashes[selected.Name] != "" {
		usage += " " + behindDashes[selected.Name]
	}
	if _, err = io.WriteString(stdout, usage+"\n"+rest); err != nil {
		return unprinted{err}
	}
	return nil
}

// unprinted is why there is no help: kong hands it on as if the command line were wrong.
type unprinted struct{ error }

// tellWidth tells kong how wide the terminal is, by the variable that it asks: what it writes to is none.
func tellWidth(stdout io.Writer) (forget func()) {
	const columns = "COLUMNS"
	file, isFile := stdout.(*os.File)
	if !isFile || os.Getenv(columns) != "" {
		return func() {}
	}
	width, _, err := term.GetSize(file.Fd())
	if err != nil || width == 0 || os.Setenv(columns, strconv.Itoa(width)) != nil {
		return func() {}
	}
	return func() { _ = os.Unsetenv(columns) }
}

// misread is what kong says about a command line that it cannot read, and whose help says how it can.
func misread(err error) error {
	if failed := new(unprinted); errors.As(err, failed) {
		return failed.error
	}
	help := "parley"
	parse := new(kong.ParseError)
	if errors.As(err, &parse) && parse.Context.Selected() != nil {
		help = parse.Context.Selected().FullPath()
	}
	text := nothingThere.ReplaceAllString(err.Error(), "a value is missing")
	return usageError{text + " (see " + help + " --help)"}
}

// nothingThere is how kong calls the end of the command line.
var nothingThere = regexp.MustCompile(`expected \w+ value but got "EOL" \(<EOL>\)`)
