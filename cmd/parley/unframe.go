package main

type unframeCmd struct {
	From     string   `enum:"header,lsp,line,mcp,length4,len4,whole" default:"header" help:"How stdin is framed: ${enum}; whole is one message, however many lines it has."`
	To       string   `enum:"header,lsp,line,mcp,length4,len4,whole" default:"line" help:"How stdout is framed."`
	FrameMax byteSize `default:"64MiB" placeholder:"SIZE" help:"The largest message, ${default}; one that is larger is an error."`
}

// Help is the part of the help below the flags' summary.
func (unframeCmd) Help() string {
	return `Reads messages with a Content-Length header each, or as --from says, and writes one JSON text a line. See
parley frame, the way back, for the names of the framings.

Examples:

  my-server < requests.lsp | parley unframe | jq .method
  parley unframe --from len4 < control.bin

Exit codes:

  5    something cannot be a message; the error names its byte, and what came before has been written`
}

// Run filters stdin until it ends.
func (c *unframeCmd) Run(e *env) error {
	filter, err := newReframer(e.stdout, c.From, c.To, c.FrameMax)
	if err != nil {
		return err
	}
	return filter.run(e.stdin)
}
