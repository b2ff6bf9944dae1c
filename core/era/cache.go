package era

import "github.com/parley-rpc/parley/core"

const (
	// EntriesMax is how many servers a Cache remembers; the one taught longest ago goes first.
	EntriesMax = 1024
	// LegacyNs is how long a legacy entry is believed by default, so that an upgraded server is
	// noticed (ERA-4).
	LegacyNs = 5 * 60 * core.Second
)

// Cache remembers the eras of servers, in memory. A key is whatever identifies a server: program,
// arguments, environment, directory, or the caller's choice; it is copied.
type Cache struct {
	legacyNs core.Time
	entries  []entry // in the order in which they were taught
}

type entry struct {
	key     string
	era     Era
	expires core.Time
}

// NewCache returns an empty cache whose legacy entries live for legacyNs; 0 stands for LegacyNs.
func NewCache(legacyNs core.Time) *Cache {
	if legacyNs == 0 {
		legacyNs = LegacyNs
	}
	return &Cache{legacyNs: legacyNs}
}

// Lookup returns what is known of a server; EraUnknown when nothing is, or no longer. Being looked
// up prolongs nothing (ERA-4).
func (c *Cache) Lookup(key []byte, now core.Time) Era {
	i := c.find(key)
	switch {
	case i < 0:
		return EraUnknown
	case c.entries[i].expires <= now:
		c.remove(i)
		return EraUnknown
	}
	return c.entries[i].era
}

// Teach records what a probe taught at a time. EraUnknown teaches nothing.
func (c *Cache) Teach(key []byte, era Era, now core.Time) {
	if era == EraUnknown {
		return
	}
	c.Forget(key)
	if len(c.entries) == EntriesMax {
		c.remove(0)
	}
	e := entry{key: string(key), era: era, expires: core.Never}
	if era == EraLegacy {
		e.expires = now + c.legacyNs
	}
	c.entries = append(c.entries, e)
}

// Forget drops what is known of a server.
func (c *Cache) Forget(key []byte) {
	if i := c.find(key); i >= 0 {
		c.remove(i)
	}
}

// find walks the entries: connecting is rare and costs more than a thousand comparisons.
func (c *Cache) find(key []byte) int {
	for i := range c.entries {
		if c.entries[i].key == string(key) {
			return i
		}
	}
	return -1
}

func (c *Cache) remove(i int) { c.entries = append(c.entries[:i], c.entries[i+1:]...) }
