package plain

import "bytes"

// reasoningTags are the names of the tags of reasoning blocks.
var reasoningTags = [...]string{"think", "thinking", "reasoning", "thought"}

// appendSpoken appends s without its reasoning blocks. A block that is not closed removes
// the rest of the text, because the answer was cut off while the model was thinking; a
// closing tag of no block removes all before it. removed reports whether there was a block
// or tag; without one, nothing is appended. See docs/spec/vqa.md#r13.
func appendSpoken(dst, s []byte) (out []byte, removed bool) {
	start := len(dst)
	// A block that opens after the last closing tag of its name is not closed. To know these
	// positions keeps the time linear.
	var lastClosings [len(reasoningTags)]int
	for tag, name := range reasoningTags {
		lastClosings[tag] = lastClosing(s, name)
	}
	from, i := 0, 0
	for i < len(s) {
		at := bytes.IndexByte(s[i:], '<')
		if at < 0 {
			break
		}
		at += i
		tag, end, closing := reasoningTagAt(s, at)
		if tag < 0 {
			i = at + 1
			continue
		}
		removed = true
		if closing { // outside a block: all before it was reasoning
			dst = dst[:start]
			from, i = end, end
			continue
		}
		dst = append(dst, s[from:at]...)
		if lastClosings[tag] < end {
			return dst, true
		}
		i = nextClosing(s, end, tag)
		from = i
	}
	if !removed {
		return dst, false
	}
	return append(dst, s[from:]...), true
}

// reasoningTagAt reads the tag of a reasoning block, such as <think>, at s[at]. k is the index of
// its name in reasoningTags, -1 if there is no such tag, end is the position after it, and closing
// says whether it closes a block.
func reasoningTagAt(s []byte, at int) (k, end int, closing bool) {
	i := at + 1
	if i < len(s) && s[i] == '/' {
		closing = true
		i++
	}
	for k, name := range reasoningTags {
		if n := len(name); i+n < len(s) && equalFold(s[i:i+n], name) {
			j := i + n
			for j < len(s) && s[j] == ' ' {
				j++
			}
			if j < len(s) && s[j] == '>' {
				return k, j + 1, closing
			}
		}
	}
	return -1, 0, false
}

// lastClosing returns where the last closing tag of reasoning blocks of that name begins in a
// model's text, -1 if there is none.
func lastClosing(s []byte, name string) int {
	for end := len(s); ; {
		at := bytes.LastIndexByte(s[:end], '<')
		if at < 0 {
			return -1
		}
		if k, _, closing := reasoningTagAt(s, at); k >= 0 && closing && reasoningTags[k] == name {
			return at
		}
		end = at
	}
}

// nextClosing returns the position after the next closing tag of reasoningTags[k] from s[i]
// on, which must exist.
func nextClosing(s []byte, i, k int) int {
	for {
		at := bytes.IndexByte(s[i:], '<')
		if at < 0 {
			return len(s)
		}
		i += at
		if tag, end, closing := reasoningTagAt(s, i); closing && tag == k {
			return end
		}
		i++
	}
}

// equalFold reports whether s is word in any case. word is in lower-case ASCII and as long as s.
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
