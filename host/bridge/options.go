package bridge

import (
	"cmp"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
	"github.com/parley-rpc/parley/host/control"
)

// Server is a command that is started once for each session.
type Server struct {
	// Name is its place in the URL, /ws/NAME: letters, digits, dots, dashes and underscores.
	Name string
	// Title is what people read, in the page and on the control connection; "" is Name.
	Title string
	// Profile is what it speaks: core.ProfileLSP, core.ProfileMCP or core.ProfilePlain, each in its
	// default framing.
	Profile core.Profile
	// Command is the program and its arguments.
	Command []string
}

func (s *Server) title() string { return cmp.Or(s.Title, s.Name) }

// Options is everything a bridge is told when it is made. Zero fields mean their defaults.
type Options struct {
	// Servers are offered under their names, the first one also without.
	Servers []Server
	// Engine runs the machines of the sessions; nil is host.Native.
	Engine host.Engine
	// Token has to come with everything but the page itself; "" asks for none.
	Token string
	// AllowHosts are names, with or without a port, that the header Host may hold besides loopback
	// names; AllowOrigins origins (https://ide.example) that may connect besides pages of loopback names.
	AllowHosts, AllowOrigins []string
	// SessionsMax bounds the sessions, and so the children, that exist at once: 16. A session counts
	// until its child is gone. One more is closed with 1013.
	SessionsMax int
	// MessageBytesMax bounds a message that is handed on, in both directions: 16 MiB. A larger one is
	// answered with an error on its id, and taken in up to four times the limit for that (BRIDGE-3).
	MessageBytesMax int
	// KeepProcessID leaves initialize.params.processId as it is (BRIDGE-2).
	KeepProcessID bool
	// Root is a folder whose files the page may read and write, and the working directory of the
	// children; "" is none, and the working directory of this program.
	Root string
	// FileBytesMax bounds one file that is read or written: 16 MiB.
	FileBytesMax int64
	// Version is shown to the page.
	Version string
	// PingEvery is how often a socket is asked whether it lives: 20 s.
	PingEvery time.Duration
	// DeadAfter is how long a socket may neither answer, send nor take anything: 50 s. Then it is lost.
	DeadAfter time.Duration
	// StallMax is how long a server may leave its input unread while something waits in it: 60 s. Then
	// the session is over.
	StallMax time.Duration
	// ResumeBytesMax and ResumeFor bound what is kept for a page that lost its socket: 4 MiB, 60 s.
	ResumeBytesMax int
	ResumeFor      time.Duration
	// Control shows the sessions, and the requests in them that have no answer; nil shows them nowhere.
	Control *control.Server
	// Bounds are the times that a child is given to leave.
	Bounds child.Bounds
	// Clock is the time of the sessions' machines; nil is host.SystemClock.
	Clock host.Clock
	// Logger is told what has no other place: sessions that start and end, messages that were dropped.
	// nil discards it.
	Logger *slog.Logger
}

const (
	sessionsMaxDefault     = 16
	messageBytesMaxDefault = 16 * core.MiB
	messageBytesMin        = 1 * core.KiB // room for an error with an id
	messageBytesCeiling    = 256 * core.MiB
	resumeBytesMaxDefault  = 4 * core.MiB
)

