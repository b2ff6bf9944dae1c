#!/bin/sh
# Builds what the checks and the end-to-end tests run but the module does not import: the language
# server that e2e/ talks to, the linter and the formatter of `make check`, and a server and a client on the Go MCP
# SDK. Versions are pinned by go.mod and go.sum in this folder and in e2e/peers, modules of their own
# so that none of it reaches users of parley.
#
# What build/bin holds already and its module has not changed since is kept. Needs no argument.
set -eu

cd "$(dirname "$0")/.."
bin=$PWD/build/bin
mkdir -p "$bin"

build() { # build NAME MODULE PACKAGE
	if [ -x "$bin/$1" ] && [ -z "$(find "$2" \( -name go.mod -o -name '*.go' \) -newer "$bin/$1")" ]; then
		echo "tools: $1 is up to date"
		return
	fi
	echo "tools: building $1 from $3"
	# GOFLAGS may hold flags for tests; GOWORK may name a workspace that this module is not in.
	env -u GOFLAGS GOWORK=off CGO_ENABLED=0 go -C "$2" build -mod=readonly -o "$bin/$1" "$3"
}

build gopls tools golang.org/x/tools/gopls
build staticcheck tools honnef.co/go/tools/cmd/staticcheck
build gofumpt tools mvdan.cc/gofumpt
build mcp-everything e2e/peers github.com/modelcontextprotocol/go-sdk/examples/server/everything
build mcp-sdkclient e2e/peers ./sdkclient
