//go:build !race

package wasmhost

const underRace = false
