package batch

import (
	"encoding/binary"
	"hash/maphash"
	"unsafe"
)

// Hash tells drawings apart by all that devices read of them. Equal drawings have
// equal hashes under one seed, which lives as long as the process.
func (t *Tiled) Hash(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	section(&h, t.Masks)
	section(&h, t.Items)
	section(&h, t.Tiles)
	for _, runs := range t.Runs {
		section(&h, runs)
	}
	section(&h, []uint64{uint64(t.Width), uint64(t.Height)})
	return h.Sum64()
}

// section adds records, which have no padding, as bytes, after their number.
func section[T any](h *maphash.Hash, records []T) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(records)))
	h.Write(n[:])
	var one T
	h.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(records))), len(records)*int(unsafe.Sizeof(one))))
}
