package era

import (
	"bytes"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// ResultType is what the result of a modern request is (ERA-9).
type ResultType uint8

const (
	ResultUnknown       ResultType = iota // of a kind that nobody here knows: an invalid answer
	ResultComplete                        // the answer
	ResultInputRequired                   // a question back: the caller asks again, with what it wants
)

// TypeOf reads the type of a modern result. One that does not say is complete.
func TypeOf(result []byte) ResultType {
	if scan.Kind(result) != 'o' {
		return ResultUnknown
	}
	token := scan.Member(result, "resultType").Of(result)
	if token == nil {
		return ResultComplete
	}
	if scan.Kind(token) != 's' {
		return ResultUnknown
	}
	switch string(scan.AppendUnquoted(nil, token)) {
	case "complete":
		return ResultComplete
	case "input_required":
		return ResultInputRequired
	}
	return ResultUnknown
}

// KeyServerInfo is the member of a modern result's _meta that says who answered.
const KeyServerInfo = "io.modelcontextprotocol/serverInfo"

// modernPrefix begins the members of _meta that only the modern era knows.
const modernPrefix = "io.modelcontextprotocol/"

// modernMembers are the members of a result that only the modern era knows.
var modernMembers = [...]string{"resultType", "ttlMs", "cacheScope", "inputRequests", "requestState"}

// AppendModernResult appends a result as a modern request is answered: with its type, complete
// where it does not say, and with who we are, one JSON object. result is one JSON object, or empty
// or null for {}; anything else is core.ErrBadJSON.
func AppendModernResult(dst, result, serverInfo []byte) ([]byte, error) {
	result, meta, err := resultParts(result)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	if !scan.Member(result, "resultType").Present() {
		dst = append(dst, `"resultType":"complete"`...)
	}
	dst = appendOthers(dst, result, "_meta")
	dst = appendMember(dst, "_meta", []byte{'{'})
	dst = appendMember(dst, KeyServerInfo, serverInfo)
	dst = appendOthers(dst, meta, KeyServerInfo)
	return append(dst, "}}"...), nil
}

// AppendLegacyResult appends a result as a legacy request is answered: without any member that only
// the modern era knows (ERA-8). result is as for AppendModernResult.
func AppendLegacyResult(dst, result []byte) ([]byte, error) {
	result, meta, err := resultParts(result)
	if err != nil {
		return dst, err
	}
	dst = appendOthers(append(dst, '{'), result, append([]string{"_meta"}, modernMembers[:]...)...)
	if meta != nil {
		dst = appendMember(dst, "_meta", []byte{'{'})
		dst = append(appendLegacyMeta(dst, meta), '}')
	}
	return append(dst, '}'), nil
}

func appendLegacyMeta(dst, meta []byte) []byte {
	pairs := scan.Pairs(meta)
	for {
		name, value, ok := pairs.Next()
		if !ok {
			return dst
		}
		text := scan.AppendUnquoted(nil, name.Of(meta))
		if !bytes.HasPrefix(text, []byte(modernPrefix)) {
			dst = appendMember(dst, string(text), value.Of(meta))
		}
	}
}

// resultParts checks a result of our own and finds its _meta; nil where there is none.
func resultParts(result []byte) (object, meta []byte, err error) {
	if len(result) == 0 {
		return nil, nil, nil
	}
	scanner := scan.Scanner{DepthMax: depthMax}
	if fault, _ := scanner.Valid(result); fault != scan.FaultNone {
		return nil, nil, core.ErrBadJSON
	}
	object = bytes.TrimSpace(result)
	meta = scan.Member(object, "_meta").Of(object)
	if kind := scan.Kind(object); kind != 'o' && kind != '0' || meta != nil && scan.Kind(meta) != 'o' {
		return nil, nil, core.ErrBadJSON
	}
	return object, meta, nil
}

// MethodIn reports whether a method exists in an era. Modern servers have no handshake and no
// state of a connection to ask about (ERA-8); only they can be discovered.
func MethodIn(era Era, method string) bool {
	switch method {
	case "server/discover":
		return era == EraModern
	case "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return era == EraLegacy
	}
	return true
}
