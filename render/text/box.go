package text

import (
	"math"

	"plumb/render/scene"
)

// Font sizes in px. See docs/spec/drawing.md#r41.
var (
	textSize  = [...]float64{scene.SizeS: 18, scene.SizeM: 24, scene.SizeL: 36, scene.SizeXL: 44}
	labelSize = [...]float64{scene.SizeS: 18, scene.SizeM: 22, scene.SizeL: 26, scene.SizeXL: 32}
)

// Limits of a geo label's width per size, px: the least width, and what is added to it. See
// docs/spec/drawing.md#r27.
var (
	leastLabelWidth = [...]float64{scene.SizeS: 12, scene.SizeM: 14, scene.SizeL: 16, scene.SizeXL: 20}
	extraLabelWidth = [...]float64{scene.SizeS: 2, scene.SizeM: 3.5, scene.SizeL: 5, scene.SizeXL: 10}
)

// Widths and paddings of boxes, px.
const (
	padding           = 16  // of geo labels and notes, on every side
	noteSide          = 200 // of a note without growth
	noteAvail         = noteSide - 2*padding
	noteMeasuredWidth = noteAvail - 1 // a note is measured one narrower than it is drawn
	smallestNoteFont  = 14            // smallest font that a note shrinks to
	noteWidthDoubt    = 1.0 / 16      // px by which the editor's width of a line of several spans may differ
	leastTextWidth    = 16            // width of an empty text shape
)

// Text lays out a text shape in its unscaled units, in a box of out.W x out.H at (0, 0). Lines wrap
// at the width of the shape. With Auto the box gets the width of the longest line; then the text is
// laid out twice, first to find that width. See docs/spec/drawing.md#r46.
func (l *Layouter) Text(out *Layout, sh *scene.Shape) error {
	spec := Spec{Font: sh.Font, Size: textSize[sh.Size], Width: Unbounded, Align: sh.Align}
	if !sh.Auto {
		spec.Width = max(leastTextWidth, math.Floor(sh.W))
		return l.layoutBoxed(out, sh.Rich, spec)
	}
	if err := l.Layout(out, sh.Rich, spec); err != nil {
		return err
	}
	spec.Width = max(leastTextWidth, out.W+1) // 1 px more, as in the editor
	return l.layoutBoxed(out, sh.Rich, spec)
}

// layoutBoxed lays out the text of a text shape and places it at (0, 0).
func (l *Layouter) layoutBoxed(out *Layout, rich *scene.RichText, spec Spec) error {
	if err := l.Layout(out, rich, spec); err != nil {
		return err
	}
	out.H = max(out.H, spec.Size) // an empty text is a line of 1.35 em already: this only states the least
	out.Place(0, 0)
	return nil
}

// TextSize returns the box of a text shape in its parent's units, scale
// included. It grows from the shape's origin to the right and down.
func (l *Layouter) TextSize(sh *scene.Shape) (w, h float64, err error) {
	if err := l.Text(&l.scratchLayout, sh); err != nil {
		return 0, 0, err
	}
	return l.scratchLayout.W * sh.Scale, l.scratchLayout.H * sh.Scale, nil
}

// GeoLabel lays out the label of a geo shape in the shape's unscaled units, where its box is w
// x h, growth included. See docs/spec/drawing.md#r28.
func (l *Layouter) GeoLabel(out *Layout, sh *scene.Shape, w, h float64) error {
	return l.layoutLabel(out, sh, labelSize[sh.Size], w, h)
}

// layoutLabel lays out the label of a geo shape or note, with a font of size px, inside a box of w
// x h px at (0, 0). It leaves the padding that both kinds share and aligns the text in both
// directions.
func (l *Layouter) layoutLabel(out *Layout, sh *scene.Shape, size, w, h float64) error {
	spec := Spec{Font: sh.Font, Size: size, Width: max(0, floorToLayoutUnit(w-2*padding)), Align: sh.Align}
	if err := l.Layout(out, sh.Rich, spec); err != nil {
		return err
	}
	h = max(h, 2*padding) // the padding stays where the shape is smaller
	y := float64(padding)
	switch sh.Vertical {
	case scene.AlignMiddle:
		y += floorToLayoutUnit((h - 2*padding - out.H) / 2)
	case scene.AlignEnd:
		y = floorToLayoutUnit(h) - padding - out.H
	}
	out.Place(padding, y)
	return nil
}

// GeoGrowth returns the growY that the editor computes when it creates a geo shape, scale included:
// by how much its label, with padding, is higher than the shape. It is 0 without a label, and where
// the label fits. See docs/spec/drawing.md#r27.
func (l *Layouter) GeoGrowth(sh *scene.Shape) (float64, error) {
	if sh.Rich == nil {
		return 0, nil
	}
	spec := Spec{Font: sh.Font, Size: labelSize[sh.Size], Align: sh.Align}
	least := leastLabelWidth[sh.Size]
	spec.Width = max(0, math.Ceil(least+extraLabelWidth[sh.Size]), math.Ceil(sh.W/sh.Scale-2*padding))
	if err := l.Layout(&l.scratchLayout, sh.Rich, spec); err != nil {
		return 0, err
	}
	height := l.scratchLayout.H + 2*padding // what the label needs, in unscaled units
	if height <= sh.H/sh.Scale {
		return 0, nil
	}
	return (height - sh.H/sh.Scale) * sh.Scale, nil
}

// NoteFit returns the font size and the growY that the editor computes when it creates a note,
// both unscaled: the font shrinks until every word fits, the note grows until every line does.
// See docs/spec/drawing.md#r81.
func (l *Layouter) NoteFit(sh *scene.Shape) (fontPx, grow float64, err error) {
	spec := Spec{Font: sh.Font, Size: labelSize[sh.Size], Width: noteMeasuredWidth, Align: sh.Align}
	for {
		// Words are broken in the smallest font alone; in others they count as
		// fitting up to half a px, and stay whole.
		spec.KeepWords = spec.Size > smallestNoteFont
		if err := l.Layout(&l.scratchLayout, sh.Rich, spec); err != nil {
			return 0, 0, err
		}
		width := widest(&l.scratchLayout)
		if spec.KeepWords && math.Abs(width-noteMeasuredWidth-0.5) < noteWidthDoubt {
			return 0, 0, &UnsupportedError{"a line so near the width of its note that rounding decides on the font size"}
		}
		if !spec.KeepWords || math.Floor(width+0.5) <= noteMeasuredWidth {
			break
		}
		spec.Size--
	}
	return spec.Size, max(0, l.scratchLayout.H+2*padding-noteSide), nil
}

// widest returns the width of the widest line of a laid out text, indents included, in px.
func widest(l *Layout) (w float64) {
	for _, line := range l.Lines {
		w = max(w, line.Indent+line.Width)
	}
	return w
}

// Note lays out the text of a note in its unscaled units, where its box is
// 200 x (200 + grow). fontPx is the stored adjustment, 0 for the label size.
func (l *Layouter) Note(out *Layout, sh *scene.Shape, fontPx, grow float64) error {
	if fontPx == 0 {
		fontPx = labelSize[sh.Size]
	}
	return l.layoutLabel(out, sh, fontPx, noteSide, noteSide+grow)
}
