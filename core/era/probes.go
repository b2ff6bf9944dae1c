package era

// ProbesMax is how many probes are shared at once; further ones are made and not shared.
const ProbesMax = 1024

// Probes lets concurrent connects to one server wait for one probe and share what it taught. Which
// cache stands behind it is the caller's choice: what that knows is told to Ask (ERA-4).
type Probes struct {
	shared []sharedProbe
	last   Probe
}

// Probe names one probe that others may wait for. 0 is none.
type Probe uint64

type sharedProbe struct {
	probe Probe
	key   string
}

// Advice is what a connect does about the era of its server.
type Advice uint8

const (
	AdviceProbe  Advice = iota // probe, and End the Probe once it is over
	AdviceWait                 // wait until the Probe has ended, then ask the cache again and AskAlone
	AdviceLegacy               // no probe
	AdviceModern               // discover, without fallback
)

// Ask advises a connect, given what the cache knows of its server.
func (p *Probes) Ask(key []byte, known Era) (Advice, Probe) {
	if advice := AskAlone(known); advice != AdviceProbe {
		return advice, 0
	}
	for i := range p.shared {
		if p.shared[i].key == string(key) {
			return AdviceWait, p.shared[i].probe
		}
	}
	if len(p.shared) == ProbesMax {
		return AdviceProbe, 0
	}
	p.last++
	p.shared = append(p.shared, sharedProbe{p.last, string(key)})
	return AdviceProbe, p.last
}

// AskAlone advises a connect that has waited: it never waits again, so that a server whose probes
// teach nothing is not probed by one connect after the other.
func AskAlone(known Era) Advice {
	switch known {
	case EraLegacy:
		return AdviceLegacy
	case EraModern:
		return AdviceModern
	}
	return AdviceProbe
}

// End ends a probe: whoever waits for it goes on. It is repeatable, and 0 is nobody's.
func (p *Probes) End(probe Probe) {
	for i := range p.shared {
		if p.shared[i].probe == probe {
			p.shared = append(p.shared[:i], p.shared[i+1:]...)
			return
		}
	}
}
