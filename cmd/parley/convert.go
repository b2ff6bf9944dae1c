package main

import (
	"io"
	"path/filepath"

	"github.com/parley-rpc/parley/internal/capture"
	"github.com/parley-rpc/parley/internal/transcript"
)

type convertCmd struct {
	In  string `arg:"" complete:"capture" help:"A capture in any spelling, or a trace of VS Code (\"trace.server\": \"verbose\"); - is stdin."`
	Out string `arg:"" help:"The file to make; - is stdout."`
	To  string `default:"" placeholder:"SPELLING" help:"binary, text or jsonl. By default OUT's ending says it: .cap, .txt, .jsonl."`
}

// Help is the part of the help below the flags' summary.
func (convertCmd) Help() string {
	return `binary and text hold every record, so that nothing is lost between them: each read as it was. jsonl holds messages,
with their latency; from jsonl and from traces each message becomes a read of its own.

Examples:

  parley convert gopls.cap gopls.txt
  parley convert vscode-trace.log session.cap
  parley convert --to jsonl gopls.cap - | jq .method`
}

var spellingByEnding = map[string]string{
	".cap": "binary", ".txt": "text", ".text": "text", ".jsonl": "jsonl", ".ndjson": "jsonl",
}

// Run converts.
func (c *convertCmd) Run(e *env) error {
	to := c.To
	if to == "" {
		to = spellingByEnding[filepath.Ext(c.Out)]
	}
	if to == "" {
		return usageError{"without --to the ending of OUT is .cap, .txt or .jsonl, and " + c.Out + " has another: say --to binary, text or jsonl"}
	}
	spelling, err := capture.ParseSpelling(to)
	if err != nil {
		return usageError{"--to " + err.Error()}
	}
	if c.Out == "-" {
		return c.convert(e, e.stdout, spelling)
	}
	file, err := createCapture(c.Out)
	if err != nil {
		return err
	}
	err = c.convert(e, file, spelling)
	return firstError(err, file.Close())
}

func (c *convertCmd) convert(e *env, to io.Writer, spelling capture.Spelling) error {
	writer := capture.NewWriter(to, spelling)
	err := eachRecord(e, c.In, func(r *transcript.Record) error { return writer.Write(r) })
	return firstError(err, writer.Close())
}
