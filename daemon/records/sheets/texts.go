package sheets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"plumb/daemon/records/archive"
)

// texts are the texts that cells name by numbers. A large table is in a temporary file.
type texts struct {
	ends       []int64       // where each text ends, in bytes of all texts
	bytes      []byte        // all texts, or the last one if they are in file
	file       *os.File      // all texts; nil where they are in bytes
	escapeWork map[int]int64 // by the number of a text with escapes: bytes that the library copies to undo them; see maxEscapeWork
}

// readSharedTexts reads the table of texts of a spreadsheet, which may have none. If it has more bytes than
// memoryLimit, the texts go to a temporary file.
func readSharedTexts(a *archive.Archive, memoryLimit uint64) (t *texts, err error) {
	t = &texts{escapeWork: map[int]int64{}}
	f := a.Find(textsName)
	if f == nil {
		return t, nil
	}
	r, err := a.OpenEntry(f)
	if err == nil {
		err = t.read(newMarkup(r), f.Size > memoryLimit)
		r.Close()
	}
	if err != nil {
		t.Close()
		return nil, fmt.Errorf("%s: %s", f.Name, archive.Explain(err))
	}
	return t, nil
}

// read reads the shared texts of a spreadsheet, the elements si of the XML in m. If toFile is true, they go
// to a temporary file without a name, which vanishes when it is closed. Else t.bytes keeps all. A table with
// fewer texts than it states is an error.
func (t *texts) read(m *markup, toFile bool) error {
	var out *bufio.Writer
	if toFile {
		f, err := os.CreateTemp("", "plumb-texts-*")
		if err != nil {
			return fmt.Errorf("cannot make a temporary file: %w", err)
		}
		t.file = f
		if err := os.Remove(f.Name()); err != nil {
			return fmt.Errorf("cannot unlink a temporary file: %w", err)
		}
		out = bufio.NewWriterSize(f, 64<<10)
	}
	// Read the texts one by one; t.bytes then holds only the new one if there is a file.
	var end int64    // of the last text
	statedCount := 0 // how many texts the table says that it has, 0 if it does not
	for {
		kind, err := m.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if kind == startTag && string(m.tagName) == "sst" {
			n, err := m.attribute("uniqueCount")
			if err != nil {
				return err
			}
			statedCount, _ = strconv.Atoi(string(n))
		}
		if kind != startTag || string(m.tagName) != "si" {
			continue
		}
		from := len(t.bytes)
		var work int64
		if t.bytes, work, err = appendRichText(m, "si", t.bytes); err != nil {
			return err
		}
		if work > 0 {
			t.escapeWork[len(t.ends)] = work
		}
		end += int64(len(t.bytes) - from)
		t.ends = append(t.ends, end)
		if out != nil {
			if _, err := out.Write(t.bytes); err != nil {
				return fmt.Errorf("cannot write a temporary file: %w", err)
			}
			t.bytes = t.bytes[:0] // they are in the file
		}
	}
	if len(t.ends) < statedCount { // a text is lost, so the numbers in cells would name other texts
		return fmt.Errorf("the table of texts states %d and has %d; the file is damaged", statedCount, len(t.ends))
	}
	if out != nil {
		if err := out.Flush(); err != nil {
			return fmt.Errorf("cannot write a temporary file: %w", err)
		}
	}
	return nil
}

// count returns the number of texts.
func (t *texts) count() int { return len(t.ends) }

// at returns shared text number i, from 0, of a spreadsheet. Texts are in memory or, if they are
// large, in a temporary file.
func (t *texts) at(i int) (string, error) {
	from := int64(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	if t.file == nil {
		return string(t.bytes[from:t.ends[i]]), nil
	}
	b := make([]byte, t.ends[i]-from)
	if _, err := t.file.ReadAt(b, from); err != nil {
		return "", fmt.Errorf("cannot read a temporary file: %w", err)
	}
	return string(b), nil
}

// Close closes, and so removes, the temporary file of a spreadsheet's shared texts, if there is one.
func (t *texts) Close() error {
	if t == nil || t.file == nil {
		return nil
	}
	return t.file.Close()
}

// appendRichText appends the plain text of the spreadsheet's element with that name, whose start tag was read,
// up to its end tag. That is the contents of the elements t within it, without formats and escapes, and
// without phonetic guides (rPh). escapeWork is how many bytes the library for spreadsheets would copy to
// undo the escapes (it copies the whole text for each), which maxEscapeWork limits.
func appendRichText(m *markup, name string, dst []byte) (out []byte, escapeWork int64, err error) {
	from := len(dst)
	inText, phoneticDepth := false, 0 // within an element t, and within how many elements rPh
	for {
		kind, err := m.next()
		if err != nil {
			return dst, 0, unexpectedEnd(err)
		}
		switch kind {
		case startTag:
			switch string(m.tagName) {
			case "t":
				inText = phoneticDepth == 0
			case "rPh":
				phoneticDepth++
			}
		case endTag:
			switch string(m.tagName) {
			case "t":
				inText = false
			case "rPh":
				phoneticDepth--
			// The end of the element.
			case name:
				text := dst[from:]
				if n := bytes.Count(text, []byte("_x")); n > 0 {
					escapeWork = int64(n) * int64(len(text))
					dst = undoEscapes(dst, from)
				}
				return dst, escapeWork, nil
			}
		default:
			if inText {
				dst = append(dst, m.text...)
			}
		}
	}
}

// undoEscapes replaces each _xHHHH_ in a spreadsheet's text b[from:] by the character with that
// number in UTF-16, in place. A surrogate, half of a pair, is left out. _x005F_ gives a plain _, by
// which writers protect a text that looks like an escape.
func undoEscapes(b []byte, from int) []byte {
	const length = len("_x000D_")
	to := from // where the next character goes
	for i := from; i < len(b); {
		c, ok := escaped(b[i:])
		if !ok {
			b[to] = b[i]
			to, i = to+1, i+1
			continue
		}
		if i += length; !utf16.IsSurrogate(c) {
			to += utf8.EncodeRune(b[to:to+utf8.UTFMax], c) // an escape is longer than any character
		}
	}
	return b[:to]
}

// escaped returns the UTF-16 unit of the escape _xHHHH_ that a spreadsheet's text begins with. ok
// is false if it does not begin with one.
func escaped(b []byte) (unit rune, ok bool) {
	if len(b) < len("_x000D_") || b[0] != '_' || b[1] != 'x' || b[6] != '_' {
		return 0, false
	}
	for _, c := range b[2:6] {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}
