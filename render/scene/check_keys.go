package scene

import (
	"hash/maphash"
	"unicode/utf16"
	"unicode/utf8"
)

// keySpan is a key: the bytes [from, to) of the input. If from is negative, it is [-1-from, to) of
// jsonChecker.unescaped, which holds keys that were written with escapes.
type keySpan struct{ from, to int32 }

// fewKeys is the number of keys up to which an object is searched linearly; the keys of
// larger objects go into the hash table.
const fewKeys = 16

// hashSeed differs from run to run, so a client cannot prepare keys that collide.
var hashSeed = maphash.MakeSeed()

// keyBytes returns the characters of a JSON key with its escapes decoded. Keys with escapes, whose from is
// negative, are kept decoded in checker.unescaped; others are part of the input.
func (checker *jsonChecker) keyBytes(k keySpan) []byte {
	if k.from < 0 {
		return checker.unescaped[-1-k.from : k.to]
	}
	return checker.input[k.from:k.to]
}

// addKey adds a key to the innermost open object, and returns false if the object has it already. Up to
// fewKeys keys are compared one by one; with more, all keys of the object go into the hash table.
func (checker *jsonChecker) addKey(k keySpan) bool {
	top := &checker.open[len(checker.open)-1]
	others := checker.keys[top.firstKey:] // of the same object
	checker.keys = append(checker.keys, k)
	if top.hashed {
		return checker.insert(int32(len(checker.keys) - 1))
	}
	name := checker.keyBytes(k)
	for _, other := range others {
		if string(checker.keyBytes(other)) == string(name) {
			return false
		}
	}
	if len(others) < fewKeys {
		return true
	}
	top.hashed = true // from now on
	for n := top.firstKey; n < len(checker.keys); n++ {
		checker.insert(int32(n))
	}
	return true
}

// insert puts keys[n], a key of the innermost JSON object, into the hash table that finds duplicate
// keys. It returns false, and changes nothing, if that object has an equal key in it. The table uses open
// addressing with linear probing: a key whose slot is taken goes into the next free one. Slots can be
// cleared without breaking such chains, because containers close innermost first, so that keys are
// removed in the reverse order of insertion.
func (checker *jsonChecker) insert(n int32) bool {
	if checker.tableEntries*2 >= len(checker.table) {
		checker.grow()
	}
	first := int32(checker.open[len(checker.open)-1].firstKey)
	name := checker.keyBytes(checker.keys[n])
	mask := uint64(len(checker.table) - 1) // the length is a power of two
	at := checker.hash(name, len(checker.open)) & mask
	for ; checker.table[at] != 0; at = (at + 1) & mask {
		other := checker.table[at] - 1
		// Keys of outer objects, which may be equal, stand before first.
		if other >= first && string(checker.keyBytes(checker.keys[other])) == string(name) {
			return false
		}
	}
	checker.table[at] = n + 1
	checker.tableEntries++
	return true
}

// hash returns the hash of a key of the object at a depth, 1 for the outermost. It depends on the depth
// too, so that equal keys of nested objects do not collide: the odd constant spreads small numbers over
// all bits.
func (checker *jsonChecker) hash(name []byte, depth int) uint64 {
	return maphash.Bytes(hashSeed, name) ^ uint64(depth)*0x9E3779B97F4A7C15
}

// grow doubles the hash table of keys and inserts the keys of open objects again, in the order in which
// they were inserted first, so that they can still be removed in reverse. Only the first checker.tableEntries keys of
// hashed objects are in the table: the one that is being inserted is not yet.
func (checker *jsonChecker) grow() {
	checker.table = make([]int32, max(64, 2*len(checker.table)))
	mask := uint64(len(checker.table) - 1)
	left := checker.tableEntries // keys still to be inserted
	for d := 0; d < len(checker.open) && left > 0; d++ {
		if !checker.open[d].hashed {
			continue
		}
		for n := checker.open[d].firstKey; n < checker.endOfKeys(d) && left > 0; n++ {
			at := checker.hash(checker.keyBytes(checker.keys[n]), d+1) & mask
			for checker.table[at] != 0 {
				at = (at + 1) & mask
			}
			checker.table[at] = int32(n) + 1
			left--
		}
	}
}

// endOfKeys returns the position in checker.keys after the last key of the open JSON object d, where the
// keys of the next object inside it begin.
func (checker *jsonChecker) endOfKeys(d int) int {
	for m := d + 1; m < len(checker.open); m++ {
		if checker.open[m].object {
			return checker.open[m].firstKey
		}
	}
	return len(checker.keys)
}

// removeKeys removes the keys of the innermost object, which closes, from the list of keys, and from the
// hash table if they are in it. A slot of the table has the key's index plus 1, and 0 if it is free.
func (checker *jsonChecker) removeKeys(top *container) {
	if top.hashed {
		mask := uint64(len(checker.table) - 1)
		for n := len(checker.keys) - 1; n >= top.firstKey; n-- {
			slot := checker.hash(checker.keyBytes(checker.keys[n]), len(checker.open)) & mask
			for checker.table[slot] != int32(n)+1 {
				slot = (slot + 1) & mask
			}
			checker.table[slot] = 0
			checker.tableEntries--
		}
	}
	checker.keys = checker.keys[:top.firstKey]
}

// unescape decodes the escapes of key k, so that "\u0061" and "a" are the same key. The escapes must be
// valid, as checkString has checked. The result is kept in checker.unescaped, to which the returned span points.
func (checker *jsonChecker) unescape(k keySpan) keySpan {
	from := len(checker.unescaped)
	for data := checker.input[k.from:k.to]; len(data) > 0; {
		if data[0] != '\\' {
			checker.unescaped = append(checker.unescaped, data[0])
			data = data[1:]
			continue
		}
		if data[1] != 'u' {
			checker.unescaped = append(checker.unescaped, shortEscape(data[1]))
			data = data[2:]
			continue
		}
		r := hexRune(data[2:])
		data = data[6:]
		if utf16.IsSurrogate(r) && len(data) >= 6 && data[0] == '\\' && data[1] == 'u' { // perhaps a pair
			if both := utf16.DecodeRune(r, hexRune(data[2:])); both != utf8.RuneError {
				r, data = both, data[6:]
			}
		}
		checker.unescaped = appendRune(checker.unescaped, r)
	}
	return keySpan{from: int32(-1 - from), to: int32(len(checker.unescaped))}
}

// appendRune appends a character of a JSON key in UTF-8. Unlike utf8.AppendRune it also encodes
// unpaired surrogates, so that two different ones make two different keys.
func appendRune(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}

// hexRune returns the UTF-16 code unit that four hexadecimal digits of an escape \uXXXX name.
func hexRune(b []byte) (r rune) {
	for _, ch := range b[:4] {
		r = r<<4 | rune(hexDigit(ch))
	}
	return r
}

// shortEscape returns the character that the letter of a two-character escape in JSON means: a line
// feed for n.
func shortEscape(ch byte) byte {
	switch ch {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return ch
}
