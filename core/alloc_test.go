//go:build !race && !verify

package core

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Goal: nothing allocates in steady state. Method: two machines joined by hand, each exchange
// warmed up until every table has its size, then counted.

// pair is a client and a server with the bytes between them.
type pair struct {
	client, server *Conn
	spare          []byte
	ev             Event
	now            Time
}

func newPair(t *testing.T, profile Profile) *pair {
	p := &pair{
		client: newConn(t, Defaults(profile, RoleClient)),
		server: newConn(t, Defaults(profile, RoleServer)),
	}
	p.client.Want(1 << 30)
	p.server.Want(1 << 30)
	return p
}

// carry moves everything queued from one machine to the other.
func (p *pair) carry(from, to *Conn) {
	for {
		block := from.Take(p.spare)
		p.spare = nil // it is from's now, which keeps it for its next frame
		if block == nil {
			return
		}
		copy(to.Reserve(len(block)), block)
		if err := to.Commit(len(block)); err != nil {
			panic(err)
		}
		from.Wrote(len(block))
		p.spare = block
	}
}

func (p *pair) calls(window int, params []byte) {
	for range window {
		if _, err := p.client.Call("textDocument/hover", params, CallOptions{Deadline: p.now + Second}); err != nil {
			panic(err)
		}
	}
	p.carry(p.client, p.server)
	for p.server.Next(&p.ev) {
		req := p.ev.Req
		if err := p.server.Reply(req, p.ev.Body); err != nil {
			panic(err)
		}
		if err := p.server.Done(req); err != nil {
			panic(err)
		}
	}
	p.carry(p.server, p.client)
	results := 0
	for p.client.Next(&p.ev) {
		if p.ev.Kind != EventResult {
			panic(p.ev.Kind.String())
		}
		results++
	}
	if results != window {
		panic("results: " + strconv.Itoa(results))
	}
}

func TestAllocs(t *testing.T) {
	params := []byte(`{"textDocument":{"uri":"file:///a.go"},"position":{"line":3,"character":7}}`)
	for _, profile := range []Profile{ProfileLSP, ProfileMCP} {
		p := newPair(t, profile)
		steps := []struct {
			name string
			run  func()
		}{
			{"call and result, window 1", func() { p.calls(1, params) }},
			{"calls and results, window 64", func() { p.calls(64, params) }},
			{"notification", func() {
				if err := p.client.Notify("m", params); err != nil {
					panic(err)
				}
				p.carry(p.client, p.server)
				for p.server.Next(&p.ev) {
					if err := p.server.Done(p.ev.Req); err != nil {
						panic(err)
					}
				}
			}},
			{"timeout", func() {
				if _, err := p.client.Call("m", params, CallOptions{Deadline: p.now + 1}); err != nil {
					panic(err)
				}
				req := p.request()
				p.now += 2
				p.client.Advance(p.now)
				p.finish(req)
			}},
			{"cancel", func() {
				id, err := p.client.Call("m", params, CallOptions{})
				if err != nil {
					panic(err)
				}
				req := p.request()
				if err := p.client.Cancel(id); err != nil {
					panic(err)
				}
				p.finish(req)
			}},
			{"withdrawn", func() {
				id, err := p.client.Call("m", params, CallOptions{})
				if err != nil {
					panic(err)
				}
				if err := p.client.Cancel(id); err != nil {
					panic(err)
				}
				for p.client.Next(&p.ev) {
				}
			}},
		}
		for _, s := range steps {
			for range 5000 { // more than AbandonedMax, so that the oldest ids are forgotten again
				s.run()
			}
			if n := testing.AllocsPerRun(200, s.run); n != 0 {
				t.Errorf("%v: %s: %v allocations", profile, s.name, n)
			}
		}
	}
}

// A stream of small messages comes in reads of 64 KiB, whose ends seldom are ends of messages.
func TestFullReadsAllocateNothing(t *testing.T) {
	cfg := Defaults(ProfileLSP, RoleClient)
	cfg.Inbound = InboundMessages
	c := newConn(t, cfg)
	c.Want(1 << 30)
	stream := bytes.Repeat([]byte(headed(`{"jsonrpc":"2.0","method":"m","params":["`+strings.Repeat("x", 141)+`"]}`)), 10_000)
	var ev Event
	if n := testing.AllocsPerRun(2, func() {
		for chunk := range slices.Chunk(stream, 64*KiB) {
			copy(c.Reserve(len(chunk)), chunk)
			if err := c.Commit(len(chunk)); err != nil {
				panic(err)
			}
			for c.Next(&ev) {
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// request carries one call over and returns its handle on the other side.
func (p *pair) request() ReqID {
	p.carry(p.client, p.server)
	if !p.server.Next(&p.ev) || p.ev.Kind != EventRequest {
		panic("no request")
	}
	return p.ev.Req
}

// finish carries the cancel notice, ends the handler, and drains both sides.
func (p *pair) finish(req ReqID) {
	p.carry(p.client, p.server)
	if !p.server.Next(&p.ev) || p.ev.Kind != EventCancelRequest || p.ev.Req != req {
		panic("no cancel")
	}
	if err := p.server.Done(req); err != nil {
		panic(err)
	}
	p.carry(p.server, p.client)
	for p.client.Next(&p.ev) {
	}
}
