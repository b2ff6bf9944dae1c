package chaos

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/parley-rpc/parley/core"
)

// Message is one message on its way out.
type Message struct {
	Text        []byte // JSON without its framing
	Answer      bool   // it answers a request
	Raw         bool   // Text goes out as it is, unframed
	LengthError int    // bytes by which its announced length is wrong; line framing announces none
}

// Filter is one thing wrong with messages. It gets those that are written together, in order, and
// returns what is to be written instead.
type Filter func(messages []Message) []Message

// Messages is a writer that cuts what an honest peer writes into messages and passes them through
// filters. One goroutine writes; Inject may be called beside it.
type Messages struct {
	out     io.WriteCloser
	framing core.Framing
	filters []Filter
	cutter  *core.Conn // a relay: it cuts and classifies

	mu sync.Mutex // guards out: messages are not torn by each other
}

// NewMessages returns a writer for a session with the framing and the limits of cfg, which writes
// to out what the filters leave, the first of them first. The error is cfg's (*core.ConfigError).
func NewMessages(out io.WriteCloser, cfg core.Config, filters ...Filter) (*Messages, error) {
	cfg.Role, cfg.Inbound, cfg.Methods = core.RoleRelay, core.InboundMessages, nil
	cutter, err := core.New(cfg)
	if err != nil {
		return nil, err
	}
	cutter.Advance(1)
	return &Messages{out: out, framing: cfg.Framing, filters: filters, cutter: cutter}, nil
}

// FrameAs has messages written in another framing than they are read in.
func (m *Messages) FrameAs(framing core.Framing) { m.framing = framing }

// Write takes bytes cut anywhere. It fails as out does, and with a *core.ProtocolError where they
// are not framed as the session's configuration says.
func (m *Messages) Write(p []byte) (int, error) {
	copy(m.cutter.Reserve(len(p)), p)
	if err := m.cutter.Commit(len(p)); err != nil {
		return 0, fmt.Errorf("chaos: the peer to be made bad is bad already: %w", err)
	}
	messages := m.cut()
	for _, filter := range m.filters {
		messages = filter(messages)
	}
	if err := m.Inject(messages); err != nil {
		return 0, err
	}
	return len(p), nil
}

// cut returns the messages that are complete.
func (m *Messages) cut() []Message {
	const all = 1<<31 - 1
	m.cutter.Want(all)
	var messages []Message
	for event := range m.cutter.Events() {
		if event.Kind == core.EventMessage {
			messages = append(messages, Message{
				Text:   append([]byte(nil), event.Frame...),
				Answer: event.Class == core.ClassResult || event.Class == core.ClassError,
			})
		}
	}
	return messages
}

// Inject writes messages of which the filtered peer knows nothing, all in one write.
func (m *Messages) Inject(messages []Message) error {
	var block []byte
	for _, message := range messages {
		block = m.append(block, message)
	}
	if len(block) == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.out.Write(block)
	return err
}

func (m *Messages) append(block []byte, message Message) []byte {
	sizeBytes := len(message.Text) + message.LengthError
	switch {
	case message.Raw:
		return append(block, message.Text...)
	case m.framing == core.FramingLine:
		return append(append(block, message.Text...), '\n')
	case m.framing == core.FramingLength4:
		block = binary.BigEndian.AppendUint32(block, uint32(sizeBytes))
	default:
		block = fmt.Appendf(block, "Content-Length: %d\r\n\r\n", sizeBytes)
	}
	return append(block, message.Text...)
}

// Close closes out, also under a Write that waits; half a message is lost.
func (m *Messages) Close() error { return m.out.Close() }
