package extract

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// plainWords are texts of options that are too common in prose to name an option there. See
// docs/spec/vqa.md#r26.
var plainWords = [...]string{"yes", "no", "true", "false", "none", "all", "both", "up", "down", "left", "right", "same", "similar", "maybe",
	"i", "ii", "iii", "iv", "v", "vi"}

// isCommonWord reports whether the text of an option is too common or too short to name it in
// prose.
func isCommonWord(norm []byte) bool {
	for _, w := range plainWords {
		if string(norm) == w { // slices.Contains would allocate
			return true
		}
	}
	return utf8.RuneCount(norm) < 2
}

// labelledThings are words for things in drawings that have labels of their own: "point B" is no
// option B.
var labelledThings = [...]string{"point", "position", "block", "building", "room", "node", "location", "figure", "diagram", "area", "zone", "path", "route",
	"tower", "section", "view", "plan", "step", "line", "spot", "gate", "door", "panel", "stage", "level", "corner", "wall", "window", "camera",
	"person", "box", "shape", "track", "lane", "exit", "entrance"}

// readProse is stage 6: it reads which options prose names, by text or by label. Two different
// ones make the answer invalid. See docs/spec/vqa.md#r28.
func (r *Reader) readProse(s []byte) Reading {
	r.normalizeOptions()
	r.flat = appendFlat(r.flat[:0], s)
	r.flow = appendLower(r.flow[:0], r.flat)
	r.cover = slices.Grow(r.cover[:0], len(r.flow))[:len(r.flow)]
	clear(r.cover)
	texts := r.quotedOptions() | r.optionsInProse() | r.leadingYesOrNo()
	labels, ambiguous := r.lettersInProse()
	l, nl := soleMember(labels)
	t, nt := soleMember(texts)
	switch {
	case ambiguous:
		return invalid(stageProse, Ambiguous)
	case nl > 1:
		return invalid(stageProse, Multiple)
	case nl == 1 && nt == 1 && l != t:
		return invalid(stageProse, Conflict)
	case nl == 1:
		return found(stageProse, l)
	case nt == 1:
		return found(stageProse, t)
	case nt > 1:
		return invalid(stageProse, Multiple)
	}
	return invalid(stageProse, NoAnswer)
}

// set is a set of options, a bit each.
type set uint16

// soleMember returns a member of the set and how many members there are.
func soleMember(s set) (member, n int) {
	for k := range Most {
		if s&(1<<k) != 0 {
			member = k
			n++
		}
	}
	return member, n
}

