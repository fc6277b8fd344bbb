package text

import (
	"bytes"
	"math"
	"sort"
	"unicode"
	"unicode/utf8"

	"plumb/render/font"
	"plumb/render/scene"
)

// Layouter lays out text for one worker. It is not safe for concurrent use. Its scratch memory is
// kept, so that texts of the usual size allocate nothing.
type Layouter struct {
	fonts *font.Set

	spec            Spec
	out             *Layout
	plainFace       *font.Face // of plain text
	text            []byte     // of the current paragraph
	spans           []span
	pieces          []piece
	items           []item
	breakAllowed    []bool       // breakAllowed[i]: a line may end before byte i of text
	characterStarts []bool       // characterStarts[i]: a character begins at byte i of text
	indent          float64      // of the paragraph's lines, px
	inList          bool         // the paragraph is in a list
	lineRoom        float64      // width for a line, px; infinite when nothing wraps
	nextTop         float64      // y at which the next line begins, px
	endSums         []float32    // memory of all items' ends
	lineGlyphs      []font.Glyph // of the part of an item that is on a line
	scratchLayout   Layout       // for measuring only
}

// span is a range of the paragraph's text with one set of marks.
type span struct {
	from, to int
	marks    *scene.Span
}

// piece is a range of text in one font, which is shaped as a whole; a tab is a piece of its own.
type piece struct {
	from, to int
	face     *font.Face
	tab      bool
}

// item is the part of a piece that lies in one span. The browser measures, breaks and places it by
// itself, though its glyphs are those of the whole piece.
type item struct {
	piece
	marks      *scene.Span
	shapedFrom int // byte from which clusters count: the piece's first
	glyphs     []font.Glyph
	ends       []float32 // x at which each glyph ends, once a line was cut out of the item; see glyphEnds
}

// firstByte returns the position in the paragraph of the first byte that belongs to the item's
// glyphs. Bytes of the item before it are part of a ligature in the item before.
func (it *item) firstByte() int {
	if len(it.glyphs) == 0 {
		return it.to
	}
	return it.shapedFrom + int(it.glyphs[0].Cluster)
}

// New returns a layouter that shapes with the given fonts.
func New(fonts *font.Set) *Layouter { return &Layouter{fonts: fonts} }

// blank is a text of one empty paragraph, which is laid out in place of no text.
var blank = scene.RichText{Blocks: make([]scene.Block, 1)}

// Layout lays out a rich text with its top left corner at (0, 0), before Place, and aligns its
// lines. It overwrites out. A nil text is one empty line. out.W is spec.Width or, where that is
// Unbounded, the width of the longest line. It returns *UnsupportedError and *font.ForeignError for text
// that it does not lay out as the browser does, and errors for missing fonts.
func (l *Layouter) Layout(out *Layout, rich *scene.RichText, spec Spec) error {
	out.reset()
	if rich != nil && rich.Foreign != "" {
		return &UnsupportedError{rich.Foreign}
	}
	if rich == nil || len(rich.Blocks) == 0 {
		rich = &blank
	}
	// Lay out block after block.
	base, err := l.fonts.Face(font.Style{Family: families[spec.Font]})
	if err != nil {
		return err
	}
	l.spec, l.out, l.plainFace, l.nextTop = spec, out, base, 0
	for i := range rich.Blocks {
		if err := l.layoutBlock(rich, i); err != nil {
			return err
		}
	}
	// The size, then the alignment within it.
	out.W, out.H = spec.Width, l.nextTop
	if spec.Width < 0 { // Unbounded
		out.W = 0
		for _, line := range out.Lines {
			out.W = max(out.W, line.Indent+max(line.Width, line.markerWidth))
		}
	}
	out.align(spec.Align)
	return nil
}

// layoutBlock lays out the paragraph rich.Blocks[at] of a rich text, with its list marker, and appends its
// lines to l.out. It splits the paragraph at forced line breaks; the text between two of them wraps
// by itself.
func (l *Layouter) layoutBlock(rich *scene.RichText, at int) error {
	b := &rich.Blocks[at]
	if err := l.loadParagraph(b); err != nil {
		return err
	}
	l.setListIndent(rich, at)
	// The width that lines have.
	l.lineRoom = math.Inf(1)
	if l.spec.Width >= 0 {
		l.lineRoom = max(0, l.spec.Width-l.indent)
		if l.inList && l.lineRoom == 0 && len(b.Spans) > 1 { // the browser breaks there: docs/spec/drawing.md#r87
			return &UnsupportedError{"several spans in a list without room for its lines"}
		}
	}
	first := len(l.out.Lines) // its first line has the marker
	for from := 0; ; {
		to := len(l.text)
		if n := bytes.IndexByte(l.text[from:], '\n'); n >= 0 {
			to = from + n
		}
		if err := l.layoutForced(from, to); err != nil {
			return err
		}
		from = to + 1
		if from >= len(l.text) { // a break that ends a paragraph begins no line
			break
		}
	}
	return l.addMarker(b, first)
}

