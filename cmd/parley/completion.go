//go:build !wasip1

package main

import (
	"embed"
	"io"
)

// completionCmd is "parley completion".
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

// Help is the part of the help below the flags' summary.
func (completionCmd) Help() string {
	return `Prints what makes the shell complete parley's commands and flags, the requests and sessions that are running, captures, and
servers behind --. Put the line of your shell into its startup file: ~/.bashrc, ~/.zshrc behind compinit, or
~/.config/fish/config.fish.

Examples:

  source <(parley completion bash)
  source <(parley completion zsh)
  parley completion fish | source`
}

// completionScripts ask "parley complete" at each press of the key, so that none goes stale.
//
//go:embed completion
var completionScripts embed.FS

// Run prints the script.
func (c completionCmd) Run(e *env) error {
	script, err := completionScripts.Open("completion/parley." + c.Shell)
	if err != nil {
		return err
	}
	defer script.Close()
	_, err = io.Copy(e.stdout, script)
	return err
}