var serverName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// withDefaults fills in what was left out and refuses what cannot be.
func (o Options) withDefaults() (Options, error) {
	o.SessionsMax = orDefault(o.SessionsMax, sessionsMaxDefault)
	o.MessageBytesMax = orDefault(o.MessageBytesMax, messageBytesMaxDefault)
	o.FileBytesMax = orDefault(o.FileBytesMax, messageBytesMaxDefault)
	o.ResumeBytesMax = orDefault(o.ResumeBytesMax, resumeBytesMaxDefault)
	o.PingEvery = orDefault(o.PingEvery, 20*time.Second)
	o.DeadAfter = orDefault(o.DeadAfter, 50*time.Second)
	o.StallMax = orDefault(o.StallMax, time.Minute)
	o.ResumeFor = orDefault(o.ResumeFor, time.Minute)
	if o.Engine == nil {
		o.Engine = host.Native
	}
	if o.Clock == nil {
		o.Clock = host.SystemClock()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, o.validate()
}

func (o *Options) validate() error {
	if len(o.Servers) == 0 {
		return fmt.Errorf("bridge: no server to start")
	}
	if o.MessageBytesMax < messageBytesMin || o.MessageBytesMax > messageBytesCeiling {
		return fmt.Errorf("bridge: MessageBytesMax is %d, want %d to %d", o.MessageBytesMax, messageBytesMin, messageBytesCeiling)
	}
	for i, s := range o.Servers {
		switch {
		case !serverName.MatchString(s.Name) || s.Name == "." || s.Name == "..":
			return fmt.Errorf("bridge: server name %q: want 1 to 64 letters, digits, dots, dashes or underscores", s.Name)
		case slices.ContainsFunc(o.Servers[:i], func(t Server) bool { return t.Name == s.Name }):
			return fmt.Errorf("bridge: two servers are named %q", s.Name)
		case len(s.Command) == 0 || s.Command[0] == "":
			return fmt.Errorf("bridge: server %s: no command", s.Name)
		case s.Profile > core.ProfilePlain || s.Profile == core.ProfileControl:
			return fmt.Errorf("bridge: server %s: profile %d: %w", s.Name, s.Profile, host.ErrUnsupported)
		}
		if c := o.machineConfigs(s.Profile); c.server.Validate() != nil {
			return fmt.Errorf("bridge: server %s: %w", s.Name, c.server.Validate())
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"PingEvery", o.PingEvery},
		{"DeadAfter", o.DeadAfter},
		{"StallMax", o.StallMax},
		{"ResumeFor", o.ResumeFor},
	} {
		if d.value < 0 {
			return fmt.Errorf("bridge: %s is %v, want 0 (the default) or more", d.name, d.value)
		}
	}
	if o.SessionsMax < 0 || o.FileBytesMax < 0 {
		return fmt.Errorf("bridge: SessionsMax or FileBytesMax is negative")
	}
	link := o.linkConfig("", true)
	if err := link.Validate(); err != nil {
		return fmt.Errorf("bridge: %w", err)
	}
	return nil
}

func orDefault[T int | int64 | time.Duration](value, fallback T) T {
	if value == 0 {
		return fallback
	}
	return value
}

const (
	// takenInFactor is how much larger a message may be than MessageBytesMax to be answered on its id.
	takenInFactor = 4
	// waitingBytesMax is what waits for the other side before reading stops, besides one message.
	waitingBytesMax = 1 * core.MiB
)

// configs are the configurations of a session's two machines.
type configs struct{ page, server core.Config }

func (o *Options) machineConfigs(profile core.Profile) configs {
	c := configs{page: core.Defaults(profile, core.RoleRelay), server: core.Defaults(profile, core.RoleRelay)}
	c.page.SetFraming(core.FramingWhole) // FRAME-9
	for _, cfg := range []*core.Config{&c.page, &c.server} {
		cfg.Limits.FrameBytesMax = takenInFactor * o.MessageBytesMax
		cfg.Limits.OutBytesMax = waitingBytesMax
		cfg.Limits.ParkedBytesMax = waitingBytesMax
	}
	c.server.Resync = true // a line of log on stdout costs itself and not the session (HEAD-8)
	c.server.StallMaxNs = core.Time(o.StallMax)
	c.server.StallNs = min(c.server.StallNs, c.server.StallMaxNs)
	return c
}

// plainBytesMax is what is kept for a socket that cannot be replaced: only what waits matters.
const plainBytesMax = 64 * core.KiB

// linkConfig is the configuration of what a session keeps for its page.
func (o *Options) linkConfig(session string, resumable bool) resume.Config {
	cfg := resume.Defaults(session)
	cfg.AgeNs = core.Time(o.ResumeFor)
	cfg.BytesMax = o.ResumeBytesMax
	cfg.TextBytesMax = takenInFactor * o.MessageBytesMax
	if !resumable {
		cfg.BytesMax = plainBytesMax
	}
	return cfg
}

// graceOf is how long a server has for its farewell.
func graceOf(b child.Bounds) time.Duration { return orDefault(b.Grace, 2*time.Second) }
