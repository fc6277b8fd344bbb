package vqa

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/vqa/extract"
)

// Shuffle returns the order in which the n options of an item are shown: element p is the index in the item of
// the option that is shown at position p. It is a Fisher-Yates shuffle whose random numbers are hashes of seed,
// id and position, so every program can repeat it. See docs/spec/vqa.md#r9.
func Shuffle(seed int64, id string, n int) []int {
	key := strconv.AppendInt([]byte("vqa-shuffle/1|"), seed, 10)
	key = append(append(key, '|'), id...)
	key = append(key, '|')
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	for i := n - 1; i > 0; i-- {
		hash := sha256.Sum256(strconv.AppendInt(key, int64(i), 10))
		j := binary.BigEndian.Uint64(hash[:8]) % uint64(i+1)
		perm[i], perm[j] = perm[j], perm[i]
	}
	return perm
}

// MustKeepOrder reports whether options must keep their order because one refers to others: "all of the
// above", "A and C". See docs/spec/vqa.md#r9.
func MustKeepOrder(options [][]byte) bool {
	for _, o := range options {
		if refersToOthers(bytes.ToLower(o)) || namesTwoOptions(o) {
			return true
		}
	}
	return false
}

// refersToOthers reports whether a question's option, in lower case, refers to other options:
// whether it matches \b(all|none|both|neither) of (the above|these)\b.
func refersToOthers(lower []byte) bool {
	for _, word := range [...]string{"all", "none", "both", "neither"} {
		for _, what := range [...]string{" of the above", " of these"} {
			phrase := []byte(word + what)
			for from := 0; ; {
				offset := bytes.Index(lower[from:], phrase)
				if offset < 0 {
					break
				}
				start := from + offset
				end := start + len(phrase)
				if !isWordByte(lower, start-1) && !isWordByte(lower, end) {
					return true
				}
				from = start + 1
			}
		}
	}
	return false
}

// namesTwoOptions reports whether a question's option refers to two others, as "A and C" does:
// whether it matches \b[A-D] and [A-D]\b.
func namesTwoOptions(text []byte) bool {
	isLetter := func(c byte) bool { return c >= 'A' && c <= 'D' }
	for i := 0; i+7 <= len(text); i++ { // 7 bytes: "A and C"
		if isLetter(text[i]) && string(text[i+1:i+6]) == " and " && isLetter(text[i+6]) &&
			!isWordByte(text, i-1) && !isWordByte(text, i+7) {
			return true
		}
	}
	return false
}

// isWordByte reports whether text[i], a byte of an option, is a letter, a digit, an underscore or a
// part of a non-ASCII character. It is false outside of text.
func isWordByte(text []byte, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// readOrder reads the order in which the model saw the options, by which a letter of its answer is
// mapped back to an option. The item's field `order` lists for each shown position the option's original
// position, from 0. Without it, `shuffle` is a seed, from which putInShownOrder makes the order later.
// Without both, options were shown as the item lists them. See docs/spec/vqa.md#r8.
func (j *job) readOrder(it *scoring.Item) error {
	seed, list := it.Fields.Get("shuffle"), it.Fields.Get("order")
	if !jsontree.Absent(list) {
		indices, err := list.Array()
		if err != nil || len(indices) != j.optionCount {
			return badItem("order", "got %.40s; want a list of the %d original positions from 0, as they were shown", list, j.optionCount)
		}
		var seen [extract.MaxOptions]bool
		for position, index := range indices {
			n, err := index.Int()
			if err != nil || n < 0 || n >= j.optionCount || seen[n] {
				return badItem("order", "got %.40s; want every position from 0 to %d once", list, j.optionCount-1)
			}
			seen[n] = true
			j.shownOrder[position] = n
		}
		j.shuffled = true
		return nil
	}
	// A seed.
	if jsontree.Absent(seed) || seed.Type() == fastjson.TypeFalse {
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

// putInShownOrder puts the question's options (reader.options) in the order in which they were shown. Where the
// item gives a seed, it computes that order first. Options that refer to each other are not shuffled.
func (reader *reader) putInShownOrder(j *job) {
	if j.seeded { // else readOrder has read the order
		if MustKeepOrder(reader.options) { // such as "all of the above"
			j.shuffled = false
			return
		}
		copy(j.shownOrder[:], Shuffle(j.seed, j.id, j.optionCount))
	}
	var shown [extract.MaxOptions][]byte
	for position := range j.optionCount {
		shown[position] = reader.options[j.shownOrder[position]]
	}
	copy(reader.options, shown[:j.optionCount])
}

// itemIndex returns the index, in the item's list, of the option that the model was shown at this position.
func (j *job) itemIndex(position int) int {
	if !j.shuffled {
		return position
	}
	return j.shownOrder[position]
}
