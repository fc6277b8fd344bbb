package answer

import (
	"math"
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
	manyMembers = 16
)

// parser reads one value. A method that returns false has found something that
// makes the candidate unparseable; the position is then of no use but to tell
// how far the attempt went.
type parser struct {
	doc      *doc
	src      string
	pos, end int
	depth    int
	extended bool    // functions of variant extended_math
	plain    bool    // no comments: inside a string of a numeric field
	open     []int32 // positions of the { that are not closed yet
	deep     bool    // failed by MaxDepth: what lies inside may be fine by itself
	many     bool    // failed by MaxValues: likewise
}

// begin prepares for reading src[pos:end] into d.
func (p *parser) begin(d *doc, src string, pos, end int, extended bool) {
	d.reset(src)
	*p = parser{doc: d, src: src, pos: pos, end: end, extended: extended, open: p.open[:0]}
}

// whole reads a value that fills the text up to its end.
func (p *parser) whole() bool {
	return p.blank() && p.value(span{}) && p.blank() && p.pos == p.end
}

func (p *parser) enter() bool {
	p.depth++
	p.deep = p.deep || p.depth > MaxDepth
	return !p.deep
}

// blank skips blanks and comments. It fails on a comment without an end.
func (p *parser) blank() bool {
	for p.pos < p.end {
		switch c := p.src[p.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			p.pos++
		case c == '/' && !p.plain:
			done, ok := p.comment()
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

// comment skips one comment. done tells that the slash is a division sign.
func (p *parser) comment() (done, ok bool) {
	rest := p.src[p.pos:p.end]
	switch {
	case strings.HasPrefix(rest, "//"):
		if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
			p.pos += i
		} else {
			p.pos = p.end
		}
		return false, true
	case strings.HasPrefix(rest, "/*"):
		i := strings.Index(rest[2:], "*/")
		if i < 0 {
			p.pos = p.end
			return false, false
		}
		p.pos += 2 + i + 2
		return false, true
	}
	return true, true
}

// add appends a node and returns its position.
func (p *parser) add(key span, kind Kind, val uint64) (int32, bool) {
	if len(p.doc.nodes) >= MaxValues {
		p.many = true
		return 0, false
	}
	p.doc.nodes = append(p.doc.nodes, node{kind: kind, key: key, val: val})
	return int32(len(p.doc.nodes) - 1), true
}

// value reads the value at the position, which is not a blank.
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
		s, ok := p.str()
		if ok {
			_, ok = p.add(key, String, packSpan(s))
		}
		return ok
	case 't', 'f', 'n':
		if done, ok := p.literal(key); done {
			return ok
		}
	}
	x, ok := p.sum()
	if !ok {
		return false
	}
	if math.IsInf(x, 0) || math.IsNaN(x) {
		_, ok = p.add(key, Null, 0)
	} else {
		_, ok = p.add(key, Number, math.Float64bits(x))
	}
	return ok
}

// literal reads true, false or null. done is false when another name stands there.
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
	_, ok = p.add(key, kind, val)
	return true, ok
}

func (p *parser) array(key span) bool {
	self, ok := p.add(key, Array, 0)
	if !ok || !p.enter() {
		return false
	}
	p.pos++
	last := int32(0)
	for {
		if !p.blank() || p.pos >= p.end {
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

func (p *parser) object(key span) bool {
	self, ok := p.add(key, Object, 0)
	if !ok || !p.enter() {
		return false
	}
	p.open = append(p.open, int32(p.pos))
	p.pos++
	last, members := int32(0), 0
	for {
		if !p.blank() || p.pos >= p.end {
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
	p.open = p.open[:len(p.open)-1]
	p.doc.unique(self, members)
	return true
}

// name reads the name of a member and the colon.
func (p *parser) name() (span, bool) {
	if p.src[p.pos] != '"' {
		return span{}, false
	}
	s, ok := p.str()
	if !ok || !p.blank() || p.pos >= p.end || p.src[p.pos] != ':' {
		return span{}, false
	}
	p.pos++
	return s, p.blank()
}

// child reads an element or member and links it behind *last.
func (p *parser) child(self int32, last *int32, name span) bool {
	i := int32(len(p.doc.nodes))
	if !p.value(name) {
		return false
	}
	if *last == 0 {
		p.doc.nodes[self].val = uint64(i)
	} else {
		p.doc.nodes[*last].next = i
	}
	*last = i
	return true
}

// separator reads the comma after an element; more is false at the closing
// bracket, which is left to be read.
func (p *parser) separator(closing byte) (more, ok bool) {
	if !p.blank() || p.pos >= p.end {
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

// unique keeps the last value of members that have the same name, in the place
// of the first, as JSON.parse does.
func (d *doc) unique(self int32, members int) {
	if members < 2 {
		return
	}
	var seen map[string]int32
	if members > manyMembers {
		seen = make(map[string]int32, members)
	}
	prev := int32(0)
	for i := int32(d.nodes[self].val); i != 0; i = d.nodes[i].next {
		if first := d.earlier(self, i, seen); first != 0 {
			d.nodes[first].kind, d.nodes[first].val = d.nodes[i].kind, d.nodes[i].val
			d.nodes[prev].next = d.nodes[i].next
			continue
		}
		prev = i
	}
}

// earlier returns the member before i that has its name, or 0.
func (d *doc) earlier(self, i int32, seen map[string]int32) int32 {
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
		if d.is(d.nodes[j].key, s) {
			return j
		}
	}
	return 0
}

// str reads a string in double quotes. Line breaks and control characters may
// stand in it as they are (docs/spec/aspire.md#r13).
func (p *parser) str() (span, bool) {
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
	d := p.doc
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

// escape appends what the escape at i stands for and returns its length in the
// text; 0 when there is no such escape.
func (p *parser) escape(i int) int {
	if i+1 >= p.end {
		return 0
	}
	d := p.doc
	switch c := p.src[i+1]; c {
	case '"', '\\', '/':
		d.buf = append(d.buf, c)
	case 'b':
		d.buf = append(d.buf, '\b')
	case 'f':
		d.buf = append(d.buf, '\f')
	case 'n':
		d.buf = append(d.buf, '\n')
	case 'r':
		d.buf = append(d.buf, '\r')
	case 't':
		d.buf = append(d.buf, '\t')
	case 'u':
		return p.unicode(i)
	default:
		return 0
	}
	return 2
}

// unicode appends the character of \uXXXX, or of a surrogate pair. Half a pair
// becomes the replacement character: it has no bytes in UTF-8.
func (p *parser) unicode(i int) int {
	r, ok := p.hex(i)
	if !ok {
		return 0
	}
	n := 6
	if utf16.IsSurrogate(r) {
		low, ok := p.hex(i + 6)
		if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
			n = 12
		} else {
			r = utf8.RuneError
		}
	}
	p.doc.buf = utf8.AppendRune(p.doc.buf, r)
	return n
}

func (p *parser) hex(i int) (r rune, ok bool) {
	if i+6 > p.end || p.src[i] != '\\' || p.src[i+1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(p.src[i+2 : i+6]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
