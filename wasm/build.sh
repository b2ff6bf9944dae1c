#!/usr/bin/env bash
# Builds the reactor, to the same bytes whatever the user's settings are.
#
#   wasm/build.sh               writes wasm/parley.wasm and wasm/TOOLCHAIN, which are committed
#   wasm/build.sh FILE [FLAG…]  writes FILE, with further flags for go build
set -euo pipefail
cd "$(dirname "$0")/.."

out="${1:-wasm/parley.wasm}"
env -u GOFLAGS GOENV=off GOTOOLCHAIN=local CGO_ENABLED=0 GOWASM= GOEXPERIMENT= GOOS=wasip1 GOARCH=wasm \
	go build -buildmode=c-shared -trimpath -buildvcs=false -ldflags="-s -w -buildid=" "${@:2}" -o "$out" ./wasm/reactor

if (($# == 0)); then
	sum() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi; }
	digest=$(sum "$out")
	printf '%s\n%s\n' "$(env -u GOFLAGS GOENV=off GOTOOLCHAIN=local go env GOVERSION)" "${digest%% *}" >wasm/TOOLCHAIN
fi
