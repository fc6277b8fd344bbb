package queue

import "github.com/cespare/xxhash/v2"

// seenMax is the number of answers that one stream remembers: 32 MiB at most. A
// longer stream is not checked for duplicates of answers beyond it.
const seenMax = 2 << 20

// seen remembers the answers of one stream by their 64-bit hashes. Two in a
// million collide with a chance of 3e-8; a collision costs a wrong note, never
// a score.
type seen struct {
	slots []uint64 // open addressing; 0 is free
	n     int
}

func newSeen() *seen { return &seen{} }

// add reports whether an answer is new; key tells it from others.
func (s *seen) add(key []byte) bool {
	h := xxhash.Sum64(key)
	if h == 0 {
		h = 1
	}
	if s.n*2 >= len(s.slots) && s.n < seenMax {
		s.grow()
	}
	i := s.slot(h)
	if s.slots[i] == h {
		return false
	}
	if s.n < seenMax {
		s.slots[i] = h
		s.n++
	}
	return true
}

// slot is where h stands or would stand.
func (s *seen) slot(h uint64) int {
	mask := uint64(len(s.slots) - 1)
	i := h & mask
	for s.slots[i] != 0 && s.slots[i] != h {
		i = (i + 1) & mask
	}
	return int(i)
}

func (s *seen) grow() {
	old := s.slots
	s.slots = make([]uint64, max(1024, 2*len(old)))
	for _, h := range old {
		if h != 0 {
			s.slots[s.slot(h)] = h
		}
	}
}
