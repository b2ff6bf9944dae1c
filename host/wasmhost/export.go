package wasmhost

import "github.com/parley-rpc/parley/wasm/abi"

// startFunction starts the Go runtime of a reactor.
const startFunction = "_initialize"

// export is an index into the functions of an instance.
type export int

const (
	exportVersion export = iota
	exportScratch
	exportMethod
	exportSupersede
	exportOpen
	exportRefusal
	exportFree
	exportReady
	exportReserve
	exportTurn
	exportNext
	exportCall
	exportBatch
	exportNotify
	exportCancel
	exportReply
	exportFail
	exportDone
	exportCancelRequest
	exportFinishInput
	exportShutdown
	exportAbort
	exportTraceStart
	exportTraceStop
	exportSetVersion
	exportForward
	exportWant
	exportState
	exportStats
	exportSnapshot
	exportLimits
	exportEraOpen
	exportEraFree
	exportEraAdvance
	exportEraDeadline
	exportEraNext
	exportEraSettle
	exportEraParams
	exportResumeOpen
	exportResumeFree
	exportResumeAttach
	exportResumeResume
	exportResumeGreet
	exportResumeSend
	exportResumeNext
	exportResumeReceive
	exportResumeDetach
	exportResumeAdvance
	exportResumeDeadline
	exportResumeGreeting
	exportResumeState
	exportsEnd
)

var exportNames = [exportsEnd]string{
	exportVersion:        abi.Prefix + "version",
	exportScratch:        abi.Prefix + "scratch",
	exportMethod:         abi.Prefix + "method",
	exportSupersede:      abi.Prefix + "supersede",
	exportOpen:           abi.Prefix + "open",
	exportRefusal:        abi.Prefix + "refusal",
	exportFree:           abi.Prefix + "free",
	exportReady:          abi.Prefix + "ready",
	exportReserve:        abi.Prefix + "reserve",
	exportTurn:           abi.Prefix + "turn",
	exportNext:           abi.Prefix + "next",
	exportCall:           abi.Prefix + "call",
	exportBatch:          abi.Prefix + "batch",
	exportNotify:         abi.Prefix + "notify",
	exportCancel:         abi.Prefix + "cancel",
	exportReply:          abi.Prefix + "reply",
	exportFail:           abi.Prefix + "fail",
	exportDone:           abi.Prefix + "done",
	exportCancelRequest:  abi.Prefix + "cancel_request",
	exportFinishInput:    abi.Prefix + "finish_input",
	exportShutdown:       abi.Prefix + "shutdown",
	exportAbort:          abi.Prefix + "abort",
	exportTraceStart:     abi.Prefix + "trace_start",
	exportTraceStop:      abi.Prefix + "trace_stop",
	exportSetVersion:     abi.Prefix + "set_version",
	exportForward:        abi.Prefix + "forward",
	exportWant:           abi.Prefix + "want",
	exportState:          abi.Prefix + "state",
	exportStats:          abi.Prefix + "stats",
	exportSnapshot:       abi.Prefix + "snapshot",
	exportLimits:         abi.Prefix + "limits",
	exportEraOpen:        abi.Prefix + "era_open",
	exportEraFree:        abi.Prefix + "era_free",
	exportEraAdvance:     abi.Prefix + "era_advance",
	exportEraDeadline:    abi.Prefix + "era_deadline",
	exportEraNext:        abi.Prefix + "era_next",
	exportEraSettle:      abi.Prefix + "era_settle",
	exportEraParams:      abi.Prefix + "era_params",
	exportResumeOpen:     abi.Prefix + "resume_open",
	exportResumeFree:     abi.Prefix + "resume_free",
	exportResumeAttach:   abi.Prefix + "resume_attach",
	exportResumeResume:   abi.Prefix + "resume_resume",
	exportResumeGreet:    abi.Prefix + "resume_greet",
	exportResumeSend:     abi.Prefix + "resume_send",
	exportResumeNext:     abi.Prefix + "resume_next",
	exportResumeReceive:  abi.Prefix + "resume_receive",
	exportResumeDetach:   abi.Prefix + "resume_detach",
	exportResumeAdvance:  abi.Prefix + "resume_advance",
	exportResumeDeadline: abi.Prefix + "resume_deadline",
	exportResumeGreeting: abi.Prefix + "resume_greeting",
	exportResumeState:    abi.Prefix + "resume_state",
}