// loadParagraph copies a paragraph's text to l.text and splits it in three ways: by marks such as
// bold into l.spans, by fonts into l.pieces, each of which is shaped as a whole, and by both into
// l.items. It refuses marks and characters that it does not draw as the browser does.
func (l *Layouter) loadParagraph(b *scene.Block) error {
	l.text, l.spans, l.pieces, l.items = l.text[:0], l.spans[:0], l.pieces[:0], l.items[:0]
	l.breakAllowed, l.characterStarts, l.endSums = l.breakAllowed[:0], l.characterStarts[:0], l.endSums[:0]
	for i := range b.Spans {
		s := &b.Spans[i]
		switch {
		case s.Highlight:
			return &UnsupportedError{"the mark highlight"}
		case s.Code && l.spec.Font == scene.FontMono:
			return &UnsupportedError{"the mark code in the mono font"} // the editor draws it in another
		}
		from := len(l.text)
		l.text = append(l.text, s.Text...)
		if n := len(l.spans); n > 0 && sameMarks(l.spans[n-1].marks, s) {
			l.spans[n-1].to = len(l.text) // one text for the browser
		} else {
			l.spans = append(l.spans, span{from, len(l.text), s})
		}
		face, err := l.face(s)
		if err != nil {
			return err
		}
		for at := from; at < len(l.text); {
			at = l.addPiece(at, face)
		}
	}
	if bytes.Contains(l.text, softHyphen) && !l.softHyphensWithinWords() {
		return &UnsupportedError{"a soft hyphen beside what is no letter"}
	}
	return l.shapeItems()
}

// softHyphensWithinWords reports whether each soft hyphen of the paragraph stands between two letters
// or digits. Only there it is known how the browser lays it out.
func (l *Layouter) softHyphensWithinWords() bool {
	isWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	for rest := l.text; ; {
		i := bytes.Index(rest, softHyphen)
		if i < 0 {
			return true
		}
		before, _ := utf8.DecodeLastRune(rest[:i])
		rest = rest[i+len(softHyphen):]
		if after, _ := utf8.DecodeRune(rest); !isWord(before) || !isWord(after) {
			return false
		}
	}
}

// shapeItems shapes the pieces of a paragraph, each as a whole, because marks do not interrupt
// shaping. Then it splits their glyphs at the ends of spans into l.items. A tab is an item without
// glyphs.
func (l *Layouter) shapeItems() error {
	s := 0 // the current span
	for _, p := range l.pieces {
		if p.tab {
			l.items = append(l.items, item{piece: p, shapedFrom: p.from})
			continue
		}
		whole, err := p.face.Shape(l.text[p.from:p.to])
		if err != nil {
			return err
		}
		for from := p.from; from < p.to; {
			for l.spans[s].to <= from {
				s++
			}
			to := min(p.to, l.spans[s].to)
			l.items = append(l.items, item{
				piece: piece{from: from, to: to, face: p.face}, marks: l.spans[s].marks, shapedFrom: p.from,
				glyphs: whole[glyphAt(whole, from-p.from):glyphAt(whole, to-p.from)],
			})
			from = to
		}
	}
	return nil
}

// sameMarks reports whether two spans have the same marks.
func sameMarks(a, b *scene.Span) bool {
	x, y := *a, *b
	x.Text, y.Text = "", ""
	return x == y
}

// face returns the font of a span of a text shape or label, by its marks for bold, italic and code.
func (l *Layouter) face(s *scene.Span) (*font.Face, error) {
	style := font.Style{Family: families[l.spec.Font], Bold: s.Bold, Italic: s.Italic}
	if s.Code {
		style.Family = font.Mono
	}
	return l.fonts.Face(style)
}

// addPiece adds a piece of the paragraph that is set in the font face and begins at byte at. It
// returns the end of the piece: before the next tab or forced line break. A piece in the same font
// right before it is extended instead, because the browser shapes neighbours in one font together
// whatever their marks are.
func (l *Layouter) addPiece(at int, face *font.Face) int {
	switch l.text[at] {
	case '\n':
		return at + 1
	case '\t':
		l.pieces = append(l.pieces, piece{from: at, to: at + 1, face: face, tab: true})
		return at + 1
	}
	to := len(l.text)
	if n := bytes.IndexAny(l.text[at:], "\n\t"); n >= 0 {
		to = at + n
	}
	if n := len(l.pieces); n > 0 {
		if last := &l.pieces[n-1]; last.face == face && last.to == at && !last.tab {
			last.to = to
			return to
		}
	}
	l.pieces = append(l.pieces, piece{from: at, to: to, face: face})
	return to
}

