package wasmhost

import (
	"errors"
	"math"
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// open makes a connection in an instance.
func open(e *Engine, in *instance, cfg *core.Config) (*machine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if err := putMethods(in, cfg.Methods); err != nil {
		return nil, err
	}
	handle, err := openHandle(in, cfg, e.options.memoryBytesMax)
	if err != nil {
		return nil, err
	}
	m := &machine{engine: e, in: in, handle: handle}
	in.forgetFunctions()
	m.messageBytesMax = max(cfg.Limits.FrameBytesMax+1, abi.ReserveBytesMax)
	if m.block, err = in.callInt(exportReady, m.handle); err != nil {
		return nil, err
	}
	return m, m.refresh()
}

// putMethods fills the method table, which the next open takes.
func putMethods(in *instance, methods []core.Method) error {
	for i := range methods {
		err := putMethod(in, &methods[i])
		if errors.Is(err, abi.ErrMethods) {
			_, err = in.call(exportOpen, 0, 0) // refused, and empties the table for whoever comes next
			refused := &core.ConfigError{
				Field: "Methods", Value: int64(len(methods)), Max: abi.MethodsMax,
				Reason: "more entries or longer names than a sandbox takes",
			}
			return errors.Join(refused, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func putMethod(in *instance, method *core.Method) error {
	a, err := in.arguments(len(method.Name))
	if err != nil {
		return err
	}
	name, notification := a.putText(method.Name), uint64(0)
	if method.Notification {
		notification = 1
	}
	_, err = in.callInt(exportMethod, uint64(name.Address), uint64(name.Bytes), uint64(method.Mode), notification)
	for i := 0; err == nil && i < len(method.Supersede); i++ {
		if a, err = in.arguments(len(method.Supersede[i])); err != nil {
			return err
		}
		member := a.putText(method.Supersede[i])
		_, err = in.callInt(exportSupersede, uint64(member.Address), uint64(member.Bytes))
	}
	return err
}

// openHandle runs parley_open and returns the handle as it crosses.
func openHandle(in *instance, cfg *core.Config, memoryBytesMax int64) (uint64, error) {
	size := int(unsafe.Sizeof(abi.Config{}))
	a, err := in.arguments(size + len(cfg.SessionID))
	if err != nil {
		return 0, err
	}
	address, view := a.skip(size)
	record := encodeConfig(cfg)
	record.MemoryBytesMax = float64(memoryBytesMax)
	record.SessionID = a.putText(cfg.SessionID)
	putRecord(view, &record)
	raw, err := in.call(exportOpen, uint64(address), uint64(size))
	if err != nil {
		return 0, err
	}
	if opened := math.Float64frombits(raw); opened < 0 {
		return 0, in.refusal(abi.Error(-opened))
	}
	return raw, nil
}

func encodeConfig(cfg *core.Config) abi.Config {
	record := abi.Config{
		Bytes:      uint32(unsafe.Sizeof(abi.Config{})),
		Profile:    uint8(cfg.Profile),
		Role:       uint8(cfg.Role),
		Framing:    uint8(cfg.Framing),
		Envelope:   uint8(cfg.Envelope),
		Inbound:    uint8(cfg.Inbound),
		SendPolicy: uint8(cfg.SendPolicy),
		PauseOn:    uint8(cfg.PauseOn),
		Seed:       cfg.Seed,
		FirstID:    float64(cfg.FirstID),
		GraceNs:    floatOf(cfg.GraceNs),
		ShutdownNs: floatOf(cfg.ShutdownNs),
		StallNs:    floatOf(cfg.StallNs),
		StallMaxNs: floatOf(cfg.StallMaxNs),
	}
	for _, flag := range [...]struct {
		on  bool
		bit uint8
	}{
		{cfg.OutFailFast, abi.ConfigOutFailFast},
		{cfg.LooseIDs, abi.ConfigLooseIDs},
		{cfg.Resync, abi.ConfigResync},
		{cfg.ParkFail, abi.ConfigParkFail},
	} {
		if flag.on {
			record.Flags |= flag.bit
		}
	}
	for i, n := range abi.LimitFields(&cfg.Limits) {
		record.Limits[i] = float64(n)
	}
	return record
}

// refusalError is a refused configuration: the reason, and the abi.Error that says of what kind.
type refusalError struct {
	config *core.ConfigError
	kind   abi.Error
}

func (e *refusalError) Error() string   { return e.config.Error() }
func (e *refusalError) Unwrap() []error { return []error{e.config, e.kind} }

// refusal reads why parley_open failed.
func (in *instance) refusal(kind abi.Error) error {
	if kind != abi.ErrConfig && kind != abi.ErrMemory {
		return kind
	}
	address, err := in.callInt(exportRefusal)
	if err != nil {
		return err
	}
	var r abi.Refusal
	if err := in.record(address, &r); err != nil {
		return err
	}
	field, err := in.text(r.Field)
	if err != nil {
		return err
	}
	reason, err := in.text(r.Reason)
	if err != nil {
		return err
	}
	return &refusalError{kind: kind, config: &core.ConfigError{
		Field: field, Reason: reason, Value: int64(r.Value), Min: int64(r.Min), Max: int64(r.Max),
	}}
}
