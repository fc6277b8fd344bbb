package archive

import (
	"encoding/binary"
	"math/bits"
)

// inflater decodes deflate (RFC 1951) from memory to memory. Streaming decoders take most of the
// time of a short entry to set up their tables and their window, which this one does not need. It
// says nothing of what is wrong with data that it cannot decode. It is not safe for concurrent use.
type inflater struct {
	src    []byte
	pos    int    // of the next byte of src
	bits   uint64 // that were read from src and not used, the lowest first
	unused int    // number of bits; negative where more were used than src has

	used                    [maxLiterals + maxDistances]coded // of the codes that a block begins with
	header, literal, offset code
	fixedLiteral            code // of blocks without codes of their own; made when the first one comes
	fixedOffset             code
}

// The most symbols of a block with codes of its own: literals with lengths of matches, and distances.
const (
	maxLiterals  = 286
	maxDistances = 30
)

// endOfBlock is the symbol that ends a block. Symbols below it are bytes, those above are lengths.
const endOfBlock = 256

// tableBits is the length of the longest codes that are decoded by a look into a table. Longer ones
// are rare.
const tableBits = 9

// coded is a symbol that has a code, and the length of the code in bits.
type coded struct {
	symbol uint16
	length uint8
}

// code is a Huffman code.
type code struct {
	table   [1 << tableBits]uint16 // entries by the next bits: symbol<<4 + length of its code; 0 for a longer or an unknown one
	mask    uint64                 // of the bits that table is for
	count   [16]uint16             // of codes by their length
	symbols [288]uint16            // in the order of their codes, those of shorter codes first
}

// init makes a Huffman code of deflate for symbols, which are in their order and count from base
// on. It returns false if no such code exists. A code may only be incomplete if it has one symbol,
// or none.
func (c *code) init(symbols []coded, base uint16) bool {
	c.count = [16]uint16{}
	for _, s := range symbols {
		c.count[s.length&15]++
	}
	var at [16]uint16 // the place in symbols of the next one of each length
	total, most := 0, 0
	first := uint16(0)
	for n := 1; n < 16; n++ {
		first <<= 1
		at[n] = uint16(total)
		first += c.count[n]
		if total += int(c.count[n]); c.count[n] > 0 {
			most = n
		}
		if int(first) > 1<<n {
			return false
		}
	}
	if complete := int(first) == 1<<15; !complete && total > 0 && (total > 1 || most > 1) {
		return false
	}
	for _, s := range symbols {
		n := s.length & 15
		c.symbols[at[n]] = s.symbol - base
		at[n]++
	}
	c.makeTable(min(most, tableBits))
	return true
}

// makeTable makes the table for codes of at most `most` bits. A table for n bits is that for n-1 bits, twice,
// with the codes of n bits.
func (c *code) makeTable(most int) {
	c.table[0] = 0
	size, i, next := 1, 0, uint16(0)
	for n := 1; n <= most; n++ {
		copy(c.table[size:2*size], c.table[:size])
		size *= 2
		next <<= 1
		for range c.count[n] {
			c.table[bits.Reverse16(next)>>(16-n)] = c.symbols[i]<<4 | uint16(n)
			next++
			i++
		}
	}
	c.mask = uint64(size - 1)
}

// noSymbol is what bits that are no code are decoded to. No code has it.
const noSymbol = 511

// entry returns the symbol whose Huffman code bits begins with, and the code's length, packed as in
// the table.
func (c *code) entry(bits uint64) uint16 {
	if e := c.table[bits&c.mask]; e != 0 {
		return e
	}
	return c.long(bits)
}

// long returns what entry returns for codes that are longer than the table covers, bit by bit. It
// is kept out of entry so that entry is short enough to be inlined.
//
//go:noinline
func (c *code) long(bits uint64) uint16 {
	value, first, at := 0, 0, 0 // of the bits so far, of the first code of that length, its place in symbols
	for n := 1; n < 16; n++ {
		value |= int(bits & 1)
		bits >>= 1
		count := int(c.count[n])
		if value-first < count {
			return c.symbols[at+value-first]<<4 | uint16(n)
		}
		at += count
		first = (first + count) << 1
		value <<= 1
	}
	return noSymbol << 4
}

