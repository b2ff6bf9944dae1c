package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/parley-rpc/parley/internal/transcript"
)

// preamble begins a capture file: what it is, and the version of the format.
const preamble = "\x89parley\x01"

// Header is what a capture says about itself before anything passes.
type Header struct {
	Framing  Framing
	Session  string    // random: tells the parts of one session from those of another
	Part     uint64    // from 1; a part above 1 goes on where the one before it ended
	Started  time.Time // when the session began: time 0 of every part of it
	Command  []string
	Redacted []string // "secrets", and paths
}

// record spells the header.
func (h *Header) record() transcript.Record {
	r := transcript.Record{Op: transcript.OpCapture}
	add := func(name, value string) {
		r.Settings = append(r.Settings, transcript.Setting{Name: []byte(name), Value: []byte(value)})
	}
	add("framing", h.Framing.String())
	add("session", h.Session)
	add("part", strconv.FormatUint(h.Part, 10))
	add("started", h.Started.UTC().Format(time.RFC3339Nano))
	for _, argument := range h.Command[:min(len(h.Command), argumentsMax)] {
		add("command", argument)
	}
	for _, path := range h.Redacted[:min(len(h.Redacted), argumentsMax)] {
		add("redacted", path)
	}
	return r
}

// argumentsMax bounds what a header says about the command and about redaction: a record has at most
// 256 settings.
const argumentsMax = 100

// parseHeader reads what record wrote, and skips what it does not know.
func parseHeader(r *transcript.Record) (Header, error) {
	h := Header{Part: 1}
	for _, s := range r.Settings {
		value := string(s.Value)
		var err error
		switch string(s.Name) {
		case "framing":
			h.Framing, err = ParseFraming(value)
		case "session":
			h.Session = value
		case "part":
			h.Part, err = strconv.ParseUint(value, 10, 63)
		case "started":
			h.Started, err = time.Parse(time.RFC3339Nano, value)
		case "command":
			h.Command = append(h.Command, value)
		case "redacted":
			h.Redacted = append(h.Redacted, value)
		}
		if err != nil {
			return h, fmt.Errorf("%s=%q: %w", s.Name, value, err)
		}
	}
	return h, nil
}

// File is a capture that is being written. It has one writer.
type File struct {
	path      string
	header    Header
	bytesMax  int64 // a file that holds more becomes path.1, and another begins; 0: never
	file      *os.File
	sizeBytes int64
	isBegun   bool // the header of this part has been written
}

// Create opens a capture for a session. A file that is there goes on: what the writer before this
// one left unfinished is cut off, and the session is added. It is readable for its owner alone. Where
// another process writes to path already, path and the process id is written instead.
func Create(path string, header Header, bytesMax int64) (*File, error) {
	header.Part = 1
	f := &File{path: path, header: header, bytesMax: bytesMax}
	err := f.open()
	if errors.Is(err, errLocked) {
		f.path = path + "." + strconv.Itoa(os.Getpid())
		err = f.open()
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Path is the file's name.
func (f *File) Path() string { return f.path }

func (f *File) open() (err error) {
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|openFlags, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	f.sizeBytes = 0
	if info.Mode().IsRegular() {
		if err := lock(file); err != nil {
			return err
		}
		if f.sizeBytes, err = wholeBytes(file); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if err := file.Truncate(f.sizeBytes); err != nil {
			return err
		}
		if _, err := file.Seek(f.sizeBytes, io.SeekStart); err != nil {
			return err
		}
	}
	f.file = file
	return nil
}

// begin is what a part begins with: the preamble, where nothing stands before it, and its header.
func (f *File) begin() ([]byte, error) {
	var to []byte
	if f.sizeBytes == 0 {
		to = append(to, preamble...)
	}
	header := f.header.record()
	return header.AppendBinary(to)
}

// wholeBytes is the size of a capture up to the end of its last whole record. An empty file is one.
func wholeBytes(file *os.File) (int64, error) {
	var start [len(preamble)]byte
	n, err := io.ReadFull(file, start[:])
	switch {
	case bytes.HasPrefix([]byte(preamble), start[:n]) && n < len(preamble):
		return 0, nil // empty, or torn in the preamble
	case err != nil:
		return 0, err
	case string(start[:]) != preamble:
		return 0, errNoCapture
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	whole := int64(len(preamble))
	for {
		var size [4]byte
		if _, err := file.ReadAt(size[:], whole); errors.Is(err, io.EOF) {
			return whole, nil
		} else if err != nil {
			return 0, err
		}
		next := whole + int64(len(size)) + int64(binary.BigEndian.Uint32(size[:]))
		if next > info.Size() || next == whole+int64(len(size)) {
			return whole, nil
		}
		whole = next
	}
}

var (
	errNoCapture = errors.New("is not a capture: another name, or remove it")
	errLocked    = errors.New("is being written by another process")
)

// write appends whole records, behind the header where a part begins with them.
func (f *File) write(records []byte) error {
	if f.bytesMax > 0 && f.sizeBytes > f.bytesMax {
		if err := f.rotate(); err != nil {
			return err
		}
	}
	if !f.isBegun {
		begin, err := f.begin()
		if err != nil {
			return err
		}
		records, f.isBegun = append(begin, records...), true
	}
	n, err := f.file.Write(records)
	f.sizeBytes += int64(n)
	return err
}

// rotate gives the file the name path.1, in the place of the one that had it, and begins another.
func (f *File) rotate() error {
	if err := f.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.path, f.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.isBegun { // else what is there is of sessions before this one
		f.header.Part++
		f.isBegun = false
	}
	return f.open()
}
