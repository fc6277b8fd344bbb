package extract

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// span is the text of an option in the answer.
type span struct{ from, to int }

// plainWords are texts of options that do not count where they occur in prose. See
// docs/spec/vqa.md#r26.
var plainWords = [...]string{"yes", "no", "true", "false", "none", "all", "both", "up", "down", "left", "right", "same", "similar", "maybe",
	"i", "ii", "iii", "iv", "v", "vi"}

func common(norm []byte) bool {
	for _, w := range plainWords {
		if string(norm) == w {
			return true
		}
	}
	return utf8.RuneCount(norm) < 2
}

// named are words for things in drawings that carry labels of their own.
var named = [...]string{"point", "position", "block", "building", "room", "node", "location", "figure", "diagram", "area", "zone", "path", "route",
	"tower", "section", "view", "plan", "step", "line", "spot", "gate", "door", "panel", "stage", "level", "corner", "wall", "window", "camera",
	"person", "box", "shape", "track", "lane", "exit", "entrance"}

// evidence is stage 6: the options that prose speaks of, by text or by label. See
// docs/spec/vqa.md#r28.
func (r *Reader) evidence(s []byte) Reading {
	r.prepare()
	r.flat = appendFlat(r.flat[:0], s)
	r.flow = appendLower(r.flow[:0], r.flat)
	r.cover = slices.Grow(r.cover[:0], len(r.flow))[:len(r.flow)]
	clear(r.cover)
	texts := r.quotedTexts() | r.wordTexts() | r.firstWord()
	labels, ambiguous := r.labels()
	l, nl := only(labels)
	t, nt := only(texts)
	switch {
	case ambiguous:
		return invalid(6, Ambiguous)
	case nl > 1:
		return invalid(6, Multiple)
	case nl == 1 && nt == 1 && l != t:
		return invalid(6, Conflict)
	case nl == 1:
		return found(6, l)
	case nt == 1:
		return found(6, t)
	case nt > 1:
		return invalid(6, Multiple)
	}
	return invalid(6, NoAnswer)
}

// set is a set of positions.
type set uint16

// only is a member of the set and how many there are.
func only(s set) (member, n int) {
	for k := range Most {
		if s&(1<<k) != 0 {
			member = k
			n++
		}
	}
	return member, n
}

// quotedTexts are the options that are quoted.
func (r *Reader) quotedTexts() (out set) {
	for i := 0; i < len(r.flow); {
		from := bytes.IndexByte(r.flow[i:], '"')
		if from < 0 {
			break
		}
		from += i + 1
		n := bytes.IndexByte(r.flow[from:], '"')
		if n < 0 {
			break
		}
		if k := r.same(normed(r.flow[from : from+n])); k >= 0 {
			r.covered(span{from, from + n}, k)
			if !negated(r.flow, from) {
				out |= 1 << k
			}
			i = from + n + 1
			continue
		}
		i = from // the closing quote may open the next one
	}
	return out
}

func (r *Reader) covered(s span, k int) {
	for i := s.from; i < s.to; i++ {
		r.cover[i] = uint8(k + 1)
	}
}

// wordTexts are the options whose texts occur as whole words, the longest first:
// what lies inside of a longer one is none.
func (r *Reader) wordTexts() (out set) {
	for _, k := range r.order[:len(r.texts)] {
		n := r.norms[k]
		if !r.usable[k] || common(n) {
			continue
		}
		for i := 0; i < len(r.flow); {
			at := bytes.Index(r.flow[i:], n)
			if at < 0 {
				break
			}
			at += i
			end := at + len(n)
			i = at + 1
			if wordBefore(r.flow, at) && wordAt(n, 0) || wordAt(r.flow, end) && wordBefore(n, len(n)) {
				continue
			}
			i = end
			if r.cover[at] != 0 && r.cover[at] == r.cover[end-1] {
				continue
			}
			r.covered(span{at, end}, k)
			if !negated(r.flow, at) {
				out |= 1 << k
			}
		}
	}
	return out
}

// firstWord is the option yes, no, true or false where the answer begins with it.
func (r *Reader) firstWord() set {
	i := 0
	for i < len(r.flow) && around(r.flow[i]) {
		i++
	}
	for _, w := range [...]string{"yes", "no", "true", "false"} {
		if hasWord(r.flow, i, w) {
			for k := range r.texts {
				if r.usable[k] && string(r.norms[k]) == w {
					return 1 << k
				}
			}
		}
	}
	return 0
}

// negated reports whether one of the two words before low[i] says that what
// follows is not meant. It looks no further than the sentence.
func negated(low []byte, i int) bool {
	for range 2 {
		word, at := wordLeft(low, i)
		if word == nil {
			return false
		}
		switch string(word) {
		case "not", "never", "unlike", "neither", "nor":
			return true
		case "than":
			if lastWord(low, at, "rather") {
				return true
			}
		case "of":
			if lastWord(low, at, "instead") {
				return true
			}
		case "out":
			for _, w := range [...]string{"rule", "ruled", "rules", "ruling"} {
				if lastWord(low, at, w) {
					return true
				}
			}
		}
		if bytes.HasSuffix(word, []byte("n't")) || bytes.HasPrefix(word, []byte("eliminat")) || bytes.HasPrefix(word, []byte("exclud")) {
			return true
		}
		i = at
	}
	return false
}

