package extract

// The words of statements (docs/spec/vqa.md#r23) and of what follows them
// (docs/spec/vqa.md#r24).
var (
	nouns  = [...]string{"answer", "option", "choice", "selection", "prediction"}
	links  = [...]string{"is", "was", "would be", "should be", "must be", "will be"}
	verbs  = [...]string{"choose", "select", "pick", "go with", "opt for", "answer", "vote for"}
	auxes  = [...]string{"would", "will", "'ll", "'d"}
	denied = [...]string{"not", "none", "neither", "unknown"}
	hedges = [...]string{"most likely", "likely", "probably", "definitely", "clearly", "certainly", "surely", "obviously", "possibly", "perhaps",
		"maybe", "simply", "therefore", "thus", "indeed", "actually", "really", "most probably", "still", "just", "either"}
	heads  = [...]string{"the", "option", "choice", "letter", "number"}
	seems  = [...]string{"is", "seems", "looks", "appears", "must be", "would be"}
	praise = [...]string{"correct", "right", "best", "accurate", "appropriate", "answer", "true"}
)

// readStatements is stage 4: the last explicit statement ("the answer is B") that names anything.
// low is s in lower case.
func (r *Reader) readStatements(s, low []byte) (got Reading, ok bool) {
	for i := 0; i < len(low); i++ {
		if wordBefore(low, i) {
			continue
		}
		tail := -1
		switch b := low[i]; {
		case b == 'a' || b == 'o' || b == 'c' || b == 's' || b == 'p':
			tail = afterNoun(low, i)
		case b == 'i':
			tail = afterVerb(low, i)
		case b == 0xe7:
			tail = afterChinese(low, i)
		}
		if tail >= 0 {
			if one, yields := r.readTail(s, low, tail); yields {
				got, ok = one, true
			}
			continue
		}
		if one, yields := r.readReversed(s, low, i); yields {
			got, ok = one, true
		}
	}
	return got, ok
}

// afterNoun returns where the rest of a statement like "answer is" begins, which must start at
// low[i]; -1 where there is none.
func afterNoun(low []byte, i int) int {
	for _, n := range nouns {
		if !hasWord(low, i, n) {
			continue
		}
		j := i + len(n)
		j = skipBlank(low, j)
		switch {
		case j < len(low) && (low[j] == ':' || low[j] == '='):
			return j + 1
		case j+1 < len(low) && low[j] == '-' && low[j+1] == '>':
			return j + 2
		}
		return afterAny(low, j, links[:])
	}
	return -1
}

// afterAny returns the position after the first of the words that is at low[i], -1 for none.
func afterAny(low []byte, i int, words []string) int {
	for _, w := range words {
		if hasWord(low, i, w) {
			return i + len(w)
		}
	}
	return -1
}

// afterVerb returns where the rest of a statement like "I would choose" begins, which must start
// at low[i]; -1 where there is none.
func afterVerb(low []byte, i int) int {
	j := i + 1
	aux := false
	if k := skipBlank(low, j); k > j {
		j = k
	} else if j >= len(low) || low[j] != '\'' {
		return -1
	}
	if k := afterAny(low, j, auxes[:]); k >= 0 {
		j, aux = skipBlank(low, k), true
	}
	if !aux && low[i+1] == '\'' {
		return -1
	}
	return afterAny(low, j, verbs[:])
}

// skipBlank returns the position of the first byte from s[i] on that is no space.
func skipBlank(s []byte, i int) int {
	return skipWhile(s, i, func(b byte) bool { return b == ' ' })
}

// afterChinese returns where the rest of a statement begins that starts with the Chinese word for
// answer at low[i]; -1 where there is none.
func afterChinese(low []byte, i int) int {
	const answer = "答案"
	if i+len(answer) > len(low) || string(low[i:i+len(answer)]) != answer {
		return -1
	}
	i = skipBlank(low, i+len(answer))
	for _, w := range [...]string{"是", "为", "选"} {
		if i+len(w) <= len(low) && string(low[i:i+len(w)]) == w {
			i = skipBlank(low, i+len(w))
			break
		}
	}
	if i < len(low) && low[i] == ':' {
		i++
	}
	return i
}

