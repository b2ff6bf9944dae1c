package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/wasichild"
)

// wasiFlags are those of a command that starts a server, for one that is to run in a sandbox.
type wasiFlags struct {
	WASI string `name:"wasi" placeholder:"FILE" help:"Start FILE, a program compiled to WASI preview 1, in a sandbox (see parley sandbox --help). What stands behind -- are its arguments."`

	guestFlags `embed:""`
}

// command is what is to be started: behind --, or else parley itself as the process around the guest.
func (f *wasiFlags) command(e *env, behindDashes serverCommand) (serverCommand, error) {
	if f.WASI == "" {
		if f.Dir != nil || f.Env != nil || f.Memory != 0 || f.CompileMemory != 0 || f.Time != 0 {
			return nil, usageError{"--dir, --env, --memory, --compile-memory and --time go with --wasi only"}
		}
		return behindDashes, nil
	}
	if _, err := f.grants(); err != nil {
		return nil, err
	}
	module, err := filepath.Abs(f.WASI)
	if err == nil {
		_, err = os.Stat(module)
	}
	if err != nil {
		return nil, &child.StartError{Program: f.WASI, Err: err}
	}
	program, err := e.executable()
	if err != nil {
		return nil, err
	}
	command := serverCommand{program, "sandbox", module}
	for _, dir := range f.Dir {
		command = append(command, "--dir="+dir.String())
	}
	for _, variable := range f.Env {
		command = append(command, "--env="+variable)
	}
	if f.Memory != 0 {
		command = append(command, fmt.Sprintf("--memory=%d", f.Memory))
	}
	if f.CompileMemory != 0 {
		command = append(command, fmt.Sprintf("--compile-memory=%d", f.CompileMemory))
	}
	if f.Time != 0 {
		command = append(command, "--time="+f.Time.String())
	}
	return append(append(command, "--"), behindDashes...), nil
}

// title is what people call the server that command starts: its program, or the module that the sandbox runs.
func (f *wasiFlags) title(command serverCommand) string {
	if f.WASI != "" {
		return moduleName(f.WASI)
	}
	return filepath.Base(command[0])
}

// guestFlags are what a guest may use.
type guestFlags struct {
	Dir           []grantFlag   `sep:"none" placeholder:"DIR[:PATH][:ro]" help:"Directory that the program sees, as PATH or else under its own absolute name; ro: it can change nothing in it. May be repeated."`
	Env           []string      `sep:"none" placeholder:"NAME[=VALUE]" help:"Variable that it sees; without VALUE as it is in the environment of parley, where nobody reads it off a command line. May be repeated."`
	Memory        byteSize      `placeholder:"SIZE" help:"Linear memory that it may have, up to 4GiB. (default 256MiB)"`
	CompileMemory byteSize      `placeholder:"SIZE" help:"Memory that compiling it may take. (default 1GiB)"`
	Time          time.Duration `placeholder:"TIME" help:"End it after TIME, compiling not counted. It is several times slower then, because it has to be asked."`
}

// environment leaves out what is to be as it is here and is not set.
func (f *guestFlags) environment() []string {
	var variables []string
	for _, variable := range f.Env {
		if !strings.Contains(variable, "=") {
			value, isSet := os.LookupEnv(variable)
			if !isSet {
				continue
			}
			variable += "=" + value
		}
		variables = append(variables, variable)
	}
	return variables
}

// grants are the directories, which exist.
func (f *guestFlags) grants() ([]wasichild.Grant, error) {
	var grants []wasichild.Grant
	for _, dir := range f.Dir {
		if info, err := os.Stat(dir.Host); err != nil || !info.IsDir() {
			return nil, usageError{"--dir: " + dir.Host + " is not a directory"}
		}
		grants = append(grants, wasichild.Grant(dir))
	}
	return grants, nil
}

// grantFlag is DIR, DIR:ro, DIR:PATH or DIR:PATH:ro. PATH begins with a slash, which DIR's parts behind a
// colon do not.
type grantFlag wasichild.Grant

// UnmarshalText is called by kong.
func (g *grantFlag) UnmarshalText(text []byte) error {
	dir, readOnly := strings.CutSuffix(string(text), ":ro")
	guest := ""
	if colon := strings.LastIndex(dir, ":/"); colon >= 0 {
		dir, guest = dir[:colon], path.Clean(dir[colon+1:])
	}
	if dir == "" {
		return fmt.Errorf("%q: want DIR, DIR:PATH or DIR:PATH:ro", text)
	}
	host, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if guest == "" {
		guest = filepath.ToSlash(host)
	}
	*g = grantFlag{Host: host, Guest: guest, ReadOnly: readOnly}
	return nil
}

// String is the flag's value, the same wherever it is read.
func (g grantFlag) String() string {
	text := g.Host + ":" + g.Guest
	if g.ReadOnly {
		text += ":ro"
	}
	return text
}
