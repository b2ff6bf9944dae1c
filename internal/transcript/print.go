package transcript

import (
	"bytes"
	"strconv"
	"strings"
)

// Print spells vectors as text. It is the inverse of Parse.
func Print(vectors []Vector) []byte {
	var to []byte
	for i := range vectors {
		if i > 0 {
			to = append(to, '\n')
		}
		to = vectors[i].Append(to)
	}
	return to
}

// Append appends the vector's text: its title, then one line a record.
func (v *Vector) Append(to []byte) []byte {
	to = append(to, "# "+strings.Join(v.Rules, " ")+"  "+v.Title+"\n"...)
	for i := range v.Records {
		to = v.Records[i].Append(to)
	}
	return to
}

// Append appends the record's line with its line feed.
func (r *Record) Append(to []byte) []byte {
	row := &spellings[r.Op]
	to = append(to, row.verb...)
	if r.Repeat > 1 {
		to = append(to, '*')
		to = strconv.AppendUint(to, r.Repeat, 10)
	}
	for i := range row.fields {
		f := &row.fields[i]
		if f.optional && f.isZero(r) {
			continue
		}
		to = append(to, ' ')
		to = append(to, f.prefix...)
		start := len(to)
		to = f.write(r, to)
		if f.rest && row.hasOption(to[start:]) {
			to = escapeFirst(to, start)
		}
	}
	return append(to, '\n')
}

// Verb is how the record's line begins: "> call".
func (r *Record) Verb() string { return spellings[r.Op].verb }

// hasOption reports whether text begins like one of the row's optional words. No rest of a line
// does: its first byte would be escaped.
func (row *spelling) hasOption(text []byte) bool {
	for i := range row.fields {
		f := &row.fields[i]
		if f.optional && !f.rest && bytes.HasPrefix(text, []byte(f.prefix)) {
			return true
		}
	}
	return false
}

// escapeFirst spells the byte at start, which is a letter, as \xNN.
func escapeFirst(to []byte, start int) []byte {
	first := to[start]
	tail := bytes.Clone(to[start+1:])
	to = append(to[:start], '\\', 'x', hexDigits[first>>4], hexDigits[first&15])
	return append(to, tail...)
}
