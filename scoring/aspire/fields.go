package aspire

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plumb/render/scene"
	"plumb/scoring/aspire/answer"
)

// property is a property of shapes: the record field it sets and the function that reads its
// value. read returns false if the value is invalid, and then leaves the field unset.
type property struct {
	field scene.Fields
	read  propertyReader
}

// propertyReader reads the value of a property into the record and reports whether it is valid.
type propertyReader func(c *cleaner, r *scene.Record, v answer.Value) bool

// properties are the property names of all kinds of shapes, and the alternative names that
// renameProperties replaces, which have no field.
var properties = map[string]property{
	"geo":        {scene.HasGeo, enum(scene.ParseGeo, func(r *scene.Record) *scene.GeoKind { return &r.Geo }, geoAliases)},
	"color":      {scene.HasColor, enum(scene.ParseColor, func(r *scene.Record) *scene.Color { return &r.Color }, colorAliases)},
	"labelColor": {scene.HasLabelColor, enum(scene.ParseColor, func(r *scene.Record) *scene.Color { return &r.LabelColor }, colorAliases)},
	"size":       {scene.HasSize, enum(scene.ParseSize, func(r *scene.Record) *scene.Size { return &r.Size }, nil)},
	"dash":       {scene.HasDash, enum(parseDash, func(r *scene.Record) *scene.Dash { return &r.Dash }, nil)},
	"fill":       {scene.HasFill, enum(scene.ParseFill, func(r *scene.Record) *scene.Fill { return &r.Fill }, nil)},
	"font":       {scene.HasFont, enum(scene.ParseFont, func(r *scene.Record) *scene.Font { return &r.Font }, nil)},

	"align":         {scene.HasAlign, alignment(scene.ParseLabelAlign, func(r *scene.Record) *scene.Align { return &r.Align }, sideAliases)},
	"textAlign":     {scene.HasAlign, alignment(scene.ParseAlign, func(r *scene.Record) *scene.Align { return &r.Align }, sideAliases)},
	"verticalAlign": {scene.HasVertical, alignment(scene.ParseAlign, func(r *scene.Record) *scene.Align { return &r.Vertical }, heightAliases)},

	"w":                  {scene.HasW, numberIn(func(r *scene.Record) *float64 { return &r.W }, positive)},
	"h":                  {scene.HasH, numberIn(func(r *scene.Record) *float64 { return &r.H }, positive)},
	"scale":              {scene.HasScale, numberIn(func(r *scene.Record) *float64 { return &r.Scale }, positive)},
	"growY":              {scene.HasGrowY, numberIn(func(r *scene.Record) *float64 { return &r.GrowY }, nonNegative)},
	"fontSizeAdjustment": {scene.HasFontPx, numberIn(func(r *scene.Record) *float64 { return &r.FontPx }, nonNegative)},
	"bend":               {scene.HasBend, numberIn(func(r *scene.Record) *float64 { return &arrowProps(r).Bend }, anyNumber)},
	"labelPosition":      {scene.HasLabelPosition, unitInterval(func(r *scene.Record) *float64 { return &arrowProps(r).LabelPosition })},
	"elbowMidPoint":      {scene.HasElbowMid, unitInterval(func(r *scene.Record) *float64 { return &arrowProps(r).ElbowMidPoint })},

	"arrowheadStart": {scene.HasHeadStart, enum(scene.ParseArrowhead, func(r *scene.Record) *scene.Arrowhead { return &arrowProps(r).HeadStart }, nil)},
	"arrowheadEnd":   {scene.HasHeadEnd, enum(scene.ParseArrowhead, func(r *scene.Record) *scene.Arrowhead { return &arrowProps(r).HeadEnd }, nil)},
	"kind":           {scene.HasElbow, enum(oneOfTwo("arc", "elbow"), func(r *scene.Record) *bool { return &arrowProps(r).Elbow }, nil)},
	"spline":         {scene.HasCubic, enum(oneOfTwo("line", "cubic"), func(r *scene.Record) *bool { return &r.Cubic }, nil)},

	"autoSize":   {scene.HasAuto, boolean(func(r *scene.Record) *bool { return &r.Auto })},
	"isClosed":   {scene.HasClosed, boolean(func(r *scene.Record) *bool { return &r.Closed })},
	"isComplete": {scene.HasComplete, boolean(func(r *scene.Record) *bool { return &r.Complete })},
	"isPen":      {scene.HasPen, boolean(func(r *scene.Record) *bool { return &r.Pen })},

	"richText": {scene.HasRich, (*cleaner).richText},
	"name":     {scene.HasName, stringWithin(func(r *scene.Record) *string { return &r.Name })},
	"url":      {scene.HasURL, stringWithin(func(r *scene.Record) *string { return &r.URL })},
	"points":   {scene.HasPoints, (*cleaner).linePoints},
	"start":    {scene.HasStart, arrowEnd(0)},
	"end":      {scene.HasEnd, arrowEnd(1)},
	"segments": {scene.HasSegments, (*cleaner).segments},

	"text":    {},
	"handles": {},
}

