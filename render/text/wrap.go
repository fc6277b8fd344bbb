package text

import (
	"strings"

	"github.com/rivo/uniseg"
)

// fit returns the end of the line that begins at from: the last place up to
// which the text fits, or the first place to break at all if even that is too
// wide and words are kept whole (tldraw-rendering.md 6.5).
func (l *Layouter) fit(from, to int) (int, error) {
	if end := l.trim(from, to); !l.tooWide(from, end) {
		width, err := l.measure(from, end)
		if err != nil || l.holds(width) {
			return to, err
		}
	}
	l.opportunities()
	best := -1
	for end := from + 1; end < to; end++ {
		if !l.breaks[end] {
			continue
		}
		width, err := l.measure(from, l.trim(from, end))
		if err != nil {
			return 0, err
		}
		if !l.holds(width) {
			if best < 0 && l.spec.Whole {
				return end, nil
			}
			break
		}
		best = end
	}
	switch {
	case best >= 0:
		return best, nil
	case l.spec.Whole:
		return to, nil
	}
	return l.within(from, to)
}

// holds tells whether text of that width, in px, fits into a line. Widths are rounded
// up to 1/64 px, which is not counted: five letters of 21.6 px fit into 108.
func (l *Layouter) holds(width float64) bool { return width-1.0/64 <= l.avail }

// within breaks a word that is wider than the line: behind the last character
// that fits, at least one.
func (l *Layouter) within(from, to int) (int, error) {
	best, state := -1, -1
	rest := l.text[from:to]
	for end := from; len(rest) > 0; {
		var cluster []byte
		cluster, rest, _, state = uniseg.FirstGraphemeCluster(rest, state)
		end += len(cluster)
		width, err := l.measure(from, end)
		if err != nil {
			return 0, err
		}
		if !l.holds(width) && best >= 0 {
			break
		}
		best = end
	}
	for best < to && isSpace(l.text[best]) {
		best++ // hangs
	}
	return best, nil
}

// opportunities finds where lines of the paragraph may end. The browser breaks
// after spaces, between two ASCII characters by a table of its own, and
// everywhere else by the rules of UAX 14. (The table was observed: it keeps
// "and/or" and "a%b" whole and breaks "a-b", also before digits.)
func (l *Layouter) opportunities() {
	if len(l.breaks) > 0 {
		return
	}
	ascii := true
	for _, c := range l.text {
		l.breaks = append(l.breaks, false)
		ascii = ascii && c < 0x80
	}
	if !ascii {
		l.unicode()
	}
	for i := 1; i < len(l.text); i++ {
		a, b := l.text[i-1], l.text[i]
		switch {
		case isSpace(a):
			l.breaks[i] = !isSpace(b)
		case a > ' ' && a < 0x7F && b > ' ' && b < 0x7F:
			l.breaks[i] = breaksBetween(l.text[:i-1], a, b)
		case b <= ' ':
			l.breaks[i] = false
		}
	}
}

// unicode marks the opportunities of UAX 14.
func (l *Layouter) unicode() {
	state, at := -1, 0
	for rest := l.text; len(rest) > 0; {
		var segment []byte
		segment, rest, _, state = uniseg.FirstLineSegment(rest, state)
		if at += len(segment); at < len(l.text) {
			l.breaks[at] = true
		}
	}
}

// breaksBetween is the browser's table for printable ASCII; before is the text
// in front of a.
func breaksBetween(before []byte, a, b byte) bool {
	switch {
	case a == '-' && b >= '0' && b <= '9':
		// A minus stays with its number; a hyphen between letters or digits does not.
		return len(before) > 0 && isAlnum(before[len(before)-1])
	case a == '-':
		return !strings.ContainsRune("!$),./:;?]}", rune(b))
	case a == '?':
		return !strings.ContainsRune("!\"'),./:;?]}", rune(b))
	}
	return strings.IndexByte("!\"#%&)*+,.:;=>\\]|}~", a) >= 0 && strings.IndexByte("(<[{", b) >= 0
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
