package sheets

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The types of thrift's compact protocol.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// maxStructs bounds the structs in a footer: the library takes up to 500 bytes for each.
const maxStructs = 1_000_000

// maxThriftDepth bounds how deep structs nest.
const maxThriftDepth = 50

// thriftWalker walks through a Parquet footer or page header, a struct in thrift's compact protocol, before the
// library decodes it: the library allocates by the sizes that the struct states and recurses without limit.
type thriftWalker struct {
	encoded      []byte                    // begins with the struct
	pos          int                       // in encoded
	structs      int                       // begun so far
	path         []int                     // the ids of the fields around the position
	onInteger    func(path []int, v int64) // called for integers and truth values, which are 0 and 1
	onListStruct func(path []int)          // called for each struct in a list; nil for none
	depth        int                       // how many structs are around the position
}

var errThriftEnd = errors.New("it breaks off")

// byte reads a byte of a Parquet footer or page header.
func (walker *thriftWalker) byte() (byte, error) {
	if walker.pos >= len(walker.encoded) {
		return 0, errThriftEnd
	}
	walker.pos++
	return walker.encoded[walker.pos-1], nil
}

// uvarint reads an unsigned integer of variable length from a Parquet footer or page header.
func (walker *thriftWalker) uvarint() (uint64, error) {
	v, n := binary.Uvarint(walker.encoded[walker.pos:])
	if n == 0 { // the bytes end within it
		return 0, errThriftEnd
	}
	if n < 0 { // more than 64 bits
		return 0, errors.New("an integer is too long")
	}
	walker.pos += n
	return v, nil
}

// varint reads a signed integer of variable length in zigzag encoding, in which the lowest bit is the sign.
func (walker *thriftWalker) varint() (int64, error) {
	v, err := walker.uvarint()
	return int64(v>>1) ^ -int64(v&1), err
}

// skip passes over n bytes of a Parquet footer or page header.
func (walker *thriftWalker) skip(n uint64) error {
	if n > uint64(len(walker.encoded)-walker.pos) {
		return errThriftEnd
	}
	walker.pos += int(n)
	return nil
}

// walkStruct walks through the fields of a struct in a Parquet footer or page header (Thrift), and through
// all that is within them. It calls walker.onInteger for integers and truth values. It refuses structs that
// are nested more than maxThriftDepth deep, or more than maxStructs in all.
func (walker *thriftWalker) walkStruct() error {
	if walker.depth++; walker.depth > maxThriftDepth {
		return fmt.Errorf("structs are nested more than %d deep", maxThriftDepth)
	}
	if walker.structs++; walker.structs > maxStructs {
		return fmt.Errorf("it has more than %d parts", maxStructs)
	}
	defer func() { walker.depth-- }()
	id := 0
	for {
		b, err := walker.byte()
		if err != nil {
			return err
		}
		if b == thriftStop {
			return nil
		}
		// A field begins with a byte. Its upper half is how much larger the field's id is than the last one,
		// or 0 if the id follows; its lower half is the type.
		if delta := int(b >> 4); delta != 0 {
			id += delta
		} else {
			v, err := walker.varint()
			if err != nil {
				return err
			}
			id = int(int16(v))
		}
		walker.path = append(walker.path, id)
		switch kind := b & 15; kind {
		case thriftTrue, thriftFalse:
			walker.onInteger(walker.path, int64(thriftFalse-kind)) // true is 1, false 0: the type is the value
		default:
			err = walker.walkValue(kind)
		}
		walker.path = walker.path[:len(walker.path)-1]
		if err != nil {
			return err
		}
	}
}

// walkValue walks through a value of any type in a Parquet footer or page header, and calls walker.onInteger for
// an integer. The truth value of a field has no bytes of its own, so walkStruct handles it.
func (walker *thriftWalker) walkValue(kind byte) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte: // in a list truth values have a byte
		return walker.skip(1)
	case thriftI16, thriftI32, thriftI64:
		v, err := walker.varint()
		if err == nil {
			walker.onInteger(walker.path, v)
		}
		return err
	case thriftDouble:
		return walker.skip(8)
	case thriftUUID:
		return walker.skip(16)
	case thriftBinary:
		n, err := walker.uvarint()
		if err != nil {
			return err
		}
		return walker.skip(n)
	case thriftList, thriftSet:
		return walker.walkList()
	case thriftMap:
		return errors.New("it has a map, which Parquet does not use")
	case thriftStruct:
		return walker.walkStruct()
	}
	return fmt.Errorf("it has a value of the unknown type %d", kind)
}

// walkList walks through a list or set in a Parquet footer or page header, and calls walker.onListStruct before
// each struct in it. It refuses lists that cannot fit into the rest of the bytes, and lists of lists.
func (walker *thriftWalker) walkList() error {
	b, err := walker.byte()
	if err != nil {
		return err
	}
	// A list begins with a byte: its upper half is the number of elements, its lower half their type.
	const numberFollows = 15
	n, kind := uint64(b>>4), b&15
	if n == numberFollows {
		if n, err = walker.uvarint(); err != nil {
			return err
		}
	}
	if n > uint64(len(walker.encoded)-walker.pos) { // each element takes a byte at least
		return fmt.Errorf("a list of %d elements in %d bytes", n, len(walker.encoded)-walker.pos)
	}
	if kind == thriftList || kind == thriftSet {
		return errors.New("it has a list of lists, which Parquet does not use")
	}
	for range n {
		if kind == thriftStruct && walker.onListStruct != nil {
			walker.onListStruct(walker.path)
		}
		if err := walker.walkValue(kind); err != nil {
			return err
		}
	}
	return nil
}
