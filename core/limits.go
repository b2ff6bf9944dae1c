package core

// Limits bounds every buffer and queue of one Conn. Limits are inclusive: exactly the limit is
// accepted. Each field says its unit and what happens when it is hit; Validate says what it may be.
type Limits struct {
	HeaderBytesMax int // header block with its final CRLF; more is Violation header-size (HEAD-1)
	FrameBytesMax  int // body of one frame, both directions; more is TooLarge (FRAME-2, FRAME-5)
	FrameBytesMin  int // body of one frame inbound; less is Violation length (LEN4-1)
	DepthMax       int // nesting of one JSON text; deeper is Invalid (MSG-1)
	IDBytesMax     int // one id token; longer is Invalid (MSG-4)
	BlankBytesMax  int // blank lines in a row before a header; more is Violation noise (HEAD-7)

	CallsMax     int // our open calls; one more is ErrTooManyCalls (CALL-1)
	AbandonedMax int // ids remembered after their call ended unanswered (CALL-1)
	OutBytesMax  int // queued output; without room a command is ErrOutputFull (SEND-2)

	RunningMax     int // items running, all modes together; more wait (REQ-1)
	BackgroundMax  int // items running in mode background; more wait (SCHED-2)
	QueuedMax      int // items waiting to run; more is back-pressure (SCHED-2, BACK-3)
	QueuedBytesMax int // frames of items running and waiting (SCHED-2)

	MessagesMax    int // messages waiting for Messages; more is BACK-1's drop policy
	ParkedBytesMax int // frames parked below that, each charged 128 bytes on top (BACK-2)

	MalformedMax int // Invalid frames skipped in a row; then Violation noise (MSG-6)
	BatchMax     int // requests and invalid entries in one array; more is one -32600 (MSG-8)

	ParkedMax int // messages parked, whatever their size; as ParkedBytesMax (BACK-2)
}

// Binary sizes, in bytes.
const (
	KiB = 1 << 10
	MiB = 1 << 20
)

func (p *profileSpec) limits(framing Framing) Limits {
	l := Limits{
		HeaderBytesMax: 8 * KiB,
		FrameBytesMax:  frameBytesMax[framing],
		FrameBytesMin:  p.bodyBytesMin,
		DepthMax:       1024,
		IDBytesMax:     1 * KiB,
		BlankBytesMax:  1 * KiB,
		CallsMax:       65_536,
		AbandonedMax:   4096,
		OutBytesMax:    1 * MiB,
		RunningMax:     256,
		BackgroundMax:  64,
		QueuedMax:      256,
		QueuedBytesMax: 64 * MiB,
		MessagesMax:    1024,
		ParkedBytesMax: 64 * MiB,
		MalformedMax:   100,
		BatchMax:       1024,
		ParkedMax:      8192,
	}
	return l
}

var frameBytesMax = [...]int{
	FramingHeader:  16 * MiB,
	FramingLine:    64 * MiB,
	FramingLength4: 4 * MiB,
	FramingWhole:   64 * MiB,
}

// FrameBytesCeiling is the largest FrameBytesMax that Validate accepts (API-7).
const FrameBytesCeiling = 1<<31 - 1

// Validate reports the first field that is out of range as a *ConfigError. Unlimited does not
// exist: every limit is at least 1, FrameBytesMin excepted.
func (l *Limits) Validate() error {
	for _, f := range [...]struct {
		name     string
		value    int
		min, max int
	}{
		{"HeaderBytesMax", l.HeaderBytesMax, 32, 1 << 20},
		{"FrameBytesMax", l.FrameBytesMax, 1, FrameBytesCeiling},
		{"FrameBytesMin", l.FrameBytesMin, 0, l.FrameBytesMax},
		{"DepthMax", l.DepthMax, 1, 1 << 16},
		{"IDBytesMax", l.IDBytesMax, 32, 1 << 16},
		{"BlankBytesMax", l.BlankBytesMax, 1, 1 << 20},
		{"CallsMax", l.CallsMax, 1, 1 << 20},
		{"AbandonedMax", l.AbandonedMax, 1, 1 << 20},
		{"OutBytesMax", l.OutBytesMax, 1, FrameBytesCeiling},
		{"RunningMax", l.RunningMax, 1, 1 << 18},
		{"BackgroundMax", l.BackgroundMax, 1, 1 << 18},
		{"QueuedMax", l.QueuedMax, 1, 1 << 18},
		{"QueuedBytesMax", l.QueuedBytesMax, 1, FrameBytesCeiling},
		{"MessagesMax", l.MessagesMax, 1, 1 << 20},
		{"ParkedBytesMax", l.ParkedBytesMax, 1, FrameBytesCeiling},
		{"MalformedMax", l.MalformedMax, 1, 1 << 30},
		{"BatchMax", l.BatchMax, 1, 1 << 20},
		{"ParkedMax", l.ParkedMax, 1, 1 << 18},
	} {
		if f.value < f.min || f.value > f.max {
			return &ConfigError{Field: "Limits." + f.name, Value: int64(f.value), Min: int64(f.min), Max: int64(f.max)}
		}
	}
	return nil
}

// Sum returns the bytes that one Conn may hold at most under these limits: the receive buffer while
// it doubles, what is parked, the output with one block in flight, the tables, and what one read of
// the smallest frames turns into (BACK-4).
func (l *Limits) Sum() int64 {
	const (
		callBytes   = 544 // slot, id and deadline entries, owed notice, outcome
		pastBytes   = 160
		itemBytes   = 512
		readBytes   = 64 * KiB
		refuseBytes = 130 // an event and a refusal for each two bytes of one read
	)
	frame := int64(l.FrameBytesMax)
	receive := 2*(int64(l.HeaderBytesMax)+frame) + 2*readBytes
	output := 2*int64(l.OutBytesMax) + 2*max(frame, segmentBytesMax)
	inbound := int64(l.ParkedBytesMax) + frame + readChargeMax
	items := int64(l.RunningMax) + int64(l.ParkedMax) + readChargeMax/parkedOverhead
	tables := callBytes*int64(l.CallsMax) + pastBytes*int64(l.AbandonedMax) + itemBytes*items +
		2*int64(l.RunningMax)*int64(l.IDBytesMax)
	return receive + output + inbound + tables + readBytes*refuseBytes
}
