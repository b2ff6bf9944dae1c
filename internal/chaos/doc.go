// Package chaos makes an honest peer a bad one: wrappers around its input and output that damage,
// hold back or invent what passes. Each does one thing wrong, they compose, and what is left to
// chance comes from a generator of the caller's, so that a run can be repeated. Nothing here knows
// processes: a test puts the wrappers around any stream.
package chaos