// filled appends those of src[pos:] to the bits that were read ahead. It returns the bits, how many
// there are, and the position of the next byte of src. There are at least 56, or all that src has.
func filled(src []byte, pos int, bits uint64, unused int) (uint64, int, int) {
	if pos+8 <= len(src) {
		return bits | binary.LittleEndian.Uint64(src[pos:])<<unused, unused | 56, pos + (63-unused)>>3
	}
	for ; unused < 56 && pos < len(src); pos++ {
		bits |= uint64(src[pos]) << unused
		unused += 8
	}
	return bits, unused, pos
}

// fill reads ahead as filled does.
func (d *inflater) fill() { d.bits, d.unused, d.pos = filled(d.src, d.pos, d.bits, d.unused) }

// take returns the next n bits of the deflate data, which fill must have read.
func (d *inflater) take(n int) int {
	v := int(d.bits & (1<<n - 1))
	d.bits >>= n
	d.unused -= n
	return v
}

// inflate decompresses the deflate data src into dst, and returns the number of bytes. ok is false
// if src is not valid, or has more than dst has room for. Bytes of src after the last block are
// ignored.
func (d *inflater) inflate(dst, src []byte) (n int, ok bool) {
	d.src, d.pos, d.bits, d.unused = src, 0, 0, 0
	defer func() { d.src = nil }()
	for last := 0; last == 0; {
		d.fill()
		last = d.take(1)
		ok = true
		switch d.take(2) {
		case 0:
			n, ok = d.stored(dst, n)
		case 1:
			d.makeFixed()
			n, ok = d.block(dst, n, &d.fixedLiteral, &d.fixedOffset)
		case 2:
			if ok = d.readCodes(); ok {
				n, ok = d.block(dst, n, &d.literal, &d.offset)
			}
		default:
			ok = false
		}
		if !ok || d.unused < 0 {
			return n, false
		}
	}
	return n, true
}

