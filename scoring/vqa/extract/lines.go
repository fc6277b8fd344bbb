package extract

import "bytes"

// readLines is stage 5: a label that is or opens the first line, or is the whole last line.
// Both must agree. The first line does not count where several lines open with different
// labels. See docs/spec/vqa.md#r25.
func (r *Reader) readLines(s []byte) (got Reading, ok bool) {
	first, last := lineAt(s, 0), lastLine(s)
	single := len(first) == len(s)
	opening, hasOpening := r.readFirstLine(first, s, single)
	if hasOpening && r.listsLabels(s) {
		hasOpening = false
	}
	lastOption := -1
	if !single {
		if l, _, isLabel := r.readSoleLabel(last); isLabel && r.isOption(l) && !l.letterForNumber {
			lastOption = l.option
		}
	}
	switch {
	case hasOpening && opening.Option < 0:
		return opening, true
	case hasOpening && lastOption >= 0 && lastOption != opening.Option:
		return invalidAnswer(stageLines, Multiple), true
	case hasOpening:
		return opening, true
	case lastOption >= 0:
		return optionFound(stageLines, lastOption), true
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

// readFirstLine reads the option's label that is, or opens, the first line of an answer. single
// says that the answer is one line; then a line that is nothing but a label was read by an earlier
// stage. ok is false where the line names no option.
func (r *Reader) readFirstLine(first, s []byte, single bool) (got Reading, ok bool) {
	if l, saidOption, isLabel := r.readSoleLabel(first); isLabel {
		if single || l.letterForNumber || !r.isOption(l) {
			return got, false
		}
		if saidOption && r.namesOtherOption(l) {
			return invalidAnswer(stageLines, Ambiguous), true
		}
		return optionFound(stageLines, l.option), true
	}
	l, saidOption, rest, ok := r.readOpeningLabel(first)
	if !ok || !r.isOption(l) {
		return got, false
	}
	r.norm = appendLower(r.norm[:0], first)
	option, end := r.optionTextAt(r.norm, rest)
	switch {
	case option >= 0 && option != l.option && phraseEnds(r.norm, end):
		return invalidAnswer(stageLines, Conflict), true
	case saidOption && r.namesOtherOption(l) && option != l.option:
		return invalidAnswer(stageLines, Ambiguous), true
	}
	return optionFound(stageLines, l.option), true
}

// listsLabels reports whether lines of an answer open with different labels. Such an answer lists
// options or steps, so its first label is not what it chooses.
func (r *Reader) listsLabels(s []byte) bool {
	seen := -1
	for i := 0; i < len(s); {
		line := lineAt(s, i)
		if l, _, _, ok := r.readOpeningLabel(bytes.TrimLeft(line, " ")); ok {
			if seen >= 0 && seen != l.option {
				return true
			}
			seen = l.option
		}
		i += len(line) + 1
	}
	return false
}
