package archive

import (
	"encoding/binary"
	"math/bits"
)

// inflater decodes deflate (RFC 1951) from memory to memory. Streaming decoders take most of the
// time of a short entry to set up their tables and their window, which this one does not need. It
// says nothing of what is wrong with data that it cannot decode. It is not safe for concurrent use.
type inflater struct {
	src      []byte
	pos      int    // index in src of the next byte to read ahead
	bits     uint64 // bits that were read ahead and not used yet; the next one is the lowest
	bitCount int    // how many those are; below 0, more were used than src has

	usedSymbols                           [maxLiterals + maxDistances]codedSymbol // memory for the symbols of the codes of a block
	lengthCode, literalCode, distanceCode huffmanCode                             // of a block with codes of its own
	fixedLiteralCode                      huffmanCode                             // of blocks without codes of their own; made when the first one comes
	fixedDistanceCode                     huffmanCode
}

// The most symbols of a block with codes of its own: literals with lengths of matches, and distances.
const (
	maxLiterals  = 286
	maxDistances = 30
)

// endOfBlock is the symbol that ends a block. Symbols below it are bytes, those above are lengths.
const endOfBlock = 256

// tableBits is the length of the longest codes that are decoded by a look into a table. Longer ones are rare.
const tableBits = 9

// codedSymbol is a symbol that has a code, and the length of the code in bits.
type codedSymbol struct {
	symbol uint16
	length uint8
}

// huffmanCode is a Huffman code.
type huffmanCode struct {
	table         [1 << tableBits]uint16 // entries by the next bits: symbol<<4 + length of its code; 0 for a longer or an unknown one
	tableMask     uint64                 // selects the next bits that index table
	countByLength [16]uint16             // how many codes have each length in bits, 1 to 15
	symbols       [288]uint16            // in the order of their codes, those of shorter codes first
}

// build makes the Huffman code of deflate in which each symbol has a code of the given length. The
// lengths alone determine the code: shorter codes come first, and codes of one length are counted up in
// the order of the symbols. Symbols are in ascending order; base is subtracted from each. build returns
// false if no such code exists, or if the code is incomplete, so that some bits would have no meaning.
// Deflate allows that only for a code of a single symbol with one bit, or without symbols.
func (c *huffmanCode) build(symbols []codedSymbol, base uint16) bool {
	c.countByLength = [16]uint16{}
	for _, s := range symbols {
		c.countByLength[s.length&15]++ // &15 changes nothing and spares a check of bounds, as below
	}
	var nextIndex [16]uint16 // the index in c.symbols of the next symbol of each length
	total, longest := 0, 0   // the number of symbols so far, and the longest length
	taken := uint16(0)       // how many of the 1<<n codes of n bits are taken by codes of up to n bits
	for n := 1; n < 16; n++ {
		taken <<= 1
		nextIndex[n] = uint16(total)
		taken += c.countByLength[n]
		if total += int(c.countByLength[n]); c.countByLength[n] > 0 {
			longest = n
		}
		if int(taken) > 1<<n {
			return false
		}
	}
	isComplete := int(taken) == 1<<15                           // every 15 bits begin with a code
	mayBeIncomplete := total == 0 || total == 1 && longest == 1 // no symbol, or one of one bit
	if !isComplete && !mayBeIncomplete {
		return false
	}
	for _, s := range symbols {
		n := s.length & 15
		c.symbols[nextIndex[n]] = s.symbol - base
		nextIndex[n]++
	}
	c.makeTable(min(longest, tableBits))
	return true
}

// makeTable makes the table that decodes codes of at most maxBits bits by a single look. The table for n
// bits is the table for n-1 bits, repeated once because the additional bit has two values, with the
// codes of n bits set. Deflate has the first bit of a code lowest, so codes are reversed.
func (c *huffmanCode) makeTable(maxBits int) {
	c.table[0] = 0
	size, symbolIndex, nextCode := 1, 0, uint16(0) // entries, the index in symbols, and the next code of n bits
	for n := 1; n <= maxBits; n++ {
		copy(c.table[size:2*size], c.table[:size])
		size *= 2
		nextCode <<= 1
		for range c.countByLength[n] {
			c.table[bits.Reverse16(nextCode)>>(16-n)] = c.symbols[symbolIndex]<<4 | uint16(n)
			nextCode++
			symbolIndex++
		}
	}
	c.tableMask = uint64(size - 1)
}

