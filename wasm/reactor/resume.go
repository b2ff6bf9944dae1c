//go:build wasip1

package main

import (
	"unsafe"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/wasm/abi"
)

// link is one resume.Link and the blocks through which the host sees it.
type link struct {
	machine *resume.Link

	textBytesMax int
	memoryBytes  int64 // what the memory rule counts for it

	// What the addresses handed out point at is held here until it expires.
	span    abi.Span
	text    []byte
	state   abi.ResumeState
	session string
	name    string
	reason  string
}

var links = newTable[*link](abi.ResumesMax)

//go:wasmexport parley_resume_open
func openLink(config, configBytes uint32) float64 {
	given, err := recordAt[abi.ResumeConfig](config, configBytes)
	if err != 0 {
		return -float64(err)
	}
	cfg, err := linkConfigOf(&given)
	if err != 0 {
		return -float64(err)
	}
	machine, wrong := resume.New(cfg)
	if wrong != nil {
		return refuse(abi.ErrConfig, wrong)
	}
	memoryBytes := linkBytes(&cfg)
	if wrong := checkMemory("memory for TextBytesMax", memoryBytes, given.MemoryBytesMax); wrong != nil {
		return refuse(abi.ErrMemory, wrong)
	}
	return links.add(&link{machine: machine, textBytesMax: cfg.TextBytesMax, memoryBytes: memoryBytes})
}

// linkConfigOf lays the record over the defaults.
func linkConfigOf(given *abi.ResumeConfig) (resume.Config, abi.Error) {
	session, err := bytesAt(given.Session.Address, given.Session.Bytes)
	if err != 0 {
		return resume.Config{}, err
	}
	cfg := resume.Defaults(string(session))
	bytesMax, ok1 := countOf(given.BytesMax)
	textBytesMax, ok2 := countOf(given.TextBytesMax)
	age, ok3 := countOf(given.AgeNs)
	if !ok1 || !ok2 || !ok3 {
		return resume.Config{}, abi.ErrNumber
	}
	if bytesMax != 0 {
		cfg.BytesMax = int(bytesMax)
	}
	if textBytesMax != 0 {
		cfg.TextBytesMax = int(textBytesMax)
	}
	if age != 0 {
		cfg.AgeNs = core.Time(age)
	}
	return cfg, 0
}

// linkBytes is what one link may make of linear memory: its buffer, which holds its bound or one text,
// and that text in scratch, twice for the collector.
func linkBytes(cfg *resume.Config) int64 {
	return 2 * (int64(max(cfg.BytesMax, cfg.TextBytesMax)) + int64(cfg.TextBytesMax) + int64(unsafe.Sizeof(link{})))
}

//go:wasmexport parley_resume_free
func freeLink(handle float64) int32 { return links.free(handle) }

//go:wasmexport parley_resume_attach
func attachLink(handle, now float64) float64 {
	g := links.find(handle)
	if g == nil {
		return -float64(abi.ErrHandle)
	}
	t, ok := nowOf(now)
	if !ok {
		return -float64(abi.ErrNumber)
	}
	gen, err := g.machine.Attach(t)
	if err != nil {
		return -float64(core.ErrClosed) // the state block says why
	}
	return float64(gen)
}

//go:wasmexport parley_resume_resume
func resumeLink(handle, gen, received, now float64) int32 {
	g, generation, t, err := momentOf(handle, gen, now)
	if err != 0 {
		return -int32(err)
	}
	count, ok := countOf(received)
	if !ok {
		return -int32(abi.ErrNumber)
	}
	return outcomeOf(g.machine.Resume(generation, count, t))
}

//go:wasmexport parley_resume_greet
func greetLink(handle, gen float64, text, textBytes uint32, now float64) int32 {
	g, generation, t, err := momentOf(handle, gen, now)
	if err != 0 {
		return -int32(err)
	}
	greeting, err := bytesAt(text, textBytes)
	if err != 0 {
		return -int32(err)
	}
	return outcomeOf(g.machine.Greet(generation, greeting, t))
}

