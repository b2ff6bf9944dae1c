package core

// Profile is a family of peers: framing, limits, and how it spells cancellation. A profile is a
// row of the table below and nothing else: no code asks which profile it runs under.
type Profile uint8

const (
	ProfileLSP     Profile = iota // the Language Server Protocol, and BSP
	ProfileMCP                    // the Model Context Protocol over stdio
	ProfileControl                // parley's own control connection
	ProfilePlain                  // JSON-RPC 2.0 and nothing on top of it
)

// malformed is what an Invalid frame leads to (MSG-6).
type malformed uint8

const (
	malformedEnd malformed = iota
	malformedSkip
	malformedAnswer
)

type profileSpec struct {
	name         string
	framing      Framing
	framings     uint8 // bit set of the framings allowed, 1<<Framing
	bodyBytesMin int

	limitByFraming bool // the frame limit is the framing's

	cancelMethod    string    // "": none
	cancelField     string    // the member of params that names the request
	cancelTagged    bool      // ids are {"number":n} or {"text":s} instead of the id itself
	answerCancelled bool      // a cancelled request is answered
	unableCode      Code      // what a request that we cancel, or have no room for, is answered with (REQ-7, BACK-3)
	supersededCode  Code      // what a request that a newer one replaces is answered with (REQ-7)
	neverCancelled  [2]string // calls that no cancel notice is sent for (CALL-6)
	barrier         string    // the request that nothing overtakes (SCHED-6)
	progressMethod  string    // the notification that carries progress; "": none (CALL-10)
	progressField   string    // the member of params that names the token
	progressOurs    bool      // with a token of nobody it is dropped, instead of being ordinary
	nullIDServed    bool      // a request with id null is served (MSG-4)
	versioned       bool      // SetVersion decides about arrays
	batches         bool      // arrays are accepted (MSG-8)
	lifecycle       bool      // STOP-9's gates where initialize is registered

	client, server malformed // server: also peer
	lineClient     malformed // client on any framing but header
}

var profiles = [...]profileSpec{
	ProfileLSP: {
		name: "lsp", framing: FramingHeader, framings: 1<<FramingHeader | 1<<FramingWhole,
		cancelMethod: "$/cancelRequest", cancelField: "id", answerCancelled: true,
		unableCode: CodeServerCanceled, supersededCode: CodeSuperseded, neverCancelled: [2]string{"initialize"},
		progressMethod: "$/progress", progressField: "token",
		barrier: "initialize", lifecycle: true,
		client: malformedEnd, lineClient: malformedEnd, server: malformedAnswer,
	},
	ProfileMCP: {
		name: "mcp", framing: FramingLine, framings: 1<<FramingLine | 1<<FramingWhole,
		cancelMethod: "notifications/cancelled", cancelField: "requestId",
		unableCode: CodeInternal, supersededCode: CodeInternal, neverCancelled: [2]string{"initialize", "server/discover"},
		progressMethod: "notifications/progress", progressField: "progressToken", progressOurs: true,
		versioned: true,
		barrier:   "initialize",
		client:    malformedSkip, lineClient: malformedSkip, server: malformedAnswer,
	},
	ProfileControl: {
		name: "control", framing: FramingLength4, framings: 1 << FramingLength4, bodyBytesMin: 1,
		cancelMethod: "parley/control/v1/connection/cancel-request", cancelTagged: true,
		answerCancelled: true, unableCode: CodeInternal, supersededCode: CodeInternal,
		client: malformedEnd, lineClient: malformedEnd, server: malformedEnd,
	},
	ProfilePlain: {
		name: "plain", framing: FramingLine,
		framings:        1<<FramingHeader | 1<<FramingLine | 1<<FramingLength4 | 1<<FramingWhole,
		limitByFraming:  true,
		answerCancelled: true, unableCode: CodeInternal, supersededCode: CodeInternal, nullIDServed: true, batches: true,
		client: malformedEnd, lineClient: malformedSkip, server: malformedAnswer,
	},
}

// policy is what an Invalid frame leads to in a role (MSG-6).
func (p *profileSpec) policy(role Role, framing Framing) malformed {
	switch {
	case role == RoleServer || role == RolePeer:
		return p.server
	case framing == FramingHeader:
		return p.client
	}
	return p.lineClient
}

// uncancellable reports that no cancel notice is ever sent for calls of a method (CALL-6).
func (p *profileSpec) uncancellable(method string) bool {
	return p.cancelMethod == "" || method == p.neverCancelled[0] || method == p.neverCancelled[1]
}

func (p Profile) String() string { return profiles[p].name }