// kindFields holds the record fields that each kind of shape has. Package scene decides it: Merge
// ignores the others.
var kindFields = func() (all [scene.Group + 1]scene.Fields) {
	for k := range all {
		full := scene.NewRecord("shape:", scene.Kind(k))
		full.Has, full.Arrow, full.Points = ^scene.Fields(0), new(scene.ArrowProps), make([]scene.Point, 2)
		r := scene.NewRecord("shape:", scene.Kind(k))
		r.Merge(&full)
		all[k] = r.Has
	}
	return all
}()

// Other names for values (docs/spec/aspire.md#r18, docs/spec/aspire.md#r19).
var (
	geoAliases    = map[string]string{"circle": "ellipse", "square": "rectangle"}
	colorAliases  = map[string]string{"gray": "grey"}
	sideAliases   = map[string]string{"left": "start", "center": "middle", "centre": "middle", "right": "end"}
	heightAliases = map[string]string{"top": "start", "center": "middle", "centre": "middle", "bottom": "end"}
)

// normalizeName makes enumerated values comparable (docs/spec/aspire.md#r19).
func normalizeName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// enum returns the reader of a shape's property with a fixed set of names, such as a colour.
// aliases are other names that models use.
func enum[T any](parse func(string) (T, bool), at func(*scene.Record) *T, aliases map[string]string) propertyReader {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		s, ok := v.Text()
		if !ok {
			return false
		}
		if !c.strict {
			s = normalizeName(s)
			if other, known := aliases[s]; known {
				s = other
			}
		}
		t, ok := parse(s)
		if ok {
			*at(r) = t
		}
		return ok
	}
}

// alignment is enum for the alignment of a shape's text, whose aliases the variant strict_align
// does not accept.
func alignment(parse func(string) (scene.Align, bool), at func(*scene.Record) *scene.Align, aliases map[string]string) propertyReader {
	kind, strictly := enum(parse, at, aliases), enum(parse, at, nil)
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		if c.strictAlign {
			return strictly(c, r, v)
		}
		return kind(c, r, v)
	}
}

// parseDash rejects the dash none, which tldraw 4.2 does not have.
func parseDash(s string) (scene.Dash, bool) {
	d, ok := scene.ParseDash(s)
	return d, ok && d != scene.DashNone
}

// oneOfTwo parses one of two names as false or true.
func oneOfTwo(no, yes string) func(string) (bool, bool) {
	return func(s string) (bool, bool) { return s == yes, s == no || s == yes }
}

// numberIn returns the reader of a shape's numeric property that valid accepts.
func numberIn(at func(*scene.Record) *float64, valid func(float64) bool) propertyReader {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		x, ok := c.number(v)
		if !ok || !valid(x) {
			return false
		}
		*at(r) = x
		return true
	}
}

// positive, nonNegative and anyNumber are the ranges of numeric properties.
func positive(x float64) bool    { return x > 0 }
func nonNegative(x float64) bool { return x >= 0 }
func anyNumber(float64) bool     { return true }

// unitInterval returns the reader of a property such as opacity: a number, clamped to 0..1 as the
// editor does when it uses it.
func unitInterval(at func(*scene.Record) *float64) propertyReader {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		x, ok := c.number(v)
		if ok {
			*at(r) = clamp01(x)
		}
		return ok
	}
}

func clamp01(x float64) float64 { return math.Min(math.Max(x, 0), 1) }

// boolean returns the reader of a shape's property that is true or false.
func boolean(at func(*scene.Record) *bool) propertyReader {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		b, ok := v.Bool()
		if ok {
			*at(r) = b
		}
		return ok
	}
}

