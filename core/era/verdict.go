package era

import (
	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/internal/scan"
)

// Codes of the modern era.
const (
	CodeHeaderMismatch     core.Code = -32020 // HTTP alone
	CodeMissingCapability  core.Code = -32021
	CodeUnsupportedVersion core.Code = -32022 // data: {"supported":[…],"requested":"…"}
)

// verdict is what the outcome of a probe says about the server.
type verdict uint8

const (
	verdictNone   verdict = iota // nothing: a legacy server may answer anything, or not at all
	verdictLegacy                // it is legacy, definitively (ERA-3)
	verdictModern                // it speaks a modern version that we do
	verdictAgain                 // the same, told by -32022: ask in that version
	verdictEnd                   // it is modern, and not for us
	verdictLost                  // the connection ended
)

// judgement is a verdict with its reasons.
type judgement struct {
	verdict verdict
	version string  // modern, again
	failure Failure // what there is to surface where nothing else is tried; Method is not set
}

// judge reads the outcome of a probe (ERA-2). ours is what we would speak, newest first.
func judge(ev *core.Event, ours []string) judgement {
	switch ev.Kind {
	case core.EventResult:
		o := readOffer(scan.Member(ev.Body, "supportedVersions").Of(ev.Body), ours)
		if !o.listed {
			return judgement{failure: Failure{Kind: FailureMalformed}}
		}
		return judgeOffer(&o, verdictModern)
	case core.EventError:
		return judgeError(ev, ours)
	}
	j := judgement{failure: failureOf(ev)}
	switch ev.Kind {
	case core.EventLost:
		j.verdict = verdictLost
	case core.EventCanceled:
		j.verdict = verdictEnd
	}
	return j
}

// judgeOffer holds a list of versions against ours; common is what a common one means.
func judgeOffer(o *offer, common verdict) judgement {
	j := judgement{version: o.common, failure: Failure{Kind: FailureVersions, Theirs: o.shown}}
	switch {
	case o.common != "":
		j.verdict = common
	case o.legacyOnly():
		j.verdict = verdictLegacy
	case !o.legacy:
		j.verdict = verdictEnd
	}
	return j
}

func judgeError(ev *core.Event, ours []string) judgement {
	o := readOffer(scan.Member(ev.Body, "supported").Of(ev.Body), ours)
	j := judgement{failure: failureOf(ev)}
	j.failure.Theirs = o.shown
	switch ev.Code {
	case CodeUnsupportedVersion:
		j.verdict = verdictEnd
		if o.listed {
			offered := judgeOffer(&o, verdictAgain)
			if offered.verdict == verdictAgain {
				offered.failure = j.failure // a second refusal is surfaced as what it is
			}
			return offered
		}
	case CodeHeaderMismatch, CodeMissingCapability:
		j.verdict = verdictEnd
	case core.CodeMethodNotFound:
		j.verdict = verdictLegacy
	case core.CodeInvalidParams: // with a list: how legacy servers refuse a version
		if o.legacyOnly() {
			j.verdict = verdictLegacy
		}
	}
	return j
}

// failureOf is an outcome as a failure.
func failureOf(ev *core.Event) Failure {
	switch ev.Kind {
	case core.EventError:
		text := string(ev.Text[:min(len(ev.Text), textBytesMax)])
		return Failure{Kind: FailureRefused, Code: ev.Code, Text: text}
	case core.EventTimeout:
		return Failure{Kind: FailureTimeout}
	case core.EventLost:
		return Failure{Kind: FailureLost}
	case core.EventCanceled:
		return Failure{Kind: FailureCanceled}
	}
	return Failure{Kind: FailureMalformed}
}

// judgeInitialize reads the result of a handshake: the version agreed on, or what is wrong with it
// (ERA-10).
func judgeInitialize(result []byte, accepted []string) (version string, failure *Failure) {
	token := scan.Member(result, "protocolVersion").Of(result)
	if scan.Kind(token) != 's' {
		return "", &Failure{Kind: FailureMalformed}
	}
	text := scan.AppendUnquoted(nil, token)
	version = string(text[:min(len(text), versionBytesMax)])
	if !contains(accepted, version) {
		return "", &Failure{Kind: FailureVersions, Theirs: []string{version}}
	}
	return version, nil
}
