package plain

import "bytes"

// thoughts are the names of the tags of reasoning blocks.
var thoughts = [...]string{"think", "thinking", "reasoning", "thought"}

// appendSpoken appends s without its reasoning blocks. removed reports whether it had any; where
// it had none, nothing is appended. A block without an end removes all that follows, as the answer
// was cut off while the model was thinking. An end without a start removes all before it. See
// docs/spec/vqa.md#r13.
func appendSpoken(dst, s []byte) (out []byte, removed bool) {
	start := len(dst)
	var open [len(thoughts)]int // where a block may still be closed: after the last closing tag there is none
	for k, name := range thoughts {
		open[k] = lastClosing(s, name)
	}
	from, i := 0, 0
	for i < len(s) {
		at := bytes.IndexByte(s[i:], '<')
		if at < 0 {
			break
		}
		at += i
		k, end, closing := thoughtTag(s, at)
		if k < 0 {
			i = at + 1
			continue
		}
		removed = true
		if closing { // of no block: all before it was thought
			dst = dst[:start]
			from, i = end, end
			continue
		}
		dst = append(dst, s[from:at]...)
		if open[k] < end {
			return dst, true
		}
		i = nextClosing(s, end, k)
		from = i
	}
	if !removed {
		return dst, false
	}
	return append(dst, s[from:]...), true
}

// thoughtTag reads a tag of a reasoning block at s[at]: the index of its name, its end, and
// whether it is a closing tag. k is -1 where there is none.
func thoughtTag(s []byte, at int) (k, end int, closing bool) {
	i := at + 1
	if i < len(s) && s[i] == '/' {
		closing = true
		i++
	}
	for k, name := range thoughts {
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

// lastClosing returns where the last closing tag of that name begins, -1 where there is none.
func lastClosing(s []byte, name string) int {
	for end := len(s); ; {
		at := bytes.LastIndexByte(s[:end], '<')
		if at < 0 {
			return -1
		}
		if k, _, closing := thoughtTag(s, at); k >= 0 && closing && thoughts[k] == name {
			return at
		}
		end = at
	}
}

// nextClosing returns the position after the next closing tag of the k-th name from i on. There
// must be one.
func nextClosing(s []byte, i, k int) int {
	for {
		at := bytes.IndexByte(s[i:], '<')
		if at < 0 {
			return len(s)
		}
		i += at
		if tag, end, closing := thoughtTag(s, i); closing && tag == k {
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
