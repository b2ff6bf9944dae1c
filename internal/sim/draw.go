package sim

import "math/rand/v2"

// draw is the one source of chance in a run.
type draw struct{ *rand.Rand }

func newDraw(seed uint64) draw { return draw{rand.New(rand.NewPCG(seed, 0x5EED))} }

// oneIn is true once in n draws on average; never when n is 0.
func (d draw) oneIn(n int) bool { return n > 0 && d.IntN(n) == 0 }

// wild returns 0 to below: small numbers and large ones, few in between.
func (d draw) wild(below int) int {
	switch d.IntN(3) {
	case 0:
		return d.IntN(below + 1)
	case 1:
		return min(below, d.IntN(8))
	}
	return below - min(below, d.IntN(4))
}

func pick[T any](d draw, list ...T) T { return list[d.IntN(len(list))] }
