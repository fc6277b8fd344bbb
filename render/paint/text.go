package paint

import (
	"errors"
	"io/fs"
	"math"
	"plumb/render/arrows"
	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/text"
	"plumb/render/vector"
	"strings"
)

// paintShapeText appends the items of a shape's text to the drawing, if the shape has any. layout
// lays the text out on the page of a text painter. placement places the shape's own units on the canvas;
// name is what errors call the text.
func (builder *Builder) paintShapeText(shape *scene.Shape, name string, placement *shapePlacement,
	layout func(*textPainter) (textBlock, error)) error {
	if shape.Rich == nil {
		return nil
	}
	painter, err := takeTextPainter()
	if err != nil {
		return err
	}
	defer painter.GiveBack()
	block, err := layout(painter)
	if err != nil {
		return shapes.TextError(shape, name, err)
	}
	if len(painter.Page.Dots) > 0 && len(painter.Page.Glyphs) == 0 && builder.mode != Exact { // see docs/spec/drawing.md#r87
		return shapes.Foreign(shape, "a list of bullets without a letter")
	}
	if shape.Kind == scene.Text && placement.translucent() {
		if err := builder.beginTextLayer(painter, placement); err != nil {
			return err
		}
		defer builder.endGroupLayer()
	}
	return builder.paintText(painter, block, placement)
}

// beginTextLayer starts the browser's group layer of a translucent text shape. Its box holds what the runs of the
// text paint, also where the text's own box cuts it off, and the bullets. See docs/spec/raster.md#r28.
func (builder *Builder) beginTextLayer(painter *textPainter, placement *shapePlacement) error {
	all := geom.NewExtent()
	for i := range painter.Page.Runs {
		if err := addRunBox(&all, painter, &painter.Page.Runs[i]); err != nil {
			return err
		}
	}
	for i := range painter.Page.Dots {
		dot := &painter.Page.Dots[i]
		all.Add(geom.Pt(dot.X, dot.Y))
		all.Add(geom.Pt(dot.X+dot.W, dot.Y+dot.H))
	}
	if !all.Empty() {
		builder.widenGroupLayer(math.Floor(all.Lo.X), math.Floor(all.Lo.Y), math.Ceil(all.Hi.X), math.Ceil(all.Hi.Y), placement.toPx)
	}
	return nil
}

// addRunBox adds the box of a run of text to an extent: its advances from ascent to descent, begun 1 unit early,
// and its letters with their halo of 1 unit. Where the run has a line under or through it, spaces at the end count,
// and the halo of the line behind the last letter.
func addRunBox(all *geom.Extent, painter *textPainter, run *text.Run) error {
	right := run.X + run.Inked
	if run.Link || run.Underline || run.Strike {
		right = max(run.X+run.Width, right+1)
	}
	all.Add(geom.Pt(run.X-1, run.Baseline-run.Face.Ascent(run.Size)))
	all.Add(geom.Pt(right, run.Baseline+run.Face.Descent(run.Size)))
	path := &painter.glyphs.path
	for _, glyph := range painter.Page.Glyphs[run.First : run.First+run.Count] {
		path.Reset()
		if err := run.Face.Outline(path, glyph.ID, run.Size); err != nil {
			return err
		}
		ink := geom.PathBounds(path)
		if ink.Empty() {
			continue
		}
		x, y := run.X+float64(glyph.X), run.Baseline+float64(glyph.Y)
		all.Add(geom.Pt(x+ink.Lo.X-1, y+ink.Lo.Y-1))
		all.Add(geom.Pt(x+ink.Hi.X+1, y+ink.Hi.Y+1))
	}
	return nil
}

// bodyText appends the items of a text shape, clipped to the box of the text.
func (builder *Builder) bodyText(shape *scene.Shape, p *shapePlacement) error {
	return builder.paintShapeText(shape, "text", p, func(painter *textPainter) (textBlock, error) {
		err := painter.Text(&painter.Page, shape)
		return textBlock{color: shapes.Palette[shape.Color].Solid, halo: true, w: painter.Page.W, h: painter.Page.H}, err
	})
}

// geoLabel appends the items of the label of a geo shape, over the shape's own outline. w and h
// are the size of the shape, growth included, in its unscaled units.
func (builder *Builder) geoLabel(shape *scene.Shape, w, h float64, placement *shapePlacement) error {
	if shape.Rich != nil && (shape.LabelColor >= scene.CustomColor || int(shape.LabelColor) >= len(shapes.Palette)) {
		return shapes.Foreign(shape, "custom label colour")
	}
	return builder.paintShapeText(shape, "label", placement, func(painter *textPainter) (textBlock, error) {
		err := painter.GeoLabel(&painter.Page, shape, w, h)
		return textBlock{color: shapes.Palette[shape.LabelColor].Solid, halo: true, w: w, h: h}, err
	})
}

