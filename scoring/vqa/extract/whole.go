package extract

// whole is stage 1: the answer is a label or the text of an option
// (docs/spec/vqa.md#r19), or several labels, or a label with a text
// (docs/spec/vqa.md#r20). ok is false where it is none of these.
func (r *Reader) whole(s []byte) (got Reading, ok bool) {
	l, option, isLabel := r.labelForm(s)
	if isLabel && r.inside(l) && !option {
		return found(1, l.option), true
	}
	if k := r.same(r.textNorm(s)); k >= 0 && (!isLabel || !r.inside(l) || r.otherOption(l)) {
		return found(1, k), true
	}
	switch {
	case isLabel && r.inside(l) && r.otherOption(l):
		return invalid(1, Ambiguous), true
	case isLabel && r.inside(l):
		return found(1, l.option), true
	case isLabel:
		return invalid(1, OutOfRange), true
	}
	if got, ok := r.several(s); ok {
		return got, true
	}
	return r.labelled(s)
}

// around reports whether b may stand around a label without meaning anything.
// Braces are not among them: they make an object.
func around(b byte) bool {
	return space(b) || quote(b) || (opener(b) || closer(b)) && b != '{' && b != '}' || stop(b)
}

// labelForm reads an answer that is nothing but a label, with a lead word at most
// and marks around it. option tells that the lead word is "option".
func (r *Reader) labelForm(s []byte) (l label, option, ok bool) {
	i := 0
	for i < len(s) && (around(s[i]) || s[i] == '=') {
		i++
	}
	i, option = lead(s, i)
	for i < len(s) && around(s[i]) {
		i++
	}
	if i+1 < len(s) && s[i] == '-' && !digit(s[i+1]) {
		i++
	}
	if i > 0 && (s[i-1] == '.' || s[i-1] == ',') && i < len(s) && digit(s[i]) && (i < 2 || !lower(s[i-2])) {
		return l, false, false // a decimal without its zero
	}
	l, ok = r.labelAt(s, i)
	if !ok {
		return l, false, false
	}
	for i = l.to; i < len(s) && (around(s[i]) || s[i] == '-'); i++ {
	}
	return l, option, i == len(s)
}

// lead skips a lead word of a label form.
func lead(s []byte, i int) (end int, option bool) {
	j := skipWord(s, i, "the")
	for _, w := range [...]string{"correct", "final", "best", "right"} {
		if n := skipWord(s, j, w); n > j {
			j = n
			break
		}
	}
	if hasWord(s, j, "answer") {
		return linked(s, j+len("answer")), false
	}
	for _, w := range [...]string{"option", "choice", "letter", "number", "no."} {
		if hasWord(s, i, w) {
			return linked(s, i+len(w)), w == "option"
		}
	}
	if i < len(s) && s[i] == '#' {
		return linked(s, i+1), false
	}
	return i, false
}

// linked skips "is", ":" or "=" after a lead word, with the space around it.
func linked(s []byte, i int) int {
	j := skipSpace(s, i)
	if j < len(s) && (s[j] == ':' || s[j] == '=') {
		return skipSpace(s, j+1)
	}
	return skipWord(s, j, "is")
}

// several reads an answer that is nothing but labels.
func (r *Reader) several(s []byte) (got Reading, ok bool) {
	if got, ok := r.runTogether(s); ok {
		return got, true
	}
	n, first, differ := 0, 0, false
	for i := 0; ; {
		for i < len(s) && (space(s[i]) || stop(s[i]) || s[i] == '/' || s[i] == '&' || s[i] == '+' || s[i] == '|' ||
			opener(s[i]) && (i+1 >= len(s) || opener(s[i+1]) || quote(s[i+1])) || closer(s[i]) || n > 0 && quote(s[i]) && i+1 == len(s)) {
			i++
		}
		if i == len(s) {
			break
		}
		if j := max(skipWord(s, i, "and"), skipWord(s, i, "or")); j > i && n > 0 {
			i = j
			continue
		}
		if n == 0 {
			if j := max(skipWord(s, i, "both"), skipWord(s, i, "either")); j > i {
				i = j
			}
		}
		l, ok := r.labelAt(s, i)
		if !ok || l.alias || !r.inside(l) {
			return got, false
		}
		if n == 0 {
			first = l.option
		}
		differ = differ || l.option != first
		n++
		i = l.to
	}
	if n < 2 {
		return got, false
	}
	if differ {
		return invalid(1, Multiple), true
	}
	return found(1, first), true
}

// runTogether reads "BD".
func (r *Reader) runTogether(s []byte) (got Reading, ok bool) {
	from, to := 0, len(s)
	for from < to && around(s[from]) {
		from++
	}
	for to > from && around(s[to-1]) {
		to--
	}
	if s = s[from:to]; len(s) < 2 || len(s) > Most || r.style != Letters {
		return got, false
	}
	for _, b := range s {
		if !upper(b) || int(b-'A') >= len(r.texts) {
			return got, false
		}
	}
	for _, b := range s {
		if b != s[0] {
			return invalid(1, Multiple), true
		}
	}
	return found(1, int(s[0]-'A')), true
}

// labelled reads a label, a delimiter and the text of an option.
func (r *Reader) labelled(s []byte) (got Reading, ok bool) {
	l, option, rest, ok := r.opening(s)
	if !ok || !r.inside(l) {
		return got, false
	}
	switch k := r.same(r.textNorm(s[rest:])); {
	case k < 0:
		return got, false
	case k == l.option:
		return found(1, k), true
	case option && r.otherOption(l):
		return invalid(1, Ambiguous), true
	}
	return invalid(1, Conflict), true
}

// opening reads a label with a delimiter at the start of s; the rest begins at
// s[rest] and is not empty. option tells that the word option stands before it.
func (r *Reader) opening(s []byte) (l label, option bool, rest int, ok bool) {
	i := skipWord(s, 0, "option")
	option = i > 0
	i = skipWord(s, i, "choice")
	l, ok = r.labelAt(s, i)
	if !ok || l.alias {
		return l, option, 0, false
	}
	i = l.to
	next := func(k int) byte {
		if i+k < len(s) {
			return s[i+k]
		}
		return 0
	}
	switch b := next(0); {
	case l.bracketed && (space(b) || b == '.' || b == ':' || b == ',' || b == '-'):
		i++
	case i > 0 && s[i-1] == ')' && !l.bracketed: // "B)"
	case (b == '.' || b == ')' || b == ':') && !digit(next(1)):
		i++
	case b == ',' && space(next(1)) && l.capital:
		i++
	case b == ' ' && next(1) == '-' && space(next(2)) && l.capital:
		i += 2
	default:
		return l, option, 0, false
	}
	for i < len(s) && (space(s[i]) || l.bracketed && (s[i] == '.' || s[i] == ':' || s[i] == ',' || s[i] == '-')) {
		i++
	}
	return l, option, i, i < len(s)
}
