package main

import (
	"fmt"
	"strconv"
	"strings"
)

// byteSize is a flag such as 4096, 512KiB, 64MiB or 1GiB.
type byteSize int64

var byteUnits = []struct {
	name  string
	shift int
}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"B", 0}, {"", 0}}

// UnmarshalText reads a count and a unit; without one it is bytes.
func (s *byteSize) UnmarshalText(text []byte) error {
	for _, unit := range byteUnits {
		digits, found := strings.CutSuffix(string(text), unit.name)
		if !found {
			continue
		}
		count, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || count < 1 || count > 1<<62>>unit.shift {
			break
		}
		*s = byteSize(count << unit.shift)
		return nil
	}
	return fmt.Errorf("%q: want a size such as 4096, 512KiB or 64MiB", text)
}
