package extract

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// wordsTooCommon are texts of options that are too common in prose to name an option there. See
// docs/spec/vqa.md#r26.
var wordsTooCommon = [...]string{"yes", "no", "true", "false", "none", "all", "both", "up", "down", "left", "right",
	"same", "similar", "maybe",
	"i", "ii", "iii", "iv", "v", "vi"}

// isCommonWord reports whether the normalized text of an option is too common in prose to name the
// option there: one of wordsTooCommon, or a single character.
func isCommonWord(norm []byte) bool {
	for _, word := range wordsTooCommon {
		if string(norm) == word { // slices.Contains would allocate
			return true
		}
	}
	return utf8.RuneCount(norm) < 2
}

// labelledThings are words for things in drawings that have labels of their own: "point B" is no option B.
var labelledThings = [...]string{"point", "position", "block", "building", "room", "node", "location", "figure",
	"diagram", "area", "zone", "path", "route",
	"tower", "section", "view", "plan", "step", "line", "spot", "gate", "door", "panel", "stage", "level", "corner",
	"wall", "window", "camera",
	"person", "box", "shape", "track", "lane", "exit", "entrance"}

// readProse is stage 6 of reading a model's answer: it collects the options that running text (prose)
// names, by their texts and by their labels. A label decides over several texts; a single text that
// contradicts it makes the answer invalid. Several labels, or several texts without a label, make the
// answer invalid. See docs/spec/vqa.md#r28.
func (reader *Reader) readProse(s []byte) Reading {
	reader.normalizeOptions()
	reader.oneLine = appendFlat(reader.oneLine[:0], s)
	reader.oneLineLower = appendLower(reader.oneLineLower[:0], reader.oneLine)
	length := len(reader.oneLineLower)
	reader.coveringOption = slices.Grow(reader.coveringOption[:0], length)[:length] // memory is used again
	clear(reader.coveringOption)
	byText := reader.quotedOptions() | reader.optionsInProse() | reader.leadingYesOrNo()
	byLabel, ambiguous := reader.lettersInProse()
	labelled, labelCount := soleMember(byLabel)
	quoted, textCount := soleMember(byText)
	switch {
	case ambiguous:
		return invalidAnswer(stageProse, Ambiguous)
	case labelCount > 1:
		return invalidAnswer(stageProse, Multiple)
	case labelCount == 1 && textCount == 1 && labelled != quoted:
		return invalidAnswer(stageProse, Conflict)
	case labelCount == 1:
		return optionFound(stageProse, labelled)
	case textCount == 1:
		return optionFound(stageProse, quoted)
	case textCount > 1:
		return invalidAnswer(stageProse, Multiple)
	}
	return invalidAnswer(stageProse, NoAnswer)
}

// optionSet is a set of options, a bit each.
type optionSet uint16

// soleMember returns the number n of options in a set and the highest of them, which is the only one if n is 1.
func soleMember(s optionSet) (member, n int) {
	for option := range MaxOptions {
		if s&(1<<option) != 0 {
			member = option
			n++
		}
	}
	return member, n
}

// quotedOptions returns the options whose texts stand in double quotes in the answer, except those
// that are denied ("not"). It marks the texts as covered, also those denied, so that letters in
// them are not taken for labels.
func (reader *Reader) quotedOptions() (out optionSet) {
	for i := 0; i < len(reader.oneLineLower); {
		from := bytes.IndexByte(reader.oneLineLower[i:], '"')
		if from < 0 {
			break
		}
		from += i + 1
		length := bytes.IndexByte(reader.oneLineLower[from:], '"')
		if length < 0 {
			break
		}
		if option := reader.optionWithText(normalize(reader.oneLineLower[from : from+length])); option >= 0 {
			reader.markCovered(from, from+length, option)
			if !negated(reader.oneLineLower, from) {
				out |= 1 << option
			}
			i = from + length + 1
			continue
		}
		i = from // the closing quote may open the next one
	}
	return out
}

// markCovered records that reader.oneLineLower[from:to] is the text of an option.
func (reader *Reader) markCovered(from, to, option int) {
	for i := from; i < to; i++ {
		reader.coveringOption[i] = uint8(option + 1) // 0 stands for none
	}
}