// stored copies a deflate block that is not compressed to dst[n:], and returns its end in dst. d.unused is the
// number of bits that were read from src and not used yet; below 0, more bits were taken than src has.
func (d *inflater) stored(dst []byte, n int) (int, bool) {
	d.take(max(d.unused, 0) & 7)   // to the end of the byte
	d.pos -= max(d.unused, 0) >> 3 // back over the whole bytes that were read and not used
	d.bits, d.unused = 0, min(d.unused, 0)
	if d.unused < 0 || d.pos+4 > len(d.src) {
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

// makeFixed makes the fixed Huffman codes of deflate, for blocks that have no codes of their own.
func (d *inflater) makeFixed() {
	if d.fixedLiteral.mask != 0 {
		return
	}
	var symbols [288]coded
	for i := range symbols {
		symbols[i] = coded{uint16(i), 8}
		switch {
		case i >= 144 && i < 256:
			symbols[i].length = 9
		case i >= 256 && i < 280:
			symbols[i].length = 7
		}
	}
	d.fixedLiteral.init(symbols[:], 0)
	for i := range 32 {
		symbols[i].length = 5
	}
	d.fixedOffset.init(symbols[:32], 0)
}

// headerOrder is the order in which a block has the lengths of the codes for its lengths of codes.
var headerOrder = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readCodes reads the Huffman codes that a deflate block begins with: first the lengths of the code in
// which the other lengths are written, then those of the codes for literals and for distances. It
// returns false if they are not valid.
func (d *inflater) readCodes() bool {
	literals, distances, headers := d.take(5)+257, d.take(5)+1, d.take(4)+4
	if literals > maxLiterals || distances > maxDistances {
		return false
	}
	// The code of the lengths: its own lengths have three bits each.
	var short [len(headerOrder)]uint8
	for _, i := range headerOrder[:headers] {
		d.fill()
		short[i] = uint8(d.take(3))
	}
	used := d.used[:0]
	for i, n := range short {
		if n > 0 {
			used = append(used, coded{uint16(i), n})
		}
	}
	if d.unused < 0 || !d.header.init(used, 0) {
		return false
	}
	// The lengths of both other codes, in that code.
	used, ok := d.readLengths(literals + distances)
	if !ok {
		return false
	}
	// Where the symbols of distances begin.
	n := len(used)
	for n > 0 && int(used[n-1].symbol) >= literals {
		n--
	}
	return d.literal.init(used[:n], 0) && d.offset.init(used[n:], uint16(literals))
}

// readLengths reads the lengths of the Huffman codes of n symbols, and returns those symbols that
// have one.
func (d *inflater) readLengths(n int) (used []coded, ok bool) {
	src, pos, bits, unused := d.src, d.pos, d.bits, d.unused // in registers
	used = d.used[:0]
	last := uint8(0)
	for i := 0; i < n; {
		bits, unused, pos = filled(src, pos, bits, unused)
		e := d.header.entry(bits)
		bits >>= e & 15
		unused -= int(e & 15)
		length, times := uint8(e>>4), 1
		if e >= 16<<4 { // a number of times the last length, or none
			extra := 2
			switch e >> 4 {
			case 16:
				if length, times = last, 3; i == 0 {
					return nil, false
				}
			case 17:
				length, times, extra = 0, 3, 3
			case 18:
				length, times, extra = 0, 11, 7
			default:
				return nil, false
			}
			times += int(bits & (1<<extra - 1))
			bits >>= extra
			unused -= extra
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
			used = append(used, coded{uint16(i), length})
		}
	}
	d.pos, d.bits, d.unused = pos, bits, unused
	return used, unused >= 0
}

// steps are the smallest values of symbols, and how many bits follow that are added to them.
type steps [32]struct{ base, extra uint16 }

// matchLengths are the lengths of matches, by symbol from 257 on. matchOffsets are how far back they
// begin. Both have a base of 0 for symbols that do not exist, of which noSymbol is one.
var (
	matchLengths = makeMatchLengths()
	matchOffsets = makeSteps(1, 30, 2)
)

// makeSteps returns the values of n deflate symbols for lengths or distances, from base on. The
// first two groups of symbols have no additional bits, each further group one more.
func makeSteps(base, n, group int) (s steps) {
	for i := range n {
		extra := max(i/group-1, 0)
		s[i].base, s[i].extra = uint16(base), uint16(extra)
		base += 1 << extra
	}
	return s
}

// makeMatchLengths returns the steps of matchLengths, whose longest one has a symbol of its own.
func makeMatchLengths() steps {
	s := makeSteps(3, 28, 4)
	s[28].base = 258
	return s
}

// block decompresses a deflate block to dst[n:], and returns its end in dst.
func (d *inflater) block(dst []byte, n int, literal, offset *code) (int, bool) {
	src, pos, bits, unused := d.src, d.pos, d.bits, d.unused // in registers
	for unused >= 0 {
		bits, unused, pos = filled(src, pos, bits, unused)
		e := literal.entry(bits)
		bits >>= e & 15
		unused -= int(e & 15)
		if e < endOfBlock<<4 && n < len(dst) { // there are bits for a second code and what follows it
			dst[n] = byte(e >> 4)
			n++
			e = literal.entry(bits)
			bits >>= e & 15
			unused -= int(e & 15)
		}
		symbol := int(e >> 4)
		switch {
		case symbol > endOfBlock:
		case symbol == endOfBlock:
			d.pos, d.bits, d.unused = pos, bits, unused
			return n, true
		case n == len(dst):
			return n, false
		default:
			dst[n] = byte(symbol)
			n++
			continue
		}
		length := matchLengths[(symbol-endOfBlock-1)&31]
		size := int(length.base) + int(bits&(1<<length.extra-1))
		bits >>= length.extra
		unused -= int(length.extra)
		bits, unused, pos = filled(src, pos, bits, unused)
		e = offset.entry(bits)
		bits >>= e & 15
		distance := matchOffsets[e>>4&31]
		back := int(distance.base) + int(bits&(1<<distance.extra-1))
		bits >>= distance.extra
		unused -= int(e&15) + int(distance.extra)
		if length.base == 0 || distance.base == 0 || back > n || size > len(dst)-n || unused < 0 {
			return n, false
		}
		if back >= 8 && size+8 <= len(dst)-n { // as mostly; what is written too much is written again
			end := n + size
			for ; n < end; n += 8 {
				binary.LittleEndian.PutUint64(dst[n:], binary.LittleEndian.Uint64(dst[n-back:]))
			}
			n = end
			continue
		}
		for from := n - back; size > 0; { // a match may reach into what it writes
			k := copy(dst[n:n+size], dst[from:n])
			n, size = n+k, size-k
		}
	}
	return n, false
}
