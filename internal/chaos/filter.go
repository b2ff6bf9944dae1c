package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Drop loses each message with probability p.
func Drop(random *rand.Rand, p float64) Filter {
	return func(messages []Message) []Message {
		return slices.DeleteFunc(messages, func(Message) bool { return random.Float64() < p })
	}
}

// NeverAnswer loses every answer; requests and notifications pass.
func NeverAnswer() Filter {
	return func(messages []Message) []Message {
		return slices.DeleteFunc(messages, func(m Message) bool { return m.Answer })
	}
}

// AnswerTwice repeats each answer with probability p.
func AnswerTwice(random *rand.Rand, p float64) Filter {
	return each(func(m Message) []Message {
		if m.Answer && random.Float64() < p {
			return []Message{m, m}
		}
		return []Message{m}
	})
}

// WrongLength announces, with probability p, a length that is 1 to 16 bytes too large or, as often,
// too small. It does nothing in line framing.
func WrongLength(random *rand.Rand, p float64) Filter {
	const offMax = 16 // bytes
	return each(func(m Message) []Message {
		if random.Float64() < p {
			m.LengthError = 1 + random.IntN(offMax)
			if random.IntN(2) == 0 {
				m.LengthError = -min(m.LengthError, len(m.Text))
			}
		}
		return []Message{m}
	})
}

// Junk puts, with probability p, a line in front of a message, such as a stray print leaves.
func Junk(random *rand.Rand, p float64) Filter {
	lines := 0
	return each(func(m Message) []Message {
		if random.Float64() >= p {
			return []Message{m}
		}
		lines++
		return []Message{{Text: fmt.Appendf(nil, "junk on stdout, line %d\n", lines), Raw: true}, m}
	})
}

// Pretty prints each message over several lines.
func Pretty() Filter {
	return each(func(m Message) []Message {
		var pretty bytes.Buffer
		if json.Indent(&pretty, m.Text, "", "  ") == nil { // what is no JSON stays as it is
			m.Text = pretty.Bytes()
		}
		return []Message{m}
	})
}

// OutOfOrder turns round the order of the answers that are written together; what lies between
// them keeps its place. The slower out is (Delay), the more are.
func OutOfOrder() Filter {
	return func(messages []Message) []Message {
		var places []int
		for i, m := range messages {
			if m.Answer {
				places = append(places, i)
			}
		}
		for i, j := 0, len(places)-1; i < j; i, j = i+1, j-1 {
			a, b := places[i], places[j]
			messages[a], messages[b] = messages[b], messages[a]
		}
		return messages
	}
}

// each is a filter that looks at one message at a time.
func each(replace func(Message) []Message) Filter {
	return func(messages []Message) []Message {
		var replaced []Message
		for _, m := range messages {
			replaced = append(replaced, replace(m)...)
		}
		return replaced
	}
}
