// Package shapes makes the outlines of shapes by kind: geo shapes, clouds, freehand ink,
// dashes, hand-drawn jitter. In: a *scene.Shape. Out: the draws of its outline, as paths with
// their pens and colours, and the points of its geometry. The table kinds has a row for each
// kind of shape. Errors wrap ErrForeign where a shape is not drawn natively.
package shapes

import (
	"fmt"

	"plumb/render/geom"
	"plumb/render/scene"
)

// Kind says how shapes of one kind are drawn and measured. The table kinds has a row for
// each kind but arrows, which package arrows draws; a new native shape is a new row.
type Kind struct {
	// draws makes the draws of the shape's own outline, without its text; nil where plumb
	// does not draw the kind. growY and back are those of Maker.Shape.
	draws func(m *Maker, sh *scene.Shape, growY float64, back bool) error
	// contours gives the lines of the shape's geometry; nil where they are not known from
	// the shape alone.
	contours func(m *Maker, sh *scene.Shape, to Contours) error
	// check returns an error that wraps ErrForeign for a shape that cannot be drawn as the
	// editor draws it; nil for no check.
	check func(sh *scene.Shape) error
	// Text says how the text of a shape is written.
	Text TextKind
	// Target is true if arrows can be bound to the kind.
	Target bool
	// Stroked is true if arrows keep half a stroke width away from the shape.
	Stroked bool
	// Open is true if the shape has an inside only when it is Closed.
	Open bool
}

// TextKind says how the text of a shape is written.
type TextKind uint8

const (
	// NoText: the shape has none, or it is not written with the outline.
	NoText TextKind = iota
	// BodyText: the shape is its text.
	BodyText
	// LabelText: a label over a geo shape.
	LabelText
	// NoteText: the text of a note, in its own colour.
	NoteText
)

// Contours receives the lines of a shape's geometry: the points of its bounds, and the
// outline at which arrows stop. Points are in the shape's own units, scale included.
type Contours struct {
	Begin func(c Contour) // begins a line
	Point func(geom.Point)
}

// Contour is a line of a shape's geometry.
type Contour struct {
	Open  bool // does not return to its first point
	Inner bool // is only stroked, as the diagonals of an x-box
	Dot   bool // is the disc that represents a line without length
}

var kinds = [...]Kind{
	scene.Geo:  {draws: (*Maker).geo, contours: geoContours, Text: LabelText, Target: true, Stroked: true},
	scene.Text: {draws: (*Maker).nothing, contours: textContours, Text: BodyText, Target: true, Stroked: true},
	scene.Note: {draws: (*Maker).note, contours: noteContours, Text: NoteText, Target: true, Stroked: true},
	scene.Line: {draws: (*Maker).line, contours: lineContours, check: checkLine,
		Target: true, Stroked: true, Open: true},
	scene.Draw: {draws: (*Maker).freehand, contours: freehandContours, check: checkStroke,
		Target: true, Stroked: true, Open: true},
	scene.Highlight: {draws: (*Maker).highlight, contours: freehandContours, check: checkStroke, Stroked: true},
	scene.Frame:     {contours: boxContours, Target: true},
	scene.Image:     {draws: (*Maker).media, contours: boxContours, Target: true},
	scene.Video:     {draws: (*Maker).media, contours: boxContours, Target: true},
	scene.Bookmark:  {contours: boxContours, Target: true},
	scene.Embed:     {contours: boxContours, Target: true},
	scene.Group:     {draws: (*Maker).nothing},
}

// KindOf returns what is particular to a shape's kind: its row in the table kinds. Kinds that are
// not in the table have an empty row.
func KindOf(sh *scene.Shape) *Kind {
	if int(sh.Kind) < len(kinds) {
		return &kinds[sh.Kind]
	}
	return new(Kind)
}

// Contours passes the lines of a shape's geometry, by which bounds and arrows are computed, to the
// functions of contours. Errors wrap ErrForeign where that geometry is not known natively.
func (maker *Maker) Contours(shape *scene.Shape, contours Contours) error {
	k := KindOf(shape)
	if k.contours == nil {
		return Foreign(shape, "bounds")
	}
	return k.contours(maker, shape, contours)
}

// CheckOdd returns an error that wraps ErrForeign for the first shape whose record the editor may
// refuse. It looks at all shapes, drawn or not, because the editor then refuses the whole document. See
// docs/spec/drawing.md#r88.
func CheckOdd(s *scene.Scene) error {
	for i := range s.Shapes {
		if sh := &s.Shapes[i]; sh.Odd != "" {
			err := fmt.Errorf("cannot draw shape %q (%s): %s: %w", sh.ID, sh.TypeName, sh.Odd, ErrForeign)
			return ErrorAt(sh.ID, err)
		}
	}
	return nil
}

