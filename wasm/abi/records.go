package abi

import (
	"structs"
	"unsafe"

	"github.com/parley-rpc/parley/core"
)

// The layouts in linear memory: little-endian, every field at a multiple of its size, every record
// a multiple of 8 bytes. Fields are only appended; a reader takes the stride of records from the
// ready block and never assumes that a block ends where its own definition does.
//
// Numbers that may pass 2^32 are float64, exact below 2^53, because that is what JavaScript has.
// A time is nanoseconds, Never is +Inf, and NaN is no time.

// Span is an address and a size in bytes. {0, 0} is absent, which differs from empty.
type Span struct {
	Address uint32
	Bytes   uint32
}

// Limits holds the fields of core.Limits in their order.
type Limits [LimitsCount]float64

// Stats holds the fields of core.Stats in their order.
type Stats [StatsCount]float64

// The number of fields.
const (
	LimitsCount = int(unsafe.Sizeof(core.Limits{}) / unsafe.Sizeof(int(0)))
	StatsCount  = int(unsafe.Sizeof(core.Stats{}) / unsafe.Sizeof(uint64(0)))
)

// LimitFields and StatFields see a struct as the fields of one type that it consists of, which a
// test holds core to.
func LimitFields(l *core.Limits) *[LimitsCount]int { return (*[LimitsCount]int)(unsafe.Pointer(l)) }

// StatFields is LimitFields for core.Stats.
func StatFields(s *core.Stats) *[StatsCount]uint64 { return (*[StatsCount]uint64)(unsafe.Pointer(s)) }

// Config is what parley_open reads and parley_defaults fills in. A record that ends early leaves
// the rest to the defaults of its profile and role; what lies beyond this definition is ignored.
type Config struct {
	_ structs.HostLayout

	Bytes      uint32 // size of the record, a multiple of 8, at least 16
	Profile    uint8
	Role       uint8
	Framing    uint8
	Envelope   uint8
	Inbound    uint8
	SendPolicy uint8
	PauseOn    uint8
	Flags      uint8
	_          [4]uint8

	// MemoryBytesMax is what linear memory may grow to, as the host has set it, at most 2 GiB. The
	// module cannot ask, and running out of memory is a trap.
	MemoryBytesMax float64

	SessionID  Span
	Seed       uint64 // random: it keys the id tables
	FirstID    float64
	GraceNs    float64
	ShutdownNs float64
	StallNs    float64
	StallMaxNs float64
	Limits     Limits
}

// ConfigBytesMin is the part of Config that every record has.
const ConfigBytesMin = 16

// MemoryBytesCeiling bounds Config.MemoryBytesMax, so that an address is a positive int32.
const MemoryBytesCeiling = 1 << 31

// Refusal says why the last parley_open failed with ErrConfig or ErrMemory: core.ConfigError.
type Refusal struct {
	_ structs.HostLayout

	Field    Span
	Reason   Span
	Value    float64
	Min, Max float64
}

// Ready is what a host reads after a turn or a command. Its address is constant for the life of
// the handle; it is up to date after every export that takes the handle and may change something.
type Ready struct {
	_ structs.HostLayout

	Bytes       uint32 // size of this block
	EventBytes  uint32 // stride of Event records
	Events      uint32 // address of the first record
	EventCount  uint32 // records of the last turn with TurnDrain
	Out         Span   // what TurnTake handed over; absent: nothing, or the last is not yet written
	In          Span   // what parley_reserve handed out
	Flags       uint32
	Timer       uint8 // core.TimerKind of Deadline
	_           [3]uint8
	Deadline    float64
	OutputBytes float64 // output accepted and not yet taken
}

// Event is one fact: core.Event.
type Event struct {
	_ structs.HostLayout

	Kind    uint8
	Class   uint8
	Reason  uint8
	Invalid uint8
	Hint    uint8
	_       [3]uint8
	Code    int32
	_       [4]uint8
	Call    float64
	Req     float64
	Ordinal float64
	Offset  float64
	Count   float64
	ID      Span
	Method  Span
	Body    Span
	Text    Span
	Frame   Span
}

