package scan

// fillSorted draws the rest of a path, down to quarter row bottom, whose edges cross so often that
// keeping them sorted by insertion takes too long; only hostile input has such paths. Strips reach to
// the end of their row, and edges are sorted anew in each, in time linear in their number. What ends or
// crosses within a row is then drawn less exactly.
func (walk *generalWalk) fillSorted(bottom int32) {
	scanner := walk.scanner
	walk.noCrossings, walk.unsorted = true, true
	for walk.y < bottom {
		for walk.waiting < len(scanner.order) && scanner.topOf(walk.waiting) <= walk.y {
			a := scanner.activate(walk.waiting)
			walk.waiting++
			if a.bottom <= walk.y && !scanner.loadChordBelow(a, walk.y) { // it began and ended within the last strip
				scanner.active = scanner.active[:len(scanner.active)-1]
			}
		}
		if len(scanner.active) == 0 && walk.waiting == len(scanner.order) {
			return
		}
		if scanner.shouldStop(walk.y) {
			return
		}
		if walk.y>>2 != scanner.row.y {
			scanner.row.nextRow(walk.y >> 2)
		}
		scanner.sortByX()
		height := heights[4-walk.y&3] // of the next strip: the rest of the row in which insertion was given up, then whole rows
		end := walk.y + height.rows
		walk.drawStrip(end, height.shift, height.alpha)
		walk.y = end
	}
}

// radixBits is the width of one digit of the radix sort; x has two digits, in 1/64 px.
const radixBits = 11

// sortByX sorts the active edges by x, in steps of 1/64 px from the row's left side, with a stable radix sort of
// two passes, which takes time linear in their number. Edges left of the row come first, those beyond its 65,536
// px last.
func (scanner *Scanner) sortByX() {
	n := len(scanner.active)
	scanner.keys = scanner.keys[:0]
	left := int64(scanner.row.left) << 16
	for i := range scanner.active {
		x := min(max(scanner.active[i].x-left, 0)>>10, 1<<(2*radixBits)-1)
		scanner.keys = append(scanner.keys, uint64(x)<<32|uint64(i))
	}
	scanner.spareKeys = append(scanner.spareKeys[:0], scanner.keys...) // only for the length: the pass overwrites it
	scanner.radixPass(scanner.spareKeys, scanner.keys, 32)
	scanner.radixPass(scanner.keys, scanner.spareKeys, 32+radixBits)
	scanner.spareActive = scanner.spareActive[:0]
	for _, k := range scanner.keys[:n] {
		scanner.spareActive = append(scanner.spareActive, scanner.active[uint32(k)])
	}
	scanner.active, scanner.spareActive = scanner.spareActive, scanner.active
}

// radixPass copies the keys of edges from src to dst, sorted by the digit of radixBits bits at shift;
// keys with equal digits keep their order. dst and src have the same length.
func (scanner *Scanner) radixPass(dst, src []uint64, shift uint) {
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
