package scoring

import "hash/maphash"

// MaxAnswers is how many answers are remembered to detect duplicates: 32 MiB at most.
const MaxAnswers = 2 << 20

// Answers is a set of answers, by which duplicates in a dump are found. It is a hash table of
// 64-bit hashes; the chance that any two of a million answers have the same one is 3e-8. One
// goroutine uses it at a time.
type Answers struct {
	seed   maphash.Seed
	slots  []uint64 // hashes, open addressing; 0 is free
	stored int      // hashes in slots
	limit  int
	full   bool   // an answer was not remembered, because there were most
	key    []byte // memory for First
}

// NewAnswers returns an empty set of at most that many answers.
func NewAnswers(limit int) *Answers { return &Answers{seed: maphash.MakeSeed(), limit: limit} }

// Full reports whether an answer was not remembered, so that its duplicates are not
// detected.
func (a *Answers) Full() bool { return a.full }

// First reports whether a result's answer (Result.Answer) has not been seen before, and remembers
// it unless the set is full. The answer of a line without an id always counts as new.
func (a *Answers) First(r *Result) bool {
	var hasID bool
	a.key, hasID = r.Answer(a.key[:0])
	if !hasID {
		return true
	}
	hash := max(1, maphash.Bytes(a.seed, a.key)) // 0 marks a free slot
	if a.stored*2 >= len(a.slots) {              // at most half full, so that searches end soon
		a.grow()
	}
	i := a.slot(hash)
	if a.slots[i] == hash {
		return false
	}
	if a.stored >= a.limit {
		a.full = true
		return true
	}
	a.slots[i] = hash
	a.stored++
	return true
}

// slot returns the index of the hash table's slot that holds an answer's hash, or of the free slot
// where it belongs.
func (a *Answers) slot(hash uint64) uint64 {
	mask := uint64(len(a.slots) - 1)
	i := hash & mask
	for a.slots[i] != 0 && a.slots[i] != hash {
		i = (i + 1) & mask
	}
	return i
}

// grow doubles the hash table of answers and puts the hashes into it again.
func (a *Answers) grow() {
	old := a.slots
	a.slots = make([]uint64, max(1024, 2*len(old)))
	for _, hash := range old {
		if hash != 0 {
			a.slots[a.slot(hash)] = hash
		}
	}
}