// noSymbol is what bits that are no code are decoded to. No code has it.
const noSymbol = 511

// lookUp decodes the Huffman code with which bits begins. It returns an entry: symbol<<4 + the code's length
// in bits, or noSymbol<<4 for bits that are no code.
func (c *huffmanCode) lookUp(bits uint64) uint16 {
	if e := c.table[bits&c.tableMask]; e != 0 {
		return e
	}
	return c.lookUpLong(bits)
}

// lookUpLong returns what lookUp returns for codes that are longer than the table covers, bit by bit. It
// is kept out of lookUp so that lookUp is short enough to be inlined.
//
//go:noinline
func (c *huffmanCode) lookUpLong(bits uint64) uint16 {
	value := 0      // the first n bits, as a number
	first := 0      // the first code of n bits
	firstIndex := 0 // its index in symbols
	for n := 1; n < 16; n++ {
		value |= int(bits & 1)
		bits >>= 1
		count := int(c.countByLength[n])
		if value-first < count {
			return c.symbols[firstIndex+value-first]<<4 | uint16(n)
		}
		firstIndex += count
		first = (first + count) << 1
		value <<= 1
	}
	return noSymbol << 4
}

// refilled reads bytes of src from pos on ahead, and appends them to the bits that are there. It returns the
// bits, how many there are, and the position of the next byte of src. There are 56 bits at least, or all
// that src has. It may set bits above those that it counts, to the values that they will have.
func refilled(src []byte, pos int, bits uint64, bitCount int) (uint64, int, int) {
	// Eight bytes at once. Of those, (63-bitCount)/8 fit whole into the 64 bits; the others are read again. That
	// makes 56 to 63 bits: bitCount plus 8 for each byte, which is the number bitCount|56. Here bitCount is
	// at least 0, because it falls below 0 only when src is read to its end.
	if pos+8 <= len(src) {
		return bits | binary.LittleEndian.Uint64(src[pos:])<<bitCount, bitCount | 56, pos + (63-bitCount)>>3
	}
	for ; bitCount < 56 && pos < len(src); pos++ {
		bits |= uint64(src[pos]) << bitCount
		bitCount += 8
	}
	return bits, bitCount, pos
}

// fill reads ahead as refilled does.
func (d *inflater) fill() { d.bits, d.bitCount, d.pos = refilled(d.src, d.pos, d.bits, d.bitCount) }

// takeBits returns the next n bits of the deflate data as a number and uses them up. A call of fill before
// must have read them.
func (d *inflater) takeBits(n int) int {
	v := int(d.bits & (1<<n - 1))
	d.bits >>= n
	d.bitCount -= n
	return v
}

// inflate decompresses src, the deflate data of an entry of a zip archive, into dst, and returns the number
// of bytes. ok is false if src is not valid, or has more than dst has room for. Bytes of src after the last
// block are ignored.
func (d *inflater) inflate(dst, src []byte) (n int, ok bool) {
	d.src, d.pos, d.bits, d.bitCount = src, 0, 0, 0
	defer func() { d.src = nil }()
	for last := 0; last == 0; { // each block says whether it is the last one, and of which kind it is
		d.fill()
		last = d.takeBits(1)
		ok = true
		switch d.takeBits(2) {
		case 0: // not compressed
			n, ok = d.copyStored(dst, n)
		case 1: // with the fixed codes
			d.makeFixed()
			n, ok = d.inflateBlock(dst, n, &d.fixedLiteralCode, &d.fixedDistanceCode)
		case 2: // with codes of its own
			if ok = d.readCodes(); ok {
				n, ok = d.inflateBlock(dst, n, &d.literalCode, &d.distanceCode)
			}
		default:
			ok = false
		}
		if !ok || d.bitCount < 0 {
			return n, false
		}
	}
	return n, true
}

