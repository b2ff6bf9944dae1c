package sim

// link is one direction between two ends: a pipe of bytes, or of messages in framing whole.
type link struct {
	bytes    []byte
	messages [][]byte
	isWhole  bool
	isClosed bool // the writer has closed it
	isOver   bool // the reader has been told so
	isSlow   bool // nothing arrives until the next calm
}

// send takes what was written.
func (l *link) send(block []byte) {
	if len(block) == 0 || l.isClosed {
		return
	}
	if l.isWhole {
		l.messages = append(l.messages, append([]byte(nil), block...))
	} else {
		l.bytes = append(l.bytes, block...)
	}
}

func (l *link) isEmpty() bool { return len(l.bytes) == 0 && len(l.messages) == 0 }

// cut closes the link and loses some of what was on its way.
func (l *link) cut(d draw) {
	l.isClosed = true
	l.bytes = l.bytes[:d.wild(len(l.bytes))]
	l.messages = l.messages[:d.wild(len(l.messages))]
}

// flip changes one bit on its way.
func (l *link) flip(d draw) {
	target := l.bytes
	if len(l.messages) > 0 {
		target = l.messages[d.IntN(len(l.messages))]
	}
	if len(target) > 0 {
		target[d.IntN(len(target))] ^= 1 << d.IntN(8)
	}
}

// arrives hands at most size bytes, or one message, to the end that reads.
func (l *link) arrives(e *end, size int) {
	switch {
	case len(l.messages) > 0:
		message := l.messages[0]
		l.messages = l.messages[1:]
		e.reads(message)
	case len(l.bytes) > 0:
		piece := l.bytes[:size:size]
		l.bytes = l.bytes[size:]
		e.reads(piece)
	case l.isClosed && !l.isOver:
		l.isOver = true
		e.endsReading()
	}
}

// isPending reports that something is still to arrive.
func (l *link) isPending() bool { return !l.isEmpty() || l.isClosed && !l.isOver }
