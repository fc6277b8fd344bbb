package extract

import "bytes"

// readLines is stage 5: a label that opens the first line, or is the whole last line. See
// docs/spec/vqa.md#r25.
func (r *Reader) readLines(s []byte) (got Reading, ok bool) {
	first, last := lineAt(s, 0), lastLine(s)
	single := len(first) == len(s)
	begin, beginOK := r.firstLine(first, s, single)
	if beginOK && r.listsLabels(s) {
		beginOK = false
	}
	end := -1
	if !single {
		if l, _, isLabel := r.labelForm(last); isLabel && r.isOption(l) && !l.alias {
			end = l.option
		}
	}
	switch {
	case beginOK && begin.Option < 0:
		return begin, true
	case beginOK && end >= 0 && end != begin.Option:
		return invalid(stageLines, Multiple), true
	case beginOK:
		return begin, true
	case end >= 0:
		return found(stageLines, end), true
	}
	return got, false
}

// lineAt returns the line of an answer that begins at i, without its end.
func lineAt(s []byte, i int) []byte {
	if n := bytes.IndexByte(s[i:], '\n'); n >= 0 {
		return s[i : i+n]
	}
	return s[i:]
}

// lastLine returns the last line of s.
func lastLine(s []byte) []byte { return s[bytes.LastIndexByte(s, '\n')+1:] }

// firstLine reads the label that is, or opens, the first line of s. single reports whether s is
// one line.
func (r *Reader) firstLine(first, s []byte, single bool) (got Reading, ok bool) {
	if l, option, isLabel := r.labelForm(first); isLabel {
		if single || l.alias || !r.isOption(l) {
			return got, false
		}
		if option && r.namesOtherOption(l) {
			return invalid(stageLines, Ambiguous), true
		}
		return found(stageLines, l.option), true
	}
	l, option, rest, ok := r.openingLabel(first)
	if !ok || !r.isOption(l) {
		return got, false
	}
	r.norm = appendLower(r.norm[:0], first)
	k, end := r.optionTextAt(r.norm, rest)
	switch {
	case k >= 0 && k != l.option && phraseEnds(r.norm, end):
		return invalid(stageLines, Conflict), true
	case option && r.namesOtherOption(l) && k != l.option:
		return invalid(stageLines, Ambiguous), true
	}
	return found(stageLines, l.option), true
}

// listsLabels reports whether lines of s start with different labels. Then the answer lists
// options or steps.
func (r *Reader) listsLabels(s []byte) bool {
	seen := -1
	for i := 0; i < len(s); {
		at := lineAt(s, i)
		if l, _, _, ok := r.openingLabel(bytes.TrimLeft(at, " ")); ok {
			if seen >= 0 && seen != l.option {
				return true
			}
			seen = l.option
		}
		i += len(at) + 1
	}
	return false
}
