package main

import (
	"encoding/binary"
	"slices"
)

// structureCode makes jumps of the jumps in a code section: out of a block where they lead forward, to the beginning of
// a loop where they lead back. Going through the table costs an indirect jump, and an engine that sees all ways meet
// there keeps next to nothing in registers.
func structureCode(section []byte) ([]byte, error) {
	r := reader{rest: section}
	count := r.uint()
	out := binary.AppendUvarint(nil, count)
	for range count {
		body := r.take(r.uint())
		if r.err != nil {
			return nil, r.err
		}
		structured, err := structureBody(body)
		if err != nil {
			return nil, err
		}
		out = appendBlock(out, structured)
	}
	return out, nil
}

func structureBody(body []byte) ([]byte, error) {
	r := reader{rest: body}
	for range r.uint() { // locals
		r.uint()
		r.byte()
	}
	if r.err != nil {
		return nil, r.err
	}
	locals := body[:len(body)-len(r.rest)]
	list, err := instructions(r.rest)
	if err != nil {
		return nil, err
	}
	f, ok := functionOf(list)
	if !ok {
		return body, nil
	}
	a := arrangement{ways: f.ways(), isEntry: f.entries()}
	items, ok := a.arrange(a.reachable(), false)
	if !ok {
		return body, nil
	}
	w := writer{function: f, arrangement: &a, to: slices.Clone(locals)}
	return w.write(items)
}