// copyStored copies a deflate block that is not compressed to dst[n:], and returns where it ends in dst. The
// block begins at a whole byte with its size, and the same with all bits inverted. It returns false if
// the block is not valid or does not fit into dst.
func (d *inflater) copyStored(dst []byte, n int) (int, bool) {
	if d.bitCount < 0 { // the block's kind lies beyond the end of src
		return n, false
	}
	d.takeBits(d.bitCount & 7) // to the end of the byte
	d.pos -= d.bitCount >> 3   // back over the whole bytes that were read and not used
	d.bits, d.bitCount = 0, 0
	if d.pos+4 > len(d.src) {
		return n, false
	}
	size := int(binary.LittleEndian.Uint16(d.src[d.pos:]))
	inverse := int(binary.LittleEndian.Uint16(d.src[d.pos+2:]))
	d.pos += 4
	if size != inverse^0xffff || size > len(d.src)-d.pos || size > len(dst)-n {
		return n, false
	}
	copy(dst[n:], d.src[d.pos:d.pos+size])
	d.pos += size
	return n + size, true
}

// makeFixed makes the fixed Huffman codes of deflate, for blocks that have no codes of their own. The
// lengths of these codes are those of RFC 1951, section 3.2.6.
func (d *inflater) makeFixed() {
	if d.fixedLiteralCode.tableMask != 0 { // an earlier block needed them
		return
	}
	var symbols [288]codedSymbol
	for i := range symbols {
		symbols[i] = codedSymbol{uint16(i), 8}
		switch {
		case i >= 144 && i < 256:
			symbols[i].length = 9
		case i >= 256 && i < 280:
			symbols[i].length = 7
		}
	}
	d.fixedLiteralCode.build(symbols[:], 0)
	for i := range 32 {
		symbols[i].length = 5
	}
	d.fixedDistanceCode.build(symbols[:32], 0)
}

// headerOrder is the order in which a block states the lengths for the code in which it writes its other
// lengths.
var headerOrder = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readCodes reads the Huffman codes that a deflate block begins with: first the lengths of the code in
// which the other lengths are written, then those of the codes for literals and for distances. It
// returns false if they are not valid.
func (d *inflater) readCodes() bool {
	literals, distances, headers := d.takeBits(5)+257, d.takeBits(5)+1, d.takeBits(4)+4 // each is stated minus its minimum
	if literals > maxLiterals || distances > maxDistances {
		return false
	}
	// The code of the lengths: its own lengths have three bits each.
	var headerLengths [len(headerOrder)]uint8
	for _, i := range headerOrder[:headers] {
		d.fill()
		headerLengths[i] = uint8(d.takeBits(3))
	}
	used := d.usedSymbols[:0]
	for i, n := range headerLengths {
		if n > 0 {
			used = append(used, codedSymbol{uint16(i), n})
		}
	}
	if d.bitCount < 0 || !d.lengthCode.build(used, 0) {
		return false
	}
	// The lengths of both other codes, in that code.
	used, ok := d.readLengths(literals + distances)
	if !ok {
		return false
	}
	// The used symbols of both follow each other; those of distances count from literals on.
	n := len(used)
	for n > 0 && int(used[n-1].symbol) >= literals {
		n--
	}
	return d.literalCode.build(used[:n], 0) && d.distanceCode.build(used[n:], uint16(literals))
}

// readLengths reads the lengths of the Huffman codes of n symbols, written in the code d.lengthCode, and
// returns the symbols that have a code. In that code the symbols 0 to 15 are lengths, and 16 to 18
// repeat a length. ok is false if the lengths are not valid.
func (d *inflater) readLengths(n int) (used []codedSymbol, ok bool) {
	src, pos, bits, bitCount := d.src, d.pos, d.bits, d.bitCount // local, so that they stay in registers
	used = d.usedSymbols[:0]
	last := uint8(0)
	for i := 0; i < n; {
		bits, bitCount, pos = refilled(src, pos, bits, bitCount)
		entry := d.lengthCode.lookUp(bits) // symbol<<4 + the length of its code
		bits >>= entry & 15
		bitCount -= int(entry & 15)
		length, times := uint8(entry>>4), 1
		if entry >= 16<<4 { // symbols from 16 on repeat a length; extra bits that follow are added to times
			extra := 2
			switch entry >> 4 {
			case 16: // the last length
				if length, times = last, 3; i == 0 {
					return nil, false
				}
			case 17: // 0, which says that a symbol has no code
				length, times, extra = 0, 3, 3
			case 18: // 0, many times
				length, times, extra = 0, 11, 7
			default:
				return nil, false
			}
			times += int(bits & (1<<extra - 1))
			bits >>= extra
			bitCount -= extra
		}
		if times > n-i {
			return nil, false
		}
		last = length
		if length == 0 {
			i += times
			continue
		}
		for end := i + times; i < end; i++ {
			used = append(used, codedSymbol{uint16(i), length})
		}
	}
	d.pos, d.bits, d.bitCount = pos, bits, bitCount
	return used, bitCount >= 0
}

