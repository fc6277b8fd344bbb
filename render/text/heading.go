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

// Heading lays out the name of a frame on one line whose pen begins at (0, 0), the baseline: a
// run per word and per stretch of spaces, each where the browser measured it. See
// docs/spec/drawing.md#r82. A name wider than avail px, rounded up, is cut and ends in an
// ellipsis, unless there is no room at all. out.W is its width. Errors are *font.ForeignError
// or, where the font is missing, wrap fs.ErrNotExist.
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
	x := min(ceil64(float64(advance(face, glyphs, headingSize))), avail-math.Ceil(markWidth))
	l.emit(face, &scene.Span{}, mark, x, markWidth)
	out.W = x + markWidth
	return nil
}

// headingCut returns how many bytes of a frame's name, whose glyphs are given, fit into room px: whole
// clusters, at least one, and the spaces behind them, which may stick out.
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
	return floor64(float64(advance(face, glyphs, headingSize)))
}

// emitWords emits a frame's name word by word: each is drawn by itself, at the x that it has in
// the whole name.
func (l *Layouter) emitWords(face *font.Face, name string, glyphs []font.Glyph) error {
	for from := 0; from < len(name); {
		to := from + wordLength(name[from:])
		word, err := face.Shape([]byte(name[from:to]))
		if err != nil {
			return err
		}
		x := headingWidth(face, glyphs[:glyphAt(glyphs, from)])
		l.emit(face, &scene.Span{}, word, x, headingWidth(face, word))
		from = to
	}
	return nil
}

// wordLength returns the length in bytes of the word, or of the spaces, at the start of s.
func wordLength(s string) int {
	c, _ := utf8.DecodeRuneInString(s)
	blank := unicode.IsSpace(c)
	n := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) != blank })
	if n < 0 {
		return len(s)
	}
	return n
}
