package text

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// The rules of this file were observed in the browser, by the lines of some hundred thousand
// short texts in narrow boxes.

// maxReshapeBytes is how many bytes may be shaped anew at the start of a line. A longer word would
// be shaped again for each of its lines.
const maxReshapeBytes = 256

// fitLine returns the end of the line of text that begins at byte from; the text ends at byte to, and from
// byte onlySpaces on it consists of spaces. The line ends at the last place where it may break and up to
// which it fits. If its first word does not fit, the line ends after it where words are kept whole
// (l.spec.KeepWords), and elsewhere within the word, between two characters; each line has at least one. See
// docs/spec/drawing.md#r48.
func (l *Layouter) fitLine(from, onlySpaces, to int) (int, error) {
	// All of it, if that fits.
	if !l.tooWide(from, onlySpaces) {
		if width, err := l.measure(from, onlySpaces); err != nil || fitsWidth(width, l.lineRoom) {
			return to, err
		}
	}
	// Up to a place between words.
	found, err := l.lookUpEnd(from, l.lineRoom)
	if err != nil {
		return 0, err
	}
	l.findBreaks()
	end, fits, err := l.lastBreak(from, to, found, l.mayBreak)
	if err != nil || fits {
		return end, err
	}
	if l.spec.KeepWords { // the first place to break
		for end = from + 1; end < to && !l.mayBreak(from, end); end++ {
		}
		return end, nil
	}
	// Within a word.
	l.findCharacters()
	if end, _, err = l.lastBreak(from, to, found, l.mayCut); err != nil {
		return 0, err
	}
	if end == from { // one character at least
		for end++; end < to && !l.characterStarts[end]; end++ {
		}
	}
	return l.hangingEnd(end, to), nil
}

// fitsWidth reports whether text of that width fits into a line, both in px. Widths are rounded up
// to 1/64 px, which is not counted: five letters of 21.6 px fit into 108.
func fitsWidth(width, avail float64) bool { return width-1.0/64 <= avail }

// mayBreak reports whether a line of text that begins at byte from may end before byte end of the
// paragraph. At the start of a line a hyphen counts as a minus, and a dash belongs to the letter
// after it, whatever stood before them.
func (l *Layouter) mayBreak(from, end int) bool {
	if !l.breakAllowed[end] {
		return false
	}
	dash, n := utf8.DecodeRune(l.text[from:])
	if from+n != end {
		return true
	}
	c, _ := utf8.DecodeRune(l.text[end:])
	return !dashLeads(dash, c) && (dash != '-' || !isDigit(l.text[end]))
}

// mayCut reports whether a word may be cut in front of byte end.
func (l *Layouter) mayCut(_, end int) bool { return l.characterStarts[end] }

// lastBreak returns the last place before byte to where a line that begins at byte from may end and up to
// which it fits, or from if there is none. mayEnd says where lines may end: between words or characters. found
// says how far the line reaches by the glyphs of the text shaped as a whole (lookUpEnd).
//
// It does as the browser does. It begins at the last place within found and shapes the line anew there,
// because glyphs may change at its ends. If that is too wide, it tries the place before, and so on. If no
// place is left, it returns the first one that it tried, and fits is false: the caller must try other places.
// Two exceptions were observed, see firstBreak and reshapedBreak.
func (l *Layouter) lastBreak(from, to int, found lookup, mayEnd func(from, end int) bool) (
	end int, fits bool, err error) {
	firstTry := l.breakWithin(from, to, found.reach, mayEnd)
	if firstTry <= found.itemStart { // no place in the item where the reach ends
		if end, err = l.firstBreak(from, to, found.itemStart, mayEnd); err != nil || end > from {
			return end, end > from, err
		}
	}
	for end = firstTry; end > from; end = l.breakBefore(from, end-1, mayEnd) {
		shown := l.trimSpaces(from, end) // the end without hanging spaces
		width, err := l.triedWidth(from, shown)
		if err != nil || fitsWidth(width, l.lineRoom) {
			return end, true, err
		}
		if shown <= found.safeFrom { // all of the line was shaped anew: no place before is tried
			end, err = l.reshapedBreak(from, to, end, width, mayEnd)
			return end, err == nil && end > from, err
		}
	}
	return firstTry, false, nil
}

