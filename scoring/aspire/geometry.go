package aspire

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// The sizes that a shape has when none is given, px. See docs/spec/drawing.md#r3.
const (
	geoSide = 100
	frameW  = 320
	frameH  = 180
)

// maxParents is how many groups and frames may lie around a shape; more mean
// that they form a circle.
const maxParents = 300

// place returns where a point of a shape's own space lies on the page
// (docs/spec/aspire.md#r3): turned about the shape's origin, then moved, and so on through
// the shapes around it.
func (b *board) place(r *scene.Record, p scene.Point) scene.Point {
	for range maxParents {
		sin, cos := math.Sincos(r.Rotation)
		p = scene.Point{
			X: r.X + float64(cos*p.X) - float64(sin*p.Y),
			Y: r.Y + float64(sin*p.X) + float64(cos*p.Y),
		}
		if r.Has&scene.HasParent == 0 {
			break
		}
		if r = b.find(r.ParentID); r == nil {
			break
		}
	}
	return p
}

// boxSize returns width and height of a geo shape or frame; ok is false for
// other kinds.
func boxSize(r *scene.Record) (w, h float64, ok bool) {
	switch r.Kind {
	case scene.Geo:
		w, h = geoSide, geoSide
	case scene.Frame:
		w, h = frameW, frameH
	default:
		return 0, 0, false
	}
	if r.Has&scene.HasW != 0 {
		w = r.W
	}
	if r.Has&scene.HasH != 0 {
		h = r.H
	}
	return w, h, true
}

// lineEnds returns the ends of a line, arrow or freehand line on the page
// (docs/spec/aspire.md#r48); ok is false for other kinds and for a freehand line that has
// no points.
func (b *board) lineEnds(r *scene.Record) (start, end scene.Point, ok bool) {
	switch r.Kind {
	case scene.Line:
		end = scene.Point{X: 0.1, Y: 0.1}
		if r.Has&scene.HasPoints != 0 {
			start, end = r.Points[0], r.Points[len(r.Points)-1]
		}
	case scene.Arrow:
		end.X = 2
		if r.Has&scene.HasStart != 0 {
			start = r.Points[0]
		}
		if r.Has&scene.HasEnd != 0 {
			end = r.Points[1]
		}
	case scene.Draw:
		n := len(r.Segments)
		if n == 0 {
			return start, end, false
		}
		first, last := r.Segments[0].Points, r.Segments[n-1].Points
		if len(first) == 0 || len(last) == 0 {
			return start, end, false
		}
		start = scene.Point{X: first[0].X, Y: first[0].Y}
		end = scene.Point{X: last[len(last)-1].X, Y: last[len(last)-1].Y}
	default:
		return start, end, false
	}
	return b.place(r, start), b.place(r, end), true
}

// centre returns the centre of a shape of b (docs/spec/aspire.md#r5). Shapes without a box
// need their page bounds, and the variant of that name asks for them; the error
// is a *scoring.Error, or an *unknownBounds where those are not known natively.
func (w *work) centre(b *board, r *scene.Record) (scene.Point, error) {
	pageBounds := w.variants.On(PageBounds)
	if !pageBounds {
		if w, h, ok := boxSize(r); ok {
			return b.place(r, scene.Point{X: w / 2, Y: h / 2}), nil
		}
		if r.Kind == scene.Line || r.Kind == scene.Arrow {
			start, end, _ := b.lineEnds(r)
			return scene.Point{X: (start.X + end.X) / 2, Y: (start.Y + end.Y) / 2}, nil
		}
	}
	s, err := resolve(b.final(), w.suite.limits, nil)
	if err != nil {
		return scene.Point{}, err
	}
	box, ok, err := w.suite.contentBounds(s, []string{r.ID})
	empty := b.place(r, scene.Point{})
	switch {
	case errors.Is(err, view.ErrForeign):
		return scene.Point{}, &unknownBounds{drawError(err), err, s, r.ID, empty}
	case err != nil:
		return scene.Point{}, drawError(err)
	}
	return middleOf(box, ok, empty), nil
}

// contentBounds is outline.ContentBounds of the tldraw that makes the pictures.
func (s *suite) contentBounds(sc *scene.Scene, ids []string) (view.Box, bool, error) {
	if err := s.tldraw.Differs(sc); err != nil {
		return view.Box{}, false, err
	}
	return view.ContentBounds(sc, ids)
}

// middleOf is the centre of page bounds; ok is false where there is nothing to
// see: a group without content, a line without points.
func middleOf(box view.Box, ok bool, empty scene.Point) scene.Point {
	if !ok {
		return empty
	}
	return scene.Point{X: box.X + box.W/2, Y: box.Y + box.H/2}
}

