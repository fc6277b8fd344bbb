package plain

import "bytes"

// wraps are LaTeX commands that only change how their argument looks.
var wraps = [...]string{`\text{`, `\mathrm{`, `\textbf{`, `\mathbf{`, `\textit{`}

// markup writes s to c.out without Markdown and LaTeX: code fences, emphasis, headings, quotes,
// bullets and commands of formulas. \boxed{} stays, because it is a tag of answers. See
// docs/spec/vqa.md#r14.
func (c *Cleaner) markup(s []byte) {
	c.out, c.braces = c.out[:0], c.braces[:0]
	depth := 0
	for len(s) > 0 {
		line := s
		if i := bytes.IndexByte(s, '\n'); i >= 0 {
			line, s = s[:i], s[i+1:]
		} else {
			s = nil
		}
		if fence(line) {
			continue
		}
		start := len(c.out)
		depth = c.inline(line, depth)
		c.unbullet(start)
		c.out = append(c.out, '\n')
	}
}

// fence reports whether a line opens or closes a code block of Markdown. Text between two fences
// on one line is no block.
func fence(line []byte) bool {
	line = bytes.TrimLeft(line, " ")
	return bytes.HasPrefix(line, []byte("```")) && !bytes.Contains(bytes.TrimLeft(line, "`"), []byte("```"))
}

// inline appends a line of a model's text without emphasis and LaTeX commands. depth is how many
// braces are open before the line; it returns how many are after it.
func (c *Cleaner) inline(line []byte, depth int) int {
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch b {
		case '$', '*', '`':
			continue
		case '_':
			if i+1 < len(line) && line[i+1] == '_' {
				i++
				continue
			}
		case '\\':
			if i+1 < len(line) && bytes.IndexByte([]byte("()[]"), line[i+1]) >= 0 {
				i++
				continue
			}
			if n := wrapped(line[i:]); n > 0 {
				depth++
				c.braces = append(c.braces, depth)
				i += n - 1
				continue
			}
		case '{':
			depth++
		case '}':
			n := len(c.braces)
			ends := n > 0 && c.braces[n-1] == depth
			depth = max(depth-1, 0)
			if ends {
				c.braces = c.braces[:n-1]
				continue
			}
		}
		c.out = append(c.out, b)
	}
	return depth
}

// wrapped returns the length of the LaTeX command around a text, such as \text, at the start of s,
// if it is one of wraps, else 0.
func wrapped(s []byte) int {
	for _, w := range wraps {
		if len(s) >= len(w) && string(s[:len(w)]) == w {
			return len(w)
		}
	}
	return 0
}

// unbullet removes Markdown headings, quotes and bullets from the start of the line that begins at
// c.out[start].
func (c *Cleaner) unbullet(start int) {
	line := c.out[start:]
	for {
		line = bytes.TrimLeft(line, " ")
		n := 0
		for n < len(line) && line[n] == '#' {
			n++
		}
		if n == 0 && len(line) > 0 && (line[0] == '>' || line[0] == '-') {
			n = 1
		}
		if n == 0 || n >= len(line) || line[n] != ' ' {
			break
		}
		line = line[n:]
	}
	c.out = append(c.out[:start], line...)
}
