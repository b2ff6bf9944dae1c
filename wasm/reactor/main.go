//go:build wasip1

// Command reactor is package core behind exports: a WASI reactor module. An export checks its
// arguments and makes one call; docs/abi.md is its manual. Nothing here starts a goroutine, and
// nothing a host passes in can trap (FuzzABI).
package main

import (
	"runtime"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// main is never run: _initialize starts the runtime and returns.
func main() {}

//go:wasmexport parley_version
func version() int32 { return abi.Version }

//go:wasmexport parley_scratch
func scratchFor(n uint32) int32 {
	if uint64(n) > uint64(scratchMax()) {
		return -int32(abi.ErrScratch)
	}
	growScratch(int(n))
	return int32(addressOf(scratch))
}

//go:wasmexport parley_defaults
func defaultsOf(profile, role uint32) int32 {
	if profile > uint32(core.ProfilePlain) || role > uint32(core.RoleRelay) {
		return -int32(abi.ErrNumber)
	}
	defaults = encodeConfig(core.Defaults(core.Profile(profile), core.Role(role)))
	return pointerTo(&defaults)
}

//go:wasmexport parley_method
func method(name, nameBytes, mode, notification uint32) int32 {
	b, err := bytesAt(name, nameBytes)
	if err != 0 {
		return -int32(err)
	}
	return addMethod(b, mode, notification)
}

//go:wasmexport parley_supersede
func supersede(member, memberBytes uint32) int32 {
	b, err := bytesAt(member, memberBytes)
	if err != 0 {
		return -int32(err)
	}
	return addSupersede(b)
}

//go:wasmexport parley_open
func openConnection(config, configBytes uint32) float64 {
	record, err := bytesAt(config, configBytes)
	if err != 0 {
		return -float64(err)
	}
	return open(record)
}

//go:wasmexport parley_refusal
func refusalBlock() int32 { return pointerTo(&refusal) }

//go:wasmexport parley_free
func free(handle float64) int32 { return connections.free(handle) }

//go:wasmexport parley_ready
func readyBlock(handle float64) int32 {
	c := connections.find(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	return pointerTo(&c.ready)
}

//go:wasmexport parley_reserve
func reserve(handle float64, n uint32) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	if uint64(n) > uint64(c.reserveBytesMax) {
		return -int32(abi.ErrNumber)
	}
	c.input = c.conn.Reserve(int(n))
	c.ready.In = spanOf(c.input)
	return int32(c.ready.In.Address) // nothing else in the ready block depends on space
}

//go:wasmexport parley_turn
func turn(handle float64, received, flags uint32, now float64, wrote uint32) int32 {
	find := enter
	if received == 0 && flags&^(abi.TurnTake|abi.TurnDrain) == 0 && now != now && wrote == 0 {
		find = connections.find // taking and draining are no inputs: what was fetched before stays valid
	}
	c := find(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	return c.leave(c.turn(received, flags, now, wrote))
}

//go:wasmexport parley_next
func next(handle float64) int32 {
	c := connections.find(handle) // no input, either: of the ready block, only ReadyDrained may change
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	found := c.next(&c.records[0])
	c.noteDrained()
	return int32(flagByte(found))
}

//go:wasmexport parley_want
func want(handle float64, n int32) int32 {
	c := enter(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	if n < 0 {
		return -int32(abi.ErrNumber)
	}
	c.conn.Want(int(n))
	return c.leave(0)
}

//go:wasmexport parley_state
func state(handle float64) int32 {
	c := connections.find(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	return c.encodeState()
}

//go:wasmexport parley_stats
func stats(handle float64) int32 {
	c := connections.find(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	return c.encodeStats()
}

//go:wasmexport parley_snapshot
func snapshot(handle float64) int32 {
	c := connections.find(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	return c.encodeSnapshot()
}

//go:wasmexport parley_limits
func limits(handle float64) int32 {
	c := connections.find(handle)
	if c == nil {
		return -int32(abi.ErrHandle)
	}
	effective := c.conn.Limits()
	c.limits = encodeLimits(&effective)
	return pointerTo(&c.limits)
}

//go:wasmexport parley_idle
func idle() int32 {
	runtime.Gosched() // background work of the Go runtime runs only while an export yields
	return 0
}
