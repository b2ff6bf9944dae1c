package sim

import (
	"slices"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/internal/transcript"
)

// playsMax bounds how often a transcript is played while it is shrunk.
const playsMax = 3000

// shrink leaves records out of a transcript for as long as playing it breaks the same rule, and
// returns it with what the machine then does. One that does not break it at all is returned as it
// is: the run itself is then what there is to look at.
func shrink(v transcript.Vector, fault *Fault, open transcript.Factory) transcript.Vector {
	plays := 0
	breaks := func(candidate transcript.Vector) bool {
		plays++
		_, found := replay(candidate, open)
		return plays < playsMax && found != nil && found.Rule == fault.Rule
	}
	if !breaks(v) {
		return v
	}
	for _, simpler := range []func(transcript.Vector) transcript.Vector{withoutWriter, inFrames} {
		if candidate := simpler(v); breaks(candidate) {
			v = candidate
		}
	}
	for size := len(v.Records) / 2; size > 0; {
		shorter := leaveOut(v, size, breaks)
		if len(shorter.Records) == len(v.Records) {
			size /= 2
		}
		v = shorter
	}
	v = withoutSettings(v, breaks)
	v = joined(v)
	if played, _ := replay(v, open); len(played.Records) > 0 {
		return played
	}
	return v
}

// leaveOut tries each run of size records once. The opening stays.
func leaveOut(v transcript.Vector, size int, breaks func(transcript.Vector) bool) transcript.Vector {
	for at := 1; at+size < len(v.Records); {
		candidate := v
		candidate.Records = slices.Delete(slices.Clone(v.Records), at, at+size)
		if breaks(candidate) {
			v = candidate
		} else {
			at += size
		}
	}
	return v
}

// withoutWriter leaves writing to the turns.
func withoutWriter(v transcript.Vector) transcript.Vector {
	v.Records = slices.DeleteFunc(slices.Clone(v.Records), func(r transcript.Record) bool {
		return r.Op == transcript.OpHold || r.Op == transcript.OpTake || r.Op == transcript.OpWrote
	})
	return v
}

// inFrames makes an input of each frame, where its last byte arrived, so that frames can be left
// out. Bytes that are no frame stay as they are.
func inFrames(v transcript.Vector) transcript.Vector {
	cfg, _, err := configOf(v.Records)
	if err != nil || cfg.Framing == core.FramingWhole {
		return v
	}
	var records []transcript.Record
	var stream []byte
	for _, r := range v.Records {
		if r.Op == transcript.OpIn {
			stream = append(stream, r.Text...)
			for isSure := true; isSure; {
				var body []byte
				if body, isSure = nextFrame(&cfg, &stream); isSure {
					records = append(records, transcript.Record{Op: transcript.OpFrame, Text: body})
				}
			}
			continue
		}
		if r.Op == transcript.OpEOF && len(stream) > 0 {
			records = append(records, transcript.Record{Op: transcript.OpIn, Text: stream})
			stream = nil
		}
		records = append(records, r)
	}
	if n := len(records) - 1; len(stream) > 0 {
		records = slices.Insert(records, n, transcript.Record{Op: transcript.OpIn, Text: stream})
	}
	v.Records = records
	return v
}

// nextFrame takes the frame at the front of a stream off it.
func nextFrame(cfg *core.Config, stream *[]byte) (body []byte, found bool) {
	body, size := cutFrame(cfg, *stream)
	if size <= 0 {
		return nil, false
	}
	*stream = (*stream)[size:]
	return body, true
}

// joined makes one input of bytes that arrive together.
func joined(v transcript.Vector) transcript.Vector {
	var records []transcript.Record
	for _, r := range v.Records {
		if n := len(records); r.Op == transcript.OpIn && n > 0 && records[n-1].Op == r.Op {
			records[n-1].Text = slices.Concat(records[n-1].Text, r.Text)
		} else {
			records = append(records, r)
		}
	}
	v.Records = records
	return v
}

// withoutSettings leaves out what the opening need not say. Profile and role stay.
func withoutSettings(v transcript.Vector, breaks func(transcript.Vector) bool) transcript.Vector {
	for at := len(v.Records[0].Settings) - 1; at >= 2; at-- {
		candidate := v
		candidate.Records = slices.Clone(v.Records)
		candidate.Records[0].Settings = slices.Delete(slices.Clone(v.Records[0].Settings), at, at+1)
		if breaks(candidate) {
			v = candidate
		}
	}
	return v
}

// replay plays a transcript on a watched machine and returns what it did and what was found. A
// transcript that cannot be played finds nothing.
func replay(v transcript.Vector, open transcript.Factory) (played transcript.Vector, found *Fault) {
	var w *watched
	defer func() {
		if cause := recover(); cause != nil {
			played, found = v, panicOf(cause)
		}
	}()
	played, err := v.Play(func(cfg core.Config) (host.Machine, error) {
		machine, err := open(cfg)
		if err == nil {
			w = watch(machine, cfg)
			return w, nil
		}
		return machine, err
	}, &transcript.Cutting{})
	if err != nil || w == nil {
		return v, nil
	}
	return played, w.model.fault
}
