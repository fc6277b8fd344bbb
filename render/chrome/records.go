package chrome

import (
	"strconv"

	"plumb/render/jsontree"
	"plumb/render/scene"
)

// pageID is the editor's own page; the export page puts all shapes there.
const pageID = "page:page"

// appendScene writes a resolved scene as store records of tldraw 4.2 with every property, so that no picture
// depends on the editor's defaults. What the editor computes when it creates a shape (Shape.Grow) it computes
// for the ids listed in "created". A shape whose data a *scene.Scene does not hold is an error.
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

// appendShape writes a shape as a store record of the editor, below the given parent and with the given index.
func appendShape(b []byte, shape *scene.Shape, parent, index string) []byte {
	p := props{b: append(b, `{"typeName":"shape","isLocked":false,"meta":{}`...)}
	p.writeString("id", shape.ID)
	p.writeString("type", shape.TypeName)
	p.writeString("parentId", parent)
	p.writeString("index", index)
	p.writeNumber("x", shape.X)
	p.writeNumber("y", shape.Y)
	p.writeNumber("rotation", shape.Rotation)
	p.writeNumber("opacity", shape.Opacity)
	p.b = append(p.b, `,"props":{`...)
	p.first = true
	p.writeShape(shape)
	return append(p.b, '}', '}')
}

// props writes the members of a JSON object of a store record.
type props struct {
	b     []byte
	first bool // no member is written yet
}

// writeKey writes the name of the next member of a tldraw record, with the comma before it.
func (props *props) writeKey(name string) {
	if !props.first {
		props.b = append(props.b, ',')
	}
	props.first = false
	props.b = append(append(append(props.b, '"'), name...), '"', ':')
}

func (props *props) writeString(name, value string) {
	props.writeKey(name)
	props.b = jsontree.AppendString(props.b, value)
}
func (props *props) writeNumber(name string, value float64) {
	props.writeKey(name)
	props.b = appendNumber(props.b, value)
}
func (props *props) writeBool(name string, value bool) {
	props.writeKey(name)
	props.b = strconv.AppendBool(props.b, value)
}
func (props *props) writeRaw(name, value string) {
	props.writeKey(name)
	props.b = append(props.b, value...)
}

func (props *props) writePoint(name string, v scene.Point) {
	props.writeKey(name)
	props.b = appendPoint(props.b, v)
}

func appendPoint(b []byte, v scene.Point) []byte {
	b = appendNumber(append(b, `{"x":`...), v.X)
	b = appendNumber(append(b, `,"y":`...), v.Y)
	return append(b, '}')
}

func (props *props) writeSize(sh *scene.Shape) {
	props.writeNumber("w", sh.W)
	props.writeNumber("h", sh.H)
}

// writeStrokeStyle writes the properties that all shapes with a stroke have.
func (props *props) writeStrokeStyle(sh *scene.Shape) {
	props.writeString("color", sh.Color.String())
	props.writeString("size", sh.Size.String())
	props.writeNumber("scale", sh.Scale)
}

// writeLabel writes the properties that all shapes with a label have.
func (props *props) writeLabel(sh *scene.Shape) {
	props.writeString("labelColor", sh.LabelColor.String())
	props.writeString("font", sh.Font.String())
	props.writeRichText(sh.Rich)
}

// writeAlignment writes how the text of a tldraw shape is aligned along both axes of its box, and the two
// properties that the same shapes have: the growth and the link.
func (props *props) writeAlignment(shape *scene.Shape) {
	props.writeString("align", shape.Align.String())
	props.writeString("verticalAlign", shape.Vertical.String())
	props.writeNumber("growY", shape.GrowY)
	props.writeString("url", shape.URL)
}

func (props *props) writeAsset(sh *scene.Shape) {
	props.writeRaw("assetId", "null") // shapes with one are refused by checkComplete
	props.writeString("url", sh.URL)
}

// writeShape writes the properties of a shape, those that its kind has in tldraw's store records.
func (props *props) writeShape(shape *scene.Shape) {
	switch shape.Kind {
	case scene.Geo:
		props.writeStrokeStyle(shape)
		props.writeSize(shape)
		props.writeLabel(shape)
		props.writeAlignment(shape)
		props.writeString("geo", shape.Geo.String())
		props.writeString("dash", shape.Dash.String())
		props.writeString("fill", shape.Fill.String())
	case scene.Text:
		props.writeStrokeStyle(shape)
		props.writeNumber("w", shape.W)
		props.writeString("font", shape.Font.String())
		props.writeString("textAlign", shape.Align.String())
		props.writeBool("autoSize", shape.Auto)
		props.writeRichText(shape.Rich)
	case scene.Note:
		props.writeStrokeStyle(shape)
		props.writeLabel(shape)
		props.writeAlignment(shape)
		props.writeNumber("fontSizeAdjustment", shape.FontPx)
	case scene.Arrow:
		props.writeArrow(shape)
	case scene.Line, scene.Draw, scene.Highlight:
		props.writeStroke(shape)
	default:
		props.writeBoxShape(shape)
	}
}

