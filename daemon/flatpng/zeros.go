package flatpng

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// The alphabet of a compressed block. See RFC 1951, section 3.2.5.
const (
	endOfBlock  = 256
	firstLength = 257 // its symbols tell lengths of 3 bytes and more
	symbols     = 286
	shortRun    = 3   // bytes, the shortest length
	longRun     = 258 // bytes, the longest one, symbol 285
	longestCode = 15  // bits
)

// zeroRunWriter compresses bytes of which most are zeros, as a zlib stream: runs of zeros become
// lengths at distance 1, all else stays a literal, and one Huffman code is made for all of it. That
// is all that a filtered picture of flat areas needs, and takes a tenth of the time of a search for
// other repetitions. The zero value is ready; reset makes it so again.
type zeroRunWriter struct {
	tokens         []uint16     // a literal byte, 0 to 255, or firstLength + n for a run of n zeros after a zero
	counts         [symbols]int // how often each symbol of the code occurs
	zeros          int          // zeros at the end that are not in tokens yet
	adlerA, adlerB uint64       // the two sums of the checksum Adler-32; b may exceed the modulus

	codes        [symbols]huffmanCode
	out          []byte // the stream, as far as its bytes are complete
	pendingBits  uint64 // bits that do not fill a byte yet, the first one lowest
	pendingCount uint   // how many pending bits there are
}

// huffmanCode is a code with its first bit in the lowest one.
type huffmanCode struct {
	bits   uint16
	length uint8
}

// modAdler is the modulus of the checksum.
const modAdler = 65521

// reset begins another stream and keeps the memory.
func (z *zeroRunWriter) reset() {
	z.tokens, z.out = z.tokens[:0], z.out[:0]
	z.counts, z.zeros, z.adlerA, z.adlerB = [symbols]int{}, 0, 1, 0
}

// addZeros adds n zeros to the stream.
func (z *zeroRunWriter) addZeros(n int) {
	z.zeros += n
	z.adlerB = (z.adlerB + uint64(n)*z.adlerA) % modAdler // Adler-32: a stays, and is added to b for each byte
}

// addByte adds one byte of a PNG's filtered pixels to the compressed stream. Runs of zeros, of which
// such pictures mostly consist, are only counted.
func (z *zeroRunWriter) addByte(v byte) {
	// Adler-32: the first sum is of all bytes, the second of all values of the first.
	if z.adlerA += uint64(v); z.adlerA >= modAdler {
		z.adlerA -= modAdler
	}
	z.adlerB += z.adlerA
	if v == 0 {
		z.zeros++
		return
	}
	if z.zeros > 0 {
		z.endRun()
	}
	z.tokens = append(z.tokens, uint16(v))
	z.counts[v]++
}

// endRun writes the run of zeros that has just ended as tokens: a zero, and lengths that repeat it, at most
// longRun each. A run of up to shortRun zeros is written as literal zeros.
func (z *zeroRunWriter) endRun() {
	left := z.zeros
	z.zeros = 0
	literals := left
	if left > shortRun {
		literals = 1 // the zero that the lengths repeat
	}
	for range literals {
		z.tokens = append(z.tokens, 0)
	}
	z.counts[0] += literals
	for left -= literals; left > 0; {
		length := min(left, longRun)
		if rest := left - length; rest > 0 && rest < shortRun { // no length is that short, so leave it more zeros
			length -= shortRun
		}
		z.tokens = append(z.tokens, uint16(firstLength+length))
		z.counts[lengthSymbols[length].symbol]++
		left -= length
	}
}

// lengthSymbol is how a length is written: a symbol and extra bits.
type lengthSymbol struct {
	symbol uint16
	extra  uint8 // number of bits
	value  uint16
}

// lengthSymbols holds the symbol of each length, by RFC 1951, section 3.2.5.
var lengthSymbols = func() (t [longRun + 1]lengthSymbol) {
	n := shortRun
	for s := uint16(firstLength); s < symbols-1; s++ {
		extra := uint8(0)
		if s >= 265 { // from 265 on, each four symbols have one more extra bit than the four before
			extra = uint8((s - 261) / 4)
		}
		for v := range uint16(1) << extra {
			if n <= longRun {
				t[n] = lengthSymbol{s, extra, v}
			}
			n++
		}
	}
	t[longRun] = lengthSymbol{symbol: symbols - 1}
	return t
}()

