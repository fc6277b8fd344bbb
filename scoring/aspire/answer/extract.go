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
// Its time is linear in the text. Fenced blocks do not overlap. In the running text, a value that does not
// parse restarts the search at the character after its brace, which alone would be quadratic. A brace that was
// open where an attempt failed would fail at the same place, so it is marked and not tried again; that covers
// every truncated text. Inside a value that is nested too deep, one more pass finds the braces worth trying.
// Adversarial texts (attempts that begin inside comments or strings of earlier ones) remain, and for them the
// search ends when failed attempts have read workFactor times the length of the text.
func (reader *Reader) Extract(text string, rules Rules) Found {
	reader.Forget()
	reader.findFences(text)
	for i := len(reader.fences) - 1; i >= 0; i-- {
		fence := reader.fences[i]
		reader.parser.start(&reader.current, text, int(fence.off), int(fence.off+fence.len), rules.ExtendedMath)
		if !reader.parser.readDocument() {
			continue
		}
		if v := findAcceptable(&reader.current, rules.Keys); v.Exists() {
			return Found{Value: v, Status: Fenced, From: int(fence.off), To: int(fence.off + fence.len)}
		}
	}
	return reader.scanRunningText(text, rules)
}

// The sizes from which memory is not kept for the next answer.
const (
	keepNodes = 1 << 14
	keepBytes = 1 << 18
)

// Forget drops the last answer that was read and its values, which become invalid, and buffers that
// an unusually large answer has made. Extract and Convert begin with it.
func (reader *Reader) Forget() {
	for _, t := range []*tree{&reader.current, &reader.best} {
		t.reset("")
		if cap(t.nodes) > keepNodes || cap(t.decoded) > keepBytes {
			*t = tree{}
		}
	}
	reader.parser = parser{openBraces: reader.parser.openBraces[:0]}
	if len(reader.unparseable) > keepNodes {
		reader.unparseable = nil
	}
	if cap(reader.fences) > keepNodes {
		reader.fences = nil
	}
	if cap(reader.brackets) > keepNodes {
		reader.brackets = nil
	}
	clear(reader.unparseable)
}

// workFactor times the length of the text, plus workFloor bytes, is what failed
// attempts in the running text may read.
const (
	workFactor = 8
	workFloor  = 1 << 16
)

// scanRunningText finds the last acceptable value in a model's running text, outside of fenced blocks, by the
// second rule of docs/spec/aspire.md#r11: it tries to parse a value at every brace, from the left, and
// continues after each value. Found.Cut is true if it gave up because failed attempts read too much.
func (reader *Reader) scanRunningText(text string, rules Rules) Found {
	found := Found{Status: NoJSON}
	workLeft := workFactor*len(text) + workFloor // bytes that failed attempts may still read
	for pos := 0; ; {
		i := strings.IndexByte(text[pos:], '{')
		if i < 0 {
			return found
		}
		pos += i
		if _, known := reader.unparseable[int32(pos)]; known {
			pos++
			continue
		}
		reader.parser.start(&reader.current, text, pos, len(text), rules.ExtendedMath)
		if !reader.parser.readValue(span{}) {
			workLeft -= reader.parser.pos - pos
			switch {
			case reader.parser.tooDeep:
				workLeft -= reader.markDeepBraces(text, pos)
			case !reader.parser.tooMany:
				// A brace that was open where the attempt failed would fail at the same place. The first one
				// is that at pos, which is not tried again anyway.
				reader.markUnparseable(reader.parser.openBraces[min(1, len(reader.parser.openBraces)):])
			}
			if workLeft < 0 {
				found.Cut = true
				return found
			}
			pos++
			continue
		}
		begin := pos
		pos = reader.parser.pos
		if v := findAcceptable(&reader.current, rules.Keys); v.Exists() {
			// The tree moves to reader.best, where the next attempt does not overwrite it.
			reader.current, reader.best = reader.best, reader.current
			found.Value, found.Status = Value{&reader.best, v.index}, Bare
			found.From, found.To = begin, pos
		}
	}
}

// markUnparseable records positions of braces in a model's text at which no value can be parsed, so
// that they are not tried.
func (reader *Reader) markUnparseable(open []int32) {
	if len(open) == 0 {
		return
	}
	if reader.unparseable == nil {
		reader.unparseable = make(map[int32]struct{})
	}
	for _, at := range open {
		reader.unparseable[at] = struct{}{}
	}
}

// findAcceptable returns the value of a parsed answer that counts: the root of the tree, or the only element of
// a root list, if it is an object with at least one of the keys; else an absent value.
func findAcceptable(t *tree, keys []string) Value {
	value := Value{t, 0}
	if value.Kind() == Array {
		value = value.First()
		if value.Next().Exists() {
			return Value{}
		}
	}
	for _, k := range keys {
		if value.Get(k).Exists() {
			return value
		}
	}
	return Value{}
}

// findFences fills reader.fences with the bodies of the fenced blocks in a model's text, from the left. Three
// back quotes or three single quotes open and close a block. One without an end reaches to the end of the text.
func (reader *Reader) findFences(text string) {
	reader.fences = reader.fences[:0]
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
		n := strings.Index(text[body:], text[pos:pos+3]) // the same three marks close it
		if n < 0 {
			reader.fences = append(reader.fences, span{uint32(body), uint32(len(text) - body)})
			return
		}
		reader.fences = append(reader.fences, span{uint32(body), uint32(n)})
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
	for i < len(text) && isLetter(text[i]) {
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
