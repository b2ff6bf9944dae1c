package resume

import "github.com/parley-rpc/parley/core"

// Subprotocol is the WebSocket subprotocol under which sockets resume (RESUME-1).
const Subprotocol = "parley.resume.1"

// Config is everything a Link is told when it is made. Start from Defaults.
type Config struct {
	// Session names the session, 1 to 64 of A-Z a-z 0-9 _ and -. It is the side's that was connected
	// to; the other leaves it empty and learns it from the first greeting.
	Session string
	// BytesMax is what the copies of sent texts may hold, each charged ChargeBytes more. One text that
	// is larger by itself is kept alone (RESUME-5).
	BytesMax int
	// TextBytesMax is the largest text that Send accepts: the frame limit of what is sent over the link.
	TextBytesMax int
	// AgeNs is how long a text that was written is kept, and how long the session waits for a socket
	// (RESUME-6, RESUME-7).
	AgeNs core.Time
}

// ChargeBytes is what keeping a text costs beside its own bytes, as in BACK-2.
const ChargeBytes = 128

const (
	bytesMax = 1<<31 - 1 // as of core.Limits.FrameBytesMax
	ageMax   = 1 << 50   // keeps every sum of times in range (core.Time)
)

// Defaults returns 4 MiB and 60 s, and texts of the 16 MiB of profile lsp.
func Defaults(session string) Config {
	return Config{Session: session, BytesMax: 4 << 20, TextBytesMax: 16 << 20, AgeNs: 60 * core.Second}
}

// Validate reports the first field that is out of range as a *core.ConfigError.
func (c *Config) Validate() error {
	switch {
	case c.Session != "" && !isSession(c.Session):
		return &core.ConfigError{Field: "Session", Reason: "not 1 to 64 of A-Z a-z 0-9 _ and -"}
	case c.BytesMax < 1 || c.BytesMax > bytesMax:
		return &core.ConfigError{Field: "BytesMax", Value: int64(c.BytesMax), Min: 1, Max: bytesMax}
	case c.TextBytesMax < 1 || c.TextBytesMax > bytesMax:
		return &core.ConfigError{Field: "TextBytesMax", Value: int64(c.TextBytesMax), Min: 1, Max: bytesMax}
	case c.AgeNs < 1 || c.AgeNs > ageMax:
		return &core.ConfigError{Field: "AgeNs", Value: int64(c.AgeNs), Min: 1, Max: ageMax}
	}
	return nil
}