// wordLeft is the word that ends before low[i] and where it begins; nil at the
// start of a sentence.
func wordLeft(low []byte, i int) (word []byte, at int) {
	for i > 0 && !wordBefore(low, i) {
		if b := low[i-1]; b == '.' || b == '!' || b == '?' || b == ';' {
			return nil, i
		}
		i--
	}
	end := i
	for i > 0 && end-i < 40 && (wordBefore(low, i) || low[i-1] == '\'') {
		_, n := utf8.DecodeLastRune(low[:i])
		i -= n
	}
	if i == end {
		return nil, i
	}
	return low[i:end], i
}

// labels returns the options whose labels stand alone. ambiguous reports whether an
// "option C" may be the label or the text of another option. See
// docs/spec/vqa.md#r27.
func (r *Reader) labels() (out set, ambiguous bool) {
	for i := 0; i < len(r.flat); i++ {
		if b := r.flat[i]; !upper(b) && !digit(b) || r.cover[i] != 0 {
			continue
		}
		k, option := r.standing(i)
		if k < 0 || negated(r.flow, i) || rejected(r.flow, i+1) {
			continue
		}
		if option && r.otherOption(label{option: k}) {
			ambiguous = true
			continue
		}
		out |= 1 << k
	}
	return out, ambiguous
}

// standing is the label that stands alone at i, -1 for none. option tells that
// the word option stands before it.
func (r *Reader) standing(i int) (k int, option bool) {
	s, low := r.flat, r.flow
	if r.style == Numbers {
		return r.standingDigit(i)
	}
	k = int(s[i]) - 'A'
	if digit(s[i]) || k >= len(r.texts) || joinedTo(s, i) {
		return -1, false
	}
	bracketed := i > 0 && opener(s[i-1]) && i+1 < len(s) && s[i+1] == closing(s[i-1])
	before := i
	for before > 0 && (s[before-1] == '"' || opener(s[before-1])) {
		before--
	}
	option = lastWord(low, before, "option")
	if bracketed {
		return k, option
	}
	if afterNamed(low, before) {
		return -1, false
	}
	if k == 0 && !option && !lastWord(low, before, "choice") && !lastWord(low, before, "answer") {
		if j := skipBlank(s, i+1); j > i+1 && j < len(s) && (lower(s[j]) || s[j] >= utf8.RuneSelf && wordAt(s, j)) && !follows(s, j) {
			return -1, false
		}
	}
	return k, option
}

// standingDigit is the number that stands for an option: "(3)", "option 3", "#3".
func (r *Reader) standingDigit(i int) (k int, option bool) {
	s, low := r.flat, r.flow
	if !digit(s[i]) || wordBefore(s, i) || wordAt(s, i+1) || i+2 < len(s) && (s[i+1] == '.' || s[i+1] == ',') && digit(s[i+2]) {
		return -1, false
	}
	if k = int(s[i]) - '1'; k < 0 || k >= len(r.texts) {
		return -1, false
	}
	bracketed := i > 0 && s[i-1] == '(' && i+1 < len(s) && s[i+1] == ')'
	before := i
	if bracketed {
		before--
	}
	option = lastWord(low, before, "option")
	if bracketed || option || lastWord(low, before, "choice") || lastWord(low, before, "number") || lastWord(low, before, "answer") ||
		i > 0 && s[i-1] == '#' {
		return k, option
	}
	return -1, false
}

// joinedTo reports whether the letter at i is a part of something longer.
func joinedTo(s []byte, i int) bool {
	part := func(b byte) bool { return b == '\'' || b == '&' || b == '/' || b == '-' }
	if wordBefore(s, i) || wordAt(s, i+1) {
		return true
	}
	return i > 0 && (part(s[i-1]) || s[i-1] == '.') || i+1 < len(s) && part(s[i+1])
}

// afterNamed reports whether the word before low[i] names a thing in drawings.
func afterNamed(low []byte, i int) bool {
	word, at := wordLeft(low, i)
	if word == nil || at+len(word) < i-1 {
		return false
	}
	for _, w := range named {
		if string(word) == w || len(word) > len(w) && string(word[:len(w)]) == w && (string(word[len(w):]) == "s" || string(word[len(w):]) == "es") {
			return true
		}
	}
	return false
}

// rejected reports whether what follows at low[i] says that the label is wrong.
func rejected(low []byte, i int) bool {
	for i < len(low) && (closer(low[i]) || quote(low[i]) || low[i] == ' ') {
		i++
	}
	if afterOf(low, i, []string{"isn't", "wasn't", "can't", "cannot", "won't", "doesn't", "is not", "was not", "does not"}) >= 0 {
		return true
	}
	j := afterOf(low, i, []string{"is", "was", "seems", "looks", "appears", "are"})
	if j < 0 {
		return false
	}
	j = skipBlank(low, j)
	return afterOf(low, j, []string{"wrong", "incorrect", "not", "false", "out", "ruled out", "eliminated", "excluded", "unlikely", "impossible"}) >= 0
}
