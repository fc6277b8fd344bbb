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
func appendScene(b []byte, s *scene.Scene) ([]byte, error) {
	b = append(b, `{"records":[`...)
	children := make(map[int32]int) // of each parent so far: they get indexes in their order
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		if err := checkComplete(sh); err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		parent := pageID
		if sh.Parent >= 0 {
			parent = s.Shapes[sh.Parent].ID
		}
		children[sh.Parent]++
		b = appendShape(b, sh, parent, scene.IndexKey(children[sh.Parent]))
	}
	for i := range s.Bindings {
		b = appendBinding(append(b, ','), s, i)
	}
	b = append(b, `],"created":[`...)
	first := true
	for i := range s.Shapes {
		if !s.Shapes[i].Grow {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = jsontree.AppendString(b, s.Shapes[i].ID)
	}
	return append(b, ']'), nil
}

// checkComplete refuses a shape of which a *scene.Scene keeps a name but not the data: an unknown
// type or colour, foreign text, an asset. The editor could not draw it from records.
func checkComplete(sh *scene.Shape) error {
	switch {
	case sh.Kind >= scene.Other:
		return sceneFault(sh, "its type is "+strconv.Quote(sh.TypeName))
	case sh.Color == scene.CustomColor || sh.LabelColor == scene.CustomColor:
		return sceneFault(sh, "its colour is not one of the palette")
	case sh.Rich != nil && sh.Rich.Foreign != "" && sh.Rich.Document == "":
		return sceneFault(sh, "its text has a "+sh.Rich.Foreign)
	case sh.Asset != "":
		return sceneFault(sh, "its asset "+strconv.Quote(sh.Asset)+" is not part of the scene")
	}
	return nil
}

// appendShape writes a shape as a store record of the editor, below the given parent and with the
// given index.
func appendShape(b []byte, sh *scene.Shape, parent, index string) []byte {
	p := props{b: append(b, `{"typeName":"shape","isLocked":false,"meta":{}`...)}
	p.text("id", sh.ID)
	p.text("type", sh.TypeName)
	p.text("parentId", parent)
	p.text("index", index)
	p.number("x", sh.X)
	p.number("y", sh.Y)
	p.number("rotation", sh.Rotation)
	p.number("opacity", sh.Opacity)
	p.b = append(p.b, `,"props":{`...)
	p.first = true
	p.shape(sh)
	return append(p.b, '}', '}')
}

// props writes the members of a JSON object of a store record.
type props struct {
	b     []byte
	first bool
}

// key writes the name of the next member of a tldraw record, with the comma before it.
func (p *props) key(name string) {
	if !p.first {
		p.b = append(p.b, ',')
	}
	p.first = false
	p.b = append(append(append(p.b, '"'), name...), '"', ':')
}

func (p *props) text(name, value string)           { p.key(name); p.b = jsontree.AppendString(p.b, value) }
func (p *props) number(name string, value float64) { p.key(name); p.b = appendNumber(p.b, value) }
func (p *props) flag(name string, value bool)      { p.key(name); p.b = strconv.AppendBool(p.b, value) }
func (p *props) raw(name, value string)            { p.key(name); p.b = append(p.b, value...) }

func (p *props) point(name string, v scene.Point) {
	p.key(name)
	p.b = appendPoint(p.b, v)
}

func appendPoint(b []byte, v scene.Point) []byte {
	b = appendNumber(append(b, `{"x":`...), v.X)
	b = appendNumber(append(b, `,"y":`...), v.Y)
	return append(b, '}')
}

func (p *props) box(sh *scene.Shape) {
	p.number("w", sh.W)
	p.number("h", sh.H)
}

// ink writes what strokes share.
func (p *props) ink(sh *scene.Shape) {
	p.text("color", sh.Color.String())
	p.text("size", sh.Size.String())
	p.number("scale", sh.Scale)
}

// label writes what labels share.
func (p *props) label(sh *scene.Shape) {
	p.text("labelColor", sh.LabelColor.String())
	p.text("font", sh.Font.String())
	p.rich(sh.Rich)
}

// aligned writes how the text of a tldraw shape is aligned along both axes of its box.
func (p *props) aligned(sh *scene.Shape) {
	p.text("align", sh.Align.String())
	p.text("verticalAlign", sh.Vertical.String())
	p.number("growY", sh.GrowY)
	p.text("url", sh.URL)
}

func (p *props) asset(sh *scene.Shape) {
	p.raw("assetId", "null") // shapes with one are refused by checkComplete
	p.text("url", sh.URL)
}

// shape writes the properties of a shape by its kind, as tldraw's store records have them.
func (p *props) shape(sh *scene.Shape) {
	switch sh.Kind {
	case scene.Geo:
		p.ink(sh)
		p.box(sh)
		p.label(sh)
		p.aligned(sh)
		p.text("geo", sh.Geo.String())
		p.text("dash", sh.Dash.String())
		p.text("fill", sh.Fill.String())
	case scene.Text:
		p.ink(sh)
		p.number("w", sh.W)
		p.text("font", sh.Font.String())
		p.text("textAlign", sh.Align.String())
		p.flag("autoSize", sh.Auto)
		p.rich(sh.Rich)
	case scene.Note:
		p.ink(sh)
		p.label(sh)
		p.aligned(sh)
		p.number("fontSizeAdjustment", sh.FontPx)
	case scene.Arrow:
		p.arrow(sh)
	case scene.Line, scene.Draw, scene.Highlight:
		p.stroke(sh)
	default:
		p.holder(sh)
	}
}

