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
	"geo": {scene.HasGeo, nameReader(scene.ParseGeo, func(r *scene.Record) *scene.GeoKind { return &r.Geo },
		geoAliases)},
	"color": {scene.HasColor, nameReader(scene.ParseColor,
		func(r *scene.Record) *scene.Color { return &r.Color }, colorAliases)},
	"labelColor": {scene.HasLabelColor, nameReader(scene.ParseColor,
		func(r *scene.Record) *scene.Color { return &r.LabelColor }, colorAliases)},
	"size": {scene.HasSize, nameReader(scene.ParseSize, func(r *scene.Record) *scene.Size { return &r.Size },
		nil)},
	"dash": {scene.HasDash, nameReader(parseDash, func(r *scene.Record) *scene.Dash { return &r.Dash }, nil)},
	"fill": {scene.HasFill, nameReader(scene.ParseFill, func(r *scene.Record) *scene.Fill { return &r.Fill },
		nil)},
	"font": {scene.HasFont, nameReader(scene.ParseFont, func(r *scene.Record) *scene.Font { return &r.Font },
		nil)},

	"align": {scene.HasAlign, alignmentReader(scene.ParseLabelAlign,
		func(r *scene.Record) *scene.Align { return &r.Align }, sideAliases)},
	"textAlign": {scene.HasAlign, alignmentReader(scene.ParseAlign,
		func(r *scene.Record) *scene.Align { return &r.Align }, sideAliases)},
	"verticalAlign": {scene.HasVertical,
		alignmentReader(scene.ParseAlign, func(r *scene.Record) *scene.Align { return &r.Vertical }, heightAliases)},

	"w":     {scene.HasW, numberReader(func(r *scene.Record) *float64 { return &r.W }, positive)},
	"h":     {scene.HasH, numberReader(func(r *scene.Record) *float64 { return &r.H }, positive)},
	"scale": {scene.HasScale, numberReader(func(r *scene.Record) *float64 { return &r.Scale }, positive)},
	"growY": {scene.HasGrowY, numberReader(func(r *scene.Record) *float64 { return &r.GrowY },
		nonNegative)},
	"fontSizeAdjustment": {scene.HasFontPx, numberReader(func(r *scene.Record) *float64 { return &r.FontPx },
		nonNegative)},
	"bend": {scene.HasBend,
		numberReader(func(r *scene.Record) *float64 { return &arrowProps(r).Bend }, anyNumber)},
	"labelPosition": {scene.HasLabelPosition,
		unitIntervalReader(func(r *scene.Record) *float64 { return &arrowProps(r).LabelPosition })},
	"elbowMidPoint": {scene.HasElbowMid,
		unitIntervalReader(func(r *scene.Record) *float64 { return &arrowProps(r).ElbowMidPoint })},

	"arrowheadStart": {scene.HasHeadStart,
		nameReader(scene.ParseArrowhead, func(r *scene.Record) *scene.Arrowhead { return &arrowProps(r).HeadStart },
			nil)},
	"arrowheadEnd": {scene.HasHeadEnd,
		nameReader(scene.ParseArrowhead, func(r *scene.Record) *scene.Arrowhead { return &arrowProps(r).HeadEnd },
			nil)},
	"kind": {scene.HasElbow, nameReader(oneOfTwo("arc", "elbow"),
		func(r *scene.Record) *bool { return &arrowProps(r).Elbow }, nil)},
	"spline": {scene.HasCubic, nameReader(oneOfTwo("line", "cubic"),
		func(r *scene.Record) *bool { return &r.Cubic }, nil)},

	"autoSize":   {scene.HasAuto, boolReader(func(r *scene.Record) *bool { return &r.Auto })},
	"isClosed":   {scene.HasClosed, boolReader(func(r *scene.Record) *bool { return &r.Closed })},
	"isComplete": {scene.HasComplete, boolReader(func(r *scene.Record) *bool { return &r.Complete })},
	"isPen":      {scene.HasPen, boolReader(func(r *scene.Record) *bool { return &r.Pen })},

	"richText": {scene.HasRich, (*cleaner).readRichText},
	"name":     {scene.HasName, stringReader(func(r *scene.Record) *string { return &r.Name })},
	"url":      {scene.HasURL, stringReader(func(r *scene.Record) *string { return &r.URL })},
	"points":   {scene.HasPoints, (*cleaner).readLinePoints},
	"start":    {scene.HasStart, arrowEndReader(0)},
	"end":      {scene.HasEnd, arrowEndReader(1)},
	"segments": {scene.HasSegments, (*cleaner).readSegments},

	"text":    {},
	"handles": {},
}

