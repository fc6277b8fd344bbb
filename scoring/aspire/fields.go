package aspire

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plumb/render/scene"
	"plumb/scoring/aspire/answer"
)

// property is one property of shapes: the field it sets and how its value is
// read. read returns false when the value is invalid, and has then set nothing
// that Has would show.
type property struct {
	field scene.Fields
	read  func(c *cleaner, r *scene.Record, v answer.Value) bool
}

// properties are the names that any kind of shape has, and those that clean-up turns into
// others. The latter have no field.
var properties = map[string]property{
	"geo":        {scene.HasGeo, enum(scene.ParseGeo, func(r *scene.Record) *scene.GeoKind { return &r.Geo }, geoAliases)},
	"color":      {scene.HasColor, enum(scene.ParseColor, func(r *scene.Record) *scene.Color { return &r.Color }, colorAliases)},
	"labelColor": {scene.HasLabelColor, enum(scene.ParseColor, func(r *scene.Record) *scene.Color { return &r.LabelColor }, colorAliases)},
	"size":       {scene.HasSize, enum(scene.ParseSize, func(r *scene.Record) *scene.Size { return &r.Size }, nil)},
	"dash":       {scene.HasDash, enum(parseDash, func(r *scene.Record) *scene.Dash { return &r.Dash }, nil)},
	"fill":       {scene.HasFill, enum(scene.ParseFill, func(r *scene.Record) *scene.Fill { return &r.Fill }, nil)},
	"font":       {scene.HasFont, enum(scene.ParseFont, func(r *scene.Record) *scene.Font { return &r.Font }, nil)},

	"align":         {scene.HasAlign, align(scene.ParseLabelAlign, func(r *scene.Record) *scene.Align { return &r.Align }, sideAliases)},
	"textAlign":     {scene.HasAlign, align(scene.ParseAlign, func(r *scene.Record) *scene.Align { return &r.Align }, sideAliases)},
	"verticalAlign": {scene.HasVertical, align(scene.ParseAlign, func(r *scene.Record) *scene.Align { return &r.Vertical }, heightAliases)},

	"w":                  {scene.HasW, above0(func(r *scene.Record) *float64 { return &r.W })},
	"h":                  {scene.HasH, above0(func(r *scene.Record) *float64 { return &r.H })},
	"scale":              {scene.HasScale, above0(func(r *scene.Record) *float64 { return &r.Scale })},
	"growY":              {scene.HasGrowY, from0(func(r *scene.Record) *float64 { return &r.GrowY })},
	"fontSizeAdjustment": {scene.HasFontPx, from0(func(r *scene.Record) *float64 { return &r.FontPx })},
	"bend":               {scene.HasBend, anyNumber(func(r *scene.Record) *float64 { return &arrowOf(r).Bend })},
	"labelPosition":      {scene.HasLabelPosition, share(func(r *scene.Record) *float64 { return &arrowOf(r).LabelPosition })},
	"elbowMidPoint":      {scene.HasElbowMid, share(func(r *scene.Record) *float64 { return &arrowOf(r).ElbowMidPoint })},

	"arrowheadStart": {scene.HasHeadStart, enum(scene.ParseArrowhead, func(r *scene.Record) *scene.Arrowhead { return &arrowOf(r).HeadStart }, nil)},
	"arrowheadEnd":   {scene.HasHeadEnd, enum(scene.ParseArrowhead, func(r *scene.Record) *scene.Arrowhead { return &arrowOf(r).HeadEnd }, nil)},
	"kind":           {scene.HasElbow, enum(choice("arc", "elbow"), func(r *scene.Record) *bool { return &arrowOf(r).Elbow }, nil)},
	"spline":         {scene.HasCubic, enum(choice("line", "cubic"), func(r *scene.Record) *bool { return &r.Cubic }, nil)},

	"autoSize":   {scene.HasAuto, flag(func(r *scene.Record) *bool { return &r.Auto })},
	"isClosed":   {scene.HasClosed, flag(func(r *scene.Record) *bool { return &r.Closed })},
	"isComplete": {scene.HasComplete, flag(func(r *scene.Record) *bool { return &r.Complete })},
	"isPen":      {scene.HasPen, flag(func(r *scene.Record) *bool { return &r.Pen })},

	"richText": {scene.HasRich, (*cleaner).richText},
	"name":     {scene.HasName, text(func(r *scene.Record) *string { return &r.Name })},
	"url":      {scene.HasURL, text(func(r *scene.Record) *string { return &r.URL })},
	"points":   {scene.HasPoints, (*cleaner).linePoints},
	"start":    {scene.HasStart, arrowEnd(0)},
	"end":      {scene.HasEnd, arrowEnd(1)},
	"segments": {scene.HasSegments, (*cleaner).segments},

	"text":    {},
	"handles": {},
}

// kindFields lists which fields each kind has. Package scene decides that: it
// ignores the others when it merges.
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

