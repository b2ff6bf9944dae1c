package core

import (
	"strconv"
	"testing"
)

// Goal: each answer finds the request of the other side with an equal id, and nothing else does.
func TestWatch(t *testing.T) {
	w := NewWatch(1, 2)
	saw := func(from Side, class Class, id, method string, at Time) Paired {
		return w.Saw(from, &Event{Kind: EventMessage, Class: class, ID: []byte(id), Method: []byte(method)}, at)
	}
	for i, step := range []struct {
		from       Side
		class      Class
		id, method string
		at         Time
		want       Pairing
		open       int
	}{
		{SideClient, ClassRequest, `1`, "hover", 10, PairingRequest, 1},
		{SideServer, ClassRequest, `1`, "config", 11, PairingRequest, 2},
		{SideClient, ClassRequest, `1.0`, "again", 12, PairingDuplicate, 2},
		{SideClient, ClassNotification, ``, "note", 12, PairingNone, 2},
		{SideServer, ClassResult, `"1"`, "", 13, PairingUnknown, 2},
		{SideServer, ClassError, `null`, "", 13, PairingNone, 2},
		{SideServer, ClassResult, `1e0`, "", 15, PairingAnswer, 1},
		{SideClient, ClassError, `1`, "", 16, PairingAnswer, 0},
		{SideClient, ClassResult, `1`, "", 17, PairingUnknown, 0},
	} {
		p := saw(step.from, step.class, step.id, step.method, step.at)
		if p.Pairing != step.want || p.Open != step.open {
			t.Errorf("%d: %+v, want %d and %d open", i, p, step.want, step.open)
		}
		if i == 6 && (string(p.Method) != "hover" || p.Elapsed != 5) {
			t.Errorf("answer: %+v", p)
		}
	}
}

// Goal: what has no answer is listed, oldest first, and its answer names it.
func TestWatchOpen(t *testing.T) {
	w := NewWatch(1, 3)
	for i, id := range []string{`"a"`, `"b"`, `"c"`, `"d"`} { // the first is forgotten
		p := w.Saw(SideClient, &Event{Class: ClassRequest, ID: []byte(id), Method: []byte("m" + id)}, Time(i))
		if p.Ordinal != uint64(i+1) {
			t.Errorf("%s has ordinal %d", id, p.Ordinal)
		}
	}
	if p := w.Saw(SideServer, &Event{Class: ClassResult, ID: []byte(`"c"`)}, 9); p.Ordinal != 3 || p.Elapsed != 7 {
		t.Errorf("%+v", p)
	}
	var open []string
	for r := range w.Open() {
		open = append(open, strconv.FormatUint(r.Ordinal, 10)+string(r.Method))
	}
	if len(open) != 2 || open[0] != `2m"b"` || open[1] != `4m"d"` {
		t.Errorf("open %q", open)
	}
	for range w.Open() {
		break
	}
}

// Goal: memory is bounded when nobody answers, when some do, and when everybody does but the first.
// Method: counts.
func TestWatchBounded(t *testing.T) {
	for name, answered := range map[string]func(i int) bool{
		"nobody": func(int) bool { return false },
		"some":   func(i int) bool { return i%2 == 0 },
		"nearly": func(i int) bool { return i > 0 },
	} {
		w := NewWatch(1, 8)
		for i := range 10_000 {
			id := []byte(strconv.Itoa(i))
			w.Saw(SideClient, &Event{Class: ClassRequest, ID: id}, 0)
			if answered(i) {
				w.Saw(SideServer, &Event{Class: ClassResult, ID: id}, 0)
			}
			if w.slots.Count() > 8 || w.order.Count() > 2*8+compactSlack+1 {
				t.Fatalf("%s: %d open, %d in order", name, w.slots.Count(), w.order.Count())
			}
		}
		want := PairingUnknown
		if name == "nearly" {
			want = PairingAnswer // it is still among the eight
		}
		if p := w.Saw(SideServer, &Event{Class: ClassResult, ID: []byte("0")}, 0); p.Pairing != want {
			t.Errorf("%s: the first request: %+v", name, p)
		}
	}
}
