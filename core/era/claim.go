package era

import "github.com/parley-rpc/parley/core/internal/scan"

// ClaimKind is what a request says about the era it wants to be served in (ERA-8).
type ClaimKind uint8

const (
	ClaimNone      ClaimKind = iota // nothing: a legacy request
	ClaimServed                     // a version that is served
	ClaimUnserved                   // another version: answer -32022
	ClaimMisshapen                  // Key is missing or has the wrong shape: answer -32602
)

// Claim is the server's view of a request's params._meta. Its slices are parts of the params.
type Claim struct {
	Kind         ClaimKind
	Version      string // served and unserved; of a long one the first 64 bytes
	Key          string // misshapen: KeyVersion, KeyInfo or KeyCapabilities
	Info         []byte // served: the client's {"name":…,"version":…}; nil where it gave none
	Capabilities []byte // served: an object
}

// ReadClaim reads the params of a request, a JSON text that the core has passed. served are the
// modern versions served. A version that is not comes before what is missing: only its own
// revision says which keys it needs.
func ReadClaim(params []byte, served []string) Claim {
	meta := scan.Member(params, "_meta").Of(params)
	version := scan.Member(meta, KeyVersion).Of(meta)
	info := scan.Member(meta, KeyInfo).Of(meta)
	capabilities := scan.Member(meta, KeyCapabilities).Of(meta)
	if version == nil && info == nil && capabilities == nil {
		return Claim{}
	}
	if scan.Kind(version) != 's' {
		return Claim{Kind: ClaimMisshapen, Key: KeyVersion}
	}
	text := scan.AppendUnquoted(nil, version)
	c := Claim{Kind: ClaimServed, Version: string(text[:min(len(text), versionBytesMax)])}
	switch {
	case !contains(served, c.Version):
		c.Kind = ClaimUnserved
	case scan.Kind(capabilities) != 'o':
		c.Kind, c.Key = ClaimMisshapen, KeyCapabilities
	case info != nil && !isIdentity(info):
		c.Kind, c.Key = ClaimMisshapen, KeyInfo
	default:
		c.Info, c.Capabilities = info, capabilities
	}
	return c
}

// isIdentity reports whether a value names a program and its version.
func isIdentity(info []byte) bool {
	return scan.Kind(scan.Member(info, "name").Of(info)) == 's' &&
		scan.Kind(scan.Member(info, "version").Of(info)) == 's'
}

// Handshake is a server's view of the params of initialize. Its slices are parts of them.
type Handshake struct {
	Version      string // what to answer: the one asked for where it is known, else the newest
	Info         []byte // an object; nil where there is none
	Capabilities []byte // an object; nil where there is none
}

// ReadHandshake reads the params of initialize, a JSON text that the core has passed. It is false
// when they name no version: answer -32602.
func ReadHandshake(params []byte) (Handshake, bool) {
	version := scan.Member(params, "protocolVersion").Of(params)
	if scan.Kind(version) != 's' {
		return Handshake{}, false
	}
	h := Handshake{Version: legacyVersions[0]}
	if asked := string(scan.AppendUnquoted(nil, version)); contains(legacyVersions[:], asked) {
		h.Version = asked
	}
	if info := scan.Member(params, "clientInfo").Of(params); scan.Kind(info) == 'o' {
		h.Info = info
	}
	if capabilities := scan.Member(params, "capabilities").Of(params); scan.Kind(capabilities) == 'o' {
		h.Capabilities = capabilities
	}
	return h, true
}

// Can reports whether a client's capabilities name one.
func Can(capabilities []byte, name string) bool {
	return scan.Member(capabilities, name).Present()
}
