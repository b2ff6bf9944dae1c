// Package abi is the one definition of what crosses the boundary between the WASI reactor and its
// hosts: the version, the flags, the error numbers and, in records.go, the layouts in linear
// memory. The reactor, the wazero engine, the TypeScript constants and docs/abi.txt all follow it.
package abi

import "strconv"

// Version is what parley_version returns: major<<16 | minor. An added export, record field or error
// number raises minor; a changed meaning raises major. A host refuses another major.
const (
	VersionMajor = 1
	VersionMinor = 1 // 1: TurnScratch
	Version      = VersionMajor<<16 | VersionMinor
)

// Prefix begins the name of every export of ours.
const Prefix = "parley_"

// Bounds of one export and of one instance.
const (
	RecordsMax      = 256       // event records of one turn; more stay inside, flag ReadyMore
	ReserveBytesMax = 64 << 10  // what one parley_reserve hands out at most
	ScratchBytesMin = 64 << 10  // scratch is allowed this much beside the largest frame of the instance
	ConnectionsMax  = 1024      // open connections of one instance
	ErasMax         = 1024      // open era negotiations of one instance
	ResumesMax      = 1024      // open resumable links of one instance
	MethodsMax      = 4096      // entries of one method table
	MethodBytesMax  = 256 << 10 // of all names in one method table, paths included
	NumberMax       = 1<<53 - 1 // handles, ids, counts and times stay within it
)

// Flags of parley_turn.
const (
	TurnEOF         uint32 = 1 << iota // the peer's output ended after the bytes of this turn
	TurnEnd                            // the bytes of this turn end one transport message (FRAME-9)
	TurnTake                           // hand over one segment of output in Ready.Out
	TurnWriteFailed                    // the transport refused our bytes
	TurnDrain                          // fetch events into records
	TurnReadFailed                     // the transport failed while it was read, after the bytes of this turn
	TurnScratch                        // the bytes of this turn lie at the beginning of scratch and not in Ready.In
	turnFlagsEnd
)

// TurnFlags is the set of all of them; any other bit is ErrNumber.
const TurnFlags = turnFlagsEnd - 1

// Flags of the ready block.
const (
	ReadyMore       uint32 = 1 << iota // RecordsMax was reached: drain again before any input
	ReadyPaused                        // reading is to stop (BACK-3)
	ReadyOutputDone                    // everything owed is written: close the transport's output
	ReadyViolation                     // this turn's bytes met a violation, new or old: see the state block
	ReadyDrained                       // no event is left: parley_next would return 0
)

// Flags of the configuration record.
const (
	ConfigOutFailFast uint8 = 1 << iota
	ConfigLooseIDs
	ConfigResync
	ConfigParkFail
)

// Flags of a batch item.
const (
	ItemNotification uint32 = 1 << iota
	ItemQuiet
)

// Error is what the boundary itself refuses. It crosses as its negative, as a core.UsageError does;
// those lie below 256. State is untouched by whatever is refused.
type Error int32

const (
	ErrHandle      Error = iota + 256 // no open connection has this handle
	ErrPointer                        // an argument lies outside the scratch block last handed out
	ErrNumber                         // a number, flag or enumerator is out of range
	ErrRecord                         // a record is cut short or misaligned
	ErrScratch                        // more scratch than the largest frame allows
	ErrConfig                         // core refused the configuration: parley_refusal says why
	ErrMemory                         // the configuration does not fit the memory given: parley_refusal
	ErrConnections                    // ConnectionsMax connections are open
	ErrMethods                        // MethodsMax entries or MethodBytesMax bytes are in the table
	errorEnd
)

var errorTexts = [errorEnd - ErrHandle]string{
	"no open connection has this handle",
	"an argument lies outside the scratch block last handed out",
	"a number, flag or enumerator is out of range",
	"a record is cut short or misaligned",
	"more scratch than the largest frame allows",
	"the configuration was refused",
	"the configuration does not fit the memory given",
	"too many open connections in this instance",
	"too many entries in the method table",
}

func (e Error) Error() string {
	if e < ErrHandle || e >= errorEnd {
		return "abi: unknown error " + strconv.Itoa(int(e))
	}
	return "abi: " + errorTexts[e-ErrHandle]
}