// writeArrow writes the properties of an arrow: its form, heads, label and ends.
func (props *props) writeArrow(shape *scene.Shape) {
	a := shape.Arrow
	props.writeStrokeStyle(shape)
	props.writeLabel(shape)
	kind := "arc"
	if a.Elbow {
		kind = "elbow"
	}
	props.writeString("kind", kind)
	props.writeString("dash", shape.Dash.String())
	props.writeString("fill", shape.Fill.String())
	props.writePoint("start", shape.Points[0])
	props.writePoint("end", shape.Points[1])
	props.writeNumber("bend", a.Bend)
	props.writeString("arrowheadStart", a.HeadStart.String())
	props.writeString("arrowheadEnd", a.HeadEnd.String())
	props.writeNumber("labelPosition", a.LabelPosition)
	props.writeNumber("elbowMidPoint", a.ElbowMidPoint)
}

// writeStroke writes the properties of a line, a freehand shape or a highlight, as tldraw's records have them.
func (props *props) writeStroke(shape *scene.Shape) {
	props.writeStrokeStyle(shape)
	if shape.Kind != scene.Highlight {
		props.writeString("dash", shape.Dash.String())
	}
	if shape.Kind == scene.Line {
		spline := "line"
		if shape.Cubic {
			spline = "cubic"
		}
		props.writeString("spline", spline)
		props.writePoints(shape.Points)
		return
	}
	props.writeBool("isComplete", shape.Complete)
	props.writeBool("isPen", shape.Pen)
	props.writeSegments(shape.Segments)
	if shape.Kind == scene.Draw {
		props.writeBool("isClosed", shape.Closed)
		props.writeString("fill", shape.Fill.String())
	}
}

// writeBoxShape writes the properties of a tldraw shape with a box: a frame, picture, video, bookmark or
// embed; a group has none. What a *scene.Scene does not hold gets the editor's default.
func (props *props) writeBoxShape(shape *scene.Shape) {
	if shape.Kind == scene.Group {
		return
	}
	props.writeSize(shape)
	switch shape.Kind {
	case scene.Frame:
		props.writeString("name", shape.Name)
		props.writeString("color", shape.Color.String())
	case scene.Image:
		props.writeAsset(shape)
		props.writeRaw("crop", "null")
		props.writeBool("flipX", shape.Flip[0])
		props.writeBool("flipY", shape.Flip[1])
		props.writeBool("playing", true)
		props.writeString("altText", "")
	case scene.Video:
		props.writeAsset(shape)
		props.writeNumber("time", 0)
		props.writeBool("playing", true)
		props.writeBool("autoplay", true)
		props.writeString("altText", "")
	case scene.Bookmark:
		props.writeAsset(shape)
	case scene.Embed:
		props.writeString("url", shape.URL)
	}
}

// writePoints writes the points of a line as tldraw's records have them: {key: {id, index, x, y}}. The
// keys are whole index keys in the order of the points.
func (props *props) writePoints(points []scene.Point) {
	props.writeKey("points")
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

// writeSegments writes the points of a freehand line, segment by segment, as tldraw's records have them.
func (props *props) writeSegments(segments []scene.Segment) {
	props.writeKey("segments")
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

// appendBinding writes the i-th binding of the scene as a store record: one end of an arrow and its target.
func appendBinding(b []byte, scene *scene.Scene, i int) []byte {
	bind := &scene.Bindings[i]
	p := props{b: append(b, `{"typeName":"binding","type":"arrow","meta":{}`...)}
	p.writeString("id", "binding:"+strconv.Itoa(i))
	p.writeString("fromId", scene.Shapes[bind.From].ID)
	p.writeString("toId", scene.Shapes[bind.To].ID)
	p.b = append(p.b, `,"props":{`...)
	p.first = true
	terminal := "start"
	if bind.IsEnd {
		terminal = "end"
	}
	p.writeString("terminal", terminal)
	p.writePoint("normalizedAnchor", bind.Anchor)
	p.writeBool("isExact", bind.IsExact)
	p.writeBool("isPrecise", bind.IsPrecise)
	p.writeString("snap", bind.Snap.String())
	return append(p.b, '}', '}')
}
