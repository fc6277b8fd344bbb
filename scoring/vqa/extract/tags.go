package extract

import "bytes"

// tagNames are the names of XML tags that hold an answer.
var tagNames = [...]string{"result", "answer", "final", "final_answer", "choice", "option"}

// boxed is the LaTeX command that holds an answer.
const boxed = `\boxed{`

// readTags is stage 3 of reading a model's answer: it reads the content of each tag that holds an
// answer, and of each \boxed{}, as an answer of its own. Contents that name an option must name the
// same one; those that name none are ignored beside them. Where no content names one, the answer is
// invalid for the reason of the last. ok is false where there is no tag. strict and depth are those of
// readStages, which reads no tags at maxDepth. See docs/spec/vqa.md#r22.
func (reader *Reader) readTags(text []byte, strict bool, depth int) (got Reading, ok bool) {
	option, tagged := -1, false
	why := NoAnswer
	for i := 0; i < len(text); {
		pos := bytes.IndexAny(text[i:], `<\`) // where a tag or \boxed may begin
		if pos < 0 {
			break
		}
		i += pos
		from, to, end := tagAt(text, i)
		if end == 0 {
			i++
			continue
		}
		tagged = true
		reading := reader.readStages(text[from:to], strict, depth+1)
		switch {
		case reading.Option >= 0 && option >= 0 && reading.Option != option:
			return invalidAnswer(stageTags, Multiple), true
		case reading.Option >= 0:
			option = reading.Option
		default:
			why = reading.Reason
		}
		i = end
	}
	switch {
	case !tagged:
		return got, false
	case option < 0:
		return invalidAnswer(stageTags, why), true
	}
	return optionFound(stageTags, option), true
}

// tagAt reads the tag or \boxed{} at text[i] of an answer. Its content is text[from:to], and the text after it
// begins at text[end]. One that is not closed reaches to the end of text. end is 0 where there is no tag.
func tagAt(text []byte, i int) (from, to, end int) {
	if bytes.HasPrefix(text[i:], []byte(boxed)) {
		from = i + len(boxed)
		depth := 1
		for to = from; to < len(text); to++ {
			switch text[to] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth == 0 {
				return from, to, to + 1
			}
		}
		return from, len(text), len(text)
	}
	// A tag.
	if text[i] != '<' {
		return 0, 0, 0
	}
	for _, name := range tagNames {
		if end := tagEnd(text, i+1, name); end > 0 {
			to, next := closingTag(text, end, name)
			return end, to, next
		}
	}
	return 0, 0, 0
}

// tagEnd returns the position after "name>" of a tag in an answer at text[i], 0 where it is not there.
func tagEnd(text []byte, i int, name string) int {
	if !hasWord(text, i, name) {
		return 0
	}
	i += len(name)
	i = skipBlank(text, i)
	if i < len(text) && text[i] == '>' {
		return i + 1
	}
	return 0
}

// closingTag returns where the next closing tag of that name, from text[i] of an answer on, begins and
// ends; both are len(text) if there is none.
func closingTag(text []byte, i int, name string) (pos, end int) {
	for pos = i; pos < len(text); pos++ {
		offset := bytes.IndexByte(text[pos:], '<')
		if offset < 0 {
			break
		}
		pos += offset
		if pos+1 < len(text) && text[pos+1] == '/' {
			if end := tagEnd(text, pos+2, name); end > 0 {
				return pos, end
			}
		}
	}
	return len(text), len(text)
}
