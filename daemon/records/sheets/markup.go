package sheets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/orisano/gosax"
)

// markup reads the XML of a spreadsheet, element by element. The library under it splits the text; what
// makes XML well formed is checked here: tags in pairs, known entities, characters of XML.
type markup struct {
	events       *gosax.Reader // tags and texts
	openNames    []byte        // the names of the open elements, from the outermost, without space between them
	openEnds     []int         // where each name in openNames ends; its length is how many elements are open
	rootElements int           // elements that stood outside of all others; a document has one

	tagName       []byte // of the last tag, without its prefix; valid until the next call
	tagAttributes []byte // the attributes of the last start tag, as text
	text          []byte // the last charData
}

// xmlToken is what markup read.
type xmlToken uint8

// The kinds of tokens.
const (
	startTag xmlToken = iota
	endTag            // also of an element without contents
	charData
)

// maxElementDepth bounds how deep elements nest.
const maxElementDepth = 1000

// newMarkup returns a reader of XML from src. Texts longer than maxText are an error.
func newMarkup(src io.Reader) *markup {
	r := gosax.NewReaderSize(&textReader{src: src}, 128<<10)
	r.EmitSelfClosingTag = true
	return &markup{events: r}
}

// byteOrderMark may stand before the document.
const byteOrderMark = "\xef\xbb\xbf"

// errBrokenOff says that a document ends within an element.
var errBrokenOff = errors.New("XML syntax error: the document breaks off")

// next returns the next token of the spreadsheet's XML, and keeps its name, attributes or text. Comments,
// declarations and white space outside of the document are skipped. The error is io.EOF only at the end of
// a complete document, which has one outermost element.
func (m *markup) next() (xmlToken, error) {
	for {
		event, err := m.events.Event()
		if err == io.EOF {
			err = errBrokenOff // within a tag: the regular end is an event
		}
		if err != nil {
			return 0, err
		}
		switch event.Type() {
		case gosax.EventStart:
			return startTag, m.openElement(event.Bytes)
		case gosax.EventEnd:
			return endTag, m.closeElement(event.Bytes)
		case gosax.EventText, gosax.EventCData:
			if m.text, err = characters(event); err != nil {
				return 0, err
			}
			if len(m.openEnds) > 0 {
				return charData, nil
			}
			if len(bytes.TrimSpace(bytes.TrimPrefix(m.text, []byte(byteOrderMark)))) > 0 {
				return 0, errors.New("XML syntax error: text outside of the document")
			}
		case gosax.EventProcessingInstruction:
			if err := checkEncoding(event.Bytes); err != nil {
				return 0, err
			}
		case gosax.EventComment, gosax.EventDocType: // skipped
		case gosax.EventEOF:
			if len(m.openEnds) > 0 || m.rootElements != 1 {
				return 0, errBrokenOff
			}
			return 0, io.EOF
		default:
			return 0, errBrokenOff // the library read nothing and has no error
		}
	}
}

// openElement enters the element of a start tag in a spreadsheet's XML: it keeps the tag's name and
// attributes. Elements nested deeper than maxElementDepth are an error. Outermost elements are counted,
// because next refuses a document with several.
func (m *markup) openElement(tag []byte) error {
	name, rest := gosax.Name(tag)
	if len(name) == 0 || bytes.ContainsAny(name, "<&\"'=") {
		return fmt.Errorf("XML syntax error: got the tag %.40q", tag)
	}
	if len(m.openEnds) == 0 { // no element is open
		m.rootElements++
	}
	if len(m.openEnds) >= maxElementDepth {
		return fmt.Errorf("XML syntax error: elements are nested more than %d deep", maxElementDepth)
	}
	m.openNames = append(m.openNames, name...)
	m.openEnds = append(m.openEnds, len(m.openNames))
	m.tagName, m.tagAttributes = withoutPrefix(name), rest
	return nil
}

// closeElement leaves the element that an end tag in a spreadsheet's XML closes, and refuses a tag that does
// not belong to the innermost open element.
func (m *markup) closeElement(tag []byte) error {
	name, _ := gosax.Name(tag)
	innermost := len(m.openEnds) - 1
	if innermost < 0 {
		return fmt.Errorf("XML syntax error: got %.40q; want no end", tag)
	}
	from := 0 // where the name of the innermost element begins
	if innermost > 0 {
		from = m.openEnds[innermost-1]
	}
	if !bytes.Equal(name, m.openNames[from:]) {
		return fmt.Errorf("XML syntax error: got %.40q; want the end of %.40q", tag, m.openNames[from:])
	}
	m.tagName = withoutPrefix(name)
	m.openNames, m.openEnds = m.openNames[:from], m.openEnds[:innermost]
	return nil
}

// withoutPrefix returns a name without the prefix of its space.
func withoutPrefix(name []byte) []byte { return name[bytes.IndexByte(name, ':')+1:] }

// attribute returns the value of the attribute with this name of the current start tag, with its escapes
// undone, or nil if it is absent. A prefix of the attribute's name is ignored. Attributes that are not
// well formed are an error. An attribute without a name is the space at the end of a tag.
func (m *markup) attribute(name string) ([]byte, error) {
	for rest := m.tagAttributes; len(rest) > 0; {
		a, after, err := gosax.NextAttribute(rest)
		quoted := len(a.Value) >= 2 && a.Value[0] == a.Value[len(a.Value)-1]
		if err != nil || len(a.Key) > 0 && !quoted {
			return nil, fmt.Errorf("XML syntax error: got the attributes %.40q", m.tagAttributes)
		}
		if string(withoutPrefix(a.Key)) == name {
			return gosax.Unescape(a.Value[1 : len(a.Value)-1])
		}
		rest = after
	}
	return nil, nil
}

// characters returns the text of an XML event with its escapes undone. In CDATA, which has no
// escapes, line ends become \n. It refuses bytes that are not UTF-8 or not characters of XML.
func characters(e gosax.Event) (text []byte, err error) {
	text = e.Bytes
	if e.Type() == gosax.EventCData {
		const begin, end = "<![CDATA[", "]]>"
		if !bytes.HasPrefix(text, []byte(begin)) || len(text) < len(begin)+len(end) {
			return nil, fmt.Errorf("XML syntax error: got %.20q", text)
		}
		text = text[len(begin) : len(text)-len(end)]
		if bytes.IndexByte(text, '\r') >= 0 {
			text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		}
	} else if text, err = gosax.Unescape(text); err != nil {
		return nil, fmt.Errorf("XML syntax error: %w", err)
	}
	// Check each character. Of control characters XML has only three.
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < utf8.RuneSelf || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		isControl, isInvalid := c < utf8.RuneSelf, r == utf8.RuneError && n == 1
		if isControl || isInvalid || r == 0xfffe || r == 0xffff { // the last two are no characters
			return nil, fmt.Errorf("XML syntax error: got %q; want a character of XML in UTF-8", text[i:i+n])
		}
		i += n
	}
	return text, nil
}

// checkEncoding returns an error if a processing instruction of a spreadsheet's XML is the declaration
// <?xml ...?> and names another encoding than UTF-8.
func checkEncoding(instruction []byte) error {
	_, after, ok := bytes.Cut(instruction, []byte("encoding="))
	if !bytes.HasPrefix(instruction, []byte("<?xml ")) || !ok || len(after) == 0 {
		return nil
	}
	name, _, _ := bytes.Cut(after[1:], after[:1]) // between two quotes of the same kind
	if !bytes.EqualFold(name, []byte("utf-8")) {
		return fmt.Errorf("its encoding is %.20q; want UTF-8", name)
	}
	return nil
}
