package capture

import "github.com/parley-rpc/parley/core"

// Members judges the entries of batches, each as if it had come alone, with a relay of its own.
type Members struct{ relay *core.Conn }

// NewMembers returns one that serves any number of batches, one after the other.
func NewMembers() *Members {
	config := core.Defaults(core.ProfilePlain, core.RoleRelay)
	config.Inbound = core.InboundMessages
	config.SetFraming(core.FramingWhole)
	relay, err := core.New(config)
	if err != nil {
		panic("capture: the default configuration is refused: " + err.Error())
	}
	return &Members{relay}
}

// Each shows the entries of a batch, which is valid JSON, one at a time: nothing is kept of them. start
// is the stream offset of the batch.
func (m *Members) Each(batch []byte, start uint64, show func(Found)) {
	w := walker{text: batch}
	w.space()
	w.at++ // the bracket
	for w.space(); batch[w.at] != ']'; w.space() {
		begin := w.at
		w.skip()
		ev := m.judge(batch[begin:w.at])
		show(Found{Message: &ev, Start: start + uint64(begin), End: start + uint64(w.at)})
		w.space()
		if batch[w.at] == ',' {
			w.at++
		}
	}
}

// judge says what one entry is. The event is valid until the next entry.
func (m *Members) judge(entry []byte) (ev core.Event) {
	m.relay.Want(1)
	copy(m.relay.Reserve(len(entry)), entry)
	// A part of a frame that was valid breaks no rule of framing.
	_ = m.relay.CommitMessage(len(entry))
	m.relay.Next(&ev)
	if ev.Class == core.ClassBatch {
		ev.Class, ev.Invalid = core.ClassInvalid, core.InvalidBatch // MSG-8: there is one level
	}
	return ev
}
