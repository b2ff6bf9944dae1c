package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/internal/capture"
)

// method is one with answers in a row, of which every tenth is an error.
func method(name string, count int, elapsed core.Time) capture.MethodStats {
	m := capture.MethodStats{Method: name, From: "client", Kind: "request", Count: count}
	for i := range count {
		m.Answers = append(m.Answers, capture.Answer{At: core.Time(i+1) * 1e7, Elapsed: elapsed + core.Time(i)*1000, IsError: i%10 == 9})
	}
	m.Rank()
	return m
}

// drawn makes a picture and returns it with its texts. It has to be one XML document.
func drawn(t *testing.T, stats *capture.Stats) (svg string, texts []string) {
	t.Helper()
	var to bytes.Buffer
	if err := WriteSVG(&to, stats); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(bytes.NewReader(to.Bytes()))
	for isText := false; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return to.String(), texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			isText = token.Name.Local == "text"
			if token.Name.Local == "evil" {
				t.Error("a name became markup")
			}
		case xml.CharData:
			if isText {
				texts = append(texts, string(token))
			}
		case xml.EndElement:
			isText = false
		}
	}
}

// Goal: every method has its row and its colour, and every answer its point.
func TestPictureShowsWhatWasCounted(t *testing.T) {
	stats := &capture.Stats{Methods: []capture.MethodStats{method("slow", 20, 5e8), method("fast", 30, 2e6), {Method: "n", Kind: "notification"}}}
	stats.Methods[1].From = "server"
	svg, texts := drawn(t, stats)
	all := strings.Join(texts, "\n")
	for _, want := range []string{"slow", "server: fast", "milliseconds", "seconds since the session began"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %q", want, texts)
		}
	}
	for i, answers := range []int{20, 30} {
		r, g, b, _ := colors[i].RGBA()
		fill := fmt.Sprintf(`style="fill:#%02X%02X%02X"`, r>>8, g>>8, b>>8)
		const disc = 1 // at the median
		if got, want := strings.Count(svg, fill), answers-answers/10+disc; got != want {
			t.Errorf("%d points in the colour of method %d, want %d", got, i, want)
		}
	}
}

// Goal: nothing that a peer sends breaks the picture, and it stays small. Method: names that are markup,
// control characters and too long; latencies of nothing and of days; one answer; more methods than
// colours; a hundred thousand answers.
func TestPictureHoldsWhateverPassed(t *testing.T) {
	for name, methods := range map[string][]capture.MethodStats{
		"names":   {method(`</text><evil a="&`, 1, 1e6), method("\x00\x1b[2J\u202e\xff", 1, 1e6), method(strings.Repeat("x", 100_000), 1, 1e6), method("", 1, 1e6)},
		"nothing": {method("a", 1, 0)},
		"days":    {method("a", 1, 0), method("b", 1, 1<<53-1e9)},
		"many":    {method("a", 100_000, 1e6)},
	} {
		t.Run(name, func(t *testing.T) {
			svg, _ := drawn(t, &capture.Stats{Methods: methods})
			if len(svg) > 2<<20 || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%d bytes: %.300s", len(svg), svg)
			}
		})
	}
	var methods []capture.MethodStats
	for i := range 30 {
		methods = append(methods, method(fmt.Sprint("method", i), 3, 1e6))
	}
	_, texts := drawn(t, &capture.Stats{Methods: methods})
	if all := strings.Join(texts, " "); !strings.Contains(all, "method7") || strings.Contains(all, "method8") || !strings.Contains(all, "all others") {
		t.Error(texts)
	}
	if err := WriteSVG(io.Discard, &capture.Stats{Methods: []capture.MethodStats{{Method: "a", Count: 3}}}); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
}
