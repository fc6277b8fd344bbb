package plain

import "bytes"

// wrappingCommands are LaTeX commands that only change how their argument looks.
var wrappingCommands = [...]string{`\text{`, `\mathrm{`, `\textbf{`, `\mathbf{`, `\textit{`}

// removeMarkup writes text, a model's text, to cleaner.out without Markdown and LaTeX: code fences,
// emphasis, headings, quotes, bullets and commands of formulas. \boxed{} stays, because it marks an
// answer. See docs/spec/vqa.md#r14.
func (cleaner *Cleaner) removeMarkup(text []byte) {
	cleaner.out, cleaner.wrappingDepths = cleaner.out[:0], cleaner.wrappingDepths[:0]
	depth := 0 // braces that are open
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if isFence(line) {
			continue
		}
		lineStart := len(cleaner.out)
		depth = cleaner.appendInline(line, depth)
		cleaner.cutBullets(lineStart)
		cleaner.out = append(cleaner.out, '\n')
	}
}

// isFence reports whether a line opens or closes a Markdown code block. A line with text
// between two fences does not.
func isFence(line []byte) bool {
	line = bytes.TrimLeft(line, " ")
	return bytes.HasPrefix(line, []byte("```")) && !bytes.Contains(bytes.TrimLeft(line, "`"), []byte("```"))
}

// appendInline appends a line of a model's text to cleaner.out without emphasis and LaTeX commands. depth
// is the number of braces that are open before the line; it returns that after the line. Where it removes a
// command with its opening brace, it pushes the depth inside of that brace to cleaner.wrappingDepths. The brace
// that closes this depth pops it and is removed too: \text{a{b}} becomes a{b}.
func (cleaner *Cleaner) appendInline(line []byte, depth int) int {
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
			if i+1 < len(line) && bytes.IndexByte([]byte("()[]"), line[i+1]) >= 0 { // around a formula, as in \(x\)
				i++
				continue
			}
			if length := wrappingLength(line[i:]); length > 0 {
				depth++
				cleaner.wrappingDepths = append(cleaner.wrappingDepths, depth)
				i += length - 1
				continue
			}
		case '{':
			depth++
		case '}':
			length := len(cleaner.wrappingDepths)
			ends := length > 0 && cleaner.wrappingDepths[length-1] == depth
			depth = max(depth-1, 0)
			if ends {
				cleaner.wrappingDepths = cleaner.wrappingDepths[:length-1]
				continue
			}
		}
		cleaner.out = append(cleaner.out, b) // all that was not removed above, also a single _ and other commands
	}
	return depth
}

// wrappingLength returns the length of the LaTeX command that s, a part of a model's text, begins
// with, with its brace, if it is one of wrappingCommands, such as \text{; else 0.
func wrappingLength(s []byte) int {
	for _, w := range wrappingCommands {
		if len(s) >= len(w) && string(s[:len(w)]) == w {
			return len(w)
		}
	}
	return 0
}

// cutBullets removes leading spaces and the markers of Markdown headings (#), quotes (>) and bullets (-), also
// nested ones, from the line of plain text in cleaner.out that begins at start. A bullet * is gone already,
// because appendInline removes every *.
func (cleaner *Cleaner) cutBullets(start int) {
	line := cleaner.out[start:]
	for {
		line = bytes.TrimLeft(line, " ")
		markerLength := 0
		for markerLength < len(line) && line[markerLength] == '#' {
			markerLength++
		}
		if markerLength == 0 && len(line) > 0 && (line[0] == '>' || line[0] == '-') {
			markerLength = 1
		}
		if markerLength == 0 || markerLength >= len(line) || line[markerLength] != ' ' {
			break
		}
		line = line[markerLength:]
	}
	cleaner.out = append(cleaner.out[:start], line...)
}
