package shapes

import (
	"slices"

	"plumb/render/scene"
	"plumb/render/vector"
)

// Draw is a path that is filled or stroked, in the shape's units in an export.
type Draw struct {
	Path        *vector.Path
	Width       float64 // of the stroke; 0 fills the path
	Dashes      Dashes  // of the stroke
	Color       RGB
	Opacity     uint32 // 0..Opaque, inside the shape
	Twice       bool   // the second half of the path repeats the first
	ThroughClip bool   // seen only through the clip of an arrow's body
	Box         bool   // the path is an SVG rectangle without round corners
	Hatch       bool   // the draw is the hatch over the fill before it, which has the same path
}

// Maker makes the draws of one shape after the other and keeps its memory.
type Maker struct {
	MaxPoints    int // the most points of a shape, 0 for MaxPoints
	Outline      Outline
	Jitter       JitterPen
	Draws        []Draw
	pool         []*vector.Path
	used         int // paths of the pool in use
	Freehand     freehand
	InverseScale float64 // by what the draws are scaled back: 1/scale where their points include the scale, else 1
}

// Reset drops the draws of the last shape.
func (maker *Maker) Reset() { maker.Draws, maker.used, maker.InverseScale = maker.Draws[:0], 0, 1 }

// NewPath returns an empty path for a draw of the current shape. It is valid until Reset, which
// reuses its memory.
func (maker *Maker) NewPath() *vector.Path {
	if maker.used == len(maker.pool) {
		maker.pool = append(maker.pool, new(vector.Path))
	}
	path := maker.pool[maker.used]
	maker.used++
	path.Reset()
	return path
}

// Shape makes the draws (fills and strokes) of a shape's own outline, without its text. growY is
// what the text adds to its height; back asks for the lower one of a highlight's two layers. See
// docs/spec/drawing.md#r83.
func (maker *Maker) Shape(shape *scene.Shape, growY float64, back bool) error {
	if shape.Color >= scene.CustomColor || int(shape.Color) >= len(Palette) {
		return Foreign(shape, "custom colour")
	}
	if draws := KindOf(shape).draws; draws != nil {
		return draws(maker, shape, growY, back)
	}
	return Foreign(shape, "outline")
}

// geo makes the draws of a geo shape in its unscaled units: its fill and its stroke. growY is what its label
// adds to its height, scale included.
func (maker *Maker) geo(shape *scene.Shape, growY float64, _ bool) error {
	spec := GeoSpec{
		Kind: shape.Geo, W: shape.W / shape.Scale, H: (shape.H + growY) / shape.Scale,
		Size: shape.Size, Dash: shape.Dash, Scale: shape.Scale, ID: shape.ID, maxBumps: maker.MaxPoints,
	}
	outline := &maker.Outline
	outline.Reset()
	if err := spec.Outline(outline); err != nil {
		return err
	}
	width := StrokeWidth[shape.Size]
	maker.Measure(shape, width)
	if shape.Fill != scene.FillNone {
		path := maker.NewPath()
		if shape.Dash == scene.DashDraw {
			maker.Jitter.fill(outline, path)
		} else {
			outline.Plain(true, path)
		}
		maker.Fill(shape, path)
	}
	return maker.Stroke(shape, width)
}

// Fill adds the draws that fill a path with the shape's colour in its fill style. The style pattern
// needs two: a plain colour and the hatch over it. See docs/spec/drawing.md#r37.
func (maker *Maker) Fill(shape *scene.Shape, path *vector.Path) {
	s := &Palette[shape.Color]
	color := semiFill // of the style semi
	switch shape.Fill {
	case scene.FillNone:
		return
	case scene.FillSolid:
		color = s.semi
	case scene.FillFill:
		color = s.Solid
	case scene.FillLined:
		color = s.lined
	case scene.FillPattern:
		color = s.pattern
	}
	maker.Draws = append(maker.Draws, Draw{Path: path, Color: color, Opacity: Opaque})
	if shape.Fill == scene.FillPattern {
		maker.Draws = append(maker.Draws, Draw{Path: path, Color: semiFill, Opacity: hatchOpacity, Hatch: true})
	}
}

