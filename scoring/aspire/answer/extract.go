package answer

import "strings"

// Status is the way in which an answer was found (docs/spec/aspire.md#r12, expected.status).
type Status string

// The ways to read an answer.
const (
	Fenced Status = "fenced"  // from a fenced block
	Bare   Status = "bare"    // from the running text
	Parsed Status = "object"  // it came as an object, not as text
	NoJSON Status = "no_json" // nothing acceptable in it
)

// Rules define which values are acceptable answers.
type Rules struct {
	// Keys are the names of which an acceptable object has at least one.
	Keys []string
	// ExtendedMath allows the functions of variant extended_math (docs/spec/aspire.md#r13).
	ExtendedMath bool
}

// Found is the result of reading an answer.
type Found struct {
	Value  Value // an object; absent with NoJSON
	Status Status
	// Cut reports whether the search of the running text ended early at its bound on work. What
	// was found until then counts.
	Cut bool
	// From and To bound the bytes of the text that Value was read from.
	From, To int
}

// Reader reads answers and reuses its memory. It serves one goroutine at a time. Values it
// returned are valid until its next call.
type Reader struct {
	parser        parser
	current, best tree
	fences        []span
	unparseable   map[int32]struct{}
	brackets      []openBracket
}

// Extract finds the JSON value that counts (docs/spec/aspire.md#r11): in the last acceptable
// fenced block, else the last acceptable value in the running text.
//
// Its time is linear in the text. Fenced blocks do not overlap. In the running text, a value that
// does not parse restarts the search at the character after its brace, which alone would be
// quadratic. A brace that was open where an attempt failed would fail at the same place, so it is
// marked and not tried again; that covers every truncated text. Inside a value that is nested too
// deep, one more pass finds the braces worth trying. Adversarial texts (attempts that begin inside
// comments or strings of earlier ones) remain, and for them the search ends when failed attempts
// have read workFactor times the length of the text.
func (r *Reader) Extract(text string, rules Rules) Found {
	r.Forget()
	r.findFences(text)
	for i := len(r.fences) - 1; i >= 0; i-- {
		fence := r.fences[i]
		r.parser.start(&r.current, text, int(fence.off), int(fence.off+fence.len), rules.ExtendedMath)
		if !r.parser.readDocument() {
			continue
		}
		if v := findAcceptable(&r.current, rules.Keys); v.Exists() {
			return Found{Value: v, Status: Fenced, From: int(fence.off), To: int(fence.off + fence.len)}
		}
	}
	return r.scanRunningText(text, rules)
}

// The sizes from which memory is not kept for the next answer.
const (
	keepNodes = 1 << 14
	keepBytes = 1 << 18
)

// Forget drops the last answer that was read and its values, which become invalid, and buffers that
// an unusually large answer has made. Extract and Convert begin with it.
func (r *Reader) Forget() {
	for _, t := range []*tree{&r.current, &r.best} {
		if t.reset(""); cap(t.nodes) > keepNodes || cap(t.buf) > keepBytes {
			*t = tree{}
		}
	}
	r.parser = parser{openBraces: r.parser.openBraces[:0]}
	if len(r.unparseable) > keepNodes {
		r.unparseable = nil
	}
	if cap(r.fences) > keepNodes {
		r.fences = nil
	}
	if cap(r.brackets) > keepNodes {
		r.brackets = nil
	}
	clear(r.unparseable)
}

// workFactor times the length of the text, plus workFloor bytes, is what failed
// attempts in the running text may read.
const (
	workFactor = 8
	workFloor  = 1 << 16
)

// scanRunningText finds the last acceptable value in a model's running text, outside of fenced
// blocks, by the second rule of docs/spec/aspire.md#r11: it tries to parse a value at every brace,
// from the left, and continues after each value. Found.Cut is true if it gave up because failed
// attempts read too much.
func (r *Reader) scanRunningText(text string, rules Rules) Found {
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
		r.parser.start(&r.current, text, pos, len(text), rules.ExtendedMath)
		if !r.parser.readValue(span{}) {
			work -= r.parser.pos - pos
			switch {
			case r.parser.tooDeep:
				work -= r.markDeepBraces(text, pos)
			case !r.parser.tooMany:
				// the first open brace is the one at pos, which is not tried again anyway
				r.markUnparseable(r.parser.openBraces[min(1, len(r.parser.openBraces)):])
			}
			if work < 0 {
				found.Cut = true
				return found
			}
			pos++
			continue
		}
		begin := pos
		pos = r.parser.pos
		if v := findAcceptable(&r.current, rules.Keys); v.Exists() {
			// The tree moves to r.best, where the next attempt does not overwrite it.
			r.current, r.best = r.best, r.current
			found.Value, found.Status = Value{&r.best, v.index}, Bare
			found.From, found.To = begin, pos
		}
	}
}

// markUnparseable records positions of braces in a model's text at which no value can be parsed, so
// that they are not tried.
func (r *Reader) markUnparseable(open []int32) {
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

// findAcceptable returns the value of a parsed answer that counts: the root of the tree, or the
// only element of a root list, if it is an object with at least one of the keys; else an absent
// value.
func findAcceptable(t *tree, keys []string) Value {
	v := Value{t, 0}
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

// findFences fills r.fences with the bodies of the fenced blocks (```) in a model's text, from the
// left. One without an end reaches to the end of the text.
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

// fenceBody returns where the body of a fenced block that opens at pos begins in a model's text, or
// -1 if none opens there. A fence is three equal marks, blanks, letters, blanks and the end of the
// line.
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

// skipBlanks returns the position of the first byte of a model's text from i on that is not a blank
// (docs/spec/aspire.md#r13). Line ends stop it.
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
