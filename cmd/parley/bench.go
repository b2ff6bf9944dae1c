//go:build !wasip1

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/schollz/progressbar/v3"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
)

// benchCmd is "parley bench".
type benchCmd struct {
	Engine []string      `enum:"native,wazero" default:"native,wazero" placeholder:"NAME" help:"Where the protocol runs, one or both: ${enum}."`
	Size   []byteSize    `default:"179B,1KiB,64KiB,1MiB" placeholder:"SIZE" help:"Size of the message, one or several: ${default}."`
	Rounds int           `default:"10" help:"How often each is measured, in turns."`
	Slice  time.Duration `default:"50ms" help:"About how long one turn takes."`
	Plot   string        `placeholder:"FILE" help:"Draw throughput over size into this SVG."`
	JSON   bool          `name:"json" help:"Print one document."`
}

const (
	benchBytesMin  = 128 // below it there is no room for an envelope
	benchBytesMax  = 64 * core.MiB
	benchRoundsMax = 1000
	benchSliceMax  = 10 * time.Second
	benchSizesMax  = 32
)

// Help is the part of the help below the flags' summary.
func (benchCmd) Help() string {
	return `Measures framing on this machine: one message is copied in, cut out of its frame, judged strictly and fetched as an
event, over and over. The figures are the time for one message: the median of the rounds, the smallest and the largest.

Engines and sizes take turns, so that what disturbs the machine for a while disturbs all of them. The folder benchmarks
of the sources measures beside other libraries.

Examples:

  parley bench
  parley bench --engine native --size 4096 --size 16MiB --plot framing.svg
  parley bench --json | jq '.figures[] | {engine, sizeBytes, medianNs}'`
}

// benchDocument is what bench --json prints. Names are stable.
type benchDocument struct {
	Go      string        `json:"go"`
	OS      string        `json:"os"`
	Arch    string        `json:"arch"`
	Cores   int           `json:"cores"`
	Rounds  int           `json:"rounds"`
	Figures []benchFigure `json:"figures"`
}

// benchFigure is one engine at one size; times are for one message.
type benchFigure struct {
	Engine            string  `json:"engine"`
	SizeBytes         int     `json:"sizeBytes"` // of the body
	MedianNs          float64 `json:"medianNs"`
	MinNs             float64 `json:"minNs"`
	MaxNs             float64 `json:"maxNs"`
	MessagesPerSecond float64 `json:"messagesPerSecond"`
	BytesPerSecond    float64 `json:"bytesPerSecond"`
}

// Run measures, then prints.
func (c *benchCmd) Run(ctx context.Context, e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	figures, err := c.measure(ctx, e)
	if err != nil {
		return err
	}
	if c.Plot != "" {
		if err := writeBenchPlot(c.Plot, figures); err != nil {
			return err
		}
	}
	if c.JSON {
		return writeJSON(e.stdout, benchDocument{runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), c.Rounds, figures})
	}
	return table(e.stdout, "ENGINE SIZE MEDIAN MIN MAX MESSAGES/S MB/S", benchRows(figures))
}

func (c *benchCmd) check() error {
	for _, size := range c.Size {
		if size < benchBytesMin || size > benchBytesMax {
			return usageError{fmt.Sprintf("--size %d: want %d to %d bytes", size, benchBytesMin, benchBytesMax)}
		}
	}
	switch {
	case len(c.Size) > benchSizesMax:
		return usageError{fmt.Sprintf("--size: want at most %d sizes", benchSizesMax)}
	case c.Rounds < 1 || c.Rounds > benchRoundsMax:
		return usageError{fmt.Sprintf("--rounds %d: want 1 to %d", c.Rounds, benchRoundsMax)}
	case c.Slice <= 0 || c.Slice > benchSliceMax:
		return usageError{fmt.Sprintf("--slice %v: want more than 0 and at most %v", c.Slice, benchSliceMax)}
	case c.Plot != "":
		return checkPlotName(c.Plot)
	}
	return nil
}

// benchRun is one engine at one size.
type benchRun struct {
	engine    string
	sizeBytes int
	frame     []byte
	machine   host.Machine
	event     core.Event
	count     int // messages in a turn
	opNs      []float64
}

func (c *benchCmd) measure(ctx context.Context, e *env) (figures []benchFigure, err error) {
	runs, closeRuns, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeRuns()) }()
	bar := progress(e.stderr, len(runs)*(c.Rounds+1))
	defer bar.Close()
	for round := range c.Rounds + 1 { // the first finds the counts, and warms up
		for i := range runs {
			run := runs[(i+round)%len(runs)]
			if round == 0 {
				err = run.calibrate(ctx, c.Slice)
			} else {
				err = run.measure(ctx)
			}
			if err != nil {
				return nil, fmt.Errorf("bench %s at %d bytes: %w", run.engine, run.sizeBytes, err)
			}
			if err := bar.Add(1); err != nil {
				return nil, err
			}
		}
	}
	for _, run := range runs {
		figures = append(figures, run.figure())
	}
	return figures, nil
}