// Check returns an error that wraps ErrForeign for a shape that the editor refuses, such as
// a line without points, or that cannot be drawn as the editor draws it.
func Check(sh *scene.Shape) error {
	if check := KindOf(sh).check; check != nil {
		return check(sh)
	}
	return nil
}

// nothing makes no draws, for kinds that have only text or only children.
func (*Maker) nothing(*scene.Shape, float64, bool) error { return nil }

// media makes no draws for a picture or video without an asset. With one it is not native.
func (*Maker) media(sh *scene.Shape, _ float64, _ bool) error {
	if sh.Asset != "" {
		return Foreign(sh, "outline")
	}
	return nil
}

// rect adds the contour of a rectangle of w x h at the shape's origin, by which bounds and arrows are
// computed.
func (to Contours) rect(w, h float64) {
	to.Begin(Contour{})
	for _, p := range [4]geom.Point{geom.Pt(0, 0), geom.Pt(w, 0), geom.Pt(w, h), geom.Pt(0, h)} {
		to.Point(p)
	}
}

// boxContours gives the rectangle of a shape whose size is its w and h.
func boxContours(_ *Maker, sh *scene.Shape, to Contours) error {
	to.rect(sh.W, sh.H)
	return nil
}

// textContours gives contours the box of a text shape, by which bounds and arrows are computed.
func textContours(_ *Maker, sh *scene.Shape, contours Contours) error {
	w, h, err := textSize(sh)
	if err == nil {
		contours.rect(w, h)
	}
	return err
}

// noteContours gives contours the rectangle of a note, by which bounds and arrows are computed.
func noteContours(_ *Maker, shape *scene.Shape, contours Contours) error {
	growY, err := Grown(shape)
	if err == nil {
		contours.rect(NoteSide*shape.Scale, (NoteSide+growY)*shape.Scale)
	}
	return err
}

// geoContours gives contours the lines of a geo shape's outline, by which bounds and arrows are computed.
// The shape is as high as its label makes it; curves are given as sample points. Lines that are only
// stroked, such as a cross, are marked as open and inner.
func geoContours(maker *Maker, shape *scene.Shape, contours Contours) error {
	growY, err := Grown(shape)
	if err != nil {
		return err
	}
	outline := &maker.Outline
	outline.Reset()
	spec := GeoSpec{
		Kind: shape.Geo, W: shape.W, H: shape.H + growY,
		Size: shape.Size, Dash: shape.Dash, Scale: shape.Scale, ID: shape.ID,
	}
	if err := spec.Outline(outline); err != nil {
		return fmt.Errorf("shape %q: %w", shape.ID, err)
	}
	var from geom.Point // where the command begins
	for i := range outline.Commands {
		command := &outline.Commands[i]
		if command.Verb == MoveTo {
			contours.Begin(Contour{Open: command.StrokeOnly, Inner: command.StrokeOnly})
		}
		command.Sample(from, contours.Point)
		from = command.To
	}
	return nil
}

// lineContours gives contours the points of a line shape, by which bounds and arrows are computed; of
// curves it gives sample points.
func lineContours(maker *Maker, sh *scene.Shape, contours Contours) error {
	maker.Outline.Reset()
	OutlineLine(sh.Points, sh.Cubic, &maker.Outline)
	contours.Begin(Contour{Open: true})
	maker.Outline.Sample(contours.Point)
	return nil
}

// freehandContours gives contours the lines by which bounds and arrows of a freehand shape are computed:
// of a draw shape its smoothed points, of a highlight the edges of its stroke. Of a line with hardly any
// length it gives a disc, as the editor does. A line without points has none.
func freehandContours(m *Maker, shape *scene.Shape, contours Contours) error {
	line := &m.Freehand
	if err := line.Gather(shape); err != nil || len(line.Input) == 0 {
		return err
	}
	if r := line.smoothForBounds(shape); r > 0 {
		contours.Begin(Contour{Dot: true})
		dotOutline(r, contours.Point)
		return nil
	}
	const leastToEnclose = 3 // points
	contours.Begin(Contour{Open: !shape.Closed || len(line.Points) < leastToEnclose})
	if shape.Kind == scene.Highlight {
		line.highlightEdge(highlighter(shape), contours.Point)
		return nil
	}
	for i := range line.Points {
		contours.Point(line.Points[i].At)
	}
	return nil
}
