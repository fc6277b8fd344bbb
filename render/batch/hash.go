package batch

import (
	"encoding/binary"
	"hash/maphash"
	"unsafe"
)

// Hash returns a hash of all that devices read of a drawing. Equal drawings have equal hashes
// under one seed, which is valid within the process.
func (t *Tiled) Hash(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	hashRecords(&h, t.Masks)
	hashRecords(&h, t.Items)
	hashRecords(&h, t.Tiles)
	for _, runs := range t.Runs {
		hashRecords(&h, runs)
	}
	hashRecords(&h, []uint64{uint64(t.Width), uint64(t.Height)})
	return h.Sum64()
}

// hashRecords adds the number of records and their bytes; records have no padding.
func hashRecords[T any](h *maphash.Hash, records []T) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(records)))
	h.Write(n[:])
	var one T
	size := len(records) * int(unsafe.Sizeof(one))
	h.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(records))), size))
}