// open makes a machine for each engine and size, and what closes them all.
func (c *benchCmd) open(ctx context.Context) (runs []*benchRun, closeAll func() error, err error) {
	var closers []func() error
	closeAll = func() error {
		var errs []error
		for _, closeOne := range slices.Backward(closers) {
			errs = append(errs, closeOne())
		}
		return errors.Join(errs...)
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(c.Engine))) {
		engine, closeEngine, err := openEngine(ctx, name)
		if err != nil {
			return nil, nil, errors.Join(err, closeAll())
		}
		closers = append(closers, closeEngine)
		for _, size := range c.Size {
			cfg := core.Defaults(core.ProfileLSP, core.RoleClient)
			cfg.Inbound = core.InboundMessages
			cfg.Limits.FrameBytesMax = max(cfg.Limits.FrameBytesMax, int(size))
			machine, err := engine(cfg)
			if err != nil {
				return nil, nil, errors.Join(err, closeAll())
			}
			closers = append(closers, machine.Close)
			body := benchBody(int(size))
			frame := append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
			runs = append(runs, &benchRun{engine: name, sizeBytes: int(size), frame: frame, machine: machine})
		}
	}
	return runs, closeAll, nil
}

// benchBody is a notification of exactly that many bytes: completion items, as many as fit, and a string.
func benchBody(sizeBytes int) []byte {
	const (
		head = `{"jsonrpc":"2.0","method":"bench/items","params":{"items":[null`
		item = `,{"label":"Println","kind":3,"detail":"func(a ...any) (n int, err error)","textEdit":{"range":{"start":` +
			`{"line":10,"character":4},"end":{"line":10,"character":9}},"newText":"Println(${1:})"},"deprecated":false}`
		foot = `],"rest":"`
		tail = `"}}`
	)
	body := append(make([]byte, 0, sizeBytes), head...)
	for len(body)+len(item)+len(foot)+len(tail) <= sizeBytes {
		body = append(body, item...)
	}
	body = append(body, foot...)
	body = append(body, bytes.Repeat([]byte("x"), sizeBytes-len(body)-len(tail))...)
	return append(body, tail...)
}

// calibrate finds how many messages take about one slice.
func (r *benchRun) calibrate(ctx context.Context, slice time.Duration) error {
	for r.count = 1; ; r.count *= 2 {
		took, err := r.do(ctx)
		if err != nil {
			return err
		}
		if took >= slice/4 {
			r.count = max(1, int(float64(r.count)*float64(slice)/float64(took)))
			return nil
		}
	}
}

func (r *benchRun) measure(ctx context.Context) error {
	took, err := r.do(ctx)
	r.opNs = append(r.opNs, float64(took)/float64(r.count))
	return err
}

// do decodes count messages, each in a turn of its own.
func (r *benchRun) do(ctx context.Context) (time.Duration, error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	start := time.Now()
	for range r.count {
		r.machine.Want(1)
		copy(r.machine.Reserve(len(r.frame)), r.frame)
		if err := r.machine.Commit(len(r.frame)); err != nil {
			return 0, err
		}
		r.machine.Advance(1)
		if !r.machine.Next(&r.event) || r.event.Kind != core.EventNotification {
			return 0, fmt.Errorf("a message did not come out as it went in: %w", errors.Join(r.machine.Err(), io.ErrUnexpectedEOF))
		}
	}
	return max(time.Since(start), 1), nil
}

func (r *benchRun) figure() benchFigure {
	sorted := slices.Sorted(slices.Values(r.opNs))
	half := len(sorted) / 2
	medianNs := (sorted[half] + sorted[(len(sorted)-1)/2]) / 2
	return benchFigure{
		Engine: r.engine, SizeBytes: r.sizeBytes,
		MedianNs: medianNs, MinNs: sorted[0], MaxNs: sorted[len(sorted)-1],
		MessagesPerSecond: 1e9 / medianNs, BytesPerSecond: float64(r.sizeBytes) * 1e9 / medianNs,
	}
}

func benchRows(figures []benchFigure) [][]string {
	var rows [][]string
	for _, f := range figures {
		rows = append(rows, []string{
			f.Engine, strconv.Itoa(f.SizeBytes), benchTime(f.MedianNs), benchTime(f.MinNs), benchTime(f.MaxNs),
			strconv.FormatFloat(f.MessagesPerSecond, 'f', 0, 64), strconv.FormatFloat(f.BytesPerSecond/1e6, 'f', 1, 64),
		})
	}
	return rows
}

// benchTime has three digits that say something.
func benchTime(ns float64) string {
	d := time.Duration(ns)
	switch {
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d >= 10*time.Microsecond:
		return d.Round(100 * time.Nanosecond).String()
	}
	return d.String()
}

// progress is a bar of that many steps on a terminal, and nothing elsewhere.
func progress(to io.Writer, steps int) *progressbar.ProgressBar {
	file, isFile := to.(*os.File)
	return progressbar.NewOptions(
		steps,
		progressbar.OptionSetWriter(to),
		progressbar.OptionSetVisibility(isFile && term.IsTerminal(file.Fd())),
		progressbar.OptionSetDescription("measuring"),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)
}