// readTail reads the rest of a statement from i on. yields is false where it names no option.
func (r *Reader) readTail(s, low []byte, i int) (got Reading, yields bool) {
	i = skipBlank(low, i)
	for i < len(low) && (low[i] == ':' || low[i] == '=' || low[i] == '-' && i+1 < len(low) && low[i+1] == '>' || low[i] == ' ') {
		i++
		if low[i-1] == '-' {
			i++
		}
	}
	if i < len(low) && low[i] == '\n' {
		i = skipSpace(low, i)
	}
	if k := i; afterAny(low, skipMarks(low, k), denied[:]) >= 0 {
		return got, false
	}
	option := false
	for range maxHeads {
		if got, yields := r.readNamed(s, low, i, option); yields {
			return got, true
		}
		next, isOption := skipFiller(low, i)
		if next == i {
			return got, false
		}
		i, option = next, isOption
	}
	return got, false
}

// maxHeads is how many filler words are skipped at the start of a statement's rest.
const maxHeads = 8

// skipMarks returns the position of the first byte from s[i] on that is no space, quote or opening
// bracket.
func skipMarks(s []byte, i int) int {
	for i < len(s) && (isQuote(s[i]) || isOpener(s[i]) || s[i] == ' ') {
		i++
	}
	return i
}

// skipFiller skips one adverb, article or word for option at low[i]. option reports whether it was
// "option".
func skipFiller(low []byte, i int) (next int, option bool) {
	for _, w := range hedges {
		if hasWord(low, i, w) {
			i = skipBlank(low, i+len(w))
			if i < len(low) && low[i] == ',' {
				i = skipBlank(low, i+1)
			}
			return i, false
		}
	}
	for _, w := range heads {
		if hasWord(low, i, w) {
			i = skipBlank(low, i+len(w))
			if i < len(low) && (low[i] == ':' || low[i] == '#') {
				i = skipBlank(low, i+1)
			}
			return i, w == "option"
		}
	}
	return i, false
}

// readNamed reads a label or the text of an option at s[i], in the rest of a statement. option
// reports whether the word "option" precedes it.
func (r *Reader) readNamed(s, low []byte, i int, option bool) (got Reading, yields bool) {
	l, ok := r.labelAt(s, i)
	ok = ok && isPlausible(s, l) && (!l.alias || restIsMarks(s, l.to))
	text, end := r.optionTextAt(low, i)
	if !ok || !r.isOption(l) && text >= 0 {
		if text >= 0 && end > i {
			return found(stageStatements, text), true
		}
		return got, false
	}
	switch {
	case option && r.namesOtherOption(l):
		return invalid(stageStatements, Ambiguous), true
	case !r.isOption(l) && !l.capital, !r.isOption(l) && l.option == 8:
		return got, false
	case !r.isOption(l):
		return invalid(stageStatements, OutOfRange), true
	case r.secondLabelFollows(s, l):
		return invalid(stageStatements, Multiple), true
	case r.otherTextFollows(low, l):
		return invalid(stageStatements, Conflict), true
	}
	return found(stageStatements, l.option), true
}

// restIsMarks reports whether nothing but marks follows on the line.
func restIsMarks(s []byte, i int) bool {
	for ; i < len(s) && s[i] != '\n'; i++ {
		if !isMark(s[i]) {
			return false
		}
	}
	return true
}

// secondLabelFollows reports whether a different label is joined to the label: "B or D".
func (r *Reader) secondLabelFollows(s []byte, l label) bool {
	i := skipBlank(s, l.to)
	if i >= len(s) {
		return false
	}
	next := i
	if s[i] == ',' || s[i] == '/' || s[i] == '&' {
		next = skipBlank(s, i+1)
	}
	for _, w := range [...]string{"and", "or"} {
		next = max(next, skipWord(s, next, w))
	}
	if next == i {
		return false
	}
	if n := skipWord(s, next, "option"); n > next {
		next = n
	}
	m, ok := r.labelAt(s, next)
	return ok && r.isOption(m) && m.option != l.option && m.alias == l.alias && isPlausible(s, m)
}

