package transcript

import (
	"crypto/sha256"
	"strings"
)

// Name makes the vector's name of its file's name and its title: call/a-late-answer-is-counted.
func (v *Vector) Name(file string) string {
	var slug strings.Builder
	isBreak := false
	for _, r := range strings.ToLower(v.Title) {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			if isBreak && slug.Len() > 0 {
				slug.WriteByte('-')
			}
			isBreak = false
			slug.WriteRune(r)
		} else {
			isBreak = true
		}
	}
	return strings.TrimSuffix(file, ".rpc") + "/" + slug.String()
}

// Digest is the hash of the vector's observations in their text spelling.
func (v *Vector) Digest() [sha256.Size]byte {
	var text []byte
	for i := range v.Records {
		if v.Records[i].Op.IsObservation() {
			text = v.Records[i].Append(text)
		}
	}
	return sha256.Sum256(text)
}

// Rules lists the rule ids that the vectors of a file cite, each once, in order of appearance.
func Rules(text []byte) ([]string, error) {
	vectors, err := Parse(text)
	if err != nil {
		return nil, err
	}
	var rules []string
	seen := map[string]bool{}
	for _, v := range vectors {
		for _, rule := range v.Rules {
			if !seen[rule] {
				seen[rule] = true
				rules = append(rules, rule)
			}
		}
	}
	return rules, nil
}