// optionsInProse returns the options whose texts occur in the answer as whole words and are not denied, and
// marks the texts as covered. Longer texts are searched for first; a text that lies inside a longer option's
// text does not count. Common words, missing options and equal texts are left out.
func (reader *Reader) optionsInProse() (out optionSet) {
	for _, option := range reader.byLength[:len(reader.optionTexts)] {
		norm := reader.normTexts[option]
		if !reader.usable[option] || isCommonWord(norm) {
			continue
		}
		for i := 0; i < len(reader.oneLineLower); {
			pos := bytes.Index(reader.oneLineLower[i:], norm)
			if pos < 0 {
				break
			}
			pos += i
			end := pos + len(norm)
			partOfWord := wordEndsAt(reader.oneLineLower, pos) && wordStartsAt(norm, 0) ||
				wordStartsAt(reader.oneLineLower, end) && wordEndsAt(norm, len(norm))
			if partOfWord {
				i = pos + 1
				continue
			}
			i = end
			first, last := reader.coveringOption[pos], reader.coveringOption[end-1]
			if first != 0 && first == last { // inside of a longer text, or quoted
				continue
			}
			reader.markCovered(pos, end, option)
			if !negated(reader.oneLineLower, pos) {
				out |= 1 << option
			}
		}
	}
	return out
}

// leadingYesOrNo returns the option with the text yes, no, true or false if the answer begins with that word,
// else the empty set. In other places these words are too common to name an option.
func (reader *Reader) leadingYesOrNo() optionSet {
	i := 0
	for i < len(reader.oneLineLower) && isMark(reader.oneLineLower[i]) {
		i++
	}
	for _, word := range [...]string{"yes", "no", "true", "false"} {
		if hasWord(reader.oneLineLower, i, word) {
			for option := range reader.optionTexts {
				if reader.usable[option] && string(reader.normTexts[option]) == word {
					return 1 << option
				}
			}
		}
	}
	return 0
}

// negated reports whether one of the two words before lower[i] of the answer, in the same sentence,
// denies what follows: "not", "rather than", "instead of", "ruled out", "eliminate" and so on.
func negated(lower []byte, i int) bool {
	for range 2 { // the last word, then the one before it
		word, pos := wordLeft(lower, i)
		if word == nil {
			return false
		}
		switch string(word) {
		case "not", "never", "unlike", "neither", "nor":
			return true
		case "than":
			if precededByWord(lower, pos, "rather") {
				return true
			}
		case "of":
			if precededByWord(lower, pos, "instead") {
				return true
			}
		case "out":
			for _, w := range [...]string{"rule", "ruled", "rules", "ruling"} {
				if precededByWord(lower, pos, w) {
					return true
				}
			}
		}
		if bytes.HasSuffix(word, []byte("n't")) || bytes.HasPrefix(word, []byte("eliminat")) ||
			bytes.HasPrefix(word, []byte("exclud")) {
			return true
		}
		i = pos
	}
	return false
}

// maxWordBytes bounds how much of a word wordLeft reads, which bounds the time for very long words.
const maxWordBytes = 40

// wordLeft returns the word of the answer that ends before lower[i] and where it begins, skipping spaces and
// marks. It returns nil at the start of a sentence. Of a very long word it returns only the end.
func wordLeft(lower []byte, i int) (word []byte, at int) {
	for i > 0 && !wordEndsAt(lower, i) {
		if b := lower[i-1]; b == '.' || b == '!' || b == '?' || b == ';' {
			return nil, i
		}
		i--
	}
	end := i
	for i > 0 && end-i < maxWordBytes && (wordEndsAt(lower, i) || lower[i-1] == '\'') {
		_, size := utf8.DecodeLastRune(lower[:i])
		i -= size
	}
	if i == end {
		return nil, i
	}
	return lower[i:end], i
}

// lettersInProse returns the options whose labels stand alone in the running text of an answer, outside the
// texts of options, and are neither denied nor called wrong. A label after the word "option" is left out and
// sets ambiguous if another option's text begins with these words. See docs/spec/vqa.md#r27.
func (reader *Reader) lettersInProse() (out optionSet, ambiguous bool) {
	for i := 0; i < len(reader.oneLine); i++ {
		if b := reader.oneLine[i]; !isUpper(b) && !isDigit(b) || reader.coveringOption[i] != 0 {
			continue
		}
		option, saidOption := reader.labelInProse(i)
		if option < 0 || negated(reader.oneLineLower, i) || isCalledWrong(reader.oneLineLower, i+1) {
			continue
		}
		if saidOption && reader.namesOtherOption(label{option: option}) {
			ambiguous = true
			continue
		}
		out |= 1 << option
	}
	return out, ambiguous
}

