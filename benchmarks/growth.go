package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// growPending is (i) for calls: one operation answers a call chosen at random and makes another, while
// that many are waiting.
func growPending() contest {
	c := contest{id: "growth-pending", title: "A call and its answer while others wait, in random order"}
	for _, waiting := range []int{1, 1000, 100_000} {
		c.contenders = append(c.contenders, contender{pendingName(waiting), 0, func() (worker, error) { return startPending(waiting) }})
	}
	return c
}

func pendingName(waiting int) string { return fmt.Sprintf("parley, %d waiting", waiting) }

func startPending(waiting int) (worker, error) {
	cfg := core.Defaults(core.ProfilePlain, core.RoleClient)
	cfg.Limits.CallsMax = waiting + 1
	machine, err := host.Native(cfg)
	if err != nil {
		return worker{}, err
	}
	ids := make([][]byte, waiting)
	next := 0
	call := func(at int) error {
		next++
		ids[at] = strconv.AppendInt(ids[at][:0], int64(next), 10)
		if _, err := machine.Call("hover", nil, core.CallOptions{ID: ids[at]}); err != nil {
			return err
		}
		return discard(machine)
	}
	for at := range ids {
		if err := call(at); err != nil {
			return worker{}, err
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	ev := new(core.Event)
	var line []byte
	op := func() error {
		at := random.IntN(waiting)
		line = append(append(append(line[:0], `{"jsonrpc":"2.0","id":`...), ids[at]...), `,"result":null}`+"\n"...)
		if err := turns(machine, ev, line, len(line), 1); err != nil {
			return err
		}
		return call(at)
	}
	return loop(op, machine.Close), nil
}

// growDepth is (i) for depth: a notification of about 4 KiB whose params nest that deep.
func growDepth() contest {
	const paramsBytes = 4 << 10
	c := contest{id: "growth-depth", title: "Decode, 4 KiB of params by how deep they nest"}
	for _, depth := range []int{2, 8, 32, 100} {
		nest := strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1)
		params := "[" + strings.TrimSuffix(strings.Repeat(nest+",", paramsBytes/(len(nest)+1)), ",") + "]"
		body := []byte(`{"jsonrpc":"2.0","method":"deep","params":` + params + `}`)
		c.contenders = append(c.contenders, decode(fmt.Sprintf("parley, depth %d", depth), host.Native, workOf(body, false)))
	}
	return c
}

// growBatch is (i) for batches: one operation is one notification, however many come in a batch.
func growBatch() contest {
	c := contest{id: "growth-batch", title: "Decode, 179 B notifications by how many are in a batch"}
	for _, members := range []int{1, 10, 100} {
		c.contenders = append(c.contenders, contender{
			fmt.Sprintf("parley, %d in a batch", members), len(notification),
			func() (worker, error) { return startBatch(members) },
		})
	}
	return c
}

func startBatch(members int) (worker, error) {
	cfg := core.Defaults(core.ProfilePlain, core.RoleClient)
	cfg.Inbound = core.InboundMessages
	machine, err := host.Native(cfg)
	if err != nil {
		return worker{}, err
	}
	line := append(append([]byte("["), bytes.Join(slicesOf(notification, members), []byte(","))...), "]\n"...)
	ev := new(core.Event)
	run := func(n int) (time.Duration, error) {
		batches := (n + members - 1) / members
		start := time.Now()
		for range batches {
			machine.Want(members)
			if err := turns(machine, ev, line, len(line), members); err != nil {
				return 0, err
			}
		}
		return time.Since(start) * time.Duration(n) / time.Duration(batches*members), nil
	}
	return worker{run: run, stop: machine.Close}, nil
}

func slicesOf(text []byte, count int) [][]byte {
	all := make([][]byte, count)
	for i := range all {
		all[i] = text
	}
	return all
}

// instances is what a sandbox costs to get: one operation opens a machine and closes it.
func instances(t *tools) contest {
	return contest{"instance", "A machine, opened and closed", []contender{
		open(nativeName, host.Native),
		open(wazeroName, t.sandboxed),
	}}
}

func open(name string, engine host.Engine) contender {
	cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
	return repeat(name, 0, func() error {
		machine, err := engine(cfg)
		if err != nil {
			return err
		}
		return machine.Close()
	})
}
