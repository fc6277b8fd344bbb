package chrome

import (
	"strconv"

	"plumb/render/jsontree"
	"plumb/render/scene"
)

// pageID is the editor's own page; the export page puts all shapes there.
const pageID = "page:page"

// appendScene writes a resolved scene as store records of tldraw 4.2 with every property, so that
// no picture depends on the editor's defaults. What the editor computes when it creates a shape
// (Shape.Grow) it computes for the ids listed in "created". A shape whose data a *scene.Scene does
// not hold is an error.
func appendScene(dst []byte, sc *scene.Scene) ([]byte, error) {
	dst = append(dst, `{"records":[`...)
	children := make(map[int32]int) // number of children of each parent so far, by which they get indexes
	for i := range sc.Shapes {
		shape := &sc.Shapes[i]
		if err := checkComplete(shape); err != nil {
			return nil, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		parent := pageID
		if shape.Parent >= 0 {
			parent = sc.Shapes[shape.Parent].ID
		}
		children[shape.Parent]++
		dst = appendShape(dst, shape, parent, scene.IndexKey(children[shape.Parent]))
	}
	for i := range sc.Bindings {
		dst = appendBinding(append(dst, ','), sc, i)
	}
	dst = append(dst, `],"created":[`...)
	first := true
	for i := range sc.Shapes {
		if !sc.Shapes[i].Grow {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = jsontree.AppendString(dst, sc.Shapes[i].ID)
	}
	return append(dst, ']'), nil
}

// checkComplete refuses a shape of which a *scene.Scene keeps a name but not the data: an unknown
// type or colour, foreign text, an asset. The editor could not draw it from records.
func checkComplete(shape *scene.Shape) error {
	switch {
	case shape.Kind >= scene.Other:
		return sceneFault(shape, "its type is "+strconv.Quote(shape.TypeName))
	case shape.Color == scene.CustomColor || shape.LabelColor == scene.CustomColor:
		return sceneFault(shape, "its colour is not one of the palette")
	case shape.Rich != nil && shape.Rich.Foreign != "" && shape.Rich.Document == "":
		return sceneFault(shape, "its text has a "+shape.Rich.Foreign)
	case shape.Asset != "":
		return sceneFault(shape, "its asset "+strconv.Quote(shape.Asset)+" is not part of the scene")
	}
	return nil
}

// appendShape writes a shape as a store record of the editor, below the given parent and with the
// given index.
func appendShape(b []byte, shape *scene.Shape, parent, index string) []byte {
	p := props{b: append(b, `{"typeName":"shape","isLocked":false,"meta":{}`...)}
	p.text("id", shape.ID)
	p.text("type", shape.TypeName)
	p.text("parentId", parent)
	p.text("index", index)
	p.number("x", shape.X)
	p.number("y", shape.Y)
	p.number("rotation", shape.Rotation)
	p.number("opacity", shape.Opacity)
	p.b = append(p.b, `,"props":{`...)
	p.first = true
	p.shape(shape)
	return append(p.b, '}', '}')
}

// props writes the members of a JSON object of a store record.
type props struct {
	b     []byte
	first bool // no member is written yet
}

// key writes the name of the next member of a tldraw record, with the comma before it.
func (props *props) key(name string) {
	if !props.first {
		props.b = append(props.b, ',')
	}
	props.first = false
	props.b = append(append(append(props.b, '"'), name...), '"', ':')
}

func (props *props) text(name, value string) {
	props.key(name)
	props.b = jsontree.AppendString(props.b, value)
}
func (props *props) number(name string, value float64) {
	props.key(name)
	props.b = appendNumber(props.b, value)
}
func (props *props) flag(name string, value bool) {
	props.key(name)
	props.b = strconv.AppendBool(props.b, value)
}
func (props *props) raw(name, value string) { props.key(name); props.b = append(props.b, value...) }

func (props *props) point(name string, v scene.Point) {
	props.key(name)
	props.b = appendPoint(props.b, v)
}

func appendPoint(b []byte, v scene.Point) []byte {
	b = appendNumber(append(b, `{"x":`...), v.X)
	b = appendNumber(append(b, `,"y":`...), v.Y)
	return append(b, '}')
}

func (props *props) box(sh *scene.Shape) {
	props.number("w", sh.W)
	props.number("h", sh.H)
}

// ink writes what strokes share.
func (props *props) ink(sh *scene.Shape) {
	props.text("color", sh.Color.String())
	props.text("size", sh.Size.String())
	props.number("scale", sh.Scale)
}

// label writes what labels share.
func (props *props) label(sh *scene.Shape) {
	props.text("labelColor", sh.LabelColor.String())
	props.text("font", sh.Font.String())
	props.rich(sh.Rich)
}

// aligned writes how the text of a tldraw shape is aligned along both axes of its box.
func (props *props) aligned(shape *scene.Shape) {
	props.text("align", shape.Align.String())
	props.text("verticalAlign", shape.Vertical.String())
	props.number("growY", shape.GrowY)
	props.text("url", shape.URL)
}

func (props *props) asset(sh *scene.Shape) {
	props.raw("assetId", "null") // shapes with one are refused by checkComplete
	props.text("url", sh.URL)
}

// shape writes the properties of a shape, those that its kind has in tldraw's store records.
func (props *props) shape(shape *scene.Shape) {
	switch shape.Kind {
	case scene.Geo:
		props.ink(shape)
		props.box(shape)
		props.label(shape)
		props.aligned(shape)
		props.text("geo", shape.Geo.String())
		props.text("dash", shape.Dash.String())
		props.text("fill", shape.Fill.String())
	case scene.Text:
		props.ink(shape)
		props.number("w", shape.W)
		props.text("font", shape.Font.String())
		props.text("textAlign", shape.Align.String())
		props.flag("autoSize", shape.Auto)
		props.rich(shape.Rich)
	case scene.Note:
		props.ink(shape)
		props.label(shape)
		props.aligned(shape)
		props.number("fontSizeAdjustment", shape.FontPx)
	case scene.Arrow:
		props.arrow(shape)
	case scene.Line, scene.Draw, scene.Highlight:
		props.stroke(shape)
	default:
		props.holder(shape)
	}
}

// arrow writes the properties of an arrow: its form, heads, label and ends.
func (props *props) arrow(shape *scene.Shape) {
	a := shape.Arrow
	props.ink(shape)
	props.label(shape)
	kind := "arc"
	if a.Elbow {
		kind = "elbow"
	}
	props.text("kind", kind)
	props.text("dash", shape.Dash.String())
	props.text("fill", shape.Fill.String())
	props.point("start", shape.Points[0])
	props.point("end", shape.Points[1])
	props.number("bend", a.Bend)
	props.text("arrowheadStart", a.HeadStart.String())
	props.text("arrowheadEnd", a.HeadEnd.String())
	props.number("labelPosition", a.LabelPosition)
	props.number("elbowMidPoint", a.ElbowMidPoint)
}

// stroke writes the properties of a line, a freehand shape or a highlight, as tldraw's records have
// them.
func (props *props) stroke(shape *scene.Shape) {
	props.ink(shape)
	if shape.Kind != scene.Highlight {
		props.text("dash", shape.Dash.String())
	}
	if shape.Kind == scene.Line {
		spline := "line"
		if shape.Cubic {
			spline = "cubic"
		}
		props.text("spline", spline)
		props.points(shape.Points)
		return
	}
	props.flag("isComplete", shape.Complete)
	props.flag("isPen", shape.Pen)
	props.segments(shape.Segments)
	if shape.Kind == scene.Draw {
		props.flag("isClosed", shape.Closed)
		props.text("fill", shape.Fill.String())
	}
}

// holder writes the properties of a tldraw shape with a box: a frame, picture, video, bookmark or
// embed; a group has none. What a *scene.Scene does not hold gets the editor's default.
func (props *props) holder(shape *scene.Shape) {
	if shape.Kind == scene.Group {
		return
	}
	props.box(shape)
	switch shape.Kind {
	case scene.Frame:
		props.text("name", shape.Name)
		props.text("color", shape.Color.String())
	case scene.Image:
		props.asset(shape)
		props.raw("crop", "null")
		props.flag("flipX", shape.Flip[0])
		props.flag("flipY", shape.Flip[1])
		props.flag("playing", true)
		props.text("altText", "")
	case scene.Video:
		props.asset(shape)
		props.number("time", 0)
		props.flag("playing", true)
		props.flag("autoplay", true)
		props.text("altText", "")
	case scene.Bookmark:
		props.asset(shape)
	case scene.Embed:
		props.text("url", shape.URL)
	}
}

// points writes the points of a line as tldraw's records have them: {key: {id, index, x, y}}. The
// keys are whole index keys in the order of the points.
func (props *props) points(points []scene.Point) {
	props.key("points")
	props.b = append(props.b, '{')
	for i, v := range points {
		if i > 0 {
			props.b = append(props.b, ',')
		}
		key := scene.IndexKey(i + 1)
		props.b = jsontree.AppendString(props.b, key)
		props.b = jsontree.AppendString(append(props.b, `:{"id":`...), key)
		props.b = jsontree.AppendString(append(props.b, `,"index":`...), key)
		props.b = appendNumber(append(props.b, `,"x":`...), v.X)
		props.b = appendNumber(append(props.b, `,"y":`...), v.Y)
		props.b = append(props.b, '}')
	}
	props.b = append(props.b, '}')
}

// segments writes the points of a freehand line, segment by segment, as tldraw's records have them.
func (props *props) segments(segments []scene.Segment) {
	props.key("segments")
	props.b = append(props.b, '[')
	for i := range segments {
		if i > 0 {
			props.b = append(props.b, ',')
		}
		kind := `{"type":"free","points":[`
		if segments[i].Straight {
			kind = `{"type":"straight","points":[`
		}
		props.b = append(props.b, kind...)
		for j, pressed := range segments[i].Points {
			if j > 0 {
				props.b = append(props.b, ',')
			}
			props.b = appendNumber(append(props.b, `{"x":`...), pressed.X)
			props.b = appendNumber(append(props.b, `,"y":`...), pressed.Y)
			props.b = appendNumber(append(props.b, `,"z":`...), pressed.Z)
			props.b = append(props.b, '}')
		}
		props.b = append(props.b, `]}`...)
	}
	props.b = append(props.b, ']')
}

// appendBinding writes the i-th binding of the scene as a store record: one end of an arrow and its
// target.
func appendBinding(b []byte, scene *scene.Scene, i int) []byte {
	bind := &scene.Bindings[i]
	p := props{b: append(b, `{"typeName":"binding","type":"arrow","meta":{}`...)}
	p.text("id", "binding:"+strconv.Itoa(i))
	p.text("fromId", scene.Shapes[bind.From].ID)
	p.text("toId", scene.Shapes[bind.To].ID)
	p.b = append(p.b, `,"props":{`...)
	p.first = true
	terminal := "start"
	if bind.IsEnd {
		terminal = "end"
	}
	p.text("terminal", terminal)
	p.point("normalizedAnchor", bind.Anchor)
	p.flag("isExact", bind.IsExact)
	p.flag("isPrecise", bind.IsPrecise)
	p.text("snap", bind.Snap.String())
	return append(p.b, '}', '}')
}
