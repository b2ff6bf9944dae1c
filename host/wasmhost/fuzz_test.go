package wasmhost

import (
	"context"
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tetratelabs/wazero/api"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/wasm/abi"
)

// fuzzMemoryBytes is small, so that running out of memory is within reach.
const fuzzMemoryBytes = 128 << 20

// FuzzABI calls exports in any order with any arguments: handles of nobody, addresses outside
// scratch, sizes beyond it, flags that do not exist. Every call must return, with an error or not;
// a trap would end every connection of the instance. The one promise the host keeps is the memory
// limit in the configuration, which the module cannot check.
func FuzzABI(f *testing.F) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 3000)
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		f.Add(script)
	}
	e := newEngine(f, MemoryBytesMax(fuzzMemoryBytes))
	f.Fuzz(func(t *testing.T, script []byte) {
		in, err := newInstance(context.Background(), e.runtime, e.compiled)
		if err != nil {
			t.Fatal(err)
		}
		defer in.close()
		newIntruder(t, in, script[:min(len(script), 4096)]).run()
	})
}

// intruder reads a script as calls.
type intruder struct {
	t       *testing.T
	in      *instance
	script  []byte
	names   []string
	exports map[string]api.FunctionDefinition

	scratch block
	handles []float64
	numbers []float64 // ids of calls and of requests that were seen
}

func newIntruder(t *testing.T, in *instance, script []byte) *intruder {
	exports := in.module.ExportedFunctionDefinitions()
	delete(exports, startFunction)
	return &intruder{
		t: t, in: in, script: script, exports: exports, names: slices.Sorted(maps.Keys(exports)),
		handles: []float64{0}, numbers: []float64{0},
	}
}

func (p *intruder) byte() byte {
	if len(p.script) == 0 {
		return 0
	}
	b := p.script[0]
	p.script = p.script[1:]
	return b
}

// handle is one that was handed out, mostly the last, which is likely to be open.
func (p *intruder) handle() uint64 {
	if i := int(p.byte()); i < 64 {
		return math.Float64bits(p.handles[i%len(p.handles)])
	}
	return math.Float64bits(p.handles[len(p.handles)-1])
}

func (p *intruder) run() {
	p.call("parley_scratch", 4096)
	for len(p.script) > 0 {
		switch p.byte() % 8 {
		case 0:
			p.openAny()
		case 1:
			p.write()
		case 2:
			p.receive()
		case 3:
			p.openLink()
		default:
			name := p.names[int(p.byte())%len(p.names)]
			p.call(name, p.params(p.exports[name].ParamTypes())...)
		}
	}
}

// params are garbage, or in every other call well-formed as far as an intruder can tell: a handle that
// was handed out, and an address and a size wherever two i32 stand together.
func (p *intruder) params(of []api.ValueType) (params []uint64) {
	wellFormed := p.byte()%2 == 0
	for len(params) < len(of) {
		at := len(params)
		switch {
		case wellFormed && at == 0 && of[at] == api.ValueTypeF64:
			params = append(params, p.handle())
		case wellFormed && of[at] == api.ValueTypeF64:
			params = append(params, math.Float64bits(p.numbers[int(p.byte())%len(p.numbers)]))
		case wellFormed && at+1 < len(of) && of[at] == api.ValueTypeI32 && of[at+1] == api.ValueTypeI32:
			address, size := p.argument()
			params = append(params, address, size)
		default:
			params = append(params, p.param(of[at]))
		}
	}
	return params
}

var texts = []string{
	`{"parley":{"session":"s","received":0}}`, `{"a":[1]}`, `"text"`, `a/method`, `initialize`, "\xff\xfe", `{`, ``, `[]`, `1`,
}

// argument puts something that may pass for one into scratch and returns where it is.
func (p *intruder) argument() (address, size uint64) {
	kind := int(p.byte())
	if kind%2 == 0 {
		return 0, 0
	}
	text := texts[kind/2%len(texts)]
	at := 8 * uint32(p.byte())
	view, err := p.in.read(p.scratch.address, p.scratch.size)
	if err != nil {
		p.t.Fatal(err)
	}
	if int(at)+len(text) > len(view) {
		return 0, 0
	}
	copy(view[at:], text)
	return uint64(p.scratch.address + at), uint64(len(text))
}

// param is any value, with a bias to those that get far.
func (p *intruder) param(of api.ValueType) uint64 {
	kind := p.byte() % 8
	if of == api.ValueTypeF64 {
		switch kind {
		case 0:
			return noNumber
		case 1:
			return math.Float64bits(math.Inf(1))
		case 2:
			return math.Float64bits(-1)
		case 3:
			return math.Float64bits(float64(p.byte()) + 0.5)
		case 4:
			return uint64(p.byte())<<56 | uint64(p.byte())<<48 | uint64(p.byte())
		case 5:
			return math.Float64bits(p.numbers[int(p.byte())%len(p.numbers)])
		}
		return p.handle()
	}
	switch kind {
	case 0:
		return 0
	case 1:
		return uint64(math.MaxUint32 - uint32(p.byte()))
	case 2:
		return uint64(p.scratch.address)
	case 3:
		return uint64(p.scratch.address + 8*uint32(p.byte()))
	case 4:
		return uint64(p.scratch.address + p.scratch.size - uint32(p.byte()))
	case 5:
		return uint64(p.byte())<<24 | uint64(p.byte())<<8
	}
	return uint64(p.byte() % 64)
}