// stringWithin returns the reader of a shape's property that is a string within the limit of text.
func stringWithin(at func(*scene.Record) *string) propertyReader {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		s, ok := v.Text()
		ok = ok && len(s) <= c.maxText
		if ok {
			*at(r) = s
		}
		return ok
	}
}

// arrowProps returns the arrow properties of a record and creates them if they are missing.
func arrowProps(r *scene.Record) *scene.ArrowProps {
	if r.Arrow == nil {
		r.Arrow = new(scene.ArrowProps)
	}
	return r.Arrow
}

// arrowEnd reads an end of an arrow: 0 is the start, 1 the end. Only x and y count
// (docs/spec/aspire.md#r21).
func arrowEnd(i int) propertyReader {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		if v.Kind() != answer.Object || c.strict && v.Len() != 2 {
			return false
		}
		p, ok := c.point(v)
		if !ok {
			return false
		}
		if len(r.Points) < 2 {
			r.Points = []scene.Point{{}, {X: 2}} // the defaults of an arrow
		}
		r.Points[i] = p
		return true
	}
}

// point reads {x, y} or, unless strict, [x, y].
func (c *cleaner) point(v answer.Value) (p scene.Point, ok bool) {
	p, _, ok = c.pointAndPressure(v)
	return p, ok
}

// pointAndPressure reads a point of a line that the answer draws, and the value of z, the pen's
// pressure, which can be absent.
func (c *cleaner) pointAndPressure(v answer.Value) (p scene.Point, z answer.Value, ok bool) {
	x, y := v.Get("x"), v.Get("y")
	z = v.Get("z")
	if v.Kind() == answer.Array && !c.strict {
		x = v.First()
		y = x.Next()
		z = y.Next()
	}
	p.X, ok = c.number(x)
	if !ok {
		return p, z, false
	}
	p.Y, ok = c.number(y)
	return p, z, ok
}

// indexedPoint is a point of a line with its sort key.
type indexedPoint struct {
	index string
	scene.Point
}

// linePoints reads the points of a line: a map or a list, sorted by index if all points have one
// (docs/spec/aspire.md#r21). A line needs two.
func (c *cleaner) linePoints(r *scene.Record, v answer.Value) bool {
	if k := v.Kind(); k != answer.Object && (k != answer.Array || c.strict) {
		return false
	}
	c.points = c.points[:0]
	all := true
	for e := v.First(); e.Exists(); e = e.Next() {
		p, ok := c.point(e)
		if !ok {
			return false
		}
		index, named := e.Get("index").Text()
		all = all && named
		c.points = append(c.points, indexedPoint{index, p})
	}
	if len(c.points) < 2 || c.strict && !all {
		return false
	}
	if all {
		slices.SortStableFunc(c.points, func(a, b indexedPoint) int { return cmp.Compare(a.index, b.index) })
	}
	r.Points = make([]scene.Point, len(c.points))
	for i := range c.points {
		r.Points[i] = c.points[i].Point
	}
	return true
}

// segments reads the strokes of a freehand line (docs/spec/aspire.md#r21).
func (c *cleaner) segments(r *scene.Record, v answer.Value) bool {
	if v.Kind() != answer.Array {
		return false
	}
	list := make([]scene.Segment, 0, v.Len())
	for e := v.First(); e.Exists(); e = e.Next() {
		s, ok := c.segment(e)
		if !ok {
			return false
		}
		list = append(list, s)
	}
	r.Segments = list
	return true
}

// segment reads one stroke of a freehand line that the answer draws: its points with pen pressure,
// 0.5 by default.
func (c *cleaner) segment(v answer.Value) (s scene.Segment, ok bool) {
	points := v.Get("points")
	if points.Kind() != answer.Array {
		return s, false
	}
	kind, _ := v.Get("type").Text()
	if c.strict && kind != "free" && kind != "straight" {
		return s, false
	}
	s.Straight = normalizeName(kind) == "straight"
	s.Points = make([]scene.Pressed, 0, points.Len())
	for e := points.First(); e.Exists(); e = e.Next() {
		p, z, ok := c.pointAndPressure(e)
		if !ok {
			return s, false
		}
		pen, ok := c.number(z)
		if !ok {
			pen = 0.5
		}
		s.Points = append(s.Points, scene.Pressed{X: p.X, Y: p.Y, Z: pen})
	}
	return s, len(s.Points) > 0
}
