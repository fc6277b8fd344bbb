package answer

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// MaxDepth is how deep values and parentheses may nest; see docs/spec/cli.md#r33. A deeper
	// candidate is unparseable.
	MaxDepth = 300
	// MaxValues is the number of values one candidate may hold; one with more is unparseable. A value takes 24
	// bytes, so a tree takes 6 MiB at most. Answers hold hundreds.
	MaxValues = 1 << 18
	// mapThreshold is the number of members from which names are compared through a map.
	mapThreshold = 16
)

// parser reads one JSON value into a tree. Its methods return false where the text is no
// such value; then pos only tells how far the attempt went.
type parser struct {
	tree       *tree
	src        string
	pos, end   int
	depth      int
	extended   bool    // functions of variant extended_math
	noComments bool    // no comments: inside a string of a numeric field
	openBraces []int32 // positions of the { that are not closed yet
	tooDeep    bool    // failed by MaxDepth: what lies inside may be fine by itself
	tooMany    bool    // failed by MaxValues: likewise
}

// start prepares the parser for reading src[pos:end] into t, which loses its nodes.
func (p *parser) start(t *tree, src string, pos, end int, extended bool) {
	t.reset(src)
	*p = parser{tree: t, src: src, pos: pos, end: end, extended: extended, openBraces: p.openBraces[:0]}
}

// readDocument reads a value that fills the text up to its end, but for blanks and comments.
func (parser *parser) readDocument() bool {
	return parser.skipBlank() && parser.readValue(span{}) && parser.skipBlank() && parser.pos == parser.end
}

// enterLevel counts a nesting level and reports whether it is within MaxDepth.
func (parser *parser) enterLevel() bool {
	parser.depth++
	parser.tooDeep = parser.tooDeep || parser.depth > MaxDepth
	return !parser.tooDeep
}

// skipBlank skips white space and comments in a model's JSON. It returns false for a comment without an end.
func (parser *parser) skipBlank() bool {
	for parser.pos < parser.end {
		switch c := parser.src[parser.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			parser.pos++
		case c == '/' && !parser.noComments:
			done, ok := parser.skipComment()
			if done || !ok {
				return ok
			}
		case c == 0xC2 && strings.HasPrefix(parser.src[parser.pos:parser.end], "\u00a0"):
			parser.pos += len("\u00a0")
		case c == 0xEF && strings.HasPrefix(parser.src[parser.pos:parser.end], "\ufeff"):
			parser.pos += len("\ufeff")
		default:
			return true
		}
	}
	return true
}

// skipComment skips one comment. done is true if the slash begins none, as a division sign
// does; ok is false for a comment without an end.
func (parser *parser) skipComment() (done, ok bool) {
	n, ok := commentLength(parser.src[parser.pos:parser.end])
	parser.pos += n
	return n == 0, ok
}

// commentLength returns the length of the comment that text, a part of a model's JSON, begins with, or 0 if
// text begins with another slash. ok is false if the comment has no end; it then extends to the end of text.
func commentLength(text string) (n int, ok bool) {
	switch {
	case strings.HasPrefix(text, "//"):
		if i := strings.IndexAny(text, "\r\n"); i >= 0 {
			return i, true
		}
		return len(text), true
	case strings.HasPrefix(text, "/*"):
		if i := strings.Index(text[2:], "*/"); i >= 0 {
			return 2 + i + 2, true
		}
		return len(text), false
	}
	return 0, true
}

// addNode appends a node to the tree of an answer and returns its index. It fails beyond MaxValues.
func (parser *parser) addNode(key span, kind Kind, val uint64) (int32, bool) {
	if len(parser.tree.nodes) >= MaxValues {
		parser.tooMany = true
		return 0, false
	}
	parser.tree.nodes = append(parser.tree.nodes, node{kind: kind, key: key, payload: val})
	return int32(len(parser.tree.nodes) - 1), true
}

// readValue reads the JSON value or arithmetic expression at the position, which is not blank, and adds it to
// the answer's tree under the member name key. An expression whose value is not finite becomes null.
func (parser *parser) readValue(key span) bool {
	if parser.pos >= parser.end {
		return false
	}
	switch parser.src[parser.pos] {
	case '{':
		return parser.readObject(key)
	case '[':
		return parser.readArray(key)
	case '"':
		s, ok := parser.stringLiteral()
		if ok {
			_, ok = parser.addNode(key, String, packSpan(s))
		}
		return ok
	case 't', 'f', 'n':
		if done, ok := parser.readLiteral(key); done {
			return ok
		}
	}
	// Anything else is arithmetic.
	x, ok := parser.expression()
	if !ok {
		return false
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		_, ok = parser.addNode(key, Null, 0)
	} else {
		_, ok = parser.addNode(key, Number, math.Float64bits(x))
	}
	return ok
}