// finish ends the stream and appends all of it to dst: the zlib header, one deflate block and the
// checksum. The writer must be reset before it is used again.
func (z *zeroRunWriter) finish(dst []byte) []byte {
	if z.zeros > 0 {
		z.endRun()
	}
	z.counts[endOfBlock] = 1
	z.makeCodes()
	z.out, z.pendingBits, z.pendingCount = append(dst, 0x78, 0x01), 0, 0 // the zlib header: deflate with a window of 32 KiB, fast
	z.writeCodeLengths()
	for _, t := range z.tokens {
		if t < endOfBlock {
			z.writeCode(t)
			continue
		}
		l := &lengthSymbols[t-firstLength]
		z.writeCode(l.symbol)
		z.writeBits(uint64(l.value), uint(l.extra)+1) // the extra bits, and one bit 0: the code of the only distance, 1
	}
	z.writeCode(endOfBlock)
	for ; z.pendingCount > 0; z.pendingCount -= min(z.pendingCount, 8) { // the last bits, filled up to a byte
		z.out = append(z.out, byte(z.pendingBits))
		z.pendingBits >>= 8
	}
	out := binary.BigEndian.AppendUint32(z.out, uint32(z.adlerB%modAdler)<<16|uint32(z.adlerA))
	z.out = nil // it is the caller's
	return out
}

// writeCode writes the code of a symbol.
func (z *zeroRunWriter) writeCode(symbol uint16) {
	c := &z.codes[symbol]
	z.writeBits(uint64(c.bits), uint(c.length))
}

// writeBits appends the n lowest bits of v, at most 16, to the deflate stream.
func (z *zeroRunWriter) writeBits(v uint64, n uint) {
	z.pendingBits |= v << z.pendingCount
	z.pendingCount += n
	if z.pendingCount >= 32 {
		z.out = binary.LittleEndian.AppendUint32(z.out, uint32(z.pendingBits))
		z.pendingBits >>= 32
		z.pendingCount -= 32
	}
}

// writeCodeLengths writes the head of the only deflate block: the lengths of all codes, each in four bits.
func (z *zeroRunWriter) writeCodeLengths() {
	const dynamic, lengths, fourBits = 2, 19, 4
	z.writeBits(1|dynamic<<1, 3) // the last block, with codes of its own
	z.writeBits(symbols-firstLength, 5)
	z.writeBits(0, 5) // one distance
	z.writeBits(lengths-fourBits, 4)
	for i := range lengths { // first those of the symbols 16, 17 and 18, which are not used
		n := uint64(fourBits)
		if i < 3 {
			n = 0
		}
		z.writeBits(n, 3)
	}
	for _, c := range z.codes {
		z.writeBits(uint64(reversed(uint16(c.length), fourBits)), fourBits)
	}
	z.writeBits(uint64(reversed(1, fourBits)), fourBits) // the length of the distance's code
}

// reversed returns the n lowest bits of a Huffman code in the other order, as deflate wants them.
func reversed(v uint16, n uint8) (r uint16) {
	for range n {
		r, v = r<<1|v&1, v>>1
	}
	return r
}

// makeCodes makes the canonical Huffman code of the counts (RFC 1951, section 3.2.2). If a code would be
// too long (setCodeLengths returns false), the counts are halved, which makes them more equal, until none is.
// Bits are reversed because deflate writes codes from their highest bit.
func (z *zeroRunWriter) makeCodes() {
	counts := z.counts
	for !z.setCodeLengths(&counts) {
		for i, n := range counts {
			counts[i] = (n + 1) / 2
		}
	}
	next := uint16(0) // codes of one length are consecutive numbers, in the order of the symbols
	for length := uint8(1); length <= longestCode; length++ {
		for s := range z.codes {
			if c := &z.codes[s]; c.length == length {
				c.bits = reversed(next, length)
				next++
			}
		}
		next <<= 1
	}
}

// setCodeLengths sets the lengths of the Huffman codes for symbols that occur as often as counts says, 0 for those
// that do not occur. It builds the Huffman tree in an array, with the leaves first and then the inner
// nodes, each after its children; the length of a code is the depth of its leaf. It returns false if a
// code is longer than longestCode.
func (z *zeroRunWriter) setCodeLengths(counts *[symbols]int) bool {
	type node struct{ count, parent int }
	var nodes [2 * symbols]node
	var order [symbols]int
	used := order[:0]
	for s, n := range counts {
		z.codes[s].length = 0
		if n > 0 {
			used = append(used, s)
		}
	}
	slices.SortFunc(used, func(a, b int) int { return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(a, b)) })
	for i, s := range used {
		nodes[i].count = counts[s]
	}
	// Leaves and inner nodes each stand in the order of their counts, so the two least ones are at
	// the fronts of the two queues.
	leaf, inner, end := 0, len(used), len(used) // the fronts of both queues, and the end of the second
	least := func() int {                       // takes the node with the least count
		if inner == end || leaf < len(used) && nodes[leaf].count <= nodes[inner].count {
			leaf++
			return leaf - 1
		}
		inner++
		return inner - 1
	}
	for range len(used) - 1 { // join the two least nodes until one is left
		i, j := least(), least()
		nodes[i].parent, nodes[j].parent = end, end
		nodes[end].count = nodes[i].count + nodes[j].count
		end++
	}
	var depths [2 * symbols]uint8
	for i := end - 2; i >= 0; i-- { // from the root, which is the last node, down
		depths[i] = depths[nodes[i].parent] + 1
		if i < len(used) {
			z.codes[used[i]].length = depths[i]
			if depths[i] > longestCode {
				return false
			}
		}
	}
	return true
}
