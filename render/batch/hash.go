package batch

import (
	"encoding/binary"
	"hash/maphash"
	"unsafe"
)

// Hash returns a hash of all that devices read of a drawing. Under the same seed equal drawings have equal hashes.
// A hash is valid only within the process.
func (tiled *Tiled) Hash(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	hashRecords(&h, tiled.Masks)
	hashRecords(&h, tiled.Items)
	hashRecords(&h, tiled.Tiles)
	for _, runs := range tiled.Runs {
		hashRecords(&h, runs)
	}
	hashRecords(&h, []uint64{uint64(tiled.Width), uint64(tiled.Height)})
	return h.Sum64()
}

// hashRecords adds the number of records and their bytes to a hash. The records must have no padding, whose
// bytes could differ.
func hashRecords[T any](h *maphash.Hash, records []T) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(records)))
	h.Write(n[:])
	var one T
	size := len(records) * int(unsafe.Sizeof(one))
	h.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(records))), size))
}
