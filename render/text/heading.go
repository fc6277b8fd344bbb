package text

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"plumb/render/font"
	"plumb/render/scene"
)

// headingSize is the font size of a frame's name, px.
const headingSize = 12

// ellipsis stands for the end of a name that is too long.
const ellipsis = "…"

// Heading lays out the name of a frame on one line, whose baseline begins at (0, 0). Each word, and
// each stretch of spaces between words, is a run of its own at the place where it lies in the whole
// name, as in the browser. See docs/spec/drawing.md#r82. If the name is wider than avail px,
// rounded up, it is cut and ends in an ellipsis, unless there is no room at all. out.W is its
// width. Errors are *font.ForeignError or, where the font is missing, wrap fs.ErrNotExist.
func (l *Layouter) Heading(out *Layout, name string, avail float64) error {
	out.reset()
	face, err := l.fonts.Face(font.Style{Family: font.Heading})
	if err != nil {
		return fmt.Errorf("cannot write headings: %w", err)
	}
	l.spec, l.out, l.indent = Spec{Size: headingSize}, out, 0 // what emit reads
	glyphs, err := face.Shape([]byte(name))
	if err != nil {
		return err
	}
	out.W = headingWidth(face, glyphs)
	if room := math.Ceil(avail); out.W <= room || room < 0 {
		return l.emitWords(face, name, glyphs)
	}
	// Too wide: the part that fits, then the ellipsis.
	mark, err := face.Shape([]byte(ellipsis))
	if err != nil {
		return err
	}
	markWidth := headingWidth(face, mark)
	name = name[:headingCut(face, name, glyphs, math.Ceil(avail)-math.Ceil(markWidth))]
	if glyphs, err = face.Shape([]byte(name)); err != nil {
		return err
	}
	if err := l.emitWords(face, name, glyphs); err != nil {
		return err
	}
	// The name was cut by the rounded room, but the ellipsis ends at the room that is not rounded.
	x := min(ceilToLayoutUnit(float64(advance(face, glyphs, headingSize))), avail-math.Ceil(markWidth))
	l.emitRun(face, &scene.Span{}, mark, x, markWidth)
	out.W = x + markWidth
	return nil
}

// headingCut returns how many bytes of a frame's name fit into room px in front of an ellipsis;
// glyphs are those of the whole name. It keeps whole clusters of glyphs, at least one, and the
// spaces after them, which may extend beyond the room.
func headingCut(face *font.Face, name string, glyphs []font.Glyph, room float64) int {
	end := 0
	for n := 1; n < len(glyphs); n++ {
		if !startsCluster(glyphs, n) {
			continue
		}
		if end > 0 && headingWidth(face, glyphs[:n]) > room {
			break
		}
		end = int(glyphs[n].Cluster)
	}
	if end == 0 { // a single cluster
		end = len(name)
	}
	for end < len(name) {
		c, size := utf8.DecodeRuneInString(name[end:])
		if !unicode.IsSpace(c) {
			break
		}
		end += size
	}
	return end
}

// headingWidth returns the advance of shaped glyphs of a frame's name as the browser measures it.
func headingWidth(face *font.Face, glyphs []font.Glyph) float64 {
	return floorToLayoutUnit(float64(advance(face, glyphs, headingSize)))
}

// emitWords appends a frame's name to the layout word by word. Each word is shaped by itself and
// placed at the x that it has in the whole name, because the browser does so.
func (l *Layouter) emitWords(face *font.Face, name string, glyphs []font.Glyph) error {
	for from := 0; from < len(name); {
		to := from + wordLength(name[from:])
		word, err := face.Shape([]byte(name[from:to]))
		if err != nil {
			return err
		}
		x := headingWidth(face, glyphs[:glyphAt(glyphs, from)])
		l.emitRun(face, &scene.Span{}, word, x, headingWidth(face, word))
		from = to
	}
	return nil
}

// wordLength returns the length in bytes of the word of a frame's name that s begins with, or of
// the spaces if it begins with these.
func wordLength(s string) int {
	c, _ := utf8.DecodeRuneInString(s)
	blank := unicode.IsSpace(c)
	n := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) != blank })
	if n < 0 {
		return len(s)
	}
	return n
}
