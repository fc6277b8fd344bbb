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
	cfg           ItemConfig
	elementBytes  []byte // the current element; readyLines may hold slices of it
	elementSize   int    // the length of the current element in bytes, also where it is too long to keep
	parser        fastjson.Parser
	timesSeen     map[string]int // how often each task of a published list occurred
	readyLines    [][]byte       // lines of the current element that next has not returned
	elementsRead  int            // elements read
	linesReturned int            // lines returned
	isOpened      bool           // the opening bracket was read
}

// AcceptList makes the reader accept a dump that is one JSON list, whose elements are items or
// published tasks of one of cfg.Suites. Other input is still read as lines. It must be called before
// the first line is read.
func (r *Reader) AcceptList(cfg ItemConfig) {
	if b, ok := r.firstNonBlank(); ok && b == '[' {
		r.list = &list{cfg: cfg, timesSeen: map[string]int{}}
	}
}

// firstNonBlank returns the first byte of the input that is not white space, and uses up nothing. It looks at
// 64 bytes, then at four times as many, up to the buffer's size, so that it seldom waits for a slow pipe to
// fill the buffer. ok is false if there is no such byte in the buffer.
func (r *Reader) firstNonBlank() (b byte, ok bool) {
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

// next returns the next item of the list as a line. It reads elements until one gives lines. An element that
// is too long or cannot be read gives one line with a Fault. A syntax error between elements ends the input,
// as nothing says where the next element begins.
func (l *list) next(r *Reader) (Line, error) {
	for len(l.readyLines) == 0 {
		if r.endError != nil {
			return Line{}, r.endError
		}
		raw, err := l.readElement(r)
		if err != nil {
			r.endError = err
			return Line{}, err
		}
		l.elementsRead++
		if l.elementSize > r.limits.Line {
			return l.fault(fmt.Sprintf("it has %d bytes; want at most %d (--max-line)", l.elementSize, r.limits.Line)), nil
		}
		if err := l.makeLines(raw); err != nil {
			return l.fault(err.Error()), nil
		}
	}
	b := l.readyLines[0]
	l.readyLines = l.readyLines[1:]
	l.linesReturned++
	return Line{Number: l.linesReturned, Bytes: b}, nil
}

// fault returns the line of an element that cannot be read.
func (l *list) fault(text string) Line {
	l.linesReturned++
	return Line{Number: l.linesReturned, Fault: fmt.Sprintf("cannot read element %d of the list: %s", l.elementsRead, text)}
}

// makeLines sets readyLines to the dump lines of an element of a list. An element as a suite publishes it, a
// task with several answers, becomes a line per answer. Any other element is one line. It returns an error for
// an element that the parser refuses.
func (l *list) makeLines(raw []byte) error {
	if err := l.cfg.Limits.Check(raw); err != nil {
		l.readyLines = append(l.readyLines[:0], raw) // Decoder.Item reports the error, or accepts the line
		return nil
	}
	defer jsontree.Trim(&l.parser)
	v, err := jsontree.Parse(&l.parser, raw)
	if err != nil {
		return err
	}
	for _, s := range l.cfg.Suites {
		if s.Lines == nil || l.cfg.DefaultSuite != "" && l.cfg.DefaultSuite != s.Name {
			continue
		}
		const onlyAsk = -1 // whether the suite publishes such elements
		if _, ok := s.Lines(v, onlyAsk); !ok {
			continue
		}
		// The k-th element of a task belongs to the k-th task of that name in the task file.
		key := s.ElementKey(v)
		l.readyLines, _ = s.Lines(v, l.cfg.Tasks[s.Name].position(key, l.timesSeen[key]))
		l.timesSeen[key]++
		return nil
	}
	l.readyLines = append(l.readyLines[:0], raw)
	return nil
}

// readElement returns the bytes of the next element of a dump that is a JSON list, without white space around
// it. It reads the opening bracket before the first element and the comma before each other one, and returns an
// error where no element follows a comma. After the closing bracket it returns io.EOF, or an error if more text
// follows.
func (l *list) readElement(reader *Reader) ([]byte, error) {
	c, err := nextNonBlank(reader.src)
	if err != nil {
		return nil, l.brokenOff(err)
	}
	if !l.isOpened {
		l.isOpened = true
		if c, err = nextNonBlank(reader.src); err != nil { // c was the opening bracket, which AcceptList saw
			return nil, l.brokenOff(err)
		}
	} else if c == ',' { // behind the element before
		if c, err = nextNonBlank(reader.src); err != nil {
			return nil, l.brokenOff(err)
		}
		if c == ']' {
			return nil, fmt.Errorf("cannot read list: got %q after the comma behind element %d; want an element", c, l.elementsRead)
		}
	} else if c != ']' {
		return nil, fmt.Errorf("cannot read list: got %q after element %d; want ',' or ']'", c, l.elementsRead)
	}
	if c == ']' {
		if c, err = nextNonBlank(reader.src); err == nil {
			return nil, fmt.Errorf("cannot read list: got %q after its end; want nothing", c)
		}
		return nil, err // io.EOF, or why the rest could not be read
	}
	if c == ',' { // behind the opening bracket or another comma
		return nil, fmt.Errorf("cannot read list: got %q in place of element %d; want an element", c, l.elementsRead+1)
	}
	reader.src.UnreadByte() // c begins the value
	return l.readValue(reader)
}

// brokenOff returns, in place of io.EOF, an error that says after which element the list
// breaks off.
func (l *list) brokenOff(err error) error {
	if err == io.EOF {
		return fmt.Errorf("cannot read list: it breaks off after element %d", l.elementsRead)
	}
	return err
}

// nextNonBlank reads white space of a dump's JSON and the byte after it, and returns that byte.
func nextNonBlank(src *bufio.Reader) (byte, error) {
	for {
		c, err := src.ReadByte()
		if err != nil || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, err
		}
	}
}

// readValue reads one JSON value of the list and returns its bytes; l.elementSize becomes their number. It
// finds the end of the value by its brackets and quotes, and checks nothing else. Line breaks become
// blanks, so that the value is one line. Of a value that is longer than Limits.Line it reads all, but
// keeps only the beginning, so that memory is bounded.
func (l *list) readValue(r *Reader) ([]byte, error) {
	l.elementBytes = make([]byte, 0, max(1024, len(l.elementBytes))) // lines of the last value may share the old buffer
	depth, quoted, escaped := 0, false, false
	l.elementSize = 0
	for {
		c, err := r.src.ReadByte()
		if err != nil {
			return nil, l.brokenOff(err)
		}
		// A number, true, false or null ends before a comma or the closing bracket of the list.
		if depth == 0 && !quoted && (c == ',' || c == ']') {
			r.src.UnreadByte()
			return bytes.TrimSpace(l.elementBytes), nil
		}
		l.elementSize++
		if l.elementSize <= r.limits.Line {
			if c == '\n' || c == '\r' {
				c = ' '
			}
			l.elementBytes = append(l.elementBytes, c)
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
		// An object or a list ends with its own bracket.
		if depth == 0 && !quoted && (c == '}' || c == ']') {
			return l.elementBytes, nil
		}
	}
}

// readRest reads the rest of the input. It returns an error if that has more bytes than a line may
// have.
func (r *Reader) readRest() ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r.src, int64(r.limits.Line)+1))
	if err == nil && len(b) > r.limits.Line {
		err = fmt.Errorf("it has more than %d bytes (--max-line)", r.limits.Line)
	}
	return b, err
}
