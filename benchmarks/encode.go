package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// encode is (b): one notification with params of about that many bytes, written to nowhere.
func encode(t *tools, bytesMin int, label string) contest {
	const method = "textDocument/publish"
	params := json.RawMessage(`{"items":` + string(itemsOf(completions.body(bytesMin))) + `}`)
	contenders := []contender{
		encodeParley(nativeName, host.Native, method, params),
		encodeParley(wazeroName, t.sandboxed, method, params),
	}
	for _, l := range libraries() {
		if l.encoder == nil {
			continue
		}
		contenders = append(contenders, contender{l.name, len(params), func() (worker, error) {
			return loop(l.encoder(io.Discard, method, params), nil), nil
		}})
	}
	return contest{"encode-" + label, fmt.Sprintf("Encode, a notification with %d B of params", len(params)), contenders}
}

// itemsOf is the result of an answer from bodies.go.
func itemsOf(answer []byte) []byte {
	return answer[len(answerHead) : len(answer)-1]
}

func encodeParley(name string, engine host.Engine, method string, params []byte) contender {
	return contender{name, len(params), func() (worker, error) {
		machine, err := engine(core.Defaults(core.ProfilePlain, core.RoleClient))
		if err != nil {
			return worker{}, err
		}
		var spare []byte
		op := func() error {
			if err := machine.Notify(method, params); err != nil {
				return err
			}
			machine.Advance(1)
			block := machine.Take(spare)
			machine.Wrote(len(block))
			spare = block[:0]
			return nil
		}
		return loop(op, machine.Close), nil
	}}
}
