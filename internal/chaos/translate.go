package chaos

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"sync"
	"unicode/utf16"
)

// TextMode writes CR LF for each LF, as a Windows stdout in text mode does.
func TextMode(out io.WriteCloser) io.WriteCloser {
	return translate(out, func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")) })
}

// BareLF writes LF for each CR LF of a block.
func BareLF(out io.WriteCloser) io.WriteCloser {
	return translate(out, func(p []byte) []byte { return bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n")) })
}

// UTF16 writes little-endian UTF-16 with a mark in front, as PowerShell re-encodes what it pipes. A
// character is not cut by writes.
func UTF16(out io.WriteCloser) io.WriteCloser {
	mark := []byte{0xFF, 0xFE}
	return translate(out, func(p []byte) []byte {
		p, mark = encodeUTF16(mark, string(p)), nil
		return p
	})
}

func encodeUTF16(block []byte, text string) []byte {
	for _, unit := range utf16.Encode([]rune(text)) {
		block = binary.LittleEndian.AppendUint16(block, unit)
	}
	return block
}

// translate writes what f makes of each block.
func translate(out io.WriteCloser, f func(block []byte) []byte) io.WriteCloser {
	return &translator{WriteCloser: out, f: f}
}

type translator struct {
	io.WriteCloser
	f func(block []byte) []byte
}

func (t *translator) Write(p []byte) (int, error) {
	if _, err := t.WriteCloser.Write(t.f(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Buffer holds back what is written until it has bytesMax bytes, or is closed: stdout on a pipe, and
// nobody who flushes it.
func Buffer(out io.WriteCloser, bytesMax int) io.WriteCloser {
	return &buffer{out: out, held: bufio.NewWriterSize(out, bytesMax)}
}

type buffer struct {
	out io.WriteCloser

	mu   sync.Mutex // Close may come during a Write
	held *bufio.Writer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held.Write(p)
}

// Close writes what is held, and closes.
func (b *buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.held.Flush()
	if closeErr := b.out.Close(); err == nil {
		err = closeErr
	}
	return err
}
