package era

import (
	"bytes"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// The members of params._meta that a modern request carries (ERA-9).
const (
	KeyVersion      = "io.modelcontextprotocol/protocolVersion"
	KeyInfo         = "io.modelcontextprotocol/clientInfo"
	KeyCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// depthMax is the deepest JSON accepted from the caller. The core judges the whole frame again.
const depthMax = 1000

// Client is who we say we are, in either era.
type Client struct {
	Info         []byte // {"name":…,"version":…}: one JSON object
	Capabilities []byte // one JSON object; empty stands for {}
}

func (c *Client) validate() error {
	if !isObject(c.Info) {
		return &core.ConfigError{Field: "Client.Info", Reason: "not a JSON object"}
	}
	if len(c.Capabilities) > 0 && !isObject(c.Capabilities) {
		return &core.ConfigError{Field: "Client.Capabilities", Reason: "not a JSON object"}
	}
	return nil
}

func (c *Client) capabilities() []byte {
	if len(c.Capabilities) == 0 {
		return []byte("{}")
	}
	return c.Capabilities
}

// AppendParams appends the params of a modern request: those given, with a complete _meta (ERA-9).
// Other members of a _meta that is already there are kept, ours replace theirs. params is one JSON
// object, or empty or null for none; anything else is core.ErrBadJSON or core.ErrBadParams.
func (c *Client) AppendParams(dst, params []byte, version string) ([]byte, error) {
	var meta []byte
	if len(params) > 0 {
		scanner := scan.Scanner{DepthMax: depthMax}
		if fault, _ := scanner.Valid(params); fault != scan.FaultNone {
			return dst, core.ErrBadJSON
		}
		params = bytes.TrimSpace(params)
		if kind := scan.Kind(params); kind != 'o' && kind != '0' {
			return dst, core.ErrBadParams
		}
		meta = scan.Member(params, "_meta").Of(params)
		if meta != nil && scan.Kind(meta) != 'o' {
			return dst, core.ErrBadParams
		}
	}
	dst = append(dst, `{"_meta":{`...)
	dst = appendMember(dst, KeyVersion, scan.AppendQuoted(nil, version))
	dst = appendMember(dst, KeyInfo, c.Info)
	dst = appendMember(dst, KeyCapabilities, c.capabilities())
	dst = appendOthers(dst, meta, KeyVersion, KeyInfo, KeyCapabilities)
	dst = appendOthers(append(dst, '}'), params, "_meta")
	return append(dst, '}'), nil
}

// appendInitialize appends the params of the handshake (ERA-10).
func (c *Client) appendInitialize(dst []byte, version string) []byte {
	dst = appendMember(append(dst, '{'), "protocolVersion", scan.AppendQuoted(nil, version))
	dst = appendMember(dst, "capabilities", c.capabilities())
	return append(appendMember(dst, "clientInfo", c.Info), '}')
}

// appendMember appends a member to the object that dst ends inside of.
func appendMember(dst []byte, name string, value []byte) []byte {
	dst = appendComma(dst)
	dst = append(scan.AppendQuoted(dst, name), ':')
	return append(dst, value...)
}

// appendOthers appends the members of an object whose names are not among those given.
func appendOthers(dst, object []byte, names ...string) []byte {
	pairs := scan.Pairs(object)
	for {
		name, value, ok := pairs.Next()
		if !ok {
			return dst
		}
		if contains(names, string(scan.AppendUnquoted(nil, name.Of(object)))) {
			continue
		}
		dst = append(appendComma(dst), name.Of(object)...)
		dst = append(append(dst, ':'), value.Of(object)...)
	}
}

func appendComma(dst []byte) []byte {
	if dst[len(dst)-1] == '{' {
		return dst
	}
	return append(dst, ',')
}

func isObject(text []byte) bool {
	scanner := scan.Scanner{DepthMax: depthMax}
	fault, _ := scanner.Valid(text)
	return fault == scan.FaultNone && scan.Kind(bytes.TrimSpace(text)) == 'o'
}
