module github.com/parley-rpc/parley

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0
	github.com/andybalholm/brotli v1.2.0
	github.com/coder/websocket v1.8.15
	github.com/tetratelabs/wazero v1.11.0
	github.com/tinylib/msgp v1.6.5
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.48.0
)

require github.com/philhofer/fwd v1.2.0 // indirect
