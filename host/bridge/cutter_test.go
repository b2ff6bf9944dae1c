//go:build unix

package bridge

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
)

// cut is where a cutter breaks a connection.
type cut struct {
	toPage  bool // else on the way to the bridge
	message int  // the ordinal of the message, from 1, over all connections; 0: never
	where   where
}

type where uint8

const (
	before where = iota // nothing of the message passes
	inside              // half of it
	behind              // all of it, and nothing more
)

var wheres = map[where]string{before: "before", inside: "inside", behind: "behind"}

// passes is how much of a frame passes.
func (w where) passes(size int) int {
	switch w {
	case before:
		return 0
	case inside:
		return size / 2
	}
	return size
}

// cutter is a TCP proxy that kills one connection at one message. It reads frames of RFC 6455, so that it
// knows where they begin.
type cutter struct {
	listener net.Listener
	target   string
	plan     cut
	work     sync.WaitGroup

	mu       sync.Mutex
	messages [2]int // to the bridge, to the page
}

func newCutter(t *testing.T, target string, plan cut) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{listener: listener, target: target, plan: plan}
	c.work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			c.work.Go(func() { c.join(conn) })
		}
	})
	return c
}

// close stops accepting and waits for the connections, which end with their clients.
func (c *cutter) close() {
	_ = c.listener.Close() // once
	c.work.Wait()
}

func (c *cutter) join(page net.Conn) {
	defer page.Close()
	bridge, err := net.Dial("tcp", c.target)
	if err != nil {
		return
	}
	defer bridge.Close()
	kill := func() {
		// A reset, so that what is on its way is lost too.
		_ = page.(*net.TCPConn).SetLinger(0)
		_ = bridge.(*net.TCPConn).SetLinger(0)
		_ = page.Close()
		_ = bridge.Close()
	}
	var both sync.WaitGroup
	both.Go(func() { c.carry(bridge, page, false, kill) })
	both.Go(func() { c.carry(page, bridge, true, kill) })
	both.Wait()
}

// carry copies one direction, first the handshake, then frames.
func (c *cutter) carry(to io.Writer, from io.Reader, toPage bool, kill func()) {
	defer kill() // one direction does not outlive the other
	reader := bufio.NewReader(from)
	for line := ""; line != "\r\n"; {
		var err error
		if line, err = reader.ReadString('\n'); err != nil {
			return
		}
		if _, err := io.WriteString(to, line); err != nil {
			return
		}
	}
	for {
		frame, isMessage, err := readFrame(reader)
		if err != nil {
			return
		}
		passes := len(frame)
		isHere := isMessage && c.isCut(toPage)
		if isHere {
			passes = c.plan.where.passes(len(frame))
		}
		if _, err := to.Write(frame[:passes]); err != nil || isHere {
			return
		}
	}
}

// isCut counts a message and reports whether the cut is there.
func (c *cutter) isCut(toPage bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	direction := 0
	if toPage {
		direction = 1
	}
	c.messages[direction]++
	return toPage == c.plan.toPage && c.messages[direction] == c.plan.message
}

func (c *cutter) counts() (toBridge, toPage int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.messages[0], c.messages[1]
}

// readFrame reads one frame with its header; isMessage where a message ends with it.
func readFrame(r *bufio.Reader) (frame []byte, isMessage bool, err error) {
	take := func(n int) (part []byte) {
		if err == nil {
			part = make([]byte, n)
			_, err = io.ReadFull(r, part)
			frame = append(frame, part...)
		}
		return part
	}
	head := take(2)
	if err != nil {
		return nil, false, err
	}
	size := uint64(head[1] & 0x7F)
	switch size {
	case 126:
		if part := take(2); err == nil {
			size = uint64(binary.BigEndian.Uint16(part))
		}
	case 127:
		if part := take(8); err == nil {
			size = binary.BigEndian.Uint64(part)
		}
	}
	if head[1]&0x80 != 0 {
		take(4) // the mask
	}
	take(int(size))
	isControl := head[0]&0x08 != 0
	return frame, head[0]&0x80 != 0 && !isControl, err
}