// readLiteral reads true, false or null in a model's JSON. done is false, and nothing is read, if
// another name is there.
func (parser *parser) readLiteral(key span) (done, ok bool) {
	start := parser.pos
	kind, val := Bool, uint64(0)
	switch parser.readWord() {
	case "true":
		val = 1
	case "false":
	case "null":
		kind = Null
	default:
		parser.pos = start
		return false, false
	}
	_, ok = parser.addNode(key, kind, val)
	return true, ok
}

// readArray reads a list in a model's JSON. A comma after the last element is allowed, because
// models write one.
func (parser *parser) readArray(key span) bool {
	list, ok := parser.addNode(key, Array, 0)
	if !ok || !parser.enterLevel() {
		return false
	}
	parser.pos++     // the opening bracket
	last := int32(0) // the node of the last element, 0 for none
	for {
		if !parser.skipBlank() || parser.pos >= parser.end {
			return false
		}
		if parser.src[parser.pos] == ']' {
			break
		}
		if !parser.readChild(list, &last, span{}) {
			return false
		}
		if more, ok := parser.readSeparator(']'); !ok {
			return false
		} else if !more {
			break
		}
	}
	parser.pos++
	parser.depth--
	return true
}

// readObject reads an object in a model's JSON. A comma after the last member is allowed, because models write
// one. While the object is open, its brace is in parser.openBraces, where it stays if parsing fails.
func (parser *parser) readObject(key span) bool {
	object, ok := parser.addNode(key, Object, 0)
	if !ok || !parser.enterLevel() {
		return false
	}
	parser.openBraces = append(parser.openBraces, int32(parser.pos))
	parser.pos++                 // the opening brace
	last, members := int32(0), 0 // the node of the last member, 0 for none; how many there are
	for {
		if !parser.skipBlank() || parser.pos >= parser.end {
			return false
		}
		if parser.src[parser.pos] == '}' {
			break
		}
		// A member.
		name, ok := parser.readName()
		if !ok || !parser.readChild(object, &last, name) {
			return false
		}
		members++
		if more, ok := parser.readSeparator('}'); !ok {
			return false
		} else if !more {
			break
		}
	}
	parser.pos++
	parser.depth--
	parser.openBraces = parser.openBraces[:len(parser.openBraces)-1]
	parser.tree.dedupeMembers(object, members)
	return true
}

// readName reads the name of a member in a model's JSON and the colon after it.
func (parser *parser) readName() (span, bool) {
	if parser.src[parser.pos] != '"' {
		return span{}, false
	}
	s, ok := parser.stringLiteral()
	if !ok || !parser.skipBlank() || !parser.comesNext(':') {
		return span{}, false
	}
	parser.pos++
	return s, parser.skipBlank()
}

// readChild reads an element or member of a list or object in an answer and links it to the node
// parent after *last. *last becomes the new node.
func (parser *parser) readChild(parent int32, last *int32, name span) bool {
	child := int32(len(parser.tree.nodes)) // the node that readValue is about to add
	if !parser.readValue(name) {
		return false
	}
	parser.tree.link(parent, last, child)
	return true
}

// link makes the node child of the answer's tree the next one in the node parent, after node *last, which
// is 0 for the first child, and sets *last to child. The payload of a list or object is its first child;
// each child has the number of the next.
func (t *tree) link(parent int32, last *int32, child int32) {
	if *last == 0 {
		t.nodes[parent].payload = uint64(child)
	} else {
		t.nodes[*last].next = child
	}
	*last = child
}

func (parser *parser) comesNext(c byte) bool {
	return parser.pos < parser.end && parser.src[parser.pos] == c
}

// readSeparator reads the comma after an element in a model's JSON. more is false if the closing
// bracket follows instead, which it does not read.
func (parser *parser) readSeparator(closing byte) (more, ok bool) {
	if !parser.skipBlank() || parser.pos >= parser.end {
		return false, false
	}
	switch parser.src[parser.pos] {
	case ',':
		parser.pos++
		return true, true
	case closing:
		return false, true
	}
	return false, false
}

