# Every command a person or a CI needs. `make` alone prints the list.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# What is compiled names modules and not folders, so that one clone finds what another has compiled.
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null) -trimpath)

FUZZTIME ?= 60s # for each fuzz target of `make soak`
SIM ?= 10m # of simulation in `make soak`: a time, or a count of runs

.PHONY: help deps test check cover soak canaries wasm digest bench bench-quick

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## fetch and build what the tests drive (gopls, MCP server), only where stale
	@.ci/deps

test: deps ## everything that must pass: check, unit, canaries, race, conformance, js, e2e
	@.ci/parts check unit sim race conformance js e2e

check: ## gofumpt, vet, staticcheck, and builds for the platforms that are not at hand
	@.ci/parts check

cover: ## how much of core is reached, and whether each gap is explained in docs/coverage.md
	@.ci/cover

soak: ## fuzz each target for FUZZTIME, simulate for SIM, the tests that take minutes, the race detector
	@PARLEY_SIM=$(SIM) .ci/soak $(FUZZTIME)

canaries: ## plant bugs in the core and see that the simulation finds each
	@go run -tags canary,verify ./internal/sim/canaries

wasm: ## rebuild wasm/parley.wasm and wasm/TOOLCHAIN
	@wasm/build.sh

digest: deps ## the digest of all conformance vectors, one line a home
	@mkdir -p build/wasm && wasm/build.sh --command build/wasm/command.wasm
	@npm --prefix bindings/js run --silent command
	@go run ./conformance/digest build/wasm/command.wasm build/js/command.mjs
	@npm --prefix bindings/js run --silent digest

bench: ## measure beside other libraries, and write benchmarks/RESULTS.md: under 15 minutes
	@cd benchmarks && go run . -results RESULTS.md

bench-quick: ## one line a target of speed, under a minute
	@cd benchmarks && go run . -targets -rounds 3 -slice 30ms