// call runs one export: the point of it all is that it returns.
func (p *intruder) call(name string, params ...uint64) uint64 {
	stack := make([]uint64, 16)
	copy(stack, params)
	switch name {
	case "parley_open":
		p.keepPromise(params, unsafe.Offsetof(abi.Config{}.MemoryBytesMax))
	case "parley_resume_open":
		p.keepPromise(params, unsafe.Offsetof(abi.ResumeConfig{}.MemoryBytesMax))
	}
	if err := p.in.module.ExportedFunction(name).CallWithStack(context.Background(), stack); err != nil {
		p.t.Fatalf("%s(%x) trapped: %v\n%s", name, params, err, p.in.stderr.String())
	}
	switch result := stack[0]; name {
	case "parley_scratch":
		if address := int32(uint32(result)); address > 0 {
			p.scratch = block{address: uint32(address), size: max(uint32(params[0]), 1)}
		}
	case "parley_open", "parley_resume_open":
		p.see(&p.handles, result)
	case "parley_call":
		p.see(&p.numbers, result)
	}
	return stack[0]
}

func (p *intruder) see(list *[]float64, result uint64) {
	if n := math.Float64frombits(result); n > 0 {
		*list = append(*list, n)
	}
}

// keepPromise puts the true memory limit into a configuration, wherever in memory it lies.
func (p *intruder) keepPromise(params []uint64, field uintptr) {
	address, size, at := uint32(params[0]), uint32(params[1]), uint32(field)
	if size < at+8 || address < p.scratch.address || address-p.scratch.address+at+8 > p.scratch.size {
		return
	}
	p.in.module.Memory().WriteFloat64Le(address+at, fuzzMemoryBytes)
}

// openLink makes a resumable link from a configuration in which bytes are changed at times.
func (p *intruder) openLink() {
	record := abi.ResumeConfig{Bytes: uint32(unsafe.Sizeof(abi.ResumeConfig{})), BytesMax: 1000, TextBytesMax: 1 << 20}
	if p.scratch.size < record.Bytes {
		return
	}
	view, err := p.in.read(p.scratch.address, record.Bytes)
	if err != nil {
		p.t.Fatal(err)
	}
	putRecord(view, &record)
	for range p.byte() % 16 / 12 * 3 {
		view[p.byte()%byte(len(view))] = p.byte()
	}
	p.call("parley_resume_open", uint64(p.scratch.address), uint64(record.Bytes))
}

// openAny makes a connection from a configuration in which bytes are changed at times.
func (p *intruder) openAny() {
	cfg := small(core.Profile(p.byte()%4), core.Role(p.byte()%4))
	if p.byte()%4 == 0 {
		cfg.Framing = core.Framing(p.byte() % 4)
	}
	cfg.Inbound = core.Inbound(p.byte() % 2)
	record := encodeConfig(&cfg)
	if p.scratch.size < record.Bytes {
		return
	}
	view, err := p.in.read(p.scratch.address, record.Bytes)
	if err != nil {
		p.t.Fatal(err)
	}
	putRecord(view, &record)
	for range p.byte() % 16 / 12 * 3 {
		view[p.byte()%byte(len(view))] = p.byte()
	}
	p.call("parley_open", uint64(p.scratch.address), uint64(record.Bytes))
}

// write puts a number into scratch, where a record may be read.
func (p *intruder) write() {
	view, err := p.in.read(p.scratch.address, p.scratch.size)
	if err != nil {
		p.t.Fatal(err)
	}
	if at := 4 * int(p.byte()); at+4 <= len(view) {
		binary.LittleEndian.PutUint32(view[at:], uint32(p.param(api.ValueTypeI32)))
	}
}

var inbound = []string{
	frame(`{"jsonrpc":"2.0","id":1,"method":"ask","params":[]}`), frame(`{"jsonrpc":"2.0","id":1,"result":{}}`),
	frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`), "\n", "Content-", "\x00\x00\x00\x02{}",
	`{"jsonrpc":"2.0","id":2,"method":"ask"}` + "\n", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\u00e9"}}` + "\n", "[",
}

// receive commits bytes of a peer, as an honest host would.
func (p *intruder) receive() {
	handle := p.handle()
	text := inbound[int(p.byte())%len(inbound)]
	address := int32(uint32(p.call("parley_reserve", handle, uint64(len(text)))))
	if address <= 0 {
		return
	}
	space, err := p.in.read(uint32(address), uint32(len(text)))
	if err != nil {
		p.t.Fatal(err)
	}
	copy(space, text)
	p.call("parley_turn", handle, uint64(len(text)), uint64(p.byte()%32), math.Float64bits(float64(p.byte())), 0)
	p.numbers = append(p.numbers, float64(1<<20), float64(1<<52))
}