// dedupeMembers removes members of an answer's object whose names came before, and gives their
// values to the first member of that name, as JSON.parse does. members is their number; if there
// are many, names are compared through a map.
func (t *tree) dedupeMembers(object int32, members int) {
	if members < 2 {
		return
	}
	var seen map[string]int32
	if members > mapThreshold {
		seen = make(map[string]int32, members)
	}
	previous := int32(0)
	for member := int32(t.nodes[object].payload); member != 0; member = t.nodes[member].next {
		if first := t.earlierMember(object, member, seen); first != 0 {
			repeated := &t.nodes[member]
			t.nodes[first].kind, t.nodes[first].payload = repeated.kind, repeated.payload
			t.nodes[previous].next = repeated.next
			continue
		}
		previous = member
	}
}

// earlierMember returns the member of an answer's object before the given one that has its name, or 0.
// Members and the object are numbers of nodes. seen maps the names before to their members, and gets
// that of this one. If it is nil, members are compared one by one, which is faster for few.
func (t *tree) earlierMember(object, member int32, seen map[string]int32) int32 {
	name := t.text(t.nodes[member].key)
	if seen != nil {
		if first, ok := seen[name]; ok {
			return first
		}
		seen[name] = member
		return 0
	}
	for earlier := int32(t.nodes[object].payload); earlier != member; earlier = t.nodes[earlier].next {
		if t.equals(t.nodes[earlier].key, name) {
			return earlier
		}
	}
	return 0
}

// stringLiteral reads a string in double quotes in a model's JSON. It may contain raw line breaks
// and control characters (docs/spec/aspire.md#r13).
func (parser *parser) stringLiteral() (span, bool) {
	start := parser.pos + 1
	for i := start; i < parser.end; i++ {
		switch parser.src[i] {
		case '"':
			parser.pos = i + 1
			return span{uint32(start), uint32(i - start)}, true
		case '\\':
			return parser.readEscaped(start, i)
		}
	}
	parser.pos = parser.end
	return span{}, false
}

// readEscaped reads the rest of a string in a model's JSON that begins at start and whose first
// backslash is at i. The text with its escapes decoded goes to the tree's decoded strings.
func (parser *parser) readEscaped(start, i int) (span, bool) {
	t := parser.tree
	begin := len(t.decoded) // where this string begins among the decoded ones
	t.decoded = append(t.decoded, parser.src[start:i]...)
	for i < parser.end {
		switch c := parser.src[i]; c {
		case '"':
			parser.pos = i + 1
			return span{uint32(begin), uint32(len(t.decoded)-begin) | inDecoded}, true
		case '\\':
			n := parser.appendEscape(i)
			if n == 0 {
				parser.pos = i
				return span{}, false
			}
			i += n
		default:
			t.decoded = append(t.decoded, c)
			i++
		}
	}
	parser.pos = parser.end
	return span{}, false
}

// appendEscape appends the character of the escape at i in a model's JSON string and returns the
// length of the escape, or 0 if it is invalid.
func (parser *parser) appendEscape(i int) int {
	if i+1 >= parser.end {
		return 0
	}
	if parser.src[i+1] == 'u' {
		return parser.appendUnicode(i)
	}
	index := strings.IndexByte(`"\/bfnrt`, parser.src[i+1])
	if index < 0 {
		return 0
	}
	parser.tree.decoded = append(parser.tree.decoded, "\"\\/\b\f\n\r\t"[index]) // the character that the letter stands for
	return 2
}

// appendUnicode appends the character of \uXXXX or of a surrogate pair at i in a model's JSON
// string, and returns its length, or 0 if it is invalid. A lone surrogate becomes the replacement
// character, because UTF-8 cannot encode it.
func (parser *parser) appendUnicode(i int) int {
	unit, ok := parser.codeUnit(i)
	if !ok {
		return 0
	}
	const escapeLength = len(`\uXXXX`)
	length := escapeLength
	if utf16.IsSurrogate(unit) {
		low, ok := parser.codeUnit(i + escapeLength)
		unit = utf16.DecodeRune(unit, low)
		if ok && unit != utf8.RuneError {
			length = 2 * escapeLength
		} else {
			unit = utf8.RuneError
		}
	}
	parser.tree.decoded = utf8.AppendRune(parser.tree.decoded, unit)
	return length
}

// codeUnit returns the UTF-16 code unit of the escape \uXXXX at i in a model's JSON string; ok is
// false if there is none.
func (parser *parser) codeUnit(i int) (r rune, ok bool) {
	if i+6 > parser.end || parser.src[i] != '\\' || parser.src[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(parser.src[i+2:i+6], 16, 16)
	return rune(n), err == nil
}
