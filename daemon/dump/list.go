package dump

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// list reads a dump that is one JSON list instead of lines. Its elements are items, or
// tasks with several answers each, as benchmarks publish them. One element is in memory
// at a time. See docs/spec/cli.md#r12.
type list struct {
	cfg     ItemConfig
	buf     []byte // of the current element, which its lines may share
	size    int    // its length in bytes, also where it is too long to keep
	parser  fastjson.Parser
	seen    map[string]int // how often each task of a published list occurred
	ready   [][]byte       // lines of the current element that next has not returned
	element int            // elements read
	line    int
	opened  bool
}

// Lists makes the reader accept a dump that is one JSON list, of the suites of cfg; other
// input is still read as lines. It must be called before the first line is read.
func (r *Reader) Lists(cfg ItemConfig) {
	if b, ok := r.first(); ok && b == '[' {
		r.list = &list{cfg: cfg, seen: map[string]int{}}
	}
}

// first returns the first byte that is not white space. ok is false if there is none within
// the buffer.
func (r *Reader) first() (b byte, ok bool) {
	for n := 64; ; n *= 4 {
		head, err := r.src.Peek(min(n, r.src.Size()))
		if t := bytes.TrimLeft(head, " \t\r\n"); len(t) > 0 {
			return t[0], true
		}
		if err != nil || n >= r.src.Size() {
			return 0, false
		}
	}
}

// next returns the next item as a line, with a Fault for an element that is too long or
// cannot be read. A syntax error between elements ends the list.
func (l *list) next(r *Reader) (Line, error) {
	for len(l.ready) == 0 {
		if r.err != nil {
			return Line{}, r.err
		}
		raw, err := l.read(r)
		if err != nil {
			r.err = err
			continue
		}
		l.element++
		if l.size > r.limits.Line {
			return l.fault(fmt.Sprintf("it has %d bytes; want at most %d (--max-line)", l.size, r.limits.Line)), nil
		}
		if err := l.expand(raw); err != nil {
			return l.fault(err.Error()), nil
		}
	}
	b := l.ready[0]
	l.ready = l.ready[1:]
	l.line++
	return Line{N: l.line, Bytes: b}, nil
}

// fault returns the line of an element that cannot be read.
func (l *list) fault(text string) Line {
	l.line++
	return Line{N: l.line, Fault: fmt.Sprintf("cannot read element %d of the list: %s", l.element, text)}
}

// expand sets ready to the lines of an element: several if it is a task with several
// answers, as a suite publishes them, else one.
func (l *list) expand(raw []byte) error {
	if err := l.cfg.Limits.Check(raw); err != nil {
		l.ready = append(l.ready[:0], raw) // the decoder reports the error, or accepts the line
		return nil
	}
	defer jsontree.Trim(&l.parser)
	v, err := jsontree.Parse(&l.parser, raw)
	if err != nil {
		return err
	}
	for _, s := range l.cfg.Suites {
		if s.Lines == nil || l.cfg.Suite != "" && l.cfg.Suite != s.Name {
			continue
		}
		if _, ok := s.Lines(v, -1); !ok { // -1: only ask whether the suite publishes such elements
			continue
		}
		key := s.ElementKey(v)
		l.ready, _ = s.Lines(v, l.cfg.Tasks[s.Name].position(key, l.seen[key]))
		l.seen[key]++
		return nil
	}
	l.ready = append(l.ready[:0], raw)
	return nil
}

// read returns the next element without white space around it, or io.EOF after the closing
// bracket and nothing else after it.
func (l *list) read(reader *Reader) ([]byte, error) {
	c, err := skip(reader.src)
	if err != nil {
		return nil, l.brokenOff(err)
	}
	if !l.opened {
		l.opened = true
		if c, err = skip(reader.src); err != nil { // c was the bracket
			return nil, l.brokenOff(err)
		}
	} else if c == ',' {
		if c, err = skip(reader.src); err != nil {
			return nil, l.brokenOff(err)
		}
	} else if c != ']' {
		return nil, fmt.Errorf("cannot read list: got %q after element %d; want ',' or ']'", c, l.element)
	}
	if c == ']' {
		c, err = skip(reader.src)
		if err != io.EOF {
			return nil, fmt.Errorf("cannot read list: got %q after its end; want nothing", c)
		}
		return nil, io.EOF
	}
	reader.src.UnreadByte() // c begins the value
	return l.value(reader)
}

// brokenOff returns, in place of io.EOF, an error that says after which element the list
// breaks off.
func (l *list) brokenOff(err error) error {
	if err == io.EOF {
		return fmt.Errorf("cannot read list: it breaks off after element %d", l.element)
	}
	return err
}

// skip reads blanks of a JSON list and the byte after them, which it returns.
func skip(src *bufio.Reader) (byte, error) {
	for {
		c, err := src.ReadByte()
		if err != nil || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, err
		}
	}
}

// value reads one value of a list, up to the comma or bracket that ends it, and sets size to its bytes. It
// follows brackets and quotes and checks nothing else. Line breaks become blanks, so that the value is one
// line. Of a value beyond the limit of a line it keeps only the beginning.
func (l *list) value(r *Reader) ([]byte, error) {
	l.buf = make([]byte, 0, max(1024, len(l.buf)))
	depth, quoted, escaped := 0, false, false
	l.size = 0
	for {
		c, err := r.src.ReadByte()
		if err != nil {
			return nil, l.brokenOff(err)
		}
		// The end of a number or a word.
		if depth == 0 && !quoted && (c == ',' || c == ']') {
			r.src.UnreadByte()
			return bytes.TrimSpace(l.buf), nil
		}
		l.size++
		if l.size <= r.limits.Line {
			if c == '\n' || c == '\r' {
				c = ' '
			}
			l.buf = append(l.buf, c)
		}
		// Follow quotes and brackets.
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		// The end of an object or a list.
		if depth == 0 && !quoted && (c == '}' || c == ']') {
			return l.buf, nil
		}
	}
}

// all reads the rest of the input, up to the limit of a line.
func (r *Reader) all() ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r.src, int64(r.limits.Line)+1))
	if err == nil && len(b) > r.limits.Line {
		err = fmt.Errorf("it has more than %d bytes (--max-line)", r.limits.Line)
	}
	return b, err
}