// arrow writes the properties of an arrow: its form, heads, label and ends.
func (p *props) arrow(sh *scene.Shape) {
	a := sh.Arrow
	p.ink(sh)
	p.label(sh)
	kind := "arc"
	if a.Elbow {
		kind = "elbow"
	}
	p.text("kind", kind)
	p.text("dash", sh.Dash.String())
	p.text("fill", sh.Fill.String())
	p.point("start", sh.Points[0])
	p.point("end", sh.Points[1])
	p.number("bend", a.Bend)
	p.text("arrowheadStart", a.HeadStart.String())
	p.text("arrowheadEnd", a.HeadEnd.String())
	p.number("labelPosition", a.LabelPosition)
	p.number("elbowMidPoint", a.ElbowMidPoint)
}

// stroke writes the properties of a line, a freehand shape or a highlight, as tldraw's records have
// them.
func (p *props) stroke(sh *scene.Shape) {
	p.ink(sh)
	if sh.Kind != scene.Highlight {
		p.text("dash", sh.Dash.String())
	}
	if sh.Kind == scene.Line {
		spline := "line"
		if sh.Cubic {
			spline = "cubic"
		}
		p.text("spline", spline)
		p.points(sh.Points)
		return
	}
	p.flag("isComplete", sh.Complete)
	p.flag("isPen", sh.Pen)
	p.segments(sh.Segments)
	if sh.Kind == scene.Draw {
		p.flag("isClosed", sh.Closed)
		p.text("fill", sh.Fill.String())
	}
}

// holder writes the properties of a tldraw shape with a box: a frame, picture, video, bookmark or
// embed; a group has none. What a *scene.Scene does not hold gets the editor's default.
func (p *props) holder(sh *scene.Shape) {
	if sh.Kind == scene.Group {
		return
	}
	p.box(sh)
	switch sh.Kind {
	case scene.Frame:
		p.text("name", sh.Name)
		p.text("color", sh.Color.String())
	case scene.Image:
		p.asset(sh)
		p.raw("crop", "null")
		p.flag("flipX", sh.Flip[0])
		p.flag("flipY", sh.Flip[1])
		p.flag("playing", true)
		p.text("altText", "")
	case scene.Video:
		p.asset(sh)
		p.number("time", 0)
		p.flag("playing", true)
		p.flag("autoplay", true)
		p.text("altText", "")
	case scene.Bookmark:
		p.asset(sh)
	case scene.Embed:
		p.text("url", sh.URL)
	}
}

// points writes the points of a line as tldraw's records have them: {key: {id, index, x, y}}. The
// keys are whole index keys in the order of the points.
func (p *props) points(points []scene.Point) {
	p.key("points")
	p.b = append(p.b, '{')
	for i, v := range points {
		if i > 0 {
			p.b = append(p.b, ',')
		}
		key := scene.IndexKey(i + 1)
		p.b = jsontree.AppendString(p.b, key)
		p.b = jsontree.AppendString(append(p.b, `:{"id":`...), key)
		p.b = jsontree.AppendString(append(p.b, `,"index":`...), key)
		p.b = appendNumber(append(p.b, `,"x":`...), v.X)
		p.b = appendNumber(append(p.b, `,"y":`...), v.Y)
		p.b = append(p.b, '}')
	}
	p.b = append(p.b, '}')
}

// segments writes the points of a freehand line, segment by segment, as tldraw's records have them.
func (p *props) segments(segments []scene.Segment) {
	p.key("segments")
	p.b = append(p.b, '[')
	for i := range segments {
		if i > 0 {
			p.b = append(p.b, ',')
		}
		kind := `{"type":"free","points":[`
		if segments[i].Straight {
			kind = `{"type":"straight","points":[`
		}
		p.b = append(p.b, kind...)
		for j, v := range segments[i].Points {
			if j > 0 {
				p.b = append(p.b, ',')
			}
			p.b = appendNumber(append(p.b, `{"x":`...), v.X)
			p.b = appendNumber(append(p.b, `,"y":`...), v.Y)
			p.b = appendNumber(append(p.b, `,"z":`...), v.Z)
			p.b = append(p.b, '}')
		}
		p.b = append(p.b, `]}`...)
	}
	p.b = append(p.b, ']')
}

// appendBinding writes the i-th binding of the scene as a store record: one end of an arrow and its
// target.
func appendBinding(b []byte, s *scene.Scene, i int) []byte {
	bind := &s.Bindings[i]
	p := props{b: append(b, `{"typeName":"binding","type":"arrow","meta":{}`...)}
	p.text("id", "binding:"+strconv.Itoa(i))
	p.text("fromId", s.Shapes[bind.From].ID)
	p.text("toId", s.Shapes[bind.To].ID)
	p.b = append(p.b, `,"props":{`...)
	p.first = true
	terminal := "start"
	if bind.End {
		terminal = "end"
	}
	p.text("terminal", terminal)
	p.point("normalizedAnchor", bind.Anchor)
	p.flag("isExact", bind.IsExact)
	p.flag("isPrecise", bind.IsPrecise)
	p.text("snap", bind.Snap.String())
	return append(p.b, '}', '}')
}