// layoutForced lays out text[from:to] of the paragraph, which lies between two forced line breaks,
// as one line or, where it must wrap, as several.
func (l *Layouter) layoutForced(from, to int) error {
	onlySpaces := l.trimSpaces(from, to) // from here on
	for {
		end, err := l.fitLine(from, max(from, onlySpaces), to)
		if err != nil {
			return err
		}
		if err := l.emitLine(from, end, end < to); err != nil {
			return err
		}
		from = end
		if from >= to {
			return nil
		}
	}
}

// emitLine appends text[from:to] of the paragraph to the layout as one line, with its runs, glyphs, width and
// baseline, and moves l.nextTop below it. wrapped says that the text goes on in the next line. Spaces at the end
// of a line hang over its end: the width of a wrapped line does not include them, that of another line only as
// far as there is room. A *UnsupportedError says that the browser places the line by rules that are not known here.
func (l *Layouter) emitLine(from, to int, wrapped bool) error {
	if wrapped && bytes.HasSuffix(l.text[from:to], softHyphen) {
		return &UnsupportedError{"a line that ends in a soft hyphen"}
	}
	out := l.out
	line := Line{First: int32(len(out.Runs)), Indent: l.indent, inList: l.inList}
	// Spaces at the end get a run of their own from byte hangFrom on, or stay in the run before them if it is to.
	hangFrom, err := l.hangStart(from, to)
	if err != nil {
		return err
	}
	fullWidth, err := l.measureOrEmit(from, to, hangFrom, true)
	if err != nil {
		return err
	}
	line.Count, line.Width = int32(len(out.Runs))-line.First, fullWidth
	// inkEnd is where the spaces at the end begin, whether or not they get a run of their own.
	if inkEnd := l.trimSpaces(from, to); inkEnd < to {
		if line.Width, err = l.measure(from, inkEnd); err != nil {
			return err
		}
		if !wrapped {
			if fullWidth > l.lineRoom && l.spec.Align != scene.AlignStart && l.spanWithin(inkEnd, to) {
				return &UnsupportedError{"spaces of several styles that reach beyond the end of a line"}
			}
			line.Width = max(line.Width, min(fullWidth, l.lineRoom))
		}
	}
	// The line is as high as its highest font asks for; the plain font always counts.
	above, below := l.lineExtent(l.plainFace)
	for i := line.First; i < line.First+line.Count; i++ {
		a, b := l.lineExtent(out.Runs[i].Face)
		above, below = max(above, a), max(below, b)
	}
	line.baseline = l.nextTop + above
	for i := line.First; i < line.First+line.Count; i++ {
		out.Runs[i].Baseline = line.baseline
	}
	l.nextTop += above + below
	out.Lines = append(out.Lines, line)
	return nil
}

// hangStart returns where the spaces at the end of the line text[from:to] are cut off into a run of their
// own, or to if they are not. The browser cuts them off where the item in which they begin goes on behind
// the line, or reaches beyond its end because of them.
func (l *Layouter) hangStart(from, to int) (int, error) {
	spaces := l.trimSpaces(from, to)
	if spaces == to {
		return to, nil
	}
	end := l.items[l.itemAt(spaces)].to
	if end > to {
		return spaces, nil
	}
	width, err := l.measure(from, end)
	if err != nil || fitsWidth(width, l.lineRoom) {
		return to, err
	}
	return spaces, nil
}

// spanWithin reports whether a span ends inside text[from:to]: the style changes there.
func (l *Layouter) spanWithin(from, to int) bool {
	i := sort.Search(len(l.spans), func(i int) bool { return l.spans[i].to > from })
	return i < len(l.spans) && l.spans[i].to < to
}

// lineExtent returns how far text in a font reaches above and below the baseline of a line, in px: the
// font's ascent and descent, with half of the rest of the line height on each side. See
// docs/spec/drawing.md#r43.
func (l *Layouter) lineExtent(face *font.Face) (above, below float64) {
	height := LineHeight(l.spec.Size)
	ascent, descent := face.Ascent(l.spec.Size), face.Descent(l.spec.Size)
	above = ascent + math.Floor((height-(ascent+descent))/2)
	return above, height - above
}

