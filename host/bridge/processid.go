package bridge

import (
	"bytes"
	"encoding/json"

	"github.com/parley-rpc/parley/core"
)

// spliceProcessID replaces params.processId in the text of an initialize request, wherever it stands. A
// page has no process, or names one of another machine, and servers that watch it leave within seconds.
// A text without it stays as it is.
func spliceProcessID(text, processID []byte) []core.Splice {
	var splices []core.Splice
	for _, params := range members(text, 0, "params") {
		for _, at := range members(text[params.Start:params.End], params.Start, "processId") {
			at.Value = processID
			splices = append(splices, at)
		}
	}
	return splices
}

// members finds the values of a member of an object, more than one where it is repeated. The text is
// valid JSON that starts offset bytes into the message.
func members(text []byte, offset int, name string) []core.Splice {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var found []core.Splice
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil
		}
		if end := offset + int(decoder.InputOffset()); key == name {
			found = append(found, core.Splice{Start: end - len(value), End: end})
		}
	}
	return found
}
