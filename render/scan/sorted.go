package scan

// fillSorted draws the rest of a path, down to quarter row bottom, whose edges cross so often that
// keeping them sorted by insertion takes too long; only hostile input has such paths. Strips are
// whole rows, and edges are sorted anew in each, in time linear in their number. What ends or crosses
// within a row is then drawn less exactly.
func (g *generalWalk) fillSorted(bottom int32) {
	scanner := g.scanner
	g.noCrossings, g.unsorted = true, true
	for y := (g.y + 3) &^ 3; y < bottom; y += 4 {
		for g.waiting < len(scanner.order) && scanner.topOf(g.waiting) <= y {
			a := scanner.activate(g.waiting)
			g.waiting++
			if a.bottom <= y && !scanner.loadChordBelow(a, y) { // ends within the skipped part of the row
				scanner.active = scanner.active[:len(scanner.active)-1]
			}
		}
		if len(scanner.active) == 0 && g.waiting == len(scanner.order) {
			return
		}
		if scanner.shouldStop(y) {
			return
		}
		if y>>2 != scanner.row.y {
			scanner.row.nextRow(y >> 2)
		}
		scanner.sortByX()
		g.strip(y+4, 0, 255) // a whole row: no shift of slopes, full height
	}
}

// radixBits is the width of one digit of the radix sort; x has two digits, in 1/64 px.
const radixBits = 11

// sortByX sorts the active edges by x, in steps of 1/64 px from the row's left side, with a stable
// radix sort of two passes. Edges left of the row come first, those beyond its 65,536 px last.
func (s *Scanner) sortByX() {
	n := len(s.active)
	s.keys = s.keys[:0]
	left := int64(s.row.left) << 16
	for i := range s.active {
		x := min(max(s.active[i].x-left, 0)>>10, 1<<(2*radixBits)-1)
		s.keys = append(s.keys, uint64(x)<<32|uint64(i))
	}
	s.spareKeys = append(s.spareKeys[:0], s.keys...) // only for the length: the pass overwrites it
	s.radixPass(s.spareKeys, s.keys, 32)
	s.radixPass(s.keys, s.spareKeys, 32+radixBits)
	s.spareActive = s.spareActive[:0]
	for _, k := range s.keys[:n] {
		s.spareActive = append(s.spareActive, s.active[uint32(k)])
	}
	s.active, s.spareActive = s.spareActive, s.active
}

// radixPass copies the keys of edges from src to dst, sorted by the digit of radixBits bits at shift;
// keys with equal digits keep their order. dst and src have the same length.
func (s *Scanner) radixPass(dst, src []uint64, shift uint) {
	const mask = 1<<radixBits - 1
	var place [1 << radixBits]int32 // of each digit: first how many keys have it, then where the next goes
	for _, k := range src {
		place[k>>shift&mask]++
	}
	sum := int32(0)
	for i, n := range place {
		place[i], sum = sum, sum+n
	}
	for _, k := range src {
		d := k >> shift & mask
		dst[place[d]] = k
		place[d]++
	}
}