// Measure prepares maker.Outline for Stroke: it computes the lengths of the outline's commands and, if
// the shape is hand-drawn, its jitter. width is that of the stroke.
func (maker *Maker) Measure(shape *scene.Shape, width float64) {
	maker.Outline.Measure()
	if shape.Dash == scene.DashDraw {
		maker.Jitter.MaxOffset, maker.Jitter.MaxCut, maker.Jitter.Seed = width/3, 2*width, shape.ID
		maker.Jitter.Plan(&maker.Outline)
	}
}

// Stroke adds the draws that stroke maker.Outline in the shape's dash style, with that width in px. A
// hand-drawn outline is one draw whose path has the line twice, jittered each time in another way. A
// dashed one has a draw for each run of dashes. Measure must come first. Too many dashes are an error.
func (maker *Maker) Stroke(shape *scene.Shape, width float64) error {
	outline, color := &maker.Outline, Palette[shape.Color].Solid
	switch shape.Dash {
	case scene.DashNone:
	case scene.DashDraw:
		path := maker.NewPath()
		maker.Jitter.Pass(outline, Passes[0], path)
		verbs, points := len(path.Verbs), len(path.Points)
		maker.Jitter.Pass(outline, Passes[1], path)
		maker.Draws = append(maker.Draws, Draw{
			Path: path, Width: width, Color: color, Opacity: Opaque,
			// Without jitter both passes are equal.
			Twice: slices.Equal(path.Verbs[:verbs], path.Verbs[verbs:]) &&
				slices.Equal(path.Points[:points], path.Points[points:]),
		})
	case scene.DashDashed, scene.DashDotted:
		return outline.runs(func(r run) error {
			dashes := FitDashes(r.length, width, shape.Dash == scene.DashDotted, r.start, r.end)
			if err := dashes.check(r.length, maker.MaxPoints); err != nil {
				return err
			}
			p := maker.NewPath()
			outline.appendRun(r, p)
			maker.Draws = append(maker.Draws, Draw{Path: p, Width: width, Dashes: dashes, Color: color, Opacity: Opaque})
			return nil
		})
	default:
		p := maker.NewPath()
		outline.Plain(false, p)
		maker.Draws = append(maker.Draws, Draw{Path: p, Width: width, Color: color, Opacity: Opaque})
	}
	return nil
}

// line makes the draws of a line shape. Its points include the shape's scale, so InverseScale undoes the
// scale of the shape's group.
func (maker *Maker) line(shape *scene.Shape, _ float64, _ bool) error {
	maker.InverseScale = 1 / shape.Scale
	maker.Outline.Reset()
	OutlineLine(shape.Points, shape.Cubic, &maker.Outline)
	width := StrokeWidth[shape.Size] * shape.Scale
	maker.Measure(shape, width)
	return maker.Stroke(shape, width)
}

// NoteSide is the width of a note, and its height before it grows, unscaled px.
const NoteSide = 200

// ShadowOpacity is the opacity of a note's shadow, which is black.
var ShadowOpacity = OpacityOf(0.1)

// note makes the draws of a note's shadow and body, in its unscaled units. growY is how much the
// note grows with its text. The shadow is 10 px narrower and lies 5 px lower. See
// docs/spec/drawing.md#r80.
func (maker *Maker) note(shape *scene.Shape, growY float64, _ bool) error {
	h := float32(NoteSide + growY)
	shadow, body := maker.NewPath(), maker.NewPath()
	vector.RoundRect(shadow, 5, 5, NoteSide-10, h, 1) // x, y, w, h, radius
	vector.RoundRect(body, 0, 0, NoteSide, h, 1)
	maker.Draws = append(maker.Draws,
		Draw{Path: shadow, Color: Ink, Opacity: ShadowOpacity},
		Draw{Path: body, Color: Palette[shape.Color].note, Opacity: Opaque})
	return nil
}
