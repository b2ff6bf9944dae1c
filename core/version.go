package core

import "github.com/parley-rpc/parley/core/internal/scan"

// era is what the negotiated MCP version means for what may arrive.
type era uint8

const (
	eraUnset     era = iota // nobody negotiates: everything is served
	eraUndecided            // a client that has not chosen: nothing is served yet (ERA-1)
	eraLegacy               // requests go both ways
	eraModern               // a client is asked nothing (ERA-7)
)

const (
	batchVersion  = "2025-03-26" // the one version with arrays, inbound only (MSG-8)
	legacyVersion = "2025-11-25" // the newest before the modern ones; versions are dates
)

// SetVersion records the negotiated version of profile mcp; "" while a client negotiates. It
// decides whether arrays are accepted (MSG-8) and what a client is still asked: what its era does
// not allow is dropped without a byte, counted and reported (ERA-1, ERA-7). Elsewhere it is
// ErrUnsupported.
func (c *Conn) SetVersion(version string) error {
	if !c.spec.versioned {
		return ErrUnsupported
	}
	c.arrays = version == batchVersion
	switch {
	case version == "":
		c.era = eraUndecided
	case version > legacyVersion:
		c.era = eraModern
	default:
		c.era = eraLegacy
	}
	return nil
}

// muted reports that a message of this class is not to be served in this era.
func (c *Conn) muted(class Class) bool {
	if c.cfg.Role != RoleClient || class != ClassRequest && class != ClassNotification {
		return false
	}
	return c.era == eraUndecided || c.era == eraModern && class == ClassRequest
}

// mute drops a message that the era does not allow.
func (c *Conn) mute(body []byte, m *scan.Message) {
	c.stats.Unserved++
	c.push(fact{kind: EventDropped, frame: body, text: m.Method, body: m.ID})
}
