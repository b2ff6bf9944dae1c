package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

const blockFrames = 64 // frames that one read brings at once in decodeBlock

func decodeOne(scanTest string, sandboxed host.Engine) contest {
	frame := framed(notification)
	return contest{"decode, 179 B notification, one a turn", []contender{
		decode("core, native", host.Native, frame, 1, nothing),
		memcpy(frame),
		bareScan(scanTest, "notification-179", len(notification)),
		frameOnly(frame, 1),
		validate(notification),
		decode("core, wazero", sandboxed, frame, 1, nothing),
	}}
}

func decodeBlock(sandboxed host.Engine) contest {
	block := bytes.Repeat(framed(notification), blockFrames)
	return contest{fmt.Sprintf("decode, %d × 179 B a turn (ns/op is for all)", blockFrames), []contender{
		decode("core, native", host.Native, block, blockFrames, nothing),
		memcpy(block),
		frameOnly(block, blockFrames),
		decode("core, wazero", sandboxed, block, blockFrames, nothing),
	}}
}

func decodeLarge(scanTest string, sandboxed host.Engine) contest {
	body := completion()
	frame := framed(body)
	return contest{"decode, 1 MiB answer", []contender{
		decode("core, native", host.Native, frame, 1, callCompletion),
		memcpy(frame),
		bareScan(scanTest, "completion-1MiB", len(body)),
		frameOnly(frame, 1),
		validate(body),
		decode("core, wazero", sandboxed, frame, 1, callCompletion),
	}}
}

// repeat makes a contender of one operation.
func repeat(name string, opBytes int, op func() error) contender {
	run := func(n int) (time.Duration, error) {
		start := time.Now()
		for range n {
			if err := op(); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
	return contender{name, opBytes, func() (func(int) (time.Duration, error), func() error, error) {
		return run, func() error { return nil }, nil
	}}
}

// memcpy is the floor: the bytes are moved once.
func memcpy(input []byte) contender {
	space := make([]byte, len(input))
	return repeat("memcpy", len(input), func() error {
		copy(space, input)
		return nil
	})
}

// frameOnly copies the bytes and finds the bodies by their headers; it reads no JSON.
func frameOnly(input []byte, frames int) contender {
	space := make([]byte, len(input))
	return repeat("header framing, no JSON read", len(input), func() error {
		copy(space, input)
		rest, found := space, 0
		for len(rest) > 0 {
			header, tail, ok := bytes.Cut(rest, []byte("\r\n\r\n"))
			value, isLength := bytes.CutPrefix(header, []byte("Content-Length: "))
			size, err := strconv.Atoi(string(value))
			if !ok || !isLength || err != nil || size > len(tail) {
				return errors.New("the input is not framed as expected")
			}
			rest = tail[size:]
			found++
		}
		return wantCount(found, frames)
	})
}

// validate is what the standard library asks for the verdict alone.
func validate(body string) contender {
	text := []byte(body)
	return repeat("json.Valid", len(text), func() error {
		if !json.Valid(text) {
			return errors.New("the body is not JSON")
		}
		return nil
	})
}

// decode is a whole turn of the core for each operation: space, copy as a read would, commit,
// advance, and every event fetched. before runs ahead of each turn, inside the time measured.
func decode(name string, engine host.Engine, input []byte, frames int, before func(host.Machine) error) contender {
	start := func() (func(int) (time.Duration, error), func() error, error) {
		cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
		cfg.Inbound = core.InboundMessages
		machine, err := engine(cfg)
		if err != nil {
			return nil, nil, err
		}
		machine.Want(1<<31 - 1)
		ev := new(core.Event) // one for all turns: behind an interface it would be an allocation each
		run := func(n int) (time.Duration, error) {
			start := time.Now()
			for range n {
				if err := before(machine); err != nil {
					return 0, err
				}
				if err := turn(machine, ev, input, frames); err != nil {
					return 0, err
				}
			}
			machine.Want(1<<31 - 1) // credit saturates; what was used is granted anew
			return time.Since(start), nil
		}
		return run, machine.Close, nil
	}
	return contender{name, len(input), start}
}

func turn(machine host.Machine, ev *core.Event, input []byte, frames int) error {
	copy(machine.Reserve(len(input)), input)
	if err := machine.Commit(len(input)); err != nil {
		return err
	}
	machine.Advance(1)
	found := 0
	for machine.Next(ev) {
		if ev.Kind == core.EventNotification || ev.Kind == core.EventResult {
			found++
		}
	}
	return wantCount(found, frames)
}

func nothing(host.Machine) error { return nil }

// callCompletion makes the call that completion answers, and writes it to nowhere.
func callCompletion(machine host.Machine) error {
	_, err := machine.Call("textDocument/completion", nil, core.CallOptions{ID: []byte(completionID)})
	if err != nil {
		return err
	}
	for block := machine.Take(nil); block != nil; block = machine.Take(block[:0]) {
		machine.Wrote(len(block))
	}
	return nil
}

func wantCount(got, want int) error {
	if got != want {
		return fmt.Errorf("decoded %d messages, want %d", got, want)
	}
	return nil
}