// breakWithin returns the last place before byte to where a line of text that begins at byte from may end,
// if it reaches up to byte reach. Spaces after the reach hang over the line's end and count as within it.
// mayEnd says where lines may end. It returns from if there is no such place.
func (l *Layouter) breakWithin(from, to, reach int, mayEnd func(from, end int) bool) int {
	return l.breakBefore(from, min(l.hangingEnd(reach, to), to-1), mayEnd)
}

// reshapedBreak returns where a line of text ends, none of whose glyphs are as in the whole text, and which is
// too wide up to byte end. width is its width in px up to there. If it is too wide by less than 1 px, the
// browser looks up the end of the line once more, for a room that is 1 px and 1/64 px less than that width: a
// line of 100.5 px that does not fit into 100 px gets as far as 99.48 px reach. Otherwise the line ends at end
// although it is too wide. mayEnd says where lines may end.
func (l *Layouter) reshapedBreak(from, to, end int, width float64, mayEnd func(from, end int) bool) (int, error) {
	const little, unit = 1.0, 1.0 / 64 // px
	if width-little < l.lineRoom {
		found, err := l.lookUpEnd(from, width-little-unit)
		if err != nil {
			return 0, err
		}
		return l.breakWithin(from, to, found.reach, mayEnd), nil
	}
	return end, nil
}

// firstBreak returns the first place after byte itemStart, the start of an item, where a line of text
// that begins at byte from may end, if the line fits up to there; else it returns from. mayEnd says where
// lines may end. The browser tries this place before all others if the reach of the line ends in the
// item and the part within the reach has no place to end. In "see bo" and then "ld text" in bold, with a
// reach that ends in "ld", it is the place after "ld ".
func (l *Layouter) firstBreak(from, to, itemStart int, mayEnd func(from, end int) bool) (int, error) {
	if itemStart == from {
		return from, nil
	}
	end := itemStart + 1
	for end < to && !mayEnd(from, end) {
		end++
	}
	shown := l.trimSpaces(from, min(end, to))
	if end >= to || l.tooWide(from, shown) {
		return from, nil
	}
	if width, err := l.triedWidth(from, shown); err != nil || !fitsWidth(width, l.lineRoom) {
		return from, err
	}
	return end, nil
}

// triedWidth returns the width in px that the browser compares with the room for a line when it tries to end
// it at byte end. It shapes the text anew from the last safe position on, and rounds the width of that part
// up by itself.
func (l *Layouter) triedWidth(from, end int) (float64, error) {
	it := &l.items[l.itemAt(end-1)]
	reshapeFrom, _ := safeBefore(it.glyphs, end-it.shapedFrom, max(from, it.from)-it.shapedFrom)
	return l.measureOrEmit(from, end, it.shapedFrom+reshapeFrom, false)
}

// hangingEnd returns the end of the spaces that begin at byte at of the paragraph, at most to. They
// hang over the end of a line.
func (l *Layouter) hangingEnd(at, to int) int {
	for at < to && isSpace(l.text[at]) {
		at++
	}
	return at
}

// breakBefore returns the last place of the paragraph in (from, end] where a line of text may end,
// as mayEnd reports, or from if there is none.
func (l *Layouter) breakBefore(from, end int, mayEnd func(from, end int) bool) int {
	for end > from && !mayEnd(from, end) {
		end--
	}
	return max(from, end)
}

// lookup says how far a line reaches by the glyphs of the text shaped as a whole. All are positions in the
// paragraph.
type lookup struct {
	reach     int // the last byte that fits
	safeFrom  int // from here on, the line's glyphs are certainly the same as in the whole text
	itemStart int // start of the item that reach lies in, or of the line if that begins within the item
}

