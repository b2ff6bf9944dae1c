#!/bin/sh
# Builds what the checks and the end-to-end tests run but the module does not import: the language
# server that e2e/ talks to and the linter of `make check`. Versions are pinned by go.mod and go.sum
# in this folder, a module of its own so that none of it reaches users of parley.
#
# What build/bin holds already and go.mod has not changed since is kept. Needs no argument.
set -eu

cd "$(dirname "$0")"
bin=../build/bin
mkdir -p "$bin"

build() { # build NAME PACKAGE
	if [ -x "$bin/$1" ] && [ ! go.mod -nt "$bin/$1" ]; then
		echo "tools: $1 is up to date"
		return
	fi
	echo "tools: building $1 from $2"
	# GOFLAGS may hold flags for tests; GOWORK may name a workspace that this module is not in.
	env -u GOFLAGS GOWORK=off CGO_ENABLED=0 go build -mod=readonly -o "$bin/$1" "$2"
}

build gopls golang.org/x/tools/gopls
build staticcheck honnef.co/go/tools/cmd/staticcheck
