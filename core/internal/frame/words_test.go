package frame

import "testing"

// The usual header is recognised by its words; where one were misspelled every frame would still be
// found, more slowly.
func TestUsualHeaderIsPlain(t *testing.T) {
	for text, isPlain := range map[string]bool{
		"Content-Length: 2\r\n\r\n{}":  true,
		"Content-length: 2\r\n\r\n{}":  false,
		"Content-Length:  2\r\n\r\n{}": false,
		"Content-Length: 2\r\n\n\r{}":  false,
		"Content-Length: 2\r\n\r\n{":   false,
	} {
		var d Decoder
		d.Init(Config{Framing: Header, HeaderBytesMax: 100, BodyBytesMax: 100, BlankBytesMax: 100})
		if start, end, size := d.Plain([]byte(text)); (size > 0) != isPlain || isPlain && text[start:end] != "{}" {
			t.Errorf("%q: start %d, end %d, size %d", text, start, end, size)
		}
	}
}
