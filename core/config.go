package core

// Role is the side of the connection that this Conn plays.
type Role uint8

const (
	RoleClient Role = iota // connects; calls before it is called
	RoleServer             // is connected to
	RolePeer               // neither
	RoleRelay              // frames, scans and classifies; numbers, answers and drops nothing
)

// Framing is how one message is told from the next.
type Framing uint8

const (
	FramingHeader  Framing = iota // Content-Length header block, then the body (HEAD)
	FramingLine                   // one JSON text a line (LINE)
	FramingLength4                // four-byte big-endian length, then the body (LEN4)
	FramingWhole                  // one transport message is one JSON text (FRAME-9)
)

// Envelope is what a message looks like once it is cut out.
type Envelope uint8

// EnvelopeJSONRPC is JSON-RPC 2.0, the only envelope built so far.
const EnvelopeJSONRPC Envelope = 0

// Inbound chooses, for the life of a Conn, who consumes messages from the peer.
type Inbound uint8

const (
	// InboundHandlers schedules messages (SCHED, REQ-1): the host runs a handler for each and
	// ends it with Done.
	InboundHandlers Inbound = iota
	// InboundMessages hands messages over in arrival order (API-4); a request ends when it is
	// answered, a notification when it is delivered.
	InboundMessages
)

// SendPolicy says what an interruption does to a frame that has begun (SEND-4).
type SendPolicy uint8

const (
	SendFinish SendPolicy = iota // the frame is completed, the caller alone fails
	SendEnd                      // the conversation ends at once
)

// PauseOn says which queued output stops reading (BACK-3).
type PauseOn uint8

const (
	PauseOnAnswers PauseOn = iota // answers and rejections
	PauseOnAny                    // anything that fills the queue
)

// Mode is how a method is scheduled (SCHED-1).
type Mode uint8

const (
	ModeDefault    Mode = iota // read for requests, order for notifications
	ModeRead                   // concurrent
	ModeOrder                  // one at a time, before all later foreground work
	ModeWrite                  // as order, and alone
	ModeBackground             // a limit of its own, delays nothing
	ModeBypass                 // never queued, passes the lifecycle gates
)

var modeNames = [...]string{"default", "read", "order", "write", "background", "bypass"}

func (m Mode) String() string { return modeNames[m] }

// Method is one entry of the method table (REQ-5).
type Method struct {
	Name string
	Mode Mode
	// Notification marks a method that is only valid without an id, so that the same method with
	// an id is -32601 (REQ-4). A method that is not marked is only valid with one.
	Notification bool
	// Supersede is the path of a value under params, at most four member names: a newer waiting
	// request of this method with the same text there replaces the older one (SCHED-8). Only
	// methods of mode read have it; nil: none.
	Supersede []string
}

// SupersedePathMax is the longest path of Method.Supersede.
const SupersedePathMax = 4

// Config is everything a Conn is told when it is made. Start from Defaults and change fields;
// New validates the whole.
type Config struct {
	Role     Role
	Profile  Profile
	Framing  Framing
	Envelope Envelope
	Inbound  Inbound
	Limits   Limits

	SendPolicy SendPolicy
	PauseOn    PauseOn
	// ParkFail ends the session at ParkedBytesMax instead of pausing there (BACK-2).
	ParkFail bool
	// OutFailFast makes a command that finds no room ErrTooLarge instead of ErrOutputFull, so
	// that hosts do not wait (SEND-2's policy fail).
	OutFailFast bool
	// LooseIDs lets the string "7" answer the number 7 (CALL-2).
	LooseIDs bool
	// Resync lets header framing search for the next header after noise (HEAD-8).
	Resync bool

	// Seed keys the id tables, so that a peer cannot choose colliding ids.
	Seed uint64
	// SessionID is the first half of every correlation id (SCHED-3).
	SessionID string
	// FirstID is the wire id of the first call, 1 to 2^53-1 (CALL-1); 0 means 1.
	FirstID uint64
	// Methods is the method table. With an empty one every message is delivered and the
	// application answers. Conn keeps the slice; it is not changed afterwards.
	Methods []Method

	GraceNs    Time // handlers may finish this long after the end of input (STOP-2)
	ShutdownNs Time // then they and the output have this long (STOP-2)
	StallNs    Time // an event after this long without a write (SEND-6)
	StallMaxNs Time // the end after this long; 0: never
}

// Defaults returns the configuration of a profile in a role: its framing, its limits, its times.
func Defaults(profile Profile, role Role) Config {
	spec := &profiles[profile]
	return Config{
		Role:       role,
		Profile:    profile,
		Framing:    spec.framing,
		Limits:     spec.limits(spec.framing),
		FirstID:    1,
		GraceNs:    5 * Second,
		ShutdownNs: 5 * Second,
		StallNs:    5 * Second,
	}
}

// SetFraming changes the framing, and with it FrameBytesMax in profile plain, which takes both from
// the framing. Other profiles keep their limit in each of their framings.
func (c *Config) SetFraming(framing Framing) {
	c.Framing = framing
	if int(c.Profile) < len(profiles) && profiles[c.Profile].limitByFraming && int(framing) < len(frameBytesMax) {
		c.Limits.FrameBytesMax = frameBytesMax[framing]
	}
}

// Validate reports the first field that is out of range, or that does not go with another, as a
// *ConfigError.
func (c *Config) Validate() error {
	switch {
	case c.Profile >= Profile(len(profiles)):
		return &ConfigError{Field: "Profile", Value: int64(c.Profile), Max: int64(len(profiles)) - 1}
	case c.Role > RoleRelay:
		return &ConfigError{Field: "Role", Value: int64(c.Role), Max: int64(RoleRelay)}
	case c.Role == RoleRelay && len(c.Methods) > 0:
		return &ConfigError{Field: "Methods", Reason: "a relay serves no methods"}
	case c.Framing > FramingWhole || profiles[c.Profile].framings&(1<<c.Framing) == 0:
		return &ConfigError{Field: "Framing", Reason: "not one of profile " + c.Profile.String()}
	case c.Envelope != EnvelopeJSONRPC:
		return &ConfigError{Field: "Envelope", Value: int64(c.Envelope)}
	case c.Inbound > InboundMessages:
		return &ConfigError{Field: "Inbound", Value: int64(c.Inbound), Max: int64(InboundMessages)}
	case c.SendPolicy > SendEnd:
		return &ConfigError{Field: "SendPolicy", Value: int64(c.SendPolicy), Max: int64(SendEnd)}
	case c.PauseOn > PauseOnAny:
		return &ConfigError{Field: "PauseOn", Value: int64(c.PauseOn), Max: int64(PauseOnAny)}
	case c.FirstID > numberMax:
		return &ConfigError{Field: "FirstID", Value: int64(c.FirstID), Max: numberMax}
	}
	if err := c.validateMethods(); err != nil {
		return err
	}
	return c.Limits.Validate()
}

func (c *Config) validateMethods() error {
	for i := range c.Methods {
		m := &c.Methods[i]
		switch {
		case m.Name == "":
			return &ConfigError{Field: "Methods", Reason: "a method without a name"}
		case m.Mode > ModeBypass:
			return &ConfigError{Field: "Methods", Reason: m.Name + ": unknown mode"}
		case len(m.Supersede) > SupersedePathMax:
			return &ConfigError{Field: "Methods", Reason: m.Name + ": the path of Supersede is too long"}
		case len(m.Supersede) > 0 && (m.Notification || m.Mode > ModeRead):
			return &ConfigError{Field: "Methods", Reason: m.Name + ": only requests of mode read are superseded"}
		}
	}
	return nil
}