// otherTextFollows reports whether the text of another option follows the label.
func (r *Reader) otherTextFollows(low []byte, l label) bool {
	i := l.to
	for i < len(low) && (isSpace(low[i]) || isStop(low[i]) || isCloser(low[i]) || low[i] == '-') {
		i++
	}
	k, end := r.optionTextAt(low, i)
	if k < 0 || k == l.option {
		return false
	}
	return !isCommonWord(r.norms[k]) || phraseEnds(low, end)
}

// phraseEnds reports whether a phrase ends at s[i]: at a punctuation mark, the line's end or the
// text's.
func phraseEnds(s []byte, i int) bool {
	for i < len(s) && (isQuote(s[i]) || isCloser(s[i])) {
		i++
	}
	return i >= len(s) || s[i] == '\n' || isStop(s[i]) || s[i] == '(' || s[i] == ' ' && i+1 < len(s) && (s[i+1] == '-' || s[i+1] == '(')
}

// readReversed reads a statement like "B is the correct answer" at s[i].
func (r *Reader) readReversed(s, low []byte, i int) (got Reading, yields bool) {
	if b := s[i]; !isUpper(b) && !isDigit(b) && !isOpener(b) && b != 'o' && b != '"' {
		return got, false
	}
	if i > 0 && (isOpener(s[i-1]) || isQuote(s[i-1])) {
		return got, false // read from the bracket on
	}
	at := skipWord(s, i, "option")
	option := at > i || endsWithWord(low, i, "option")
	l, ok := r.labelAt(s, at)
	if !ok || l.alias || !l.capital {
		return got, false
	}
	j := afterAny(low, skipBlank(low, l.to), seems[:])
	if j < 0 {
		return got, false
	}
	j = skipBlank(low, j)
	for _, w := range [...]string{"the", "most", "only"} {
		if hasWord(low, j, w) {
			j = skipBlank(low, j+len(w))
		}
	}
	if afterAny(low, j, praise[:]) < 0 || endsWithWord(low, i, "if") || endsWithWord(low, i, "whether") {
		return got, false
	}
	switch {
	case option && r.namesOtherOption(l):
		return invalid(stageStatements, Ambiguous), true
	case !r.isOption(l) && l.option == 8:
		return got, false
	case !r.isOption(l):
		return invalid(stageStatements, OutOfRange), true
	case r.labelJoinedBefore(s, i, l):
		return invalid(stageStatements, Multiple), true
	}
	return found(stageStatements, l.option), true
}

// endsWithWord reports whether w is the word before low[i].
func endsWithWord(low []byte, i int, w string) bool {
	for i > 0 && low[i-1] == ' ' {
		i--
	}
	return i >= len(w) && string(low[i-len(w):i]) == w && !wordBefore(low, i-len(w))
}

// labelJoinedBefore reports whether a different label precedes the one at s[i], joined to it: "A
// or B is correct".
func (r *Reader) labelJoinedBefore(s []byte, i int, l label) bool {
	j := i
	for j > 0 && s[j-1] == ' ' {
		j--
	}
	switch {
	case j > 2 && hasWord(s, j-3, "and"):
		j -= 3
	case j > 1 && hasWord(s, j-2, "or"):
		j -= 2
	case j > 0 && (s[j-1] == '/' || s[j-1] == '&'):
		j--
	default:
		return false
	}
	for j > 0 && (s[j-1] == ' ' || isCloser(s[j-1])) {
		j--
	}
	if j == 0 || wordBefore(s, j-1) {
		return false
	}
	m, ok := r.labelAt(s, j-1)
	return ok && m.capital && r.isOption(m) && m.option != l.option
}
