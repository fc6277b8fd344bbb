package extract

import "bytes"

// readLines is stage 5 of reading a model's answer: the label of an option that is or opens the first
// line, or is the whole last line. Both must agree. The first line does not count where several lines
// open with different labels. See docs/spec/vqa.md#r25.
func (reader *Reader) readLines(text []byte) (got Reading, ok bool) {
	// What the first line says, and what the last one does.
	first, last := lineAt(text, 0), lastLine(text)
	isOnlyLine := len(first) == len(text)
	opening, hasOpening := reader.readFirstLine(first, isOnlyLine)
	if hasOpening && reader.listsLabels(text) {
		hasOpening = false
	}
	lastOption := -1
	if !isOnlyLine {
		label, _, isLabel := reader.readSoleLabel(last)
		if isLabel && reader.isOption(label) && !label.letterForNumber {
			lastOption = label.option
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
func lineAt(text []byte, i int) []byte {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return text[i : i+n]
	}
	return text[i:]
}

// lastLine returns the last line of s.
func lastLine(s []byte) []byte { return s[bytes.LastIndexByte(s, '\n')+1:] }

// readFirstLine reads the option's label that is, or opens, the first line of an answer. isOnlyLine
// says that the answer has no other; then a line that is nothing but a label was read by an earlier
// stage. ok is false where the line names no option.
func (reader *Reader) readFirstLine(first []byte, isOnlyLine bool) (got Reading, ok bool) {
	if label, saidOption, isLabel := reader.readSoleLabel(first); isLabel {
		if isOnlyLine || label.letterForNumber || !reader.isOption(label) {
			return got, false
		}
		if saidOption && reader.namesOtherOption(label) {
			return invalidAnswer(stageLines, Ambiguous), true
		}
		return optionFound(stageLines, label.option), true
	}
	// A label that opens the line. The text of an option after it must be that of the same option.
	label, saidOption, rest, ok := reader.readOpeningLabel(first)
	if !ok || !reader.isOption(label) {
		return got, false
	}
	reader.norm = appendLower(reader.norm[:0], first)
	option, end := reader.optionTextAt(reader.norm, rest)
	switch {
	case option >= 0 && option != label.option && phraseEnds(reader.norm, end):
		return invalidAnswer(stageLines, Conflict), true
	case saidOption && reader.namesOtherOption(label) && option != label.option:
		return invalidAnswer(stageLines, Ambiguous), true
	}
	return optionFound(stageLines, label.option), true
}

// listsLabels reports whether lines of an answer open with different labels. Such an answer lists
// options or steps, so its first label is not what it chooses.
func (reader *Reader) listsLabels(s []byte) bool {
	seen := -1
	for i := 0; i < len(s); {
		line := lineAt(s, i)
		if label, _, _, ok := reader.readOpeningLabel(bytes.TrimLeft(line, " ")); ok {
			if seen >= 0 && seen != label.option {
				return true
			}
			seen = label.option
		}
		i += len(line) + 1
	}
	return false
}