// unknownBounds says that the page bounds of a shape are not known natively.
type unknownBounds struct {
	fault *scoring.Error
	why   error
	scene *scene.Scene
	id    string
	empty scene.Point // the centre where there is nothing to see
}

func (e *unknownBounds) Error() string { return e.fault.Message }
func (e *unknownBounds) Unwrap() error { return e.fault }

// view is a picture of nothing, whose maker finds out the centre and puts it
// into at.
func (e *unknownBounds) view(at *scene.Point) view.View {
	return view.View{Scene: e.scene, Only: []string{}, Foreign: e.why, Content: &view.Content{
		IDs: []string{e.id},
		Bounds: func(b view.Box, ok bool) (view.Box, error) {
			*at = middleOf(b, ok, e.empty)
			return view.Box{W: 1, H: 1}, nil
		},
	}}
}

func distance(a, b scene.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// finite keeps a score a number: what an answer gives may be as large as 1e308.
func finite(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, -1):
		return -math.MaxFloat64
	case math.IsInf(x, 1):
		return math.MaxFloat64
	}
	return x
}

// resolve makes a scene of records. Positions and sizes beyond the limit are
// drawn in to it first, and noted: the editor would draw them too, far off the
// picture, and a bad answer has a score. For the same reason a stroke without points,
// over which the editor's export fails, is drawn as nothing.
func resolve(recs []scene.Record, lim scene.Limits, n *notes) (*scene.Scene, error) {
	if slices.ContainsFunc(recs, pointless) {
		recs = slices.Clone(recs)
	}
	for i := range recs {
		if pointless(recs[i]) {
			recs[i] = scene.NewRecord(recs[i].ID, scene.Group)
			if n != nil {
				n.add(scoring.Note{Code: "not_drawn", Path: recs[i].ID, Message: "a stroke without points"})
			}
		}
		if recs[i].Valid(lim) != nil && limit(&recs[i], lim.Coordinate) && n != nil {
			n.add(scoring.Note{Code: "limited", Path: recs[i].ID, Message: fmt.Sprintf("coordinates beyond %g px", lim.Coordinate)})
		}
	}
	s, err := scene.Resolve(recs, nil, lim)
	if err != nil {
		return nil, sceneError(err)
	}
	return s, nil
}

// pointless reports whether a record is a pen stroke without points.
func pointless(r scene.Record) bool {
	return (r.Kind == scene.Draw || r.Kind == scene.Highlight) &&
		!slices.ContainsFunc(r.Segments, func(s scene.Segment) bool { return len(s.Points) > 0 })
}

// limit brings the coordinates of a record within ±most; true when it changed
// something.
func limit(r *scene.Record, most float64) bool {
	changed := false
	one := func(x float64) float64 {
		y := math.Min(math.Max(x, -most), most)
		changed = changed || x != y
		return y
	}
	for _, at := range []*float64{&r.X, &r.Y, &r.W, &r.H, &r.Scale, &r.GrowY, &r.FontPx} {
		*at = one(*at)
	}
	if r.Arrow != nil {
		props := *r.Arrow
		props.Bend = one(props.Bend)
		r.Arrow = &props
	}
	points := make([]scene.Point, len(r.Points))
	for i, p := range r.Points {
		points[i] = scene.Point{X: one(p.X), Y: one(p.Y)}
	}
	segments := make([]scene.Segment, len(r.Segments))
	for i, s := range r.Segments {
		segments[i] = scene.Segment{Straight: s.Straight, Points: make([]scene.Pressed, len(s.Points))}
		for j, p := range s.Points {
			segments[i].Points[j] = scene.Pressed{X: one(p.X), Y: one(p.Y), Z: one(p.Z)}
		}
	}
	r.Points, r.Segments = points, segments
	return changed
}

// sceneError tells a limit, which has a flag, from other reasons.
func sceneError(err error) *scoring.Error {
	if errors.Is(err, scene.ErrLimit) {
		return &scoring.Error{Code: "limit", Message: err.Error()}
	}
	return &scoring.Error{Code: "bad_scene", Message: err.Error()}
}

// foreignOr keeps an error that says what is not native, for who can draw it
// otherwise; others become drawError's.
func foreignOr(err error) error {
	if errors.Is(err, view.ErrForeign) {
		return err
	}
	return drawError(err)
}

// drawError tells what is not drawn natively, or not on this machine, from other
// reasons.
func drawError(err error) *scoring.Error {
	if errors.Is(err, view.ErrFonts) {
		return &scoring.Error{Code: "backend", Message: err.Error()}
	}
	if errors.Is(err, view.ErrForeign) {
		return &scoring.Error{Code: "not_native", Message: err.Error()}
	}
	return &scoring.Error{Code: "bad_scene", Message: err.Error()}
}
