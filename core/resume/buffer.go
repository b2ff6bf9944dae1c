package resume

import (
	"bytes"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// buffer holds copies of the texts that we sent, in order: first those that were written on the
// socket there is, which the peer may or may not have, then those that wait to be written. Texts are
// named by their ordinal, which is how many were sent before.
type buffer struct {
	texts slab.Ring[kept]
	first uint64 // ordinal of the oldest text kept
	next  uint64 // ordinal of the next text to be written

	chargedBytes int // of all texts
	waitingBytes int // of those that wait, charged
}

type kept struct {
	text    []byte
	written core.Time // once it is
}

func (k *kept) chargedBytes() int { return len(k.text) + ChargeBytes }

// sent is how many texts were sent, and the ordinal of the next.
func (b *buffer) sent() uint64 { return b.first + uint64(b.texts.Count()) }

// hasRoom reports whether a text may be put. One that is larger than the buffer is let in where
// nothing else waits, as in SEND-2.
func (b *buffer) hasRoom(size, bytesMax int) bool {
	return b.waitingBytes == 0 || size <= bytesMax-ChargeBytes-b.waitingBytes
}

// put keeps a copy of one more text, and forgets written ones, the oldest first, to make room.
func (b *buffer) put(text []byte, bytesMax int) {
	k := b.texts.Push(kept{text: bytes.Clone(text)})
	b.chargedBytes += k.chargedBytes()
	b.waitingBytes += k.chargedBytes()
	for b.first < b.next && b.chargedBytes > bytesMax {
		b.forget()
	}
}

// take hands out the next text to be written; nil and false when none waits.
func (b *buffer) take(now core.Time) ([]byte, bool) {
	if b.next == b.sent() {
		return nil, false
	}
	k := b.texts.At(int(b.next - b.first))
	k.written = now
	b.waitingBytes -= k.chargedBytes()
	b.next++
	return k.text, true
}

// rewind makes everything wait: the socket on which it was written is lost.
func (b *buffer) rewind() { b.next, b.waitingBytes = b.first, b.chargedBytes }

// confirm forgets the texts before an ordinal: the peer has them. Nothing is written when it is told.
func (b *buffer) confirm(received uint64) {
	for b.first < received {
		b.next++
		b.waitingBytes -= b.texts.At(0).chargedBytes()
		b.forget()
	}
}

// expire forgets the texts that were written at a time or before.
func (b *buffer) expire(written core.Time) {
	for b.first < b.next && b.texts.At(0).written <= written {
		b.forget()
	}
}

// oldest is when the oldest text was written that was; core.Never when none was.
func (b *buffer) oldest() core.Time {
	if b.first == b.next {
		return core.Never
	}
	return b.texts.At(0).written
}

// forget drops the oldest text, which does not wait.
func (b *buffer) forget() {
	b.chargedBytes -= b.texts.At(0).chargedBytes()
	b.texts.Drop()
	b.first++
}

func (b *buffer) clear() {
	b.first = b.sent()
	b.next = b.first
	b.texts.Clear()
	b.chargedBytes, b.waitingBytes = 0, 0
}
