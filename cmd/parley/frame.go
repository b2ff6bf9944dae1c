package main

type frameCmd struct {
	From     string   `enum:"header,lsp,line,mcp,length4,len4,whole" default:"line" help:"How stdin is framed: ${enum}; whole is one message, however many lines it has."`
	To       string   `enum:"header,lsp,line,mcp,length4,len4,whole" default:"header" help:"How stdout is framed."`
	FrameMax byteSize `default:"64MiB" placeholder:"SIZE" help:"The largest message, ${default}; one that is larger is an error."`
}

// Help is the part of the help below the flags' summary.
func (frameCmd) Help() string {
	return `Reads JSON messages, one a line, and writes them with a Content-Length header each, or as --to says. lsp is
another name of header, mcp of line, len4 of length4 (four bytes, big-endian). Messages are passed on as they come,
byte for byte; a line break inside a message becomes a space where lines are the framing. parley unframe is the way back.

Examples:

  echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}' | parley frame | gopls | parley unframe
  parley frame --from whole < pretty.json
  parley frame --to len4 < messages.jsonl

Exit codes:

  5    something is no JSON text; the error names its byte, and what came before has been written`
}

// Run filters stdin until it ends.
func (c *frameCmd) Run(e *env) error {
	filter, err := newReframer(e.stdout, c.From, c.To, c.FrameMax)
	if err != nil {
		return err
	}
	return filter.run(e.stdin)
}