// kindFields holds the record fields that each kind of shape has. Package scene decides it: Merge
// ignores the others.
var kindFields = func() (all [scene.Group + 1]scene.Fields) {
	for k := range all {
		full := scene.NewRecord("shape:", scene.Kind(k))
		full.Has = ^scene.Fields(0)
		full.Arrow = new(scene.ArrowProps)
		full.Points = make([]scene.Point, 2)
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

// nameReader returns the reader of a shape property with a fixed set of names, such as a colour.
// parse recognizes the names, field returns where the value is stored, and aliases are other names
// that models use. Unless strict, case and blanks around a name do not matter.
func nameReader[T any](parse func(string) (T, bool), field func(*scene.Record) *T,
	aliases map[string]string) propertyReader {
	return func(c *cleaner, record *scene.Record, v answer.Value) bool {
		name, ok := v.Text()
		if !ok {
			return false
		}
		if !c.strict {
			name = normalizeName(name)
			if other, known := aliases[name]; known {
				name = other
			}
		}
		parsed, ok := parse(name)
		if ok {
			*field(record) = parsed
		}
		return ok
	}
}

// alignmentReader returns the reader of a property that aligns text. It reads names as nameReader
// does, but accepts no aliases under the variant strict_align.
func alignmentReader(parse func(string) (scene.Align, bool), field func(*scene.Record) *scene.Align,
	aliases map[string]string) propertyReader {
	lenient, strict := nameReader(parse, field, aliases), nameReader(parse, field, nil)
	return func(c *cleaner, record *scene.Record, value answer.Value) bool {
		if c.strictAlign {
			return strict(c, record, value)
		}
		return lenient(c, record, value)
	}
}

// parseDash parses a dash. It refuses "none", which tldraw 4.2 does not have.
func parseDash(s string) (scene.Dash, bool) {
	d, ok := scene.ParseDash(s)
	return d, ok && d != scene.DashNone
}

// oneOfTwo returns a parser of two names: the first is false, the second true.
func oneOfTwo(no, yes string) func(string) (bool, bool) {
	return func(s string) (bool, bool) { return s == yes, s == no || s == yes }
}

// numberReader returns the reader of a numeric property of the answer's shape. field returns where the
// value is stored. Numbers for which valid is false are refused.
func numberReader(field func(*scene.Record) *float64, valid func(float64) bool) propertyReader {
	return func(c *cleaner, record *scene.Record, v answer.Value) bool {
		x, ok := c.number(v)
		if !ok || !valid(x) {
			return false
		}
		*field(record) = x
		return true
	}
}

// positive, nonNegative and anyNumber are the ranges of numeric properties.
func positive(x float64) bool    { return x > 0 }
func nonNegative(x float64) bool { return x >= 0 }
func anyNumber(float64) bool     { return true }

// unitIntervalReader returns the reader of a numeric property of the answer's shape that is clamped to
// 0..1. The editor clamps it too, when it uses it. field returns where the value is stored.
func unitIntervalReader(field func(*scene.Record) *float64) propertyReader {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		x, ok := c.number(v)
		if ok {
			*field(r) = clamp01(x)
		}
		return ok
	}
}

func clamp01(x float64) float64 { return math.Min(math.Max(x, 0), 1) }

// boolReader returns the reader of a property of the answer's shape that is true or false. field returns
// where the value is stored.
func boolReader(field func(*scene.Record) *bool) propertyReader {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		b, ok := v.Bool()
		if ok {
			*field(r) = b
		}
		return ok
	}
}

// stringReader returns the reader of a string property of the answer's shape. field returns where the
// value is stored. Strings beyond the limit on text are refused.
func stringReader(field func(*scene.Record) *string) propertyReader {
	return func(c *cleaner, record *scene.Record, v answer.Value) bool {
		s, ok := v.Text()
		ok = ok && len(s) <= c.maxText
		if ok {
			*field(record) = s
		}
		return ok
	}
}

// arrowProps returns the arrow properties of a record and creates them if they are missing.
func arrowProps(record *scene.Record) *scene.ArrowProps {
	if record.Arrow == nil {
		record.Arrow = new(scene.ArrowProps)
	}
	return record.Arrow
}

