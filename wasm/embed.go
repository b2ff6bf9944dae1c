// Package wasm holds the reactor: package core compiled to WASI by build.sh, with the exports that
// docs/abi.md describes. TOOLCHAIN names the Go version that produced these bytes and their
// SHA-256.
package wasm

import _ "embed"

// Reactor is the module. It must not be modified.
//
//go:embed parley.wasm
var Reactor []byte
