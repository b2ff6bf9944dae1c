package host

// Counters is core.Stats with the names of its counters in JSON. A conversion between the two
// compiles only while none is missing. Numbers are exact up to 2^53.
type Counters struct {
	BytesIn   uint64 `json:"bytesIn"`
	BytesOut  uint64 `json:"bytesOut"`
	FramesIn  uint64 `json:"messagesIn"`
	FramesOut uint64 `json:"messagesOut"`

	Calls         uint64 `json:"calls"`
	Requests      uint64 `json:"requests"`
	Notifications uint64 `json:"notifications"`

	Late           uint64 `json:"late"`
	Unknown        uint64 `json:"unknown"`
	BlankBytes     uint64 `json:"blankBytes"`
	ByteOrderMarks uint64 `json:"byteOrderMarks"`
	Invalid        uint64 `json:"invalid"`
	Noise          uint64 `json:"noise"`
	ResyncBytes    uint64 `json:"resyncBytes"`
	NullMembers    uint64 `json:"nullMembers"`
	PeerErrors     uint64 `json:"peerErrors"`
	Rejected       uint64 `json:"rejected"`
	Dropped        uint64 `json:"dropped"`
	CancelsIgnored uint64 `json:"cancelsIgnored"`
	Progress       uint64 `json:"progress"`
	ClockBackwards uint64 `json:"clockBackwards"`
	WaitingMax     uint64 `json:"waitingMax"`
	OutBytesMax    uint64 `json:"outBytesMax"`
	PausedNs       uint64 `json:"pausedNs"`
	Unserved       uint64 `json:"unserved"`
}
