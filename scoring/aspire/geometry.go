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

// maxParents bounds the groups and frames around a shape. More of them form a cycle.
const maxParents = 300

// toPage converts a point from a shape's own space to the page (docs/spec/aspire.md#r3):
// rotated about the shape's origin, then moved, and the same for each group or frame around
// the shape. It stops at a parent that is not on the board, and after maxParents.
func (board *board) toPage(record *scene.Record, p scene.Point) scene.Point {
	for range maxParents {
		sin, cos := math.Sincos(record.Rotation)
		p = scene.Point{ // float64: no fused multiply-add, equal on every machine
			X: record.X + float64(cos*p.X) - float64(sin*p.Y),
			Y: record.Y + float64(sin*p.X) + float64(cos*p.Y),
		}
		if record.Has&scene.HasParent == 0 {
			break
		}
		record = board.find(record.ParentID)
		if record == nil {
			break
		}
	}
	return p
}

// boxSize returns the width and height of a geo shape or frame in px, with the editor's
// defaults. ok is false for other kinds.
func boxSize(record *scene.Record) (w, h float64, ok bool) {
	switch record.Kind {
	case scene.Geo:
		w, h = geoSide, geoSide
	case scene.Frame:
		w, h = frameW, frameH
	default:
		return 0, 0, false
	}
	if record.Has&scene.HasW != 0 {
		w = record.W
	}
	if record.Has&scene.HasH != 0 {
		h = record.H
	}
	return w, h, true
}

// lineEnds returns the ends of a line, arrow or freehand line on the page (docs/spec/aspire.md#r48).
// A line or arrow whose ends the answer does not give has the editor's defaults. ok is false for other
// kinds, and for a freehand line without points at its ends.
func (board *board) lineEnds(record *scene.Record) (start, end scene.Point, ok bool) {
	switch record.Kind {
	case scene.Line:
		end = scene.Point{X: 0.1, Y: 0.1} // the editor's default
		if record.Has&scene.HasPoints != 0 {
			start, end = record.Points[0], record.Points[len(record.Points)-1]
		}
	case scene.Arrow:
		end.X = 2 // the editor's default
		if record.Has&scene.HasStart != 0 {
			start = record.Points[0]
		}
		if record.Has&scene.HasEnd != 0 {
			end = record.Points[1]
		}
	case scene.Draw:
		count := len(record.Segments)
		if count == 0 {
			return start, end, false
		}
		first, last := record.Segments[0].Points, record.Segments[count-1].Points
		if len(first) == 0 || len(last) == 0 {
			return start, end, false
		}
		start = scene.Point{X: first[0].X, Y: first[0].Y}
		end = scene.Point{X: last[len(last)-1].X, Y: last[len(last)-1].Y}
	default:
		return start, end, false
	}
	return board.toPage(record, start), board.toPage(record, end), true
}

// centre returns the centre of a shape on the page (docs/spec/aspire.md#r5): that of its box, the middle
// between the ends of a line or arrow, else that of its page bounds. Under the variant page_bounds page bounds
// count for all. The error is a *scoring.Error, or an *unknownBounds if only the editor can compute the bounds.
func (workspace *workspace) centre(board *board, record *scene.Record) (scene.Point, error) {
	pageBounds := workspace.variants.On(PageBounds)
	if !pageBounds {
		if w, h, ok := boxSize(record); ok {
			return board.toPage(record, scene.Point{X: w / 2, Y: h / 2}), nil
		}
		if record.Kind == scene.Line || record.Kind == scene.Arrow {
			start, end, _ := board.lineEnds(record)
			return scene.Point{X: (start.X + end.X) / 2, Y: (start.Y + end.Y) / 2}, nil
		}
	}
	// Page bounds, which take the scene of the whole board.
	sc, err := resolve(board.final(), workspace.suite.limits, nil)
	if err != nil {
		return scene.Point{}, err
	}
	box, ok, err := workspace.suite.contentBounds(sc, []string{record.ID})
	fallback := board.toPage(record, scene.Point{}) // the shape's origin
	switch {
	case errors.Is(err, view.ErrForeign):
		return scene.Point{}, &unknownBounds{fault: drawError(err), why: err, scene: sc, id: record.ID, fallback: fallback}
	case err != nil:
		return scene.Point{}, drawError(err)
	}
	return boxCentre(box, ok, fallback), nil
}

// contentBounds returns the bounds of the shapes with these ids as view.ContentBounds does, for the
// tldraw release that makes ASPIRE's pictures. plumb computes sizes as one release does. Where the
// chosen release has others, it returns an error that wraps view.ErrForeign: the editor must measure.
func (suite *suite) contentBounds(scene *scene.Scene, ids []string) (view.Box, bool, error) {
	if err := suite.tldraw.CheckScene(scene); err != nil {
		return view.Box{}, false, err
	}
	return view.ContentBounds(scene, ids)
}

// boxCentre returns the centre of a shape's page bounds, or fallback if ok is false, as for a group
// without content or a line without points.
func boxCentre(box view.Box, ok bool, fallback scene.Point) scene.Point {
	if !ok {
		return fallback
	}
	return scene.Point{X: box.X + box.W/2, Y: box.Y + box.H/2}
}

// unknownBounds is the error that only the editor can compute the page bounds of a shape. It
// holds what is needed to ask the editor.
type unknownBounds struct {
	fault    *scoring.Error
	why      error // wraps view.ErrForeign
	scene    *scene.Scene
	id       string
	fallback scene.Point // the centre where there is nothing to see
}

