package scene

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrInvalid marks input that the sender must fix. Every error of this package wraps it.
var ErrInvalid = errors.New("invalid scene")

// ErrLimit marks input that is well formed but larger than a limit allows; the
// text names the flag that raises it. It wraps ErrInvalid.
var ErrLimit = fmt.Errorf("%w: over a limit", ErrInvalid)

// ErrVersion marks records of a layout that this package does not read: older than tldraw 4.2,
// or of tldraw 5. It wraps ErrInvalid. See docs/spec/drawing.md#r2.
var ErrVersion = fmt.Errorf("%w: other record version", ErrInvalid)

// Error says what could not be read and why. It wraps ErrInvalid, ErrLimit or ErrVersion.
type Error struct {
	Kind   error  // ErrInvalid, ErrLimit or ErrVersion
	Offset int    // byte of the input, from 0; -1 where it is not known
	Path   string // the field ("shapes[3].props.w") or, for syntax, a JSON pointer; "" for the whole
	Shape  string // id of the shape, "" where there is none
	Got    string
	Want   string // with the flag, for limits
}

// Error returns the error as one line: `cannot read PATH of shape ID: got X; want Y`, or with the byte
// offset for a fault of the JSON.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString("cannot read ")
	switch {
	case e.Offset >= 0:
		text.WriteString("JSON at byte ")
		text.WriteString(strconv.Itoa(e.Offset))
		if e.Path != "" {
			text.WriteString(" (" + e.Path + ")")
		}
	case e.Path == "":
		text.WriteString("scene")
	default:
		text.WriteString(e.Path)
	}
	if e.Shape != "" {
		text.WriteString(" of shape " + strconv.Quote(shorten(e.Shape, 80)))
	}
	text.WriteString(": got " + e.Got + "; want " + e.Want)
	return text.String()
}

// Unwrap returns the kind of the error.
func (e *Error) Unwrap() error { return e.Kind }

func invalid(path, shape, got, want string) *Error {
	return &Error{Kind: ErrInvalid, Offset: -1, Path: path, Shape: shape, Got: got, Want: want}
}

func overLimit(path, shape, got, want, flag string) *Error {
	return &Error{Kind: ErrLimit, Offset: -1, Path: path, Shape: shape, Got: got, Want: want + " (" + flag + ")"}
}

func wrongVersion(path, shape, got, want string) *Error {
	return &Error{Kind: ErrVersion, Offset: -1, Path: path, Shape: shape, Got: got, Want: want}
}

// shorten shortens a text for a message without cutting a character in two.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}
