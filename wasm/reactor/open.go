//go:build wasip1

package main

import (
	"math"
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// runtimeBytes is what the Go runtime of one instance needs beside its connections.
const runtimeBytes = 16 << 20

var (
	methods     []core.Method // the table of the next open, one parley_method an entry
	methodBytes int           // of their names

	defaults abi.Config
	refusal  abi.Refusal
	refused  core.ConfigError // what refusal points at
)

// addMethod appends one entry to the table of the next open.
func addMethod(name []byte, mode, notification uint32) int32 {
	if mode > uint32(core.ModeBypass) || notification > 1 {
		return -int32(abi.ErrNumber)
	}
	if len(methods) >= abi.MethodsMax || len(name) > abi.MethodBytesMax-methodBytes {
		return -int32(abi.ErrMethods)
	}
	methodBytes += len(name)
	methods = append(methods, core.Method{Name: string(name), Mode: core.Mode(mode), Notification: notification == 1})
	return 0
}

// addSupersede appends one member name to the path of the last entry (SCHED-8).
func addSupersede(member []byte) int32 {
	if len(methods) == 0 {
		return -int32(abi.ErrNumber)
	}
	m := &methods[len(methods)-1]
	if len(m.Supersede) >= core.SupersedePathMax || len(member) > abi.MethodBytesMax-methodBytes {
		return -int32(abi.ErrMethods)
	}
	methodBytes += len(member)
	m.Supersede = append(m.Supersede, string(member))
	return 0
}

// open makes a connection from a configuration record, or returns the negative of an error. The
// method table is used up either way.
func open(record []byte) float64 {
	table, tableBytes := methods, methodBytes
	methods, methodBytes = nil, 0
	given, err := readConfig(record)
	if err != 0 {
		return -float64(err)
	}
	cfg, err := configOf(&given)
	if err != 0 {
		return -float64(err)
	}
	cfg.Methods = table
	if wrong := cfg.Validate(); wrong != nil {
		return refuse(abi.ErrConfig, wrong)
	}
	memoryBytes := connectionBytes(&cfg.Limits, tableBytes)
	if wrong := checkMemory("memory for Limits", memoryBytes, given.MemoryBytesMax); wrong != nil {
		return refuse(abi.ErrMemory, wrong)
	}
	conn, wrong := core.New(cfg)
	if wrong != nil {
		return refuse(abi.ErrConfig, wrong)
	}
	c := &connection{conn: conn, frameBytesMax: cfg.Limits.FrameBytesMax, memoryBytes: memoryBytes}
	c.reserveBytesMax = abi.ReserveBytesMax
	if cfg.Framing == core.FramingWhole {
		c.reserveBytesMax = max(c.reserveBytesMax, c.frameBytesMax+1) // a message is committed in one piece
	}
	c.ready = c.newReady()
	c.leave(0)
	return connections.add(c)
}

// readConfig lays the record over the defaults of its profile and role.
func readConfig(record []byte) (abi.Config, abi.Error) {
	var given abi.Config
	n := min(len(record), int(unsafe.Sizeof(given)))
	if n < abi.ConfigBytesMin || len(record)%8 != 0 {
		return given, abi.ErrRecord
	}
	copy(bytesOf(&given), record[:abi.ConfigBytesMin])
	if uint64(given.Bytes) != uint64(len(record)) {
		return given, abi.ErrRecord
	}
	if given.Profile > uint8(core.ProfilePlain) || given.Role > uint8(core.RoleRelay) {
		return given, abi.ErrNumber
	}
	given = encodeConfig(core.Defaults(core.Profile(given.Profile), core.Role(given.Role)))
	copy(bytesOf(&given), record[:n])
	return given, 0
}

func configOf(given *abi.Config) (core.Config, abi.Error) {
	session, err := bytesAt(given.SessionID.Address, given.SessionID.Bytes)
	if err != 0 {
		return core.Config{}, err
	}
	if given.Framing > uint8(core.FramingWhole) || given.Envelope > uint8(core.EnvelopeJSONRPC) ||
		given.Inbound > uint8(core.InboundMessages) || given.SendPolicy > uint8(core.SendEnd) ||
		given.PauseOn > uint8(core.PauseOnAny) {
		return core.Config{}, abi.ErrNumber
	}
	cfg := core.Config{
		Role:        core.Role(given.Role),
		Profile:     core.Profile(given.Profile),
		Framing:     core.Framing(given.Framing),
		Envelope:    core.Envelope(given.Envelope),
		Inbound:     core.Inbound(given.Inbound),
		SendPolicy:  core.SendPolicy(given.SendPolicy),
		PauseOn:     core.PauseOn(given.PauseOn),
		OutFailFast: given.Flags&abi.ConfigOutFailFast != 0,
		LooseIDs:    given.Flags&abi.ConfigLooseIDs != 0,
		Resync:      given.Flags&abi.ConfigResync != 0,
		ParkFail:    given.Flags&abi.ConfigParkFail != 0,
		Seed:        given.Seed,
		SessionID:   string(session),
	}
	ok := true
	number := func(f float64) uint64 {
		n, whole := countOf(f)
		ok = ok && whole
		return n
	}
	span := func(f float64) core.Time {
		if math.IsInf(f, 1) {
			return core.Never
		}
		return core.Time(number(f))
	}
	cfg.FirstID = number(given.FirstID)
	cfg.GraceNs = span(given.GraceNs)
	cfg.ShutdownNs = span(given.ShutdownNs)
	cfg.StallNs = span(given.StallNs)
	cfg.StallMaxNs = span(given.StallMaxNs)
	limits := abi.LimitFields(&cfg.Limits)
	for i := range limits {
		limits[i] = int(number(given.Limits[i]))
	}
	if !ok {
		return core.Config{}, abi.ErrNumber
	}
	return cfg, 0
}

func encodeConfig(cfg core.Config) abi.Config {
	return abi.Config{
		Bytes:      uint32(unsafe.Sizeof(abi.Config{})),
		Profile:    uint8(cfg.Profile),
		Role:       uint8(cfg.Role),
		Framing:    uint8(cfg.Framing),
		Envelope:   uint8(cfg.Envelope),
		Inbound:    uint8(cfg.Inbound),
		SendPolicy: uint8(cfg.SendPolicy),
		PauseOn:    uint8(cfg.PauseOn),
		Flags: flagByte(cfg.OutFailFast)*abi.ConfigOutFailFast | flagByte(cfg.LooseIDs)*abi.ConfigLooseIDs |
			flagByte(cfg.Resync)*abi.ConfigResync | flagByte(cfg.ParkFail)*abi.ConfigParkFail,
		FirstID:    float64(cfg.FirstID),
		GraceNs:    floatOf(cfg.GraceNs),
		ShutdownNs: floatOf(cfg.ShutdownNs),
		StallNs:    floatOf(cfg.StallNs),
		StallMaxNs: floatOf(cfg.StallMaxNs),
		Limits:     encodeLimits(&cfg.Limits),
	}
}

// connectionBytes is what one connection may make of linear memory. A frame is counted four times
// (its buffer while it doubles, the collector's headroom), everything else twice.
func connectionBytes(l *core.Limits, methodBytes int) int64 {
	frame := int64(l.FrameBytesMax)
	rest := l.Sum() - frame + abi.ReserveBytesMax + snapshotBytesMax + int64(unsafe.Sizeof(connection{})) + int64(methodBytes)
	return 4*frame + 2*rest
}

// checkMemory refuses what does not fit below the ceiling beside all that is open.
func checkMemory(field string, memoryBytes int64, ceiling float64) *core.ConfigError {
	limit := int64(0)
	if n, ok := countOf(ceiling); ok {
		limit = int64(min(n, abi.MemoryBytesCeiling))
	}
	if need := runtimeBytes + openBytes() + memoryBytes; need > limit {
		return &core.ConfigError{Field: field, Value: need, Min: runtimeBytes, Max: limit}
	}
	return nil
}

// openBytes sums what the open connections and links may make of linear memory.
func openBytes() int64 {
	sum := int64(0)
	for c := range connections.all {
		sum += c.memoryBytes
	}
	for g := range links.all {
		sum += g.memoryBytes
	}
	return sum
}

// refuse keeps the reason for parley_refusal.
func refuse(code abi.Error, err error) float64 {
	refused = core.ConfigError{Reason: err.Error()}
	if config, ok := err.(*core.ConfigError); ok {
		refused = *config
	}
	refusal = abi.Refusal{
		Field:  textSpan(refused.Field),
		Reason: textSpan(refused.Reason),
		Value:  float64(refused.Value),
		Min:    float64(refused.Min),
		Max:    float64(refused.Max),
	}
	return -float64(code)
}

func bytesOf[T any](record *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(record)), unsafe.Sizeof(*record))
}
