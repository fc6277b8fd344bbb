// Package text lays out text as the reference browser does: line breaks, lists, alignment,
// sizes of labels. In: rich text, font, size and available width. Out: runs of positioned
// glyphs and the size of the block, in the shape's own unscaled units. It refuses what the
// shipped fonts cannot write and what it does not lay out as the browser does
// (*font.ForeignError, *UnsupportedError).
package text

import (
	"fmt"
	"math"

	"plumb/render/font"
	"plumb/render/scene"
)

// UnsupportedError names what of a rich text is not laid out here: a mark, a node, or a case of
// either. See docs/spec/drawing.md#r45.
type UnsupportedError struct{ Name string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("cannot lay out %s in rich text", e.Name)
}

// Unbounded is the available width of text that wraps nowhere.
const Unbounded = -1

// Spec says how a document is laid out.
type Spec struct {
	Font  scene.Font
	Size  float64 // px per em, > 0
	Width float64 // available px, >= 0, or Unbounded
	Align scene.Align
	// KeepWords keeps words whole that are wider than Width: they stick out. Without
	// it they break between characters.
	KeepWords bool
}

// Layout is a laid out document. The zero value is ready for use; its memory is
// used again.
type Layout struct {
	W, H   float64 // of the block, px: Spec.Width or the widest line; the sum of line heights
	Lines  []Line
	Runs   []Run
	Glyphs []Glyph
	Dots   []Dot
}

// Line is one line of the block.
type Line struct {
	First, Count int32   // in Layout.Runs
	Indent       float64 // padding of lists, px
	Width        float64 // without the indent and without hanging spaces, px
	markerWidth  float64 // width of the marker of a list beside it: the block is so wide at least
	baseline     float64
	inList       bool
}

// Run is a part of one line in one style. The browser paints its halo, then its glyphs, before the
// next run's.
type Run struct {
	Face         *font.Face
	Size         float64 // px per em
	X            float64 // left end of the advances
	Width        float64 // sum of the advances, rounded up to 1/64 px
	Inked        float64 // sum of the advances up to the last glyph with ink
	Baseline     float64 // y of the baseline; Place makes it whole
	Raised       float64 // by how much Place raised the baseline for that
	First, Count int32   // in Layout.Glyphs: those with ink
	Link         bool    // drawn in the colour of links
	Underline    bool    // one of its own; links have another
	Strike       bool
}

// Glyph is one glyph of a run, relative to the run's X and baseline, px, y down.
type Glyph struct {
	ID      uint16
	Crossed bool // an underline goes through it
	X, Y    float32
}

// Dot is the marker of an item in a bullet list, px.
type Dot struct {
	X, Y, W, H float64
	Kind       DotKind
}

// DotKind is the form of a bullet.
type DotKind uint8

// The bullets of a list: of the first level, the second, and all deeper ones.
const (
	Disc DotKind = iota
	Circle
	Square
)

// reset empties the layout and keeps its memory.
func (l *Layout) reset() {
	l.W, l.H = 0, 0
	l.Lines, l.Runs, l.Glyphs, l.Dots = l.Lines[:0], l.Runs[:0], l.Glyphs[:0], l.Dots[:0]
}

// Place moves the laid out text to (x, y) and then rounds baselines and bullets to whole units, as
// the browser does before any transform. See docs/spec/drawing.md#r43. It is called once, after
// everything else.
func (l *Layout) Place(x, y float64) {
	for i := range l.Runs {
		r := &l.Runs[i]
		baseline := r.Baseline + y
		r.X, r.Baseline = r.X+x, math.Floor(baseline+0.5)
		r.Raised = baseline - r.Baseline
	}
	for i := range l.Dots {
		l.Dots[i].X = math.Floor(l.Dots[i].X + x + 0.5)
		l.Dots[i].Y = math.Floor(l.Dots[i].Y + y + 0.5)
	}
}

// align moves the runs of each line within the width of the text's box, to the start, the middle or
// the end. Lines of lists stay at the left. See docs/spec/drawing.md#r49.
func (l *Layout) align(a scene.Align) {
	for _, line := range l.Lines {
		slack := l.W - line.Indent - line.Width
		if line.inList || slack < 0 || a == scene.AlignStart {
			continue
		}
		if a == scene.AlignMiddle {
			slack = floorToLayoutUnit(slack / 2)
		}
		for i := line.First; i < line.First+line.Count; i++ {
			l.Runs[i].X += slack
		}
	}
}

// families maps the fonts of scenes to those of files.
var families = [...]font.Family{
	scene.FontDraw: font.Draw, scene.FontSans: font.Sans, scene.FontSerif: font.Serif, scene.FontMono: font.Mono,
}

// LineHeight returns 1.35 em, cut down to 1/64 px. See docs/spec/drawing.md#r42.
func LineHeight(size float64) float64 {
	return floorToLayoutUnit(float64(float32(1.35) * float32(size)))
}

// floorToLayoutUnit and ceilToLayoutUnit round to 1/64 px, the unit of all lengths in the browser's
// layout.
func floorToLayoutUnit(v float64) float64 { return math.Floor(v*64) / 64 }
func ceilToLayoutUnit(v float64) float64  { return math.Ceil(v*64) / 64 }
