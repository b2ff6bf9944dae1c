package era

import "github.com/parley-rpc/parley/core/internal/scan"

const (
	// versionsMax is how many versions of a peer's list an error keeps.
	versionsMax = 16
	// versionBytesMax is how much of each; a longer one is none that anybody knows.
	versionBytesMax = 64
)

// offer is a peer's list of versions, held against ours.
type offer struct {
	listed bool     // there is a list: an array of strings
	common string   // the newest of ours that is on it; "" when there is none
	legacy bool     // a version with a handshake is on it
	other  bool     // one of another kind is on it
	shown  []string // the list, for errors: the first versionsMax, each cut at versionBytesMax
}

// legacyOnly reports an explicit statement that there is only a handshake.
func (o *offer) legacyOnly() bool { return o.legacy && !o.other }

// readOffer reads a list. ours is what we would speak, newest first.
func readOffer(list []byte, ours []string) offer {
	if scan.Kind(list) != 'a' {
		return offer{}
	}
	o := offer{listed: true}
	best := len(ours)
	var text []byte
	elements := scan.Elements(list)
	for {
		token, ok := elements.Next()
		if !ok {
			break
		}
		if scan.Kind(token.Of(list)) != 's' {
			return offer{}
		}
		text = scan.AppendUnquoted(text[:0], token.Of(list))
		version := string(text[:min(len(text), versionBytesMax)])
		for i := range best {
			if ours[i] == version {
				best = i
			}
		}
		if isLegacy(version) {
			o.legacy = true
		} else {
			o.other = true
		}
		if len(o.shown) < versionsMax {
			o.shown = append(o.shown, version)
		}
	}
	if best < len(ours) {
		o.common = ours[best]
	}
	return o
}