// arrowEndReader returns the reader of an end of an arrow; i is its index among the record's points, 0
// for the start and 1 for the end. Only x and y count. Under the variant strict the object must have
// nothing else (docs/spec/aspire.md#r21).
func arrowEndReader(i int) propertyReader {
	return func(c *cleaner, record *scene.Record, value answer.Value) bool {
		if value.Kind() != answer.Object || c.strict && value.Len() != 2 {
			return false
		}
		p, ok := c.point(value)
		if !ok {
			return false
		}
		if len(record.Points) < 2 {
			record.Points = []scene.Point{{}, {X: 2}} // the defaults of an arrow
		}
		record.Points[i] = p
		return true
	}
}

// point reads {x, y} or, unless strict, [x, y]. ok is false for anything else.
func (cleaner *cleaner) point(v answer.Value) (p scene.Point, ok bool) {
	p, _, ok = cleaner.pointAndPressure(v)
	return p, ok
}

// pointAndPressure reads a point of the answer as point does, and also returns the value of z, the
// pen's pressure, without reading it; z is absent where the answer gives none.
func (cleaner *cleaner) pointAndPressure(v answer.Value) (p scene.Point, z answer.Value, ok bool) {
	x, y := v.Get("x"), v.Get("y")
	z = v.Get("z")
	if v.Kind() == answer.Array && !cleaner.strict {
		x = v.First()
		y = x.Next()
		z = y.Next()
	}
	p.X, ok = cleaner.number(x)
	if !ok {
		return p, z, false
	}
	p.Y, ok = cleaner.number(y)
	return p, z, ok
}

// indexedPoint is a point of a line with its sort key.
type indexedPoint struct {
	index string
	scene.Point
}

// readLinePoints reads the points of a line, a map or a list, sorted by their index if all
// have one (docs/spec/aspire.md#r21). It refuses fewer than two points and, under the
// variant strict, lists and points without an index.
func (cleaner *cleaner) readLinePoints(record *scene.Record, value answer.Value) bool {
	if k := value.Kind(); k != answer.Object && (k != answer.Array || cleaner.strict) {
		return false
	}
	cleaner.points = cleaner.points[:0]
	allNamed := true
	for element := value.First(); element.Exists(); element = element.Next() {
		p, ok := cleaner.point(element)
		if !ok {
			return false
		}
		index, named := element.Get("index").Text()
		allNamed = allNamed && named
		cleaner.points = append(cleaner.points, indexedPoint{index, p})
	}
	if len(cleaner.points) < 2 || cleaner.strict && !allNamed {
		return false
	}
	if allNamed { // the editor orders points by these indices, as strings
		slices.SortStableFunc(cleaner.points, func(a, b indexedPoint) int { return cmp.Compare(a.index, b.index) })
	}
	record.Points = make([]scene.Point, len(cleaner.points))
	for i := range cleaner.points {
		record.Points[i] = cleaner.points[i].Point
	}
	return true
}

// readSegments reads the strokes of a freehand line; one invalid stroke makes the value
// invalid (docs/spec/aspire.md#r21).
func (cleaner *cleaner) readSegments(record *scene.Record, value answer.Value) bool {
	if value.Kind() != answer.Array {
		return false
	}
	strokes := make([]scene.Segment, 0, value.Len())
	for element := value.First(); element.Exists(); element = element.Next() {
		stroke, ok := cleaner.readStroke(element)
		if !ok {
			return false
		}
		strokes = append(strokes, stroke)
	}
	record.Segments = strokes
	return true
}

// readStroke reads one stroke of a freehand line: its points, with a pen pressure of 0.5 where none is given.
// It refuses a stroke without points and, under the variant strict, one without a known type.
func (cleaner *cleaner) readStroke(value answer.Value) (stroke scene.Segment, ok bool) {
	points := value.Get("points")
	if points.Kind() != answer.Array {
		return stroke, false
	}
	kind, _ := value.Get("type").Text()
	if cleaner.strict && kind != "free" && kind != "straight" {
		return stroke, false
	}
	stroke.Straight = normalizeName(kind) == "straight"
	stroke.Points = make([]scene.Pressed, 0, points.Len())
	for element := points.First(); element.Exists(); element = element.Next() {
		p, pressure, ok := cleaner.pointAndPressure(element)
		if !ok {
			return stroke, false
		}
		penPressure, ok := cleaner.number(pressure)
		if !ok {
			penPressure = 0.5
		}
		stroke.Points = append(stroke.Points, scene.Pressed{X: p.X, Y: p.Y, Z: penPressure})
	}
	return stroke, len(stroke.Points) > 0
}
