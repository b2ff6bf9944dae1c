//go:build !canary

package core

// planted is always false but in a build with the tag canary.
func planted(bug) bool { return false }
