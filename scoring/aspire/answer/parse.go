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
	// MaxValues is the number of values one candidate may hold; one with more is
	// unparseable. A value takes 24 bytes, so a tree takes 6 MiB at most. Answers
	// hold hundreds.
	MaxValues = 1 << 18
	// manyMembers is the number of members from which names are compared
	// through a map.
	mapThreshold = 16
)

// parser reads one JSON value. A method that returns false found something that makes the
// candidate unparseable; the position then only tells how far the attempt went.
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

// begin prepares the parser for reading src[pos:end] into d.
func (p *parser) begin(d *tree, src string, pos, end int, extended bool) {
	d.reset(src)
	*p = parser{tree: d, src: src, pos: pos, end: end, extended: extended, openBraces: p.openBraces[:0]}
}

// document reads a value that fills the text up to its end.
func (p *parser) document() bool {
	return p.skipBlank() && p.value(span{}) && p.skipBlank() && p.pos == p.end
}

// enter counts a nesting level and reports whether it is within MaxDepth.
func (p *parser) enter() bool {
	p.depth++
	p.tooDeep = p.tooDeep || p.depth > MaxDepth
	return !p.tooDeep
}

// skipBlank skips white space and comments. It returns false for a comment without an end.
func (p *parser) skipBlank() bool {
	for p.pos < p.end {
		switch c := p.src[p.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			p.pos++
		case c == '/' && !p.noComments:
			done, ok := p.skipComment()
			if done || !ok {
				return ok
			}
		case c == 0xC2 && strings.HasPrefix(p.src[p.pos:p.end], "\u00a0"):
			p.pos += len("\u00a0")
		case c == 0xEF && strings.HasPrefix(p.src[p.pos:p.end], "\ufeff"):
			p.pos += len("\ufeff")
		default:
			return true
		}
	}
	return true
}

// skipComment skips one comment. done is true if the slash is a division sign.
func (p *parser) skipComment() (done, ok bool) {
	n, ok := commentLength(p.src[p.pos:p.end])
	p.pos += n
	return n == 0, ok
}

// commentLength returns the length of the comment that s begins with, or 0 if s begins with
// another slash. ok is false if the comment has no end; it then extends to the end of s.
func commentLength(s string) (n int, ok bool) {
	switch {
	case strings.HasPrefix(s, "//"):
		if i := strings.IndexAny(s, "\r\n"); i >= 0 {
			return i, true
		}
		return len(s), true
	case strings.HasPrefix(s, "/*"):
		if i := strings.Index(s[2:], "*/"); i >= 0 {
			return 2 + i + 2, true
		}
		return len(s), false
	}
	return 0, true
}

// addNode appends a node to the answer's tree and returns its index.
func (p *parser) addNode(key span, kind Kind, val uint64) (int32, bool) {
	if len(p.tree.nodes) >= MaxValues {
		p.tooMany = true
		return 0, false
	}
	p.tree.nodes = append(p.tree.nodes, node{kind: kind, key: key, val: val})
	return int32(len(p.tree.nodes) - 1), true
}

// value reads the JSON value or expression at the position, which is not blank.
func (p *parser) value(key span) bool {
	if p.pos >= p.end {
		return false
	}
	switch p.src[p.pos] {
	case '{':
		return p.object(key)
	case '[':
		return p.array(key)
	case '"':
		s, ok := p.stringLiteral()
		if ok {
			_, ok = p.addNode(key, String, packSpan(s))
		}
		return ok
	case 't', 'f', 'n':
		if done, ok := p.literal(key); done {
			return ok
		}
	}
	x, ok := p.expression()
	if !ok {
		return false
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		_, ok = p.addNode(key, Null, 0)
	} else {
		_, ok = p.addNode(key, Number, math.Float64bits(x))
	}
	return ok
}

// literal reads true, false or null. done is false if there is another name.
func (p *parser) literal(key span) (done, ok bool) {
	start := p.pos
	kind, val := Bool, uint64(0)
	switch p.word() {
	case "true":
		val = 1
	case "false":
	case "null":
		kind = Null
	default:
		p.pos = start
		return false, false
	}
	_, ok = p.addNode(key, kind, val)
	return true, ok
}

// array reads a JSON list of a model's answer; a trailing comma is allowed.
func (p *parser) array(key span) bool {
	self, ok := p.addNode(key, Array, 0)
	if !ok || !p.enter() {
		return false
	}
	p.pos++
	last := int32(0)
	for {
		if !p.skipBlank() || p.pos >= p.end {
			return false
		}
		if p.src[p.pos] == ']' {
			break
		}
		if !p.child(self, &last, span{}) {
			return false
		}
		if more, ok := p.separator(']'); !ok {
			return false
		} else if !more {
			break
		}
	}
	p.pos++
	p.depth--
	return true
}

// object reads a JSON object of a model's answer; a trailing comma is allowed.
func (p *parser) object(key span) bool {
	self, ok := p.addNode(key, Object, 0)
	if !ok || !p.enter() {
		return false
	}
	p.openBraces = append(p.openBraces, int32(p.pos))
	p.pos++
	last, members := int32(0), 0
	for {
		if !p.skipBlank() || p.pos >= p.end {
			return false
		}
		if p.src[p.pos] == '}' {
			break
		}
		name, ok := p.name()
		if !ok || !p.child(self, &last, name) {
			return false
		}
		members++
		if more, ok := p.separator('}'); !ok {
			return false
		} else if !more {
			break
		}
	}
	p.pos++
	p.depth--
	p.openBraces = p.openBraces[:len(p.openBraces)-1]
	p.tree.dedupeMembers(self, members)
	return true
}

