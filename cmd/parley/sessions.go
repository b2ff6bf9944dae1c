package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/parley-rpc/parley/host/control"
)

// sessionsCmd is "parley sessions".
type sessionsCmd struct {
	JSON bool `name:"json" help:"Print one document."`
	attachFlags
}

// Help is the part of the help below the flags' summary.
func (sessionsCmd) Help() string {
	return `Shows every process of yours that has a control connection, and its sessions. RUNNING and WAITING count the messages of a
session's peer and their limits (- is none), CALLS the open ones of the process itself. OUT is output that the peer has not read.

Examples:

  parley sessions
  parley sessions --json | jq '.processes[].sessions[].id'`
}

// sessionsDocument is what sessions --json prints. Names are stable.
type sessionsDocument struct {
	Processes []control.Process `json:"processes"`
	Silent    []silentDocument  `json:"silent"`
	Truncated bool              `json:"truncated"`
}

type silentDocument struct {
	PID   int    `json:"pid"`
	Path  string `json:"path"`
	Error string `json:"error"`
}

func newSessionsDocument(found control.Discovery) sessionsDocument {
	d := sessionsDocument{Processes: append([]control.Process{}, found.Processes...), Silent: []silentDocument{}, Truncated: found.Truncated}
	for _, s := range found.Silent {
		d.Silent = append(d.Silent, silentDocument{s.PID, s.Path, s.Err.Error()})
	}
	return d
}

// Run lists them.
func (c *sessionsCmd) Run(ctx context.Context, e *env) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	found, err := c.discover(ctx, e)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.stdout, newSessionsDocument(found))
	}
	all := sessionsOf(found)
	if len(all) == 0 {
		fmt.Fprintln(e.stderr, "parley: no session is running")
		return nil
	}
	return table(e.stdout, sessionsHeading, sessionRows(all))
}

const sessionsHeading = "SESSION PROGRAM NAME PROFILE ROLE PHASE AGE RUNNING WAITING CALLS OUT TRACE"

func sessionRows(all []placed) [][]string {
	var rows [][]string
	for _, s := range all {
		rows = append(rows, []string{
			s.ID, s.process.Program, s.Name, s.Profile, s.Role, phaseText(s.Session), duration(s.AgeMs),
			ratio(s.Running, s.RunningMax), ratio(s.Waiting, s.QueuedMax), strconv.Itoa(s.Calls),
			outText(s.Session), onOff(s.Tracing),
		})
	}
	return rows
}

// phaseText is a session's phase, or that its input stands still.
func phaseText(s control.Session) string {
	if s.Paused {
		return s.Phase + ",paused"
	}
	return s.Phase
}

// outText is the output that waits; a session without a bound for it has none.
func outText(s control.Session) string {
	if s.OutBytesMax == 0 {
		return "-"
	}
	return byteCount(uint64(s.OutBytes))
}

// ratio is a part of a bound; 0 is no bound.
func ratio(part, bound int) string {
	if bound == 0 {
		return strconv.Itoa(part) + "/-"
	}
	return strconv.Itoa(part) + "/" + strconv.Itoa(bound)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