// quotedOptions returns the options whose texts stand in double quotes.
func (r *Reader) quotedOptions() (out set) {
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
		if k := r.optionWithText(normalize(r.flow[from : from+n])); k >= 0 {
			r.markCovered(from, from+n, k)
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

// markCovered notes that r.flow[from:to] is the text of option k.
func (r *Reader) markCovered(from, to, k int) {
	for i := from; i < to; i++ {
		r.cover[i] = uint8(k + 1)
	}
}

// optionsInProse returns the options whose texts occur as whole words. Longer texts are searched
// for first; an option inside of a longer one does not count.
func (r *Reader) optionsInProse() (out set) {
	for _, k := range r.order[:len(r.texts)] {
		n := r.norms[k]
		if !r.usable[k] || isCommonWord(n) {
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
			r.markCovered(at, end, k)
			if !negated(r.flow, at) {
				out |= 1 << k
			}
		}
	}
	return out
}

// leadingYesOrNo returns the option yes, no, true or false if the answer begins with that word.
func (r *Reader) leadingYesOrNo() set {
	i := 0
	for i < len(r.flow) && isMark(r.flow[i]) {
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

// negated reports whether one of the two words before low[i], in the same sentence, denies what
// follows ("not", "rather than", "ruled out").
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
			if endsWithWord(low, at, "rather") {
				return true
			}
		case "of":
			if endsWithWord(low, at, "instead") {
				return true
			}
		case "out":
			for _, w := range [...]string{"rule", "ruled", "rules", "ruling"} {
				if endsWithWord(low, at, w) {
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

// wordLeft returns the word that ends before low[i] and where it begins; nil at the start of a
// sentence.
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

// lettersInProse returns the options whose labels stand alone in prose. ambiguous reports whether
// an "option C" may mean the label C or another option whose text that is. See
// docs/spec/vqa.md#r27.
func (r *Reader) lettersInProse() (out set, ambiguous bool) {
	for i := 0; i < len(r.flat); i++ {
		if b := r.flat[i]; !isUpper(b) && !isDigit(b) || r.cover[i] != 0 {
			continue
		}
		k, option := r.labelInProse(i)
		if k < 0 || negated(r.flow, i) || isCalledWrong(r.flow, i+1) {
			continue
		}
		if option && r.namesOtherOption(label{option: k}) {
			ambiguous = true
			continue
		}
		out |= 1 << k
	}
	return out, ambiguous
}

// labelInProse returns the option whose label stands alone at byte i of the answer, -1 for none.
// option reports whether the word "option" precedes it.
func (r *Reader) labelInProse(i int) (k int, option bool) {
	s, low := r.flat, r.flow
	if r.style == Numbers {
		return r.numberInProse(i)
	}
	k = int(s[i]) - 'A'
	if isDigit(s[i]) || k >= len(r.texts) || isPartOfWord(s, i) {
		return -1, false
	}
	bracketed := i > 0 && isOpener(s[i-1]) && i+1 < len(s) && s[i+1] == closingBracket(s[i-1])
	before := i
	for before > 0 && (s[before-1] == '"' || isOpener(s[before-1])) {
		before--
	}
	option = endsWithWord(low, before, "option")
	if bracketed {
		return k, option
	}
	if followsLabelledThing(low, before) {
		return -1, false
	}
	if k == 0 && !option && !endsWithWord(low, before, "choice") && !endsWithWord(low, before, "answer") {
		if j := skipBlank(s, i+1); j > i+1 && j < len(s) && (isLower(s[j]) || s[j] >= utf8.RuneSelf && wordAt(s, j)) && !mayFollowLabel(s, j) {
			return -1, false
		}
	}
	return k, option
}

// numberInProse is labelInProse for labels that are numbers. They need a sign: "(3)", "option 3",
// "#3".
func (r *Reader) numberInProse(i int) (k int, option bool) {
	s, low := r.flat, r.flow
	if !isDigit(s[i]) || wordBefore(s, i) || wordAt(s, i+1) || i+2 < len(s) && (s[i+1] == '.' || s[i+1] == ',') && isDigit(s[i+2]) {
		return -1, false
	}
	k = int(s[i]) - '1'
	if k < 0 || k >= len(r.texts) {
		return -1, false
	}
	bracketed := i > 0 && s[i-1] == '(' && i+1 < len(s) && s[i+1] == ')'
	before := i
	if bracketed {
		before--
	}
	option = endsWithWord(low, before, "option")
	if bracketed || option || endsWithWord(low, before, "choice") || endsWithWord(low, before, "number") || endsWithWord(low, before, "answer") ||
		i > 0 && s[i-1] == '#' {
		return k, option
	}
	return -1, false
}

// isPartOfWord reports whether the letter at s[i] is a part of something longer, such as a word or
// "A-frame".
func isPartOfWord(s []byte, i int) bool {
	part := func(b byte) bool { return b == '\'' || b == '&' || b == '/' || b == '-' }
	if wordBefore(s, i) || wordAt(s, i+1) {
		return true
	}
	return i > 0 && (part(s[i-1]) || s[i-1] == '.') || i+1 < len(s) && part(s[i+1])
}

// followsLabelledThing reports whether the word before low[i] is one of labelledThings, maybe in
// plural.
func followsLabelledThing(low []byte, i int) bool {
	word, at := wordLeft(low, i)
	if word == nil || at+len(word) < i-1 {
		return false
	}
	for _, w := range labelledThings {
		if string(word) == w || len(word) > len(w) && string(word[:len(w)]) == w && (string(word[len(w):]) == "s" || string(word[len(w):]) == "es") {
			return true
		}
	}
	return false
}

// isCalledWrong reports whether the text from low[i] on says that the label before it is wrong:
// "is incorrect", "can't".
func isCalledWrong(low []byte, i int) bool {
	for i < len(low) && (isCloser(low[i]) || isQuote(low[i]) || low[i] == ' ') {
		i++
	}
	if afterAny(low, i, []string{"isn't", "wasn't", "can't", "cannot", "won't", "doesn't", "is not", "was not", "does not"}) >= 0 {
		return true
	}
	j := afterAny(low, i, []string{"is", "was", "seems", "looks", "appears", "are"})
	if j < 0 {
		return false
	}
	j = skipBlank(low, j)
	return afterAny(low, j, []string{"wrong", "incorrect", "not", "false", "out", "ruled out", "eliminated", "excluded", "unlikely", "impossible"}) >= 0
}
