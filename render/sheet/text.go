package sheet

import (
	"fmt"
	"image/color"

	"plumb/render/font"
	"plumb/render/vector"
)

// Writer sets one line of text at a time in one of the shipped fonts.
type Writer struct {
	face *font.Face
	Caps float64 // height of a capital letter for each px of size
}

// NewWriter returns a writer of lines of text in one of the shipped fonts. It measures the height of
// capitals by that of an H.
func NewWriter(style font.Style) (*Writer, error) {
	library, err := font.Default()
	if err != nil {
		return nil, fmt.Errorf("cannot write labels: %w", err)
	}
	face, err := library.NewSet().Face(style)
	if err != nil {
		return nil, fmt.Errorf("cannot write labels: %w", err)
	}
	writer := &Writer{face: face}
	const size = 100 // px per em; any will do
	line, err := writer.Line("H", size)
	if err != nil {
		return nil, err
	}
	_, low, _, high := Bounds(line.Loops...)
	writer.Caps = (high - low) / size
	return writer, nil
}

// Line is text as outlines: the baseline at y = 0, the pen at x = 0, y down.
type Line struct {
	Loops []Loop
	Width float64 // of the advances, px
}

// Line returns the outlines of one line of text as polygons, which begin at (0, 0) on the base line,
// and its width. size is px per em.
func (writer *Writer) Line(text string, size float64) (Line, error) {
	glyphs, err := writer.face.Shape([]byte(text))
	if err != nil {
		return Line{}, fmt.Errorf("cannot write label %q: %w", text, err)
	}
	var out Line
	for _, glyph := range glyphs {
		var path vector.Path
		if err := writer.face.Outline(&path, glyph.ID, size); err != nil {
			return out, fmt.Errorf("cannot write label %q: %w", text, err)
		}
		dx := out.Width + float64(writer.face.Pixels(glyph.DX, size))
		dy := -float64(writer.face.Pixels(glyph.DY, size))
		out.Loops = append(out.Loops, flatten(&path, dx, dy)...)
		out.Width += float64(writer.face.Advance(glyph, size))
	}
	return out, nil
}

// flatness is how many chords stand for a curve of a glyph.
const flatness = 12

// flatten returns the outline of a glyph as polygons, moved by dx and dy. Each curve becomes a fixed
// number of straight pieces, which is enough for labels.
func flatten(path *vector.Path, dx, dy float64) (loops []Loop) {
	var cur Loop // the loop that is being made
	i := 0
	next := func() Point { // the next point of the path
		v := path.Points[i]
		i++
		return Point{float64(v.X) + dx, float64(v.Y) + dy}
	}
	for _, verb := range path.Verbs {
		switch verb {
		case vector.Move:
			if cur != nil {
				loops = append(loops, cur)
			}
			cur = Loop{next()}
		case vector.Line:
			cur = append(cur, next())
		case vector.Quad:
			a, c, b := cur[len(cur)-1], next(), next()
			for k := 1; k <= flatness; k++ {
				t := float64(k) / flatness
				cur = append(cur, Mix(Mix(a, c, t), Mix(c, b, t), t))
			}
		case vector.Cubic:
			a, c, d, b := cur[len(cur)-1], next(), next(), next()
			for k := 1; k <= flatness; k++ {
				t := float64(k) / flatness
				ac, cd, db := Mix(a, c, t), Mix(c, d, t), Mix(d, b, t)
				cur = append(cur, Mix(Mix(ac, cd, t), Mix(cd, db, t), t))
			}
		case vector.Conic: // glyphs have none: a line to its end will do
			next()
			cur = append(cur, next())
		}
	}
	if cur != nil {
		loops = append(loops, cur)
	}
	return loops
}

// Mix returns the point at t from a (0) to b (1).
func Mix(a, b Point, t float64) Point {
	return Point{a.X + float64((b.X-a.X)*t), a.Y + float64((b.Y-a.Y)*t)}
}

// Bounds returns the smallest box around polygons of a sheet: its corners (x0, y0) and (x1, y1) in
// px, all 0 without points.
func Bounds(loops ...Loop) (x0, y0, x1, y1 float64) {
	first := true
	for _, l := range loops {
		for _, point := range l {
			if first {
				x0, y0, x1, y1, first = point.X, point.Y, point.X, point.Y, false
			}
			x0, y0, x1, y1 = min(x0, point.X), min(y0, point.Y), max(x1, point.X), max(y1, point.Y)
		}
	}
	return x0, y0, x1, y1
}

// shifted returns polygons of a sheet moved by dx and dy px.
func shifted(loops []Loop, dx, dy float64) []Loop {
	out := make([]Loop, len(loops))
	for i, l := range loops {
		out[i] = make(Loop, len(l))
		for k, p := range l {
			out[i][k] = Point{p.X + dx, p.Y + dy}
		}
	}
	return out
}

// Write paints a line with the pen at (x, y), the baseline.
func (sheet *Sheet) Write(c color.NRGBA, l Line, x, y float64) {
	sheet.Fill(c, shifted(l.Loops, x, y)...)
}

// Box returns a rectangle as a loop.
func Box(x0, y0, x1, y1 float64) Loop { return Loop{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}} }