// name reads the name of a member of a JSON object and the colon.
func (p *parser) name() (span, bool) {
	if p.src[p.pos] != '"' {
		return span{}, false
	}
	s, ok := p.stringLiteral()
	if !ok || !p.skipBlank() || p.pos >= p.end || p.src[p.pos] != ':' {
		return span{}, false
	}
	p.pos++
	return s, p.skipBlank()
}

// child reads an element or member of a JSON value and links it after *last.
func (p *parser) child(self int32, last *int32, name span) bool {
	i := int32(len(p.tree.nodes))
	if !p.value(name) {
		return false
	}
	p.tree.link(self, last, i)
	return true
}

// link makes node i the next child of node self in the answer's tree, after *last, which is 0 for
// the first child.
func (d *tree) link(self int32, last *int32, i int32) {
	if *last == 0 {
		d.nodes[self].val = uint64(i)
	} else {
		d.nodes[*last].next = i
	}
	*last = i
}

// separator reads the comma after an element in a model's JSON. more is false at the closing
// bracket, which it does not read.
func (p *parser) separator(closing byte) (more, ok bool) {
	if !p.skipBlank() || p.pos >= p.end {
		return false, false
	}
	switch p.src[p.pos] {
	case ',':
		p.pos++
		return true, true
	case closing:
		return false, true
	}
	return false, false
}

// dedupeMembers keeps the last value of members with the same name, at the position of the first,
// as JSON.parse does.
func (d *tree) dedupeMembers(self int32, members int) {
	if members < 2 {
		return
	}
	var seen map[string]int32
	if members > mapThreshold {
		seen = make(map[string]int32, members)
	}
	prev := int32(0)
	for i := int32(d.nodes[self].val); i != 0; i = d.nodes[i].next {
		if first := d.earlierMember(self, i, seen); first != 0 {
			d.nodes[first].kind, d.nodes[first].val = d.nodes[i].kind, d.nodes[i].val
			d.nodes[prev].next = d.nodes[i].next
			continue
		}
		prev = i
	}
}

// earlierMember returns the member before i that has its name, or 0.
func (d *tree) earlierMember(self, i int32, seen map[string]int32) int32 {
	name := d.nodes[i].key
	if seen != nil {
		s := d.text(name)
		if first, ok := seen[s]; ok {
			return first
		}
		seen[s] = i
		return 0
	}
	s := d.text(name)
	for j := int32(d.nodes[self].val); j != i; j = d.nodes[j].next {
		if d.equals(d.nodes[j].key, s) {
			return j
		}
	}
	return 0
}

// stringLiteral reads a string in double quotes, which can contain raw line breaks and control
// characters (docs/spec/aspire.md#r13).
func (p *parser) stringLiteral() (span, bool) {
	start := p.pos + 1
	for i := start; i < p.end; i++ {
		switch p.src[i] {
		case '"':
			p.pos = i + 1
			return span{uint32(start), uint32(i - start)}, true
		case '\\':
			return p.escaped(start, i)
		}
	}
	p.pos = p.end
	return span{}, false
}

// escaped reads the rest of a string whose first backslash is at i.
func (p *parser) escaped(start, i int) (span, bool) {
	d := p.tree
	off := len(d.buf)
	d.buf = append(d.buf, p.src[start:i]...)
	for i < p.end {
		switch c := p.src[i]; c {
		case '"':
			p.pos = i + 1
			return span{uint32(off), uint32(len(d.buf)-off) | inBuf}, true
		case '\\':
			n := p.escape(i)
			if n == 0 {
				p.pos = i
				return span{}, false
			}
			i += n
		default:
			d.buf = append(d.buf, c)
			i++
		}
	}
	p.pos = p.end
	return span{}, false
}

// escape appends the character of the escape at i and returns the escape's length, or 0 if it is
// invalid.
func (p *parser) escape(i int) int {
	if i+1 >= p.end {
		return 0
	}
	if p.src[i+1] == 'u' {
		return p.unicode(i)
	}
	n := strings.IndexByte(`"\/bfnrt`, p.src[i+1])
	if n < 0 {
		return 0
	}
	p.tree.buf = append(p.tree.buf, "\"\\/\b\f\n\r\t"[n])
	return 2
}

// unicode appends the character of \uXXXX or of a surrogate pair and returns the escape's length.
// A lone surrogate becomes the replacement character, because UTF-8 cannot encode it.
func (p *parser) unicode(i int) int {
	r, ok := p.hex(i)
	if !ok {
		return 0
	}
	n := 6
	if utf16.IsSurrogate(r) {
		low, ok := p.hex(i + 6)
		r = utf16.DecodeRune(r, low)
		if ok && r != utf8.RuneError {
			n = 12
		} else {
			r = utf8.RuneError
		}
	}
	p.tree.buf = utf8.AppendRune(p.tree.buf, r)
	return n
}

// hex returns the code unit of the escape \uXXXX at i.
func (p *parser) hex(i int) (r rune, ok bool) {
	if i+6 > p.end || p.src[i] != '\\' || p.src[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.src[i+2:i+6], 16, 16)
	return rune(n), err == nil
}
