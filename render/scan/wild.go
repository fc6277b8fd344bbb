package scan

// wild goes on from row y for a path whose edges cross so often that keeping
// them in order as they move takes too long: no drawing, but what a hostile
// input may hold. Strips are whole rows, and edges are sorted anew in each, in
// time linear in their number.
func (g *general) wild(bottom int32) {
	s := g.s
	g.careless, g.unsorted = true, true
	for y := (g.y + 3) &^ 3; y < bottom; y += 4 {
		for g.waiting < len(s.order) && s.top(g.waiting) <= y {
			a := s.start(g.waiting)
			g.waiting++
			if a.bottom <= y && !s.follow(a, y) {
				s.active = s.active[:len(s.active)-1]
			}
		}
		if len(s.active) == 0 && g.waiting == len(s.order) {
			return
		}
		if s.stopped(y) {
			return
		}
		if y>>2 != s.row.y {
			s.row.next(y >> 2)
		}
		s.resort()
		g.strip(y+4, 0, 255)
	}
}

// digit is how many bits of x are sorted by at a time; there are two digits of
// 1/64 px.
const digit = 11

// resort sorts the active edges by where they are.
func (s *Scanner) resort() {
	n := len(s.active)
	s.keys = s.keys[:0]
	left := int64(s.row.left) << 16
	for i := range s.active {
		x := min(max(s.active[i].x-left, 0)>>10, 1<<(2*digit)-1)
		s.keys = append(s.keys, uint64(x)<<32|uint64(i))
	}
	s.spareKeys = append(s.spareKeys[:0], s.keys...)
	s.distribute(s.spareKeys, s.keys, 32)
	s.distribute(s.keys, s.spareKeys, 32+digit)
	s.spare = s.spare[:0]
	for _, k := range s.keys[:n] {
		s.spare = append(s.spare, s.active[uint32(k)])
	}
	s.active, s.spare = s.spare, s.active
}

// distribute puts the keys from src into dst, in the order of one digit; equal
// ones stay in order.
func (s *Scanner) distribute(dst, src []uint64, shift uint) {
	const mask = 1<<digit - 1
	var at [1 << digit]int32
	for _, k := range src {
		at[k>>shift&mask]++
	}
	sum := int32(0)
	for i, n := range at {
		at[i], sum = sum, sum+n
	}
	for _, k := range src {
		d := k >> shift & mask
		dst[at[d]] = k
		at[d]++
	}
}
