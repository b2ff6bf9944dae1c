package wasmhost

import (
	"fmt"

	"github.com/parley-rpc/parley/host/internal/modulecache"
	"github.com/parley-rpc/parley/wasm/abi"
)

// Option changes one thing about an Engine.
type Option func(*options)

type options struct {
	memoryBytesMax     int64
	perInstance        int
	spares             int
	cacheDir           string
	closeOnContextDone bool
	module             []byte
}

const (
	pageBytes      = 64 << 10
	memoryBytesMin = 32 << 20
	sparesMax      = 1024
)

func defaultOptions() options {
	return options{memoryBytesMax: 1 << 30, perInstance: 1, cacheDir: modulecache.DefaultDir()}
}

// MemoryBytesMax bounds the linear memory of each instance: 32 MiB to 2 GiB, 1 GiB by default. It
// is a ceiling and no reservation. A configuration whose limits do not fit below it is refused
// when its machine is made (BACK-4).
func MemoryBytesMax(n int64) Option { return func(o *options) { o.memoryBytesMax = n } }

// PerInstance lets n connections share one instance, 1 by default. An instance costs about 4 MB
// and some milliseconds; connections that share one run one at a time, and a trap ends them all.
func PerInstance(n int) Option { return func(o *options) { o.perInstance = n } }

// Spares keeps n instances ready, none by default, so that a connection opens in microseconds instead
// of milliseconds: each costs about 4 MB, and one that is taken is replaced in the background. An
// instance that had a connection is never given another one's: it goes with its last.
func Spares(n int) Option { return func(o *options) { o.spares = n } }

// CacheDir keeps compiled code in a directory, which must be one that nobody else can write: it
// holds machine code. The default is the folder parley in os.UserCacheDir; "" keeps it in memory.
// A directory that cannot be used is no error.
func CacheDir(path string) Option { return func(o *options) { o.cacheDir = path } }

// CloseOnContextDone lets the context given to New interrupt a running machine, which then acts as
// after a trap. Scanning becomes 8 to 30 times slower; it is off by default because the work of one
// call is bounded anyway.
func CloseOnContextDone() Option { return func(o *options) { o.closeOnContextDone = true } }

// Module runs another build of the reactor than the embedded one. The engine keeps the slice.
func Module(reactor []byte) Option { return func(o *options) { o.module = reactor } }

func (o *options) validate() error {
	if o.memoryBytesMax < memoryBytesMin || o.memoryBytesMax > abi.MemoryBytesCeiling {
		return fmt.Errorf("wasmhost: MemoryBytesMax = %d, want %d to %d", o.memoryBytesMax, int64(memoryBytesMin), int64(abi.MemoryBytesCeiling))
	}
	if o.perInstance < 1 || o.perInstance > abi.ConnectionsMax {
		return fmt.Errorf("wasmhost: PerInstance = %d, want 1 to %d", o.perInstance, abi.ConnectionsMax)
	}
	if o.spares < 0 || o.spares > sparesMax {
		return fmt.Errorf("wasmhost: Spares = %d, want 0 to %d", o.spares, sparesMax)
	}
	return nil
}