// lookUpEnd returns how far a line of text that begins at byte from reaches within avail px, by the glyphs
// of the text shaped as a whole. A line that begins within an item is shaped again, but only up to the next
// safe position, from where on glyphs do not depend on what is before. Of a ligature that does not fit, all
// characters but the last count as fitting. As in the browser, positions are compared in 1/64 px: starts of
// lines, and of what follows a part shaped again, are rounded up, ends of glyphs down. A word that would
// need too much shaping is an error.
func (l *Layouter) lookUpEnd(from int, avail float64) (found lookup, err error) {
	first, roomLeft := l.itemAt(from), avail // the item that the line begins in, and the width left, px
	found.safeFrom, found.itemStart = from, from
	for i := first; i < len(l.items); i++ {
		it := &l.items[i]
		if it.tab {
			var x float64
			x, err = l.tabStop(it.face, avail-roomLeft)
			if err != nil || x > avail {
				found.reach = it.from
				return found, err
			}
			roomLeft = avail - x
			continue
		}
		found.itemStart = max(from, it.from)
		firstKept, newWidth := 0, 0.0 // first glyph that is as it was, and the width of what is shaped anew before it
		if i == first {
			if found.safeFrom, firstKept, newWidth, err = l.reshapeStart(it, from); err != nil {
				return found, err
			}
		}
		ends, keptStart := l.glyphEnds(it), 0.0
		if firstKept > 0 {
			keptStart = float64(ends[firstKept-1])
		}
		endInItem := ceilToLayoutUnit(keptStart) + roomLeft - ceilToLayoutUnit(newWidth) // where the line ends in the item
		beyond := func(i int) bool { return floorToLayoutUnit(float64(ends[i])) > endInItem }
		if n := sort.Search(len(ends), beyond); n < len(ends) { // the first glyph that does not fit
			found.reach = it.to - 1
			if next := glyphAt(it.glyphs, int(it.glyphs[n].Cluster)+1); next < len(it.glyphs) {
				found.reach = it.shapedFrom + int(it.glyphs[next].Cluster) - 1
			}
			return found, nil
		}
		if len(ends) > 0 {
			newWidth += float64(ends[len(ends)-1]) - keptStart
		}
		roomLeft -= ceilToLayoutUnit(newWidth)
	}
	found.reach = len(l.text)
	return found, nil
}

// reshapeStart shapes the beginning of a line of text anew, which begins at byte from in item it. safeFrom is the
// first byte from where on glyphs do not depend on what is before. firstKept is the index of the first glyph of the
// item that stays as it is, and reshapedWidth the width in px of what is shaped in front of it. A line that begins
// within the item is shaped anew up to safeFrom. At the item's start only the characters are that a ligature of
// the item before took.
func (l *Layouter) reshapeStart(it *item, from int) (safeFrom, firstKept int, reshapedWidth float64, err error) {
	pos, glyph := safeAfter(it.glyphs, from-it.shapedFrom, it.to-it.shapedFrom)
	safeFrom = it.shapedFrom + pos
	reshapedEnd := it.firstByte()
	if from > it.shapedFrom {
		reshapedEnd, firstKept = safeFrom, glyph
		if safeFrom == it.to { // there is no safe place: all is shaped anew, no glyph stays
			firstKept = len(it.glyphs)
		}
	}
	switch {
	case reshapedEnd > from+maxReshapeBytes:
		return safeFrom, firstKept, 0, &UnsupportedError{fmt.Sprintf("a word of more than %d bytes that is cut", maxReshapeBytes)}
	case reshapedEnd > from:
		fresh, err := it.face.Shape(l.text[from:reshapedEnd])
		if err != nil {
			return safeFrom, firstKept, 0, err
		}
		reshapedWidth = float64(advance(it.face, fresh, l.spec.Size))
	}
	return safeFrom, firstKept, reshapedWidth, nil
}

// glyphEnds returns the x at which each glyph of an item ends, in px from the item's start, summed
// in binary32 as in the browser. It computes them once per item.
func (l *Layouter) glyphEnds(it *item) []float32 {
	if len(it.ends) == 0 {
		from, sum := len(l.endSums), float32(0)
		for _, g := range it.glyphs {
			sum += it.face.Advance(g, l.spec.Size)
			l.endSums = append(l.endSums, sum)
		}
		it.ends = l.endSums[from:]
	}
	return it.ends
}

