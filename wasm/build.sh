#!/usr/bin/env bash
# Builds the reactor and the command, to the same bytes whatever the user's settings are.
#
#   wasm/build.sh                 writes wasm/parley.wasm and wasm/TOOLCHAIN, which are committed
#   wasm/build.sh FILE [FLAG…]    writes the reactor to FILE, with further flags for go build
#   wasm/build.sh --command FILE  writes the command to FILE
set -euo pipefail
cd "$(dirname "$0")/.."

build() {
	env -u GOFLAGS GOENV=off GOTOOLCHAIN=local CGO_ENABLED=0 GOWASM= GOEXPERIMENT= GOOS=wasip1 GOARCH=wasm \
		go build -trimpath -buildvcs=false -ldflags="-s -w -buildid=" "$@"
}

# What Go's linker leaves undone: see wasm/finish.
finish() {
	env -u GOFLAGS -u GOOS -u GOARCH GOENV=off GOTOOLCHAIN=local go run ./wasm/finish "$1"
}

if [ "${1:-}" = --command ]; then
	build -o "$2" ./wasm/command
	finish "$2"
	exit
fi

out="${1:-wasm/parley.wasm}"
build -buildmode=c-shared "${@:2}" -o "$out" ./wasm/reactor
finish "$out"

if (($# == 0)); then
	sum() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi; }
	digest=$(sum "$out")
	printf '%s\n%s\n' "$(env -u GOFLAGS GOENV=off GOTOOLCHAIN=local go env GOVERSION)" "${digest%% *}" >wasm/TOOLCHAIN
fi
