package answer

import "strings"

// Status tells how an answer was read (docs/spec/aspire.md#r12, expected.status).
type Status string

// The ways to read an answer.
const (
	Fenced Status = "fenced"  // from a fenced block
	Bare   Status = "bare"    // from the running text
	Parsed Status = "object"  // it came as an object, not as text
	NoJSON Status = "no_json" // nothing acceptable in it
)

// Rules say which values are acceptable and what more of arithmetic is.
type Rules struct {
	// Keys are the names of which an acceptable object has at least one.
	Keys []string
	// ExtendedMath allows the functions of variant extended_math (docs/spec/aspire.md#r13).
	ExtendedMath bool
}

// Found is the outcome of reading an answer.
type Found struct {
	Value  Value // an object; absent with NoJSON
	Status Status
	// Cut tells that the search of the running text ended early because of its
	// bound on work; what had been found until then stands.
	Cut bool
}

// Reader reads answers and keeps its memory between them. It serves one
// goroutine at a time. Values it returned are valid until its next call.
type Reader struct {
	p           parser
	cur, best   doc
	fences      []span
	unparseable map[int32]struct{}
	nest        []level
}

// Extract finds the JSON value that counts (docs/spec/aspire.md#r11): in the last
// acceptable fenced block, else the last acceptable value in the running text.
//
// Its time is linear in the text. Fenced blocks do not overlap. In the running
// text a value that does not parse sends the search back to the character after
// its brace, which alone would be quadratic; two things bound it. A brace that
// was open where an attempt failed fails at the same place by itself, so it is
// remembered and not tried again: this covers every text that is only broken
// off. One that is nested too deep may hold others that are not, so the braces in
// it are told apart by one more pass. What remains takes texts made for it (attempts that
// begin inside the comments or strings of earlier ones), and there the search
// ends when failed attempts have read workFactor times the length of the text.
func (r *Reader) Extract(text string, rules Rules) Found {
	r.Forget()
	r.findFences(text)
	for i := len(r.fences) - 1; i >= 0; i-- {
		f := r.fences[i]
		r.p.begin(&r.cur, text, int(f.off), int(f.off+f.len), rules.ExtendedMath)
		if !r.p.whole() {
			continue
		}
		if v := acceptable(&r.cur, rules.Keys); v.Exists() {
			return Found{Value: v, Status: Fenced}
		}
	}
	return r.scan(text, rules)
}

// The sizes from which memory is not kept for the next answer.
const (
	keepNodes = 1 << 14
	keepBytes = 1 << 18
)

// Forget releases the last answer, and of the memory that an unusually large
// one took. Values that the Reader returned are void afterwards; Extract and
// Convert begin with it.
func (r *Reader) Forget() {
	for _, d := range []*doc{&r.cur, &r.best} {
		if d.reset(""); cap(d.nodes) > keepNodes || cap(d.buf) > keepBytes {
			*d = doc{}
		}
	}
	r.p = parser{open: r.p.open[:0]}
	if len(r.unparseable) > keepNodes {
		r.unparseable = nil
	}
	if cap(r.fences) > keepNodes {
		r.fences = nil
	}
	if cap(r.nest) > keepNodes {
		r.nest = nil
	}
	clear(r.unparseable)
}

// workFactor times the length of the text, plus workFloor bytes, is what failed
// attempts in the running text may read.
const (
	workFactor = 8
	workFloor  = 1 << 16
)

// scan is the second rule of docs/spec/aspire.md#r11: values at every { of the text, from the left.
func (r *Reader) scan(text string, rules Rules) Found {
	found := Found{Status: NoJSON}
	work := workFactor*len(text) + workFloor
	for pos := 0; ; {
		i := strings.IndexByte(text[pos:], '{')
		if i < 0 {
			return found
		}
		pos += i
		if _, known := r.unparseable[int32(pos)]; known {
			pos++
			continue
		}
		r.p.begin(&r.cur, text, pos, len(text), rules.ExtendedMath)
		if !r.p.value(span{}) {
			work -= r.p.pos - pos
			switch {
			case r.p.deep:
				work -= r.skim(text, pos)
			case !r.p.many:
				r.remember(r.p.open[min(1, len(r.p.open)):]) // scan is past its own
			}
			if work < 0 {
				found.Cut = true
				return found
			}
			pos++
			continue
		}
		pos = r.p.pos
		if v := acceptable(&r.cur, rules.Keys); v.Exists() {
			// The tree moves to the other doc, and the value with it.
			r.cur, r.best = r.best, r.cur
			found.Value, found.Status = Value{&r.best, v.i}, Bare
		}
	}
}

// remember notes braces at which no attempt can succeed.
func (r *Reader) remember(open []int32) {
	if len(open) == 0 {
		return
	}
	if r.unparseable == nil {
		r.unparseable = make(map[int32]struct{})
	}
	for _, at := range open {
		r.unparseable[at] = struct{}{}
	}
}

// acceptable returns the object with at least one of the keys: the root, or the
// only element of a list. It is absent when there is none.
func acceptable(d *doc, keys []string) Value {
	v := Value{d, 0}
	if v.Kind() == Array {
		v = v.First()
		if v.Next().Exists() {
			return Value{}
		}
	}
	for _, k := range keys {
		if v.Get(k).Exists() {
			return v
		}
	}
	return Value{}
}

// findFences collects the bodies of the fenced blocks, from the left.
func (r *Reader) findFences(text string) {
	r.fences = r.fences[:0]
	for pos := 0; pos < len(text); {
		i := strings.IndexAny(text[pos:], "`'")
		if i < 0 {
			return
		}
		pos += i
		body := fenceBody(text, pos)
		if body < 0 {
			pos++
			continue
		}
		n := strings.Index(text[body:], text[pos:pos+3])
		if n < 0 {
			r.fences = append(r.fences, span{uint32(body), uint32(len(text) - body)})
			return
		}
		r.fences = append(r.fences, span{uint32(body), uint32(n)})
		pos = body + n + 3
	}
}

// fenceBody returns where the body of a fence that opens at pos begins, or -1
// when there is none: three marks, blanks, letters, blanks, end of line.
func fenceBody(text string, pos int) int {
	mark := text[pos]
	if pos+3 > len(text) || text[pos+1] != mark || text[pos+2] != mark {
		return -1
	}
	i := skipBlanks(text, pos+3)
	for i < len(text) && text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' {
		i++
	}
	i = skipBlanks(text, i)
	switch {
	case i >= len(text):
		return -1
	case text[i] == '\n':
		return i + 1
	case text[i] == '\r':
		if i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
		return i + 1
	}
	return -1
}

// skipBlanks skips the blanks of docs/spec/aspire.md#r13 that do not end a line.
func skipBlanks(text string, i int) int {
	for i < len(text) {
		switch {
		case text[i] == ' ' || text[i] == '\t':
			i++
		case strings.HasPrefix(text[i:], "\u00a0"):
			i += len("\u00a0")
		case strings.HasPrefix(text[i:], "\ufeff"):
			i += len("\ufeff")
		default:
			return i
		}
	}
	return i
}
