package extract

import "bytes"

// tagNames are the names of XML tags that hold an answer.
var tagNames = [...]string{"result", "answer", "final", "final_answer", "choice", "option"}

// boxed is the LaTeX command that holds an answer.
const boxed = `\boxed{`

// readTags is stage 3: it reads the content of each tag that holds an answer, and of each \boxed{},
// as an answer of its own. Contents that name an option must name the same one; those that name
// none are ignored beside them. Where no content names one, the answer is invalid for the reason of
// the last. ok is false where there is no tag. strict and depth are those of readStages, which
// reads no tags at maxDepth. See docs/spec/vqa.md#r22.
func (r *Reader) readTags(s []byte, strict bool, depth int) (got Reading, ok bool) {
	option, tagged := -1, false
	why := NoAnswer
	for i := 0; i < len(s); {
		at := bytes.IndexAny(s[i:], `<\`) // where a tag or \boxed may begin
		if at < 0 {
			break
		}
		i += at
		from, to, end := tagAt(s, i)
		if end == 0 {
			i++
			continue
		}
		tagged = true
		reading := r.readStages(s[from:to], strict, depth+1)
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

// tagAt reads the tag or \boxed{} at s[i] of an answer. Its content is s[from:to], and the text
// after it begins at s[end]. One that is not closed reaches to the end of s. end is 0 where there
// is no tag.
func tagAt(s []byte, i int) (from, to, end int) {
	if bytes.HasPrefix(s[i:], []byte(boxed)) {
		from = i + len(boxed)
		depth := 1
		for to = from; to < len(s); to++ {
			switch s[to] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth == 0 {
				return from, to, to + 1
			}
		}
		return from, len(s), len(s)
	}
	if s[i] != '<' {
		return 0, 0, 0
	}
	for _, name := range tagNames {
		if end := tagEnd(s, i+1, name); end > 0 {
			to, next := closingTag(s, end, name)
			return end, to, next
		}
	}
	return 0, 0, 0
}

// tagEnd returns the position after "name>" of a tag in an answer at s[i], 0 where it is not there.
func tagEnd(s []byte, i int, name string) int {
	if !hasWord(s, i, name) {
		return 0
	}
	i += len(name)
	i = skipBlank(s, i)
	if i < len(s) && s[i] == '>' {
		return i + 1
	}
	return 0
}

// closingTag returns where the next closing tag of that name, from s[i] of an answer on, begins and
// ends; both are len(s) if there is none.
func closingTag(s []byte, i int, name string) (at, end int) {
	for at = i; at < len(s); at++ {
		offset := bytes.IndexByte(s[at:], '<')
		if offset < 0 {
			break
		}
		at += offset
		if at+1 < len(s) && s[at+1] == '/' {
			if end := tagEnd(s, at+2, name); end > 0 {
				return at, end
			}
		}
	}
	return len(s), len(s)
}
