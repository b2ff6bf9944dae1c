// Package child runs servers as child processes and ends them, descendants included.
//
// Start is a session over the pipes of a process; StartProcess is the process alone, for those
// who speak to it themselves. Either way stderr is drained from the first moment, and nothing of
// the process group outlives Close or Stop: stdin is closed, then SIGTERM, then SIGKILL go to the
// whole group (STOP-6). A process whose leader has left by itself is cleared away unasked.
//
// What no process group reaches stays: a descendant that moved to a group or session of its own.
// If this program itself is killed, its children learn it from the end of their stdin alone.
package child
