package shapes

// Random is the editor's seeded generator: four signed 32-bit words. The zero value is the
// generator of the empty seed. See docs/spec/drawing.md#r30.
type Random struct{ x, y, z, w int32 }

// Seed starts the generator from s followed by tail, read as UTF-16 code units.
func (g *Random) Seed(s, tail string) {
	*g = Random{}
	g.absorb(s)
	g.absorb(tail)
	h := *g // in registers
	for range 64 {
		h = h.stepped()
	}
	*g = h
}

// absorb mixes the UTF-16 code units of s into the state.
func (g *Random) absorb(s string) {
	for _, r := range s {
		if r >= 0x10000 {
			r -= 0x10000
			g.x ^= 0xD800 + r>>10
			*g = g.stepped()
			r = 0xDC00 + r&0x3FF
		}
		g.x ^= r
		*g = g.stepped()
	}
}

// stepped returns the generator after one step of xorshift.
func (g Random) stepped() Random {
	t := g.x ^ g.x<<11
	return Random{g.y, g.z, g.w, g.w ^ int32(uint32(g.w)>>19) ^ t ^ int32(uint32(t)>>8)}
}

// Next returns the next number in [-1, 1).
func (g *Random) Next() float64 {
	*g = g.stepped()
	return float64(g.w) / (1 << 31)
}
