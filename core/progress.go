package core

import (
	"github.com/parley-rpc/parley/core/internal/ident"
	"github.com/parley-rpc/parley/core/internal/scan"
	"github.com/parley-rpc/parley/core/internal/slab"
)

// checkProgress judges a call's progress token and the extension that rides on it (CALL-4, CALL-10).
func (c *Conn) checkProgress(opts *CallOptions) error {
	if opts.Extend == 0 && opts.ProgressToken == nil {
		return nil
	}
	if c.spec.progressMethod == "" {
		return ErrUnsupported
	}
	token := opts.ProgressToken
	if opts.Extend < 0 || opts.Extend > 0 && (opts.DeadlineMax <= 0 || opts.DeadlineMax == Never) ||
		!c.isToken(token) {
		return ErrBadProgress
	}
	c.key = ident.Append(c.key[:0], token)
	if _, taken := c.calls.findToken(c.cfg.Seed, c.key); taken {
		return ErrBadProgress
	}
	return nil
}

func (cs *calls) findToken(seed uint64, key []byte) (uint32, bool) {
	return cs.tokens.Find(ident.Hash(seed, key), func(i uint32) bool { return cs.slots.At(i).token.is(key) })
}

// carry gives a new call its token.
func (cs *calls) carry(c *Conn, index uint32, token []byte) {
	if token == nil {
		return
	}
	c.key = ident.Append(c.key[:0], token)
	cs.slots.At(index).token.set(c.key)
	cs.tokens.Put(ident.Hash(c.cfg.Seed, c.key), index)
}

// progressed handles a progress notification, and reports whether it was one of ours: delivered to
// the call whose token it carries, or dropped (CALL-10).
func (c *Conn) progressed(body []byte, params scan.Span) bool {
	token := member(body, params, c.spec.progressField).Of(body)
	if ident.Valid(token) && len(token) <= c.cfg.Limits.IDBytesMax {
		c.key = ident.Append(c.key[:0], token)
		if index, found := c.calls.findToken(c.cfg.Seed, c.key); found {
			handle := CallID(c.calls.slots.Handle(index))
			c.push(fact{kind: EventProgress, call: handle, frame: body, body: params})
			if c.calls.slots.At(index).extend > 0 {
				c.calls.extended.Push(handle)
			}
			return true
		}
	}
	if c.spec.progressOurs {
		c.stats.Progress++
	}
	return c.spec.progressOurs
}

// extendCalls restarts the budget of each call that progressed since the last Advance, up to its
// hard maximum: the progress arrived before the time that is told now (CALL-4).
func (c *Conn) extendCalls() {
	for ; c.calls.extended.Count() > 0; c.calls.extended.Drop() {
		index, status := c.calls.slots.Find(uint64(*c.calls.extended.At(0)))
		if status != slab.Live || c.calls.slots.At(index).owing {
			continue
		}
		k := c.calls.slots.At(index)
		c.calls.deadlines.Remove(index)
		c.calls.deadlines.Push(index, int64(min(c.now+k.extend, k.deadlineMax)))
	}
}