func (unknown *unknownBounds) Error() string { return unknown.fault.Message }
func (unknown *unknownBounds) Unwrap() error { return unknown.fault }

// measuringView returns a view that draws nothing. The editor measures the shape's bounds for it, and
// calls the function Bounds, which sets centre to their centre.
func (unknown *unknownBounds) measuringView(centre *pendingPoint) view.View {
	drawNothing := []string{} // nil would draw everything
	return view.View{Scene: unknown.scene, FirstIDs: drawNothing, Foreign: unknown.why, Content: &view.Content{
		IDs: []string{unknown.id},
		Bounds: func(b view.Box, ok bool) (view.Box, error) {
			*centre = pendingPoint{at: boxCentre(b, ok, unknown.fallback), known: true}
			return view.Box{W: 1, H: 1}, nil // a picture needs a size
		},
	}}
}

// boxUnion returns the bounding box of two boxes.
func boxUnion(a, b view.Box) view.Box {
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return view.Box{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
}

// distance returns the distance of two points, px.
func distance(a, b scene.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// clampFinite replaces infinities and NaN in a metric by the largest or smallest double.
// Coordinates of an answer can be as large as 1e308, and JSON has no infinities. NaN becomes the
// smallest double, the worst score.
func clampFinite(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, -1):
		return -math.MaxFloat64
	case math.IsInf(x, 1):
		return math.MaxFloat64
	}
	return x
}

// resolve makes a scene of the shape records of an ASPIRE board. So that a bad answer still has a
// score, it clamps positions and sizes beyond the limit, and turns a stroke without points, on which
// the editor's export fails, into an empty group. Both are noted in n unless it is nil. Clamping may
// change the records in the list itself.
func resolve(records []scene.Record, limits scene.Limits, n *notes) (*scene.Scene, error) {
	if slices.ContainsFunc(records, hasNoPoints) {
		records = slices.Clone(records)
	}
	for i := range records {
		if hasNoPoints(records[i]) {
			records[i] = scene.NewRecord(records[i].ID, scene.Group)
			if n != nil {
				n.add(scoring.Note{Code: "not_drawn", Path: records[i].ID, Message: "a stroke without points"})
			}
		}
		if records[i].Valid(limits) == nil {
			continue
		}
		clamped := clampCoordinates(&records[i], limits.Coordinate)
		if clamped && n != nil {
			n.add(scoring.Note{Code: "limited", Path: records[i].ID,
				Message: fmt.Sprintf("coordinates beyond %g px", limits.Coordinate)})
		}
	}
	sc, err := scene.Resolve(records, nil, limits)
	if err != nil {
		return nil, sceneError(err)
	}
	return sc, nil
}

// hasNoPoints reports whether a record is a pen stroke without points.
func hasNoPoints(r scene.Record) bool {
	return (r.Kind == scene.Draw || r.Kind == scene.Highlight) &&
		!slices.ContainsFunc(r.Segments, func(s scene.Segment) bool { return len(s.Points) > 0 })
}

// clampCoordinates clamps every coordinate and length of a record to ±limit, and reports whether any changed.
// Points, segments and arrow properties are copied, because other records share them.
func clampCoordinates(record *scene.Record, limit float64) bool {
	changed := false
	clamp := func(x float64) float64 {
		clamped := math.Min(math.Max(x, -limit), limit)
		changed = changed || x != clamped
		return clamped
	}
	for _, field := range []*float64{&record.X, &record.Y, &record.W, &record.H, &record.Scale, &record.GrowY, &record.FontPx} {
		*field = clamp(*field)
	}
	if record.Arrow != nil {
		props := *record.Arrow
		props.Bend = clamp(props.Bend)
		record.Arrow = &props
	}
	// Copies of what other records share.
	points := make([]scene.Point, len(record.Points))
	for i, p := range record.Points {
		points[i] = scene.Point{X: clamp(p.X), Y: clamp(p.Y)}
	}
	segments := make([]scene.Segment, len(record.Segments))
	for i, s := range record.Segments {
		segments[i] = scene.Segment{Straight: s.Straight, Points: make([]scene.Pressed, len(s.Points))}
		for j, p := range s.Points {
			segments[i].Points[j] = scene.Pressed{X: clamp(p.X), Y: clamp(p.Y), Z: clamp(p.Z)}
		}
	}
	record.Points, record.Segments = points, segments
	return changed
}

// sceneError converts an error of package scene to one of scoring: an exceeded limit gets the code
// "limit", any other "bad_scene".
func sceneError(err error) *scoring.Error {
	if errors.Is(err, scene.ErrLimit) {
		return &scoring.Error{Code: "limit", Message: err.Error()}
	}
	return &scoring.Error{Code: "bad_scene", Message: err.Error()}
}

// drawError converts an error of drawing a board to one of scoring: missing fonts get the code
// "backend", shapes that only the editor can draw "not_native", any other "bad_scene".
func drawError(err error) *scoring.Error {
	if errors.Is(err, view.ErrFonts) {
		return &scoring.Error{Code: "backend", Message: err.Error()}
	}
	if errors.Is(err, view.ErrForeign) {
		return &scoring.Error{Code: "not_native", Message: err.Error()}
	}
	return &scoring.Error{Code: "bad_scene", Message: err.Error()}
}
