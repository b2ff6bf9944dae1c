package main

import "context"

type unframeCmd struct {
	From     string   `enum:"header,lsp,line,mcp,length4,len4,whole" default:"header" help:"How stdin is framed: ${enum}; whole is one message, however many lines it has."`
	To       string   `enum:"header,lsp,line,mcp,length4,len4,whole" default:"line" help:"How stdout is framed."`
	FrameMax byteSize `default:"64MiB" placeholder:"SIZE" help:"The largest message; one that is larger is an error."`
}

// Help is the part of the help below the flags' summary.
func (unframeCmd) Help() string {
	return `A filter: reads messages with a Content-Length header each, or as --from says, and writes one JSON text a line. See
parley frame, the way back, for the names of the framings.

  my-server < requests.lsp | parley unframe | jq .method
  parley unframe --from len4 < control.bin

What cannot be a message ends it with exit code 5 and the byte where it stands, behind what came before.`
}

// Run filters stdin until it ends.
func (c *unframeCmd) Run(ctx context.Context, e *env) error {
	filter, err := newReframer(e.stdout, c.From, c.To, c.FrameMax)
	if err != nil {
		return err
	}
	return filter.run(ctx, e.stdin)
}
