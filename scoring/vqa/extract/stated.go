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

// stated is stage 4: the last explicit statement that yields anything. low is s
// in lower case.
func (r *Reader) stated(s, low []byte) (got Reading, ok bool) {
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
			if one, yields := r.tail(s, low, tail); yields {
				got, ok = one, true
			}
			continue
		}
		if one, yields := r.reversed(s, low, i); yields {
			got, ok = one, true
		}
	}
	return got, ok
}

// afterNoun is where the tail of "answer is" begins at low[i], -1 for no marker.
// What stands before the noun does not matter: it may be nothing.
func afterNoun(low []byte, i int) int {
	for _, n := range nouns {
		if !hasWord(low, i, n) {
			continue
		}
		j := i + len(n)
		for j < len(low) && low[j] == ' ' {
			j++
		}
		switch {
		case j < len(low) && (low[j] == ':' || low[j] == '='):
			return j + 1
		case j+1 < len(low) && low[j] == '-' && low[j+1] == '>':
			return j + 2
		}
		return afterOf(low, j, links[:])
	}
	return -1
}

// afterOf is the position after the first of the words that stands at low[i], -1
// for none.
func afterOf(low []byte, i int, words []string) int {
	for _, w := range words {
		if hasWord(low, i, w) {
			return i + len(w)
		}
	}
	return -1
}

// afterVerb is where the tail of "I would choose" begins.
func afterVerb(low []byte, i int) int {
	j := i + 1
	aux := false
	if k := skipBlank(low, j); k > j {
		j = k
	} else if j >= len(low) || low[j] != '\'' {
		return -1
	}
	if k := afterOf(low, j, auxes[:]); k >= 0 {
		j, aux = skipBlank(low, k), true
	}
	if !aux && low[i+1] == '\'' {
		return -1
	}
	return afterOf(low, j, verbs[:])
}

func skipBlank(s []byte, i int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}

// afterChinese is where the tail of the Chinese word for answer begins.
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

// tail reads what a statement says; yields is false where it says nothing.
func (r *Reader) tail(s, low []byte, i int) (got Reading, yields bool) {
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
	if k := i; afterOf(low, skipMarks(low, k), denied[:]) >= 0 {
		return got, false
	}
	option := false
	for range maxHeads {
		if got, yields := r.says(s, low, i, option); yields {
			return got, true
		}
		next, isOption := head(low, i)
		if next == i {
			return got, false
		}
		i, option = next, isOption
	}
	return got, false
}

// maxHeads is how many words are skipped at the start of a tail.
const maxHeads = 8

// skipMarks skips quotes and opening brackets.
func skipMarks(s []byte, i int) int {
	for i < len(s) && (quote(s[i]) || opener(s[i]) || s[i] == ' ') {
		i++
	}
	return i
}

// head skips an adverb, an article or a word for option at the start of a tail.
func head(low []byte, i int) (next int, option bool) {
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

// says reads a label or the text of an option at the start of a tail. option
// tells that the word option stands before it.
func (r *Reader) says(s, low []byte, i int, option bool) (got Reading, yields bool) {
	l, ok := r.labelAt(s, i)
	ok = ok && accepted(s, l) && (!l.alias || restIsMarks(s, l.to))
	text, end := r.textAt(low, i)
	if !ok || !r.inside(l) && text >= 0 {
		if text >= 0 && end > i {
			return found(4, text), true
		}
		return got, false
	}
	switch {
	case option && r.otherOption(l):
		return invalid(4, Ambiguous), true
	case !r.inside(l) && !l.capital, !r.inside(l) && l.option == 8:
		return got, false
	case !r.inside(l):
		return invalid(4, OutOfRange), true
	case r.joined(s, l):
		return invalid(4, Multiple), true
	case r.contradicted(low, l):
		return invalid(4, Conflict), true
	}
	return found(4, l.option), true
}

// restIsMarks reports whether nothing but marks follows on the line.
func restIsMarks(s []byte, i int) bool {
	for ; i < len(s) && s[i] != '\n'; i++ {
		if !around(s[i]) {
			return false
		}
	}
	return true
}

// joined reports whether a second, different label follows: "B or D".
func (r *Reader) joined(s []byte, l label) bool {
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
	return ok && r.inside(m) && m.option != l.option && m.alias == l.alias && accepted(s, m)
}

// contradicted reports whether the text of another option follows the label.
func (r *Reader) contradicted(low []byte, l label) bool {
	i := l.to
	for i < len(low) && (space(low[i]) || stop(low[i]) || closer(low[i]) || low[i] == '-') {
		i++
	}
	k, end := r.textAt(low, i)
	if k < 0 || k == l.option {
		return false
	}
	return !common(r.norms[k]) || ends(low, end)
}

// ends reports whether a phrase ends at i: at a mark, a line's end or the text's.
func ends(s []byte, i int) bool {
	for i < len(s) && (quote(s[i]) || closer(s[i])) {
		i++
	}
	return i >= len(s) || s[i] == '\n' || stop(s[i]) || s[i] == '(' || s[i] == ' ' && i+1 < len(s) && (s[i+1] == '-' || s[i+1] == '(')
}

// reversed reads "B is the correct answer" at s[i].
func (r *Reader) reversed(s, low []byte, i int) (got Reading, yields bool) {
	if b := s[i]; !upper(b) && !digit(b) && !opener(b) && b != 'o' && b != '"' {
		return got, false
	}
	if i > 0 && (opener(s[i-1]) || quote(s[i-1])) {
		return got, false // read from the bracket on
	}
	at := skipWord(s, i, "option")
	option := at > i || lastWord(low, i, "option")
	l, ok := r.labelAt(s, at)
	if !ok || l.alias || !l.capital {
		return got, false
	}
	j := afterOf(low, skipBlank(low, l.to), seems[:])
	if j < 0 {
		return got, false
	}
	j = skipBlank(low, j)
	for _, w := range [...]string{"the", "most", "only"} {
		if hasWord(low, j, w) {
			j = skipBlank(low, j+len(w))
		}
	}
	if afterOf(low, j, praise[:]) < 0 || lastWord(low, i, "if") || lastWord(low, i, "whether") {
		return got, false
	}
	switch {
	case option && r.otherOption(l):
		return invalid(4, Ambiguous), true
	case !r.inside(l) && l.option == 8:
		return got, false
	case !r.inside(l):
		return invalid(4, OutOfRange), true
	case r.joinedBefore(s, i, l):
		return invalid(4, Multiple), true
	}
	return found(4, l.option), true
}

// lastWord reports whether w is the word before low[i].
func lastWord(low []byte, i int, w string) bool {
	for i > 0 && low[i-1] == ' ' {
		i--
	}
	return i >= len(w) && string(low[i-len(w):i]) == w && !wordBefore(low, i-len(w))
}

// joinedBefore reports whether another label stands before the one at s[i],
// joined to it: "A or B is correct".
func (r *Reader) joinedBefore(s []byte, i int, l label) bool {
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
	for j > 0 && (s[j-1] == ' ' || closer(s[j-1])) {
		j--
	}
	if j == 0 || wordBefore(s, j-1) {
		return false
	}
	m, ok := r.labelAt(s, j-1)
	return ok && m.capital && r.inside(m) && m.option != l.option
}