// plainName is how enumerated values are compared (docs/spec/aspire.md#r19).
func plainName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// enum reads a value with a fixed set of names.
func enum[T any](parse func(string) (T, bool), at func(*scene.Record) *T, aliases map[string]string) func(*cleaner, *scene.Record, answer.Value) bool {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		s, ok := v.Text()
		if !ok {
			return false
		}
		if !c.strict {
			s = plainName(s)
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

// align is enum for alignments, whose other names strict_align does not accept.
func align(parse func(string) (scene.Align, bool), at func(*scene.Record) *scene.Align, aliases map[string]string) func(*cleaner, *scene.Record, answer.Value) bool {
	kind, strictly := enum(parse, at, aliases), enum(parse, at, nil)
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		if c.strictAlign {
			return strictly(c, r, v)
		}
		return kind(c, r, v)
	}
}

// parseDash leaves out none, which tldraw 4.2 does not have.
func parseDash(s string) (scene.Dash, bool) {
	d, ok := scene.ParseDash(s)
	return d, ok && d != scene.DashNone
}

// choice reads one of two names as false or true.
func choice(no, yes string) func(string) (bool, bool) {
	return func(s string) (bool, bool) { return s == yes, s == no || s == yes }
}

func numberIn(at func(*scene.Record) *float64, valid func(float64) bool) func(*cleaner, *scene.Record, answer.Value) bool {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		x, ok := c.number(v)
		if !ok || !valid(x) {
			return false
		}
		*at(r) = x
		return true
	}
}

func above0(at func(*scene.Record) *float64) func(*cleaner, *scene.Record, answer.Value) bool {
	return numberIn(at, func(x float64) bool { return x > 0 })
}

func from0(at func(*scene.Record) *float64) func(*cleaner, *scene.Record, answer.Value) bool {
	return numberIn(at, func(x float64) bool { return x >= 0 })
}

func anyNumber(at func(*scene.Record) *float64) func(*cleaner, *scene.Record, answer.Value) bool {
	return numberIn(at, func(float64) bool { return true })
}

// share reads a number that the editor limits to 0..1 when it uses it.
func share(at func(*scene.Record) *float64) func(*cleaner, *scene.Record, answer.Value) bool {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		x, ok := c.number(v)
		if ok {
			*at(r) = clamp01(x)
		}
		return ok
	}
}

func clamp01(x float64) float64 { return math.Min(math.Max(x, 0), 1) }

func flag(at func(*scene.Record) *bool) func(*cleaner, *scene.Record, answer.Value) bool {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		b, ok := v.Truth()
		if ok {
			*at(r) = b
		}
		return ok
	}
}

func text(at func(*scene.Record) *string) func(*cleaner, *scene.Record, answer.Value) bool {
	return func(c *cleaner, r *scene.Record, v answer.Value) bool {
		s, ok := v.Text()
		if ok = ok && len(s) <= c.maxText; ok {
			*at(r) = s
		}
		return ok
	}
}

// arrowOf returns the properties of an arrow, which it makes when they are missing.
func arrowOf(r *scene.Record) *scene.ArrowProps {
	if r.Arrow == nil {
		r.Arrow = new(scene.ArrowProps)
	}
	return r.Arrow
}

// arrowEnd reads an end of an arrow: only x and y count (docs/spec/aspire.md#r21).
func arrowEnd(i int) func(*cleaner, *scene.Record, answer.Value) bool {
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

// point reads {x, y} or, where clean-up is allowed, [x, y].
func (c *cleaner) point(v answer.Value) (p scene.Point, ok bool) {
	p, _, ok = c.pressed(v)
	return p, ok
}

// pressed is point with the value of z, which may be absent.
func (c *cleaner) pressed(v answer.Value) (p scene.Point, z answer.Value, ok bool) {
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

// indexed is a point of a line with its place in the order.
type indexed struct {
	index string
	scene.Point
}

// linePoints reads the points of a line: a map or a list, in the order of their
// indices where all have one (docs/spec/aspire.md#r21). A line needs two.
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
		c.points = append(c.points, indexed{index, p})
	}
	if len(c.points) < 2 || c.strict && !all {
		return false
	}
	if all {
		slices.SortStableFunc(c.points, func(a, b indexed) int { return cmp.Compare(a.index, b.index) })
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

func (c *cleaner) segment(v answer.Value) (s scene.Segment, ok bool) {
	points := v.Get("points")
	if points.Kind() != answer.Array {
		return s, false
	}
	kind, _ := v.Get("type").Text()
	if c.strict && kind != "free" && kind != "straight" {
		return s, false
	}
	s.Straight = plainName(kind) == "straight"
	s.Points = make([]scene.Pressed, 0, points.Len())
	for e := points.First(); e.Exists(); e = e.Next() {
		p, z, ok := c.pressed(e)
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
