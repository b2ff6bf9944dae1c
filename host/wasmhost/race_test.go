//go:build race

package wasmhost

// underRace is true where the race detector runs, which makes compiling and packing ten times slower
// and sees nothing of what happens inside the sandbox.
const underRace = true