// labelInProse returns the option whose label is the character at byte i of the answer; -1 if it is no label. A
// letter counts in brackets, or if it is not part of a word, not the name of a thing in the drawing ("point B")
// and, for A, not the article. saidOption reports whether the word "option" precedes it.
func (reader *Reader) labelInProse(i int) (option int, saidOption bool) {
	text, lower := reader.oneLine, reader.oneLineLower
	if reader.style == Numbers {
		return reader.numberInProse(i)
	}
	option = int(text[i]) - 'A'
	if isDigit(text[i]) || option >= len(reader.optionTexts) || isPartOfWord(text, i) {
		return -1, false
	}
	bracketed := i > 0 && isOpener(text[i-1]) && i+1 < len(text) && text[i+1] == closingBracket(text[i-1])
	before := i
	for before > 0 && (text[before-1] == '"' || isOpener(text[before-1])) {
		before--
	}
	saidOption = precededByWord(lower, before, "option")
	if bracketed {
		return option, saidOption
	}
	if followsLabelledThing(lower, before) {
		return -1, false
	}
	// An A before a word in lower case is the article.
	isIntroduced := saidOption || precededByWord(lower, before, "choice") || precededByWord(lower, before, "answer")
	next := skipBlank(text, i+1)
	if option == 0 && !isIntroduced && next > i+1 && next < len(text) {
		isLowerWord := isLower(text[next]) || text[next] >= utf8.RuneSelf && wordStartsAt(text, next)
		if isLowerWord && !mayFollowLabel(text, next) {
			return -1, false
		}
	}
	return option, saidOption
}

// numberInProse returns the option whose label, a number, stands at position i of the text, as
// labelInProse does for letters. A number counts only with a sign that it is a label: "(3)", "option
// 3", "choice 3", "number 3", "answer 3", "#3".
func (reader *Reader) numberInProse(i int) (option int, saidOption bool) {
	text, lower := reader.oneLine, reader.oneLineLower
	isDecimal := i+2 < len(text) && (text[i+1] == '.' || text[i+1] == ',') && isDigit(text[i+2])
	if !isDigit(text[i]) || wordEndsAt(text, i) || wordStartsAt(text, i+1) || isDecimal {
		return -1, false
	}
	option = int(text[i]) - '1'
	if option < 0 || option >= len(reader.optionTexts) {
		return -1, false
	}
	bracketed := i > 0 && text[i-1] == '(' && i+1 < len(text) && text[i+1] == ')'
	before := i
	if bracketed {
		before--
	}
	saidOption = precededByWord(lower, before, "option")
	isIntroduced := saidOption || precededByWord(lower, before, "choice") ||
		precededByWord(lower, before, "number") || precededByWord(lower, before, "answer")
	if isIntroduced || bracketed || i > 0 && text[i-1] == '#' {
		return option, saidOption
	}
	return -1, false
}

// isPartOfWord reports whether the letter text[i] of an answer is part of something longer, such as a
// word, "A-frame" or "e.g", and so not the label of an option.
func isPartOfWord(text []byte, i int) bool {
	joinsWords := func(b byte) bool { return b == '\'' || b == '&' || b == '/' || b == '-' }
	if wordEndsAt(text, i) || wordStartsAt(text, i+1) {
		return true
	}
	return i > 0 && (joinsWords(text[i-1]) || text[i-1] == '.') || i+1 < len(text) && joinsWords(text[i+1])
}

// followsLabelledThing reports whether the word right before lower[i] of an answer, with at most
// one character between, is one of labelledThings in singular or plural, such as "point". Then the
// letter names a thing in the drawing, not an option.
func followsLabelledThing(lower []byte, i int) bool {
	word, at := wordLeft(lower, i)
	if word == nil || at+len(word) < i-1 {
		return false
	}
	for _, w := range labelledThings {
		if string(word) == w || len(word) > len(w) && string(word[:len(w)]) == w &&
			(string(word[len(w):]) == "s" || string(word[len(w):]) == "es") {
			return true
		}
	}
	return false
}

// isCalledWrong reports whether an answer says, from lower[i] on, right after an option's label,
// that the option is wrong: "is incorrect", "can't".
func isCalledWrong(lower []byte, i int) bool {
	for i < len(lower) && (isCloser(lower[i]) || isQuote(lower[i]) || lower[i] == ' ') {
		i++
	}
	if afterAny(lower, i, []string{"isn't", "wasn't", "can't", "cannot", "won't", "doesn't", "is not", "was not",
		"does not"}) >= 0 {
		return true
	}
	after := afterAny(lower, i, []string{"is", "was", "seems", "looks", "appears", "are"})
	if after < 0 {
		return false
	}
	after = skipBlank(lower, after)
	return afterAny(lower, after, []string{"wrong", "incorrect", "not", "false", "out", "ruled out", "eliminated",
		"excluded", "unlikely", "impossible"}) >= 0
}
