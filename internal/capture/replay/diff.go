package replay

import "github.com/parley-rpc/parley/core"

// Difference is one way in which two conversations, or a conversation and a live peer, differ. Names in
// JSON are stable.
type Difference struct {
	From   string `json:"from"`   // who sent the request: client or server
	Method string `json:"method"` // of the request
	Nth    int    `json:"nth"`    // which of its method, from 1
	ID     string `json:"id,omitempty"`
	Detail string `json:"detail"` // foreign text, to be escaped before it is shown
}

func difference(m *Message, detail string) Difference {
	return Difference{From: sideNames[m.Side], Method: string(m.Method), Nth: m.Nth + 1, ID: string(m.ID), Detail: detail}
}

var sideNames = [...]string{"client", "server"}

// Diff compares two captures: the n-th request of a method with the n-th request of the same method by
// the same side, its params and its answer. Under MatchStrict notifications are compared too.
func Diff(a, b *Conversation, matching Matching) []Difference {
	var found []Difference
	for i := range a.Messages {
		m := &a.Messages[i]
		if !compares(m, matching) {
			continue
		}
		other := b.find(m.Side, m.Class, m.Method, m.Nth)
		if other == nil {
			found = append(found, difference(m, "only in the first"))
			continue
		}
		if detail := matching.compareJSON("params", m.Body, other.Body); detail != "" {
			found = append(found, difference(m, detail))
		}
		if detail := matching.compare(a.partner(m), b.partner(other)); detail != "" {
			found = append(found, difference(m, detail))
		}
	}
	for i := range b.Messages {
		if m := &b.Messages[i]; compares(m, matching) && a.find(m.Side, m.Class, m.Method, m.Nth) == nil {
			found = append(found, difference(m, "only in the second"))
		}
	}
	return found
}

func compares(m *Message, matching Matching) bool {
	return m.Class == core.ClassRequest || m.Class == core.ClassNotification && matching == MatchStrict
}