// trimSpaces returns the end of text[from:to] without the spaces at its end.
func (l *Layouter) trimSpaces(from, to int) int {
	for to > from && isSpace(l.text[to-1]) {
		to--
	}
	return to
}

// softHyphen shows only where a line ends in one. Beside a space the browser breaks lines by rules
// that are not known here.
var softHyphen = []byte("\u00ad")

func isSpace(b byte) bool { return b == ' ' || b == '\t' }

// measure returns the width of text[from:to] on a line of its own.
func (l *Layouter) measure(from, to int) (float64, error) {
	return l.measureOrEmit(from, to, to, false)
}

// measureOrEmit shapes text[from:to] of the paragraph as a line of its own and returns its width in
// px. The line consists of fragments: its items, of which leading spaces, and the spaces from byte
// hangFrom on that hang over its end, are fragments of their own. As in the browser, the width of each is rounded
// up. With emit it also appends the runs and glyphs to the layout; the caller sets their baseline.
func (l *Layouter) measureOrEmit(from, to, hangFrom int, emit bool) (width float64, err error) {
	first := l.itemAt(from)
	for i := first; i < len(l.items) && l.items[i].from < to; i++ {
		it := &l.items[i]
		if it.tab {
			stop, err := l.tabStop(it.face, width)
			if err != nil {
				return 0, err
			}
			width = stop
			continue
		}
		glyphs, err := l.shape(it, max(from, it.from), min(to, it.to), i == first)
		if err != nil {
			return 0, err
		}
		if i == first {
			if n := leadingSpaces(l.text[from:to], glyphs, from); n > 0 {
				width = l.layFragments(it, glyphs[:n], hangFrom, width, emit)
				glyphs = glyphs[n:]
			}
		}
		width = l.layFragments(it, glyphs, hangFrom, width, emit)
	}
	return width, nil
}

// leadingSpaces returns how many of a line's first glyphs stand for the spaces that the line begins
// with. from is the position of the line's first byte in the paragraph.
func leadingSpaces(line []byte, glyphs []font.Glyph, from int) (n int) {
	for n < len(glyphs) {
		if at := int(glyphs[n].Cluster) - from; at >= len(line) || line[at] != ' ' {
			break
		}
		n++
	}
	return n
}

// itemAt returns the index of the first item that ends after byte at.
func (l *Layouter) itemAt(at int) int {
	return sort.Search(len(l.items), func(i int) bool { return l.items[i].to > at })
}

// tooWide reports whether text[from:to] of the paragraph is certainly wider than a line. To save
// shaping it adds up the advances that the glyphs have in the whole paragraph. Shaping the text as
// a line of its own changes its width by less than two em. So the sum may be two em more than the line.
func (l *Layouter) tooWide(from, to int) bool {
	const slackEm = 2
	left := l.lineRoom + slackEm*l.spec.Size // room that is left, px
	for i := l.itemAt(from); i < len(l.items) && l.items[i].from < to; i++ {
		it := &l.items[i]
		if it.tab {
			// A tab is at least half a space wide; the first stop is eight spaces, rounded up to 1/64 px.
			if eightSpaces, err := l.tabStop(it.face, 0); err == nil {
				leastTab := (eightSpaces - 1.0/64) / 16
				left -= leastTab
			}
		}
		for _, g := range it.glyphs[glyphAt(it.glyphs, from-it.shapedFrom):] {
			if it.shapedFrom+int(g.Cluster) >= to {
				break
			}
			left -= float64(it.face.Advance(g, l.spec.Size))
			if left < 0 {
				return true
			}
		}
	}
	return left < 0
}

// tabStop returns the x in px of the next tab stop after x: a multiple of the width of eight
// spaces, at least half a space away. See docs/spec/drawing.md#r50.
func (l *Layouter) tabStop(face *font.Face, x float64) (float64, error) {
	glyphs, err := face.Shape([]byte{' '})
	if err != nil {
		return 0, err
	}
	space := float64(advance(face, glyphs, l.spec.Size))
	step := 8 * space
	gap := step - math.Mod(x, step)
	if gap < space/2 {
		gap += step
	}
	return ceilToLayoutUnit(x + gap), nil
}

// layFragments lays the glyphs of an item on a line, the first at x px, and returns the x after the
// last one. It splits them at byte hangFrom, where spaces begin to hang over the end of the line,
// because the browser rounds the width of each fragment up. With emit it also appends them to the
// layout.
func (l *Layouter) layFragments(it *item, glyphs []font.Glyph, hangFrom int, x float64, emit bool) float64 {
	for len(glyphs) > 0 {
		n := len(glyphs)
		if k := glyphAt(glyphs, hangFrom); k > 0 {
			n = k
		}
		width := ceilToLayoutUnit(float64(advance(it.face, glyphs[:n], l.spec.Size)))
		if emit {
			l.emitRun(it.face, it.marks, glyphs[:n], x, width)
		}
		x += width
		glyphs = glyphs[n:]
	}
	return x
}

