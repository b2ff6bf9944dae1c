package abigen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/core/resume"
	"github.com/parley-rpc/parley/wasm/abi"
)

// texts are what the numbers of some types mean to people.
var texts = map[string]func(n int64) string{
	"UsageError":    func(n int64) string { return core.UsageError(n).Error() },
	"BoundaryError": func(n int64) string { return abi.Error(n).Error() },
	"Violation":     func(n int64) string { return core.Violation(n).String() },
	"Hint":          func(n int64) string { return core.Hint(n).String() },
	"Reason":        func(n int64) string { return core.Reason(n).String() },
	"Invalid":       func(n int64) string { return core.Invalid(n).String() },

	"ResumeFailureKind": func(n int64) string { return resume.FailureKind(n).String() },
}

// TypeScript spells the numbers and the layouts as constants: EventKind.Result, and EventAt.kind
// for the offset of a field in its record, EventBytes for the size of the record as defined here.
func TypeScript() (string, error) {
	all, err := groups()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("// Code generated from package abi by `go test ./internal/abigen -update`. DO NOT EDIT.\n")
	for _, g := range all {
		if g.name == "" {
			b.WriteString("\n")
			for _, m := range g.members {
				fmt.Fprintf(&b, "export const %s = %d;\n", m.name, m.value)
			}
			continue
		}
		writeGroup(&b, g)
	}
	for _, r := range records() {
		fmt.Fprintf(&b, "\nexport const %sBytes = %d;\n", r.name, r.bytes)
		fmt.Fprintf(&b, "export const %sAt = {\n", r.name)
		for _, f := range r.fields {
			fmt.Fprintf(&b, "  %s: %d, // %s\n", lowerCamel(f.name), f.offset, f.kind)
		}
		b.WriteString("} as const;\n")
	}
	return b.String(), nil
}

func writeGroup(b *strings.Builder, g group) {
	fmt.Fprintf(b, "\n/** %s */\nexport const %s = {\n", g.doc, g.name)
	for _, m := range g.members {
		fmt.Fprintf(b, "  %s: %d,\n", m.name, m.value)
	}
	fmt.Fprintf(b, "} as const;\n/** One of them. */\nexport type %[1]s = (typeof %[1]s)[keyof typeof %[1]s];\n", g.name)
	if text := texts[g.name]; text != nil {
		fmt.Fprintf(b, "/** What each %[1]s means, for people. */\nexport const %[1]sText: Record<%[1]s, string> = {\n", g.name)
		for _, m := range g.members {
			fmt.Fprintf(b, "  %d: %s,\n", m.value, strconv.Quote(text(m.value)))
		}
		b.WriteString("};\n")
	}
}

// lowerCamel spells a Go field as JavaScript does: IDBytesMax becomes idBytesMax.
func lowerCamel(name string) string {
	isUpper := func(i int) bool { return i < len(name) && 'A' <= name[i] && name[i] <= 'Z' }
	end := 1
	for isUpper(end) && (isUpper(end+1) || end+1 == len(name)) {
		end++
	}
	return strings.ToLower(name[:end]) + name[end:]
}