// State is core.State; the fields from Violation on are its ProtocolError, absent when Violation
// is 0.
type State struct {
	_ structs.HostLayout

	Input     uint8
	Output    uint8
	Lifecycle uint8
	Reason    uint8
	Closed    uint8
	Paused    uint8
	Violation uint8
	Hint      uint8
	Invalid   uint8
	_         [3]uint8
	Calls     uint32
	Running   uint32
	Waiting   uint32
	ExitCode  int32
	_         [4]uint8

	Credit        float64
	AcceptedBytes float64
	WrittenBytes  float64
	QueuedBytes   float64

	Offset    float64
	HaveBytes float64
	NeedBytes float64
	Sample    Span
}

// List is a row of records: Count of them, Stride bytes apart, from Address on.
type List struct {
	Address uint32
	Count   uint32
	Stride  uint32
	_       uint32
}

// Snapshot is core.Snapshot.
type Snapshot struct {
	_ structs.HostLayout

	Items        List // SnapshotItem
	Methods      List // MethodStats
	Dropped      List // MethodCount
	Trace        List // TraceRecord
	Generation   float64
	TraceDropped float64
	Truncated    uint8
	Tracing      uint8
	_            [6]uint8
}

// SnapshotItem is core.SnapshotItem.
type SnapshotItem struct {
	_ structs.HostLayout

	Ordinal    float64
	Generation float64
	AcceptedAt float64
	StartedAt  float64
	Method     Span
	Mode       uint8
	Running    uint8
	Cancelled  uint8
	_          [5]uint8
}

// MethodStats is core.MethodStats.
type MethodStats struct {
	_ structs.HostLayout

	Name   Span
	Count  float64
	Failed float64
	MeanNs float64
	MaxNs  float64
	P50Ns  float64
	P95Ns  float64
	P99Ns  float64
}

// MethodCount is core.MethodCount.
type MethodCount struct {
	_ structs.HostLayout

	Method Span
	Count  float64
}

// TraceRecord is core.TraceRecord.
type TraceRecord struct {
	_ structs.HostLayout

	At      float64
	Ordinal float64
	Method  Span
	Phase   uint8
	_       [7]uint8
}

// BatchItem is one member of parley_batch, in scratch. The module writes Call: the handle of the
// call, 0 for a notification.
type BatchItem struct {
	_ structs.HostLayout

	Flags       uint32
	_           [4]uint8
	Call        float64
	Deadline    float64
	Extend      float64
	DeadlineMax float64
	Method      Span
	Params      Span
	Token       Span
	ID          Span
}

// Splice is one replacement of parley_forward, in scratch.
type Splice struct {
	_ structs.HostLayout

	Start uint32 // offset in the frame
	End   uint32
	Value Span
}

// EraConfig is what parley_era_open reads: era.Config. Lengths of time that are 0 are the defaults.
type EraConfig struct {
	_ structs.HostLayout

	Bytes        uint32 // size of the record
	Mode         uint8
	Known        uint8
	Spawned      uint8
	_            uint8
	Version      Span
	Info         Span
	Capabilities Span
	ProbeNs      float64
	StartupNs    float64
	ConnectNs    float64
}

// EraStep is era.Step, and with EraStepFailed its Failure.
type EraStep struct {
	_ structs.HostLayout

	Kind     uint8
	Era      uint8
	Failure  uint8
	_        uint8
	Call     uint32
	Deadline float64
	Method   Span
	Version  Span
	ID       Span
	Params   Span
	Result   Span
	Text     Span // of the failure, escaped
}

// ResumeConfig is what parley_resume_open reads: resume.Config, whose numbers are the defaults where
// they are 0, and the ceiling of linear memory as in Config.
type ResumeConfig struct {
	_ structs.HostLayout

	Bytes          uint32 // size of the record
	_              uint32
	Session        Span
	BytesMax       float64
	TextBytesMax   float64
	AgeNs          float64
	MemoryBytesMax float64
}

// ResumeState is where a link stands, and the resume.Failure that ended it.
type ResumeState struct {
	_ structs.HostLayout

	Failure  uint8
	_        [3]uint8
	Close    uint32 // code to close the socket with; 0: the session lives
	Sent     float64
	Received float64
	Session  Span
	Name     Span // the reason to close the socket with
	Text     Span // of the failure, escaped
}

// Records lists every layout, for generators and golden lists.
var Records = []any{
	Span{},
	List{},
	Config{},
	Refusal{},
	Ready{},
	Event{},
	State{},
	Snapshot{},
	SnapshotItem{},
	MethodStats{},
	MethodCount{},
	TraceRecord{},
	BatchItem{},
	Splice{},
	EraConfig{},
	EraStep{},
	ResumeConfig{},
	ResumeState{},
}