// emitRun appends a run of text at x px, with its width and its glyphs, to the layout. Glyphs without ink, such as
// spaces, are left out. The browser draws a glyph at one of a few sub-pixel positions; pen positions are summed in
// binary32 as there, so that a glyph near the edge between two of these gets the same one.
func (l *Layouter) emitRun(face *font.Face, marks *scene.Span, glyphs []font.Glyph, x, width float64) {
	out, size := l.out, l.spec.Size
	run := Run{
		Face: face, Size: size, X: l.indent + x, Width: width, First: int32(len(out.Glyphs)),
		Link: marks.Link, Underline: marks.Underline, Strike: marks.Strike,
	}
	underlined := run.Link || run.Underline
	var pen float32
	for _, g := range glyphs {
		if !g.NoInk {
			out.Glyphs = append(out.Glyphs, Glyph{
				ID:      g.ID,
				Crossed: underlined && bytes.IndexByte(crossedByUnderline, l.text[g.Cluster]) >= 0,
				X:       pen + face.Pixels(g.DX, size), Y: -face.Pixels(g.DY, size),
			})
		}
		pen += face.Advance(g, size)
		if !g.NoInk {
			run.Inked = float64(pen)
		}
	}
	run.Count = int32(len(out.Glyphs)) - run.First
	out.Runs = append(out.Runs, run)
}

// crossedByUnderline are the characters that an underline goes through instead of around.
var crossedByUnderline = []byte(`/\_`)

// advance returns the width of glyphs at size px per em: the sum of their advances in px, in
// binary32 as in the browser.
func advance(face *font.Face, glyphs []font.Glyph, size float64) (sum float32) {
	for _, g := range glyphs {
		sum += face.Advance(g, size)
	}
	return sum
}

// shape returns the glyphs of text[from:to], a part of one item of the paragraph, with clusters as
// positions in the paragraph. beginsLine says that a line begins there. Where a line is cut out of an
// item, the browser shapes again only the parts near the cuts whose glyphs can change. Where a line
// begins at an item's start, that is only what was in a ligature of the item before. The result is
// valid until the next call.
func (l *Layouter) shape(it *item, from, to int, beginsLine bool) ([]font.Glyph, error) {
	l.lineGlyphs = l.lineGlyphs[:0]
	// From byte keepFrom to byte keepTo the glyphs [firstKept, endKept) of the item stay as they are.
	keepFrom, firstKept := from-it.shapedFrom, 0
	switch {
	case from > it.from, beginsLine && from > it.shapedFrom:
		// The part begins within the item, or a line begins at an item that was shaped in one piece with the
		// item before: glyphs may be joined with what is in front, up to a safe place.
		keepFrom, firstKept = safeAfter(it.glyphs, keepFrom, to-it.shapedFrom)
	case beginsLine: // at the start of what was shaped in one piece
		keepFrom = min(it.firstByte(), to) - it.shapedFrom
	}
	keepTo, endKept := to-it.shapedFrom, len(it.glyphs)
	if to < it.to {
		keepTo, endKept = safeBefore(it.glyphs, keepTo, from-it.shapedFrom)
	}
	keepFrom, keepTo = keepFrom+it.shapedFrom, keepTo+it.shapedFrom
	if keepFrom > keepTo { // nothing stays
		return l.shapeAgain(it.face, from, to)
	}
	if from < keepFrom {
		if _, err := l.shapeAgain(it.face, from, keepFrom); err != nil {
			return nil, err
		}
	}
	if keepFrom < keepTo {
		l.appendGlyphs(it.glyphs[firstKept:endKept], it.shapedFrom)
	}
	if keepTo < to {
		return l.shapeAgain(it.face, keepTo, to)
	}
	return l.lineGlyphs, nil
}

// glyphAt returns the position of the first glyph at or after byte at.
func glyphAt(glyphs []font.Glyph, at int) int {
	return sort.Search(len(glyphs), func(i int) bool { return int(glyphs[i].Cluster) >= at })
}

// startsCluster reports whether glyph i is the first of its cluster.
func startsCluster(glyphs []font.Glyph, i int) bool {
	return i == 0 || glyphs[i-1].Cluster != glyphs[i].Cluster
}