//go:wasmexport parley_resume_send
func sendOnLink(handle float64, text, textBytes uint32, now float64) int32 {
	g, _, t, err := momentOf(handle, 0, now)
	if err != 0 {
		return -int32(err)
	}
	sent, err := bytesAt(text, textBytes)
	if err != 0 {
		return -int32(err)
	}
	return outcomeOf(g.machine.Send(sent, t))
}

//go:wasmexport parley_resume_next
func nextOfLink(handle, gen float64) int32 {
	g, generation, _, err := momentOf(handle, gen, 0)
	if err != 0 {
		return -int32(err)
	}
	text, ok := g.machine.Next(generation)
	if !ok {
		return 0
	}
	return g.handOut(text)
}

//go:wasmexport parley_resume_receive
func receiveOnLink(handle, gen float64) int32 {
	g, generation, _, err := momentOf(handle, gen, 0)
	if err != 0 {
		return -int32(err)
	}
	return int32(flagByte(g.machine.Receive(generation)))
}

//go:wasmexport parley_resume_detach
func detachLink(handle, gen, now float64) int32 {
	g, generation, t, err := momentOf(handle, gen, now)
	if err != 0 {
		return -int32(err)
	}
	g.machine.Detach(generation, t)
	return 0
}

//go:wasmexport parley_resume_advance
func advanceLink(handle, now float64) int32 {
	g, _, t, err := momentOf(handle, 0, now)
	if err != 0 {
		return -int32(err)
	}
	g.machine.Advance(t)
	return 0
}

//go:wasmexport parley_resume_deadline
func deadlineOfLink(handle float64) float64 {
	g := links.find(handle)
	if g == nil {
		return -float64(abi.ErrHandle)
	}
	return floatOf(g.machine.Deadline())
}

//go:wasmexport parley_resume_greeting
func greetingOfLink(handle float64) int32 {
	g := links.find(handle)
	if g == nil {
		return -int32(abi.ErrHandle)
	}
	return g.handOut(g.machine.Greeting())
}

//go:wasmexport parley_resume_state
func stateOfLink(handle float64) int32 {
	g := links.find(handle)
	if g == nil {
		return -int32(abi.ErrHandle)
	}
	g.session = g.machine.Session()
	g.state = abi.ResumeState{
		Sent: float64(g.machine.Sent()), Received: float64(g.machine.Received()), Session: textSpan(g.session),
	}
	if failure, ok := g.machine.Err().(*resume.Failure); ok {
		code, name := failure.Close()
		g.name, g.reason = name, failure.Error()
		g.state.Failure, g.state.Close = uint8(failure.Kind), uint32(code)
		g.state.Name, g.state.Text = textSpan(g.name), textSpan(g.reason)
	}
	return pointerTo(&g.state)
}

// handOut holds a text and returns the address of its span.
func (g *link) handOut(text []byte) int32 {
	g.text, g.span = text, spanOf(text)
	return pointerTo(&g.span)
}

// momentOf reads what most exports are told: which link, which attempt, and when.
func momentOf(handle, gen, now float64) (*link, resume.Generation, core.Time, abi.Error) {
	g := links.find(handle)
	if g == nil {
		return nil, 0, 0, abi.ErrHandle
	}
	generation, ok := countOf(gen)
	if !ok {
		return nil, 0, 0, abi.ErrNumber
	}
	t, ok := nowOf(now)
	if !ok {
		return nil, 0, 0, abi.ErrNumber
	}
	return g, resume.Generation(generation), t, 0
}

// outcomeOf is 0, a resume.FailureKind, or the negative of a core.UsageError.
func outcomeOf(err error) int32 {
	if failure, ok := err.(*resume.Failure); ok {
		return int32(failure.Kind)
	}
	return codeOf(err)
}
