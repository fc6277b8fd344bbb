package plain

import "bytes"

// reasoningTags are the names of the tags of reasoning blocks.
var reasoningTags = [...]string{"think", "thinking", "reasoning", "thought"}

// appendWithoutReasoning appends text without its reasoning blocks. A block that is not closed removes
// the rest of the text, because the answer was cut off while the model was thinking; a
// closing tag of no block removes all before it:
//
//	"a<think>b</think>c" becomes "ac", "a<think>b" becomes "a", and "b</think>c" becomes "c".
//
// removed reports whether there was a block or tag. Without one nothing is appended, because the caller
// can use text itself. See docs/spec/vqa.md#r13.
func appendWithoutReasoning(dst, text []byte) (out []byte, removed bool) {
	start := len(dst)
	// A block that opens after the last closing tag of its name is not closed. These positions are found once,
	// because to look for them at every block could take quadratic time.
	var lastClosings [len(reasoningTags)]int
	for tag, name := range reasoningTags {
		lastClosings[tag] = lastClosing(text, name)
	}
	from, i := 0, 0 // where the text begins that is not yet copied, and where the search for tags goes on
	for i < len(text) {
		pos := bytes.IndexByte(text[i:], '<')
		if pos < 0 {
			break
		}
		pos += i
		tag, end, closing := reasoningTagAt(text, pos)
		if tag < 0 {
			i = pos + 1
			continue
		}
		removed = true
		if closing { // outside a block: all before it was reasoning
			dst = dst[:start]
			from, i = end, end
			continue
		}
		dst = append(dst, text[from:pos]...)
		if unclosed := lastClosings[tag] < end; unclosed {
			return dst, true
		}
		i = nextClosing(text, end, tag)
		from = i
	}
	if !removed {
		return dst, false
	}
	return append(dst, text[from:]...), true
}

// reasoningTagAt reads the tag of a reasoning block, such as <think>, at text[at]. tag is the index of
// its name in reasoningTags, -1 if there is no such tag, end is the position after it, and closing
// says whether it closes a block.
func reasoningTagAt(text []byte, at int) (tag, end int, closing bool) {
	i := at + 1
	if i < len(text) && text[i] == '/' {
		closing = true
		i++
	}
	for tag, name := range reasoningTags {
		if n := len(name); i+n < len(text) && equalFold(text[i:i+n], name) {
			j := i + n
			for j < len(text) && text[j] == ' ' {
				j++
			}
			if j < len(text) && text[j] == '>' {
				return tag, j + 1, closing
			}
		}
	}
	return -1, 0, false
}

// lastClosing returns where the last closing tag of reasoning blocks of that name begins in a
// model's text, -1 if there is none.
func lastClosing(text []byte, name string) int {
	for end := len(text); ; {
		pos := bytes.LastIndexByte(text[:end], '<')
		if pos < 0 {
			return -1
		}
		if tag, _, closing := reasoningTagAt(text, pos); tag >= 0 && closing && reasoningTags[tag] == name {
			return pos
		}
		end = pos
	}
}

// nextClosing returns the position after the next closing tag with the name reasoningTags[want], from
// text[i] on. The caller knows that there is such a tag; without one it would be the end of the text.
func nextClosing(text []byte, i, want int) int {
	for {
		pos := bytes.IndexByte(text[i:], '<')
		if pos < 0 {
			return len(text)
		}
		i += pos
		if tag, end, closing := reasoningTagAt(text, i); closing && tag == want {
			return end
		}
		i++
	}
}

// equalFold reports whether s, a part of a model's text, is the name of a tag in any case. word is that name,
// in lower-case ASCII and as long as s.
func equalFold(s []byte, word string) bool {
	for i := range len(word) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