// symbolSteps says by symbol which lengths or distances it stands for: the smallest one, and how many extra
// bits follow, whose number is added to it.
type symbolSteps [32]struct{ base, extra uint16 }

// matchLengths are the lengths of matches, by symbol from 257 on. matchDistances are how far back they
// begin. Both have a base of 0 for symbols that do not exist, of which noSymbol is one.
var (
	matchLengths   = makeMatchLengths()
	matchDistances = makeSteps(1, 30, 2)
)

// makeSteps returns the steps of n deflate symbols for lengths or distances, of which the smallest is
// base. Symbols come in groups of equal size: those of the first two groups have no extra bits, and
// those of each further group one more.
func makeSteps(base, n, group int) (s symbolSteps) {
	for i := range n {
		extra := max(i/group-1, 0)
		s[i].base, s[i].extra = uint16(base), uint16(extra)
		base += 1 << extra
	}
	return s
}

// makeMatchLengths returns the steps of matchLengths, whose longest one has a symbol of its own.
func makeMatchLengths() symbolSteps {
	s := makeSteps(3, 28, 4)
	s[28].base = 258
	return s
}

// inflateBlock decompresses a deflate block to dst[n:], and returns where it ends in dst. literals is the code of
// its bytes and of the lengths of matches, distances that of how far back matches begin. It returns false
// if the data are not valid or do not fit into dst.
func (d *inflater) inflateBlock(dst []byte, n int, literals, distances *huffmanCode) (int, bool) {
	src, pos, bits, bitCount := d.src, d.pos, d.bits, d.bitCount // local, so that they stay in registers
	for bitCount >= 0 {
		// A byte, the end of the block, or the length of a match.
		bits, bitCount, pos = refilled(src, pos, bits, bitCount)
		entry := literals.lookUp(bits) // symbol<<4 + the length of its code
		bits >>= entry & 15
		bitCount -= int(entry & 15)
		if entry < endOfBlock<<4 && n < len(dst) { // 56 bits hold two codes of 15 bits and 5 extra bits of a length
			dst[n] = byte(entry >> 4)
			n++
			entry = literals.lookUp(bits)
			bits >>= entry & 15
			bitCount -= int(entry & 15)
		}
		symbol := int(entry >> 4)
		switch {
		case symbol > endOfBlock: // a length, or noSymbol: a match, below
		case symbol == endOfBlock:
			d.pos, d.bits, d.bitCount = pos, bits, bitCount
			return n, true
		case n == len(dst):
			return n, false
		default:
			dst[n] = byte(symbol)
			n++
			continue
		}
		// The length and the distance of a match, a copy of bytes that were written before. The masks
		// spare checks of bounds; a base of 0 marks symbols that do not exist. noSymbol, 511, has index 30 of
		// the lengths and 31 of the distances, whose base is 0.
		length := matchLengths[(symbol-endOfBlock-1)&31]
		size := int(length.base) + int(bits&(1<<length.extra-1))
		bits >>= length.extra
		bitCount -= int(length.extra)
		bits, bitCount, pos = refilled(src, pos, bits, bitCount)
		entry = distances.lookUp(bits)
		bits >>= entry & 15
		distance := matchDistances[entry>>4&31]
		back := int(distance.base) + int(bits&(1<<distance.extra-1))
		bits >>= distance.extra
		bitCount -= int(entry&15) + int(distance.extra)
		if length.base == 0 || distance.base == 0 || back > n || size > len(dst)-n || bitCount < 0 {
			return n, false
		}
		// Copy eight bytes at a time where that is possible. Up to seven bytes too many are written,
		// which what follows overwrites.
		if back >= 8 && size+8 <= len(dst)-n {
			end := n + size
			for ; n < end; n += 8 {
				binary.LittleEndian.PutUint64(dst[n:], binary.LittleEndian.Uint64(dst[n-back:]))
			}
			n = end
			continue
		}
		for from := n - back; size > 0; { // a match may reach into what it writes, so copy what is there
			copied := copy(dst[n:n+size], dst[from:n])
			n, size = n+copied, size-copied
		}
	}
	return n, false
}
