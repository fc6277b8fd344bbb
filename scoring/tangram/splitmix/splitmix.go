// Package splitmix is the random number generator SplitMix64, seeded with the FNV-1a hash of a
// text, for reproducible draws of TangramPuzzle items. In: a text. Out: the same numbers on every
// machine and in every version. It is not cryptographically secure. See docs/spec/tangram.md#r53.
package splitmix

import "hash/fnv"

// Stream is a sequence of random numbers. It serves one goroutine at a time.
type Stream struct{ state uint64 }

// New returns a stream whose state is the 64-bit FNV-1a hash of the UTF-8 text.
func New(text string) *Stream {
	h := fnv.New64a()
	h.Write([]byte(text)) // never fails
	return &Stream{h.Sum64()}
}

// Next returns the next 64 random bits. The constants and shifts are those of the published generator
// SplitMix64.
func (s *Stream) Next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below returns a random number from 0 to n-1: Next modulo n, where n is positive.
func (s *Stream) Below(n int) int { return int(s.Next() % uint64(n)) }

// Shuffle puts the list into random order by the Fisher-Yates algorithm, from the end.
func (s *Stream) Shuffle(list []int) {
	for i := len(list) - 1; i > 0; i-- {
		j := s.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// Float returns a random number in [0, 1), a multiple of 2^-53.
func (s *Stream) Float() float64 { return float64(s.Next()>>11) / (1 << 53) }
