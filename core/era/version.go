package era

// Era is how a server is spoken to. It is a property of the server, not of a request.
type Era uint8

const (
	EraUnknown Era = iota
	EraLegacy      // initialize opens a session
	EraModern      // every request carries version, identity and capabilities
)

var eraNames = [...]string{"unknown", "legacy", "modern"}

func (e Era) String() string { return eraNames[e] }

// The versions known of each era, newest first.
var (
	modernVersions = [...]string{"2026-07-28"}
	legacyVersions = [...]string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
)

// ModernVersions returns the modern versions known, newest first. The slice is the caller's.
func ModernVersions() []string { return append([]string(nil), modernVersions[:]...) }

// LegacyVersions returns the handshake versions known, newest first. The slice is the caller's.
func LegacyVersions() []string { return append([]string(nil), legacyVersions[:]...) }

// Of returns the era of a version that is known, EraUnknown for any other.
func Of(version string) Era {
	switch {
	case contains(modernVersions[:], version):
		return EraModern
	case contains(legacyVersions[:], version):
		return EraLegacy
	}
	return EraUnknown
}

// isLegacy reports whether a server that names this version offers a handshake. Versions are
// dates, and 2025-11-25 was the last with a handshake; a name that is no date proves nothing.
func isLegacy(version string) bool {
	const shape = "dddd-dd-dd"
	if len(version) != len(shape) {
		return false
	}
	for i := range len(shape) {
		if digit := version[i]-'0' <= 9; digit != (shape[i] == 'd') || !digit && version[i] != '-' {
			return false
		}
	}
	return version <= legacyVersions[0]
}

func contains(versions []string, version string) bool {
	for _, v := range versions {
		if v == version {
			return true
		}
	}
	return false
}