// findCharacters fills l.characterStarts, which says for each byte of the paragraph whether a word that is too
// long for a line may be cut before it: only between grapheme clusters. It does so once per
// paragraph.
func (l *Layouter) findCharacters() {
	if len(l.characterStarts) > 0 {
		return
	}
	state := -1
	for rest := l.text; len(rest) > 0; {
		var cluster []byte
		cluster, rest, _, state = uniseg.FirstGraphemeCluster(rest, state)
		for i := range cluster {
			l.characterStarts = append(l.characterStarts, i == 0)
		}
	}
}

// findBreaks fills l.breakAllowed, which says for each byte of the paragraph whether a line may end
// before it, once per paragraph. The browser breaks after spaces, between two ASCII characters by a
// table of its own, and everywhere else by the rules of UAX 14 (Unicode line breaking). The table
// was observed: it keeps "and/or" and "a%b" whole and breaks "a-b", also before digits. See
// docs/spec/drawing.md#r47.
func (l *Layouter) findBreaks() {
	if len(l.breakAllowed) > 0 {
		return
	}
	ascii := true
	for _, c := range l.text {
		l.breakAllowed = append(l.breakAllowed, false)
		ascii = ascii && c < 0x80
	}
	if !ascii {
		l.markUnicodeBreaks()
		l.keepLeadingDashes()
	}
	for i := 1; i < len(l.text); i++ {
		a, b := l.text[i-1], l.text[i]
		switch {
		case isSpace(a):
			l.breakAllowed[i] = !isSpace(b)
		case a > ' ' && a < 0x7F && b > ' ' && b < 0x7F:
			l.breakAllowed[i] = breaksBetween(l.text[:i-1], a, b)
		case b <= ' ':
			l.breakAllowed[i] = false
		}
	}
}

// keepLeadingDashes removes the places in l.breakAllowed after a dash that a line may begin with: a dash at the
// start of the paragraph, or one that follows another place to break. Such a dash belongs to the letter after
// it, as that of a minus.
func (l *Layouter) keepLeadingDashes() {
	at, before := 0, ' ' // where the character before i begins, and that character
	for i := 0; i < len(l.text); {
		c, n := utf8.DecodeRune(l.text[i:])
		if l.breakAllowed[i] && dashLeads(before, c) && (at == 0 || l.breakAllowed[at]) {
			l.breakAllowed[i] = false
		}
		at, before, i = i, c, i+n
	}
}

// dashLeads reports whether a dash at the start of a word belongs to the letter, or what counts as
// one, after it: a rule of the browser's ICU that UAX 14 has for hyphens alone. Where both are
// ASCII the table counts.
func dashLeads(dash, c rune) bool {
	return strings.ContainsRune("-‐‒–", dash) && (dash >= 0x80 || c >= 0x80) &&
		(unicode.IsLetter(c) || unicode.Is(unicode.No, c) || strings.ContainsRune("#&*<=>@^_`~", c))
}

// markUnicodeBreaks marks in l.breakAllowed the places where UAX 14, the Unicode line breaking algorithm,
// lets a line of the paragraph end.
func (l *Layouter) markUnicodeBreaks() {
	state, at := -1, 0
	for rest := l.text; len(rest) > 0; {
		var segment []byte
		segment, rest, _, state = uniseg.FirstLineSegment(rest, state)
		at += len(segment)
		if at < len(l.text) {
			l.breakAllowed[at] = true
		}
	}
}

// breaksBetween reports whether a line of text may end between a and b, both printable ASCII. It is the
// browser's table, as observed, in short form. before is the text in front of a.
func breaksBetween(before []byte, a, b byte) bool {
	switch {
	case a == '-' && isDigit(b):
		// A minus stays with its number; a hyphen between letters or digits does not.
		return len(before) > 0 && isAlnum(before[len(before)-1])
	case a == '-':
		return !strings.ContainsRune("!$),./:;?]}", rune(b))
	case a == '?':
		return !strings.ContainsRune("!\"'),./:;?]}", rune(b))
	}
	return strings.IndexByte("!\"#%&)*+,.:;=>\\]|}~", a) >= 0 && strings.IndexByte("(<[{", b) >= 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlnum(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
