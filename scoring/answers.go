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
	limit  int      // how many are stored at most
	full   bool     // an answer was not remembered, because the limit was reached
	key    []byte   // memory for First
}

// NewAnswers returns an empty set of at most that many answers.
func NewAnswers(limit int) *Answers { return &Answers{seed: maphash.MakeSeed(), limit: limit} }

// Full reports whether an answer was not remembered, so that its duplicates are not
// detected.
func (answers *Answers) Full() bool { return answers.full }

// First reports whether a result's answer (Result.Answer) has not been seen before, and remembers it
// unless the set is full. A full set still finds duplicates of what it remembers, and calls all others
// new. The answer of a line without an id always counts as new. Answers are compared by a hash of 64
// bits with a random seed, so that two different ones are taken for the same only by a rare accident.
func (answers *Answers) First(r *Result) bool {
	var hasID bool
	answers.key, hasID = r.Answer(answers.key[:0])
	if !hasID {
		return true
	}
	hash := max(1, maphash.Bytes(answers.seed, answers.key)) // 0 marks a free slot
	if answers.stored*2 >= len(answers.slots) {              // at most half full, so that searches end soon
		answers.grow()
	}
	index := answers.slot(hash)
	if answers.slots[index] == hash {
		return false
	}
	if answers.stored >= answers.limit {
		answers.full = true
		return true
	}
	answers.slots[index] = hash
	answers.stored++
	return true
}

// slot returns the index of the hash table's slot that holds an answer's hash, or of the free slot
// where it belongs.
func (answers *Answers) slot(hash uint64) uint64 {
	mask := uint64(len(answers.slots) - 1)
	i := hash & mask
	for answers.slots[i] != 0 && answers.slots[i] != hash {
		i = (i + 1) & mask
	}
	return i
}

// grow doubles the hash table of answers and puts the hashes into it again.
func (answers *Answers) grow() {
	old := answers.slots
	answers.slots = make([]uint64, max(1024, 2*len(old)))
	for _, hash := range old {
		if hash != 0 {
			answers.slots[answers.slot(hash)] = hash
		}
	}
}
