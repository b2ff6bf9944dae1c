module github.com/parley-rpc/parley/benchmarks

go 1.26.0

require github.com/parley-rpc/parley v0.0.0

require (
	github.com/tetratelabs/wazero v1.11.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
)

replace github.com/parley-rpc/parley => ..
