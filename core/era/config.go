package era

import "github.com/parley-rpc/parley/core"

// Mode is how an era is chosen (ERA-10).
type Mode uint8

const (
	ModeAuto   Mode = iota // ask first, fall back
	ModeLegacy             // initialize, without a probe
	ModePinned             // Config.Version and no other, no fallback
)

// Config is everything a Negotiation is told when it is made. Start from Defaults.
type Config struct {
	Mode    Mode
	Version string // ModePinned: one of ModernVersions or LegacyVersions
	Client  Client
	// Known is what a cache says about the server (ERA-4). Only ModeAuto asks one.
	Known Era
	// Spawned is set for a child that was started for this connection: its first probe has
	// StartupNs more, and it can be started once more (ERA-1, ERA-5).
	Spawned bool

	ProbeNs   core.Time // budget of each probe; then the server is taken to be silent
	StartupNs core.Time // more for the first probe of a spawned child
	ConnectNs core.Time // budget of it all; then it fails with FailureTimeout
}

// budgetMax keeps every sum of times below 2^53 ns (core.Time).
const budgetMax = 1 << 50

// Defaults returns mode auto and the budgets of ERA-1.
func Defaults(client Client) Config {
	return Config{Client: client, ProbeNs: 5 * core.Second, StartupNs: 10 * core.Second, ConnectNs: 30 * core.Second}
}

// Validate reports the first field that is out of range as a *core.ConfigError.
func (c *Config) Validate() error {
	switch {
	case c.Mode > ModePinned:
		return &core.ConfigError{Field: "Mode", Value: int64(c.Mode), Max: int64(ModePinned)}
	case c.Mode == ModePinned && Of(c.Version) == EraUnknown:
		return &core.ConfigError{Field: "Version", Reason: "not a version that is known"}
	case c.Mode != ModePinned && c.Version != "":
		return &core.ConfigError{Field: "Version", Reason: "only ModePinned takes a version"}
	case c.Known > EraModern:
		return &core.ConfigError{Field: "Known", Value: int64(c.Known), Max: int64(EraModern)}
	case c.ProbeNs < 1 || c.ProbeNs > budgetMax:
		return &core.ConfigError{Field: "ProbeNs", Value: int64(c.ProbeNs), Min: 1, Max: budgetMax}
	case c.StartupNs < 0 || c.StartupNs > budgetMax:
		return &core.ConfigError{Field: "StartupNs", Value: int64(c.StartupNs), Max: budgetMax}
	case c.ConnectNs < 1 || c.ConnectNs > budgetMax:
		return &core.ConfigError{Field: "ConnectNs", Value: int64(c.ConnectNs), Min: 1, Max: budgetMax}
	}
	return c.Client.validate()
}
