package vqa

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/vqa/extract"
)

// Shuffle returns the order in which the n options of an item are shown: element p is the index in
// the item of the option that is shown at p. See docs/spec/vqa.md#r9.
func Shuffle(seed int64, id string, n int) []int {
	key := strconv.AppendInt([]byte("vqa-shuffle/1|"), seed, 10)
	key = append(append(key, '|'), id...)
	key = append(key, '|')
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	for i := n - 1; i > 0; i-- {
		sum := sha256.Sum256(strconv.AppendInt(key, int64(i), 10))
		j := binary.BigEndian.Uint64(sum[:8]) % uint64(i+1)
		perm[i], perm[j] = perm[j], perm[i]
	}
	return perm
}

// Fixed reports whether options must keep their order because one refers to others: "all of the
// above", "A and C". See docs/spec/vqa.md#r9.
func Fixed(options [][]byte) bool {
	for _, o := range options {
		if refersToOthers(bytes.ToLower(o)) || namesTwoOptions(o) {
			return true
		}
	}
	return false
}

// refersToOthers matches the expression \b(all|none|both|neither) of (the above|these)\b. low is
// in lower case.
func refersToOthers(low []byte) bool {
	for _, w := range [...]string{"all", "none", "both", "neither"} {
		for _, what := range [...]string{" of the above", " of these"} {
			phrase := []byte(w + what)
			for i := 0; ; {
				at := bytes.Index(low[i:], phrase)
				if at < 0 {
					break
				}
				i += at + 1
				if !isWordByte(low, i-2) && !isWordByte(low, i-1+len(phrase)) {
					return true
				}
			}
		}
	}
	return false
}

// namesTwoOptions reports whether an option such as "A and C" refers to two others: it matches
// \b[A-D] and [A-D]\b.
func namesTwoOptions(s []byte) bool {
	for i := 0; i+7 <= len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'D' && string(s[i+1:i+6]) == " and " && s[i+6] >= 'A' && s[i+6] <= 'D' && !isWordByte(s, i-1) && !isWordByte(s, i+7) {
			return true
		}
	}
	return false
}

// isWordByte reports whether s[i] is there and belongs to a word.
func isWordByte(s []byte, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	b := s[i]
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= 0x80
}

// readOrder reads in which order the options were shown: from shuffle, a seed, or from order, a
// list of indices in the item. Without both it is that of the item. See docs/spec/vqa.md#r8.
func (j *job) readOrder(it *scoring.Item) error {
	seed, list := it.Fields.Get("shuffle"), it.Fields.Get("order")
	if !absent(list) {
		all, err := list.Array()
		if err != nil || len(all) != j.n {
			return badItem("order", "got %.40s; want a list of the %d original positions from 0, as they were shown", list, j.n)
		}
		var seen [extract.Most]bool
		for p, v := range all {
			n, err := v.Int()
			if err != nil || n < 0 || n >= j.n || seen[n] {
				return badItem("order", "got %.40s; want every position from 0 to %d once", list, j.n-1)
			}
			seen[n] = true
			j.perm[p] = n
		}
		j.shuffled = true
		return nil
	}
	if absent(seed) || seed.Type() == fastjson.TypeFalse {
		return nil
	}
	n, err := seed.Int64()
	if err != nil {
		return badItem("shuffle", "got %.40s; want the seed, an integer", seed)
	}
	j.shuffled = true
	j.seed, j.seeded = n, true
	return nil
}

// shuffle puts the reader's options in the order in which they were shown.
func (r *reader) shuffle(j *job) {
	if j.seeded {
		if Fixed(r.options) {
			j.shuffled = false
			return
		}
		copy(j.perm[:], Shuffle(j.seed, j.id, j.n))
	}
	var shown [extract.Most][]byte
	for p := range j.n {
		shown[p] = r.options[j.perm[p]]
	}
	copy(r.options, shown[:j.n])
}

// original returns the index in the item of the option that was shown at position p.
func (j *job) original(p int) int {
	if !j.shuffled {
		return p
	}
	return j.perm[p]
}