// noteText appends the items of a note's text, in its own colour and without a halo. Where the editor has
// not stored the size of the font and the growth of the note, they are computed.
func (builder *Builder) noteText(shape *scene.Shape, growY float64, p *shapePlacement) error {
	return builder.paintShapeText(shape, "label", p, func(painter *textPainter) (block textBlock, err error) {
		fontPx := shape.FontPx
		if shape.Grow {
			if fontPx, growY, err = painter.NoteFit(shape); err != nil {
				return block, err
			}
		}
		err = painter.Note(&painter.Page, shape, fontPx, growY)
		return textBlock{color: shapes.Ink, w: shapes.NoteSide, h: shapes.NoteSide + growY}, err
	})
}

// arrowText appends the items of an arrow's label, clipped to its box without the padding. matrix
// maps the arrow's own units to px.
func (builder *Builder) arrowText(shape *scene.Shape, label *arrows.Label, matrix vector.Matrix, p *shapePlacement) error {
	at := *p
	at.toPx = matrix
	return builder.paintShapeText(shape, "label", &at, func(painter *textPainter) (textBlock, error) {
		x, y := label.Box.Lo.X+label.Pad, label.Box.Lo.Y+label.Pad
		err := painter.Arrow(&painter.Page, shape, x, y, label.W)
		color := shapes.Palette[shape.LabelColor].Solid
		return textBlock{color: color, halo: true, x: x, y: y, w: label.W, h: label.H}, err
	})
}

// textPainter is what one goroutine needs to draw text: fonts, layout and cached glyph masks.
type textPainter struct {
	*text.Writer
	glyphs      glyphCache
	placedMasks []placedMask  // of the text that is painted, in paint order
	box         textBox       // of the text that is painted
	corners     [4]geom.Point // of the clip of that box, px
	frame       []geom.Point  // visible part of the frame around the text, px
	gaps        []gap         // of an underline
	copies      [][2]float64  // displacements of copies, px
}

// takeTextPainter returns a text painter that no other goroutine uses until its GiveBack.
func takeTextPainter() (*textPainter, error) {
	w, err := text.Take()
	if err != nil {
		return nil, err
	}
	if w.Painter == nil {
		w.Painter = &textPainter{Writer: w}
	}
	return w.Painter.(*textPainter), nil
}

// frameItems appends the items of a frame: its body, then its heading, the frame's name in a box above
// the side of the frame that is uppermost on the page. A translucent frame is drawn in a layer.
func (builder *Builder) frameItems(shape *scene.Shape, p *shapePlacement) error {
	painter, err := takeTextPainter()
	if err != nil {
		return err
	}
	defer painter.GiveBack()
	onto, side := shapes.HeadingPlace(shape, p.page) // the heading's units to the frame's, and the side's length in px
	if err := heading(painter, shape, side); err != nil {
		return err
	}
	// The body, and the box of the heading, which lies on the page as `at` says.
	builder.maker.Reset()
	body, heading := builder.maker.Frame(shape, painter.Page.W, side)
	at := *p
	at.toPx = p.toPx.Mul(onto)
	if p.translucent() {
		builder.beginGroupLayer(body, p.toPx)
		builder.beginGroupLayer(heading, at.toPx)
		defer builder.endGroupLayer()
	}
	if err := builder.paint(body, p.toPx, &at); err != nil {
		return err
	}
	if err := builder.paint(heading, at.toPx, &at); err != nil {
		return err
	}
	// The name.
	if len(painter.Page.Runs) > 0 {
		painter.Page.Place(0, shapes.HeadingBaseline+painter.Page.Runs[0].Face.Ascent(painter.Page.Runs[0].Size)/2)
	}
	return builder.paintText(painter, textBlock{color: shapes.Ink, unclipped: true}, &at)
}

// heading lays out the name of a frame, "Frame" without one, on painter.Page; it stands above a side of that
// length in px. It refuses a side that is too short, a missing font and text that is not drawn natively.
func heading(painter *textPainter, shape *scene.Shape, side float64) error {
	if side < shapes.HeadingLeast {
		return shapes.Foreign(shape, "heading (it is narrower than its corners)")
	}
	name := shape.Name
	if strings.TrimSpace(name) == "" {
		name = "Frame"
	}
	err := painter.Heading(&painter.Page, name, side-shapes.HeadingPad)
	if errors.Is(err, fs.ErrNotExist) {
		return shapes.Foreign(shape, "heading (its font is missing)")
	}
	if err != nil {
		return shapes.TextError(shape, "heading", err)
	}
	return nil
}
