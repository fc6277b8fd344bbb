package scene

import (
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// point reads a point of a shape, {x, y}, within the limit on coordinates.
func (d *sceneDecoder) point(v *fastjson.Value, place where, field string) (p Point) {
	if v.Type() != fastjson.TypeObject {
		d.refuse(place, field, v, "an object with x and y")
		return p
	}
	d.only(v, field, pointMembers)
	p.X = d.coordinate(v.Get("x"), place, field, ".x")
	p.Y = d.coordinate(v.Get("y"), place, field, ".y")
	return p
}

// coordinate reads one coordinate of a shape's point, within the limit.
func (d *sceneDecoder) coordinate(v *fastjson.Value, place where, field, axis string) float64 {
	n, ok := d.float(v)
	if !ok {
		d.refuse(place, field+axis, v, "a finite number")
		return 0
	}
	if err := checkCoordinate(n, &d.lim); err != nil && d.fault == nil {
		d.fault = err.in(place.field(field+axis), place.shape)
	}
	return n
}

// linePoints reads the object of a line's points, {key: {id, index, x, y}}, and returns the points in the
// order of their indexes.
func (d *sceneDecoder) linePoints(v *fastjson.Value, place where) []Point {
	o, err := v.Object()
	if err != nil {
		d.refuse(place, "props.points", v, "an object of points, each with index, x and y")
		return nil
	}
	if !d.fewPoints(o.Len(), place, "props.points") {
		return nil
	}
	points := make([]Point, 0, o.Len())
	keys := make([]string, 0, o.Len())
	sorted := true
	o.Visit(func(key []byte, v *fastjson.Value) {
		if d.fault != nil {
			return
		}
		k := d.index(v.Get("index"), place, "props.points.index")
		points = append(points, d.point(v, place, "props.points"))
		if id := v.Get("id"); id == nil || id.Type() != fastjson.TypeString {
			d.note("props.points."+clip(string(key), 40)+".id", describe(id), "a string")
		}
		if d.fault != nil { // say in which point
			d.addMember("props.points", "."+clip(string(key), 80))
		}
		sorted = sorted && (len(keys) == 0 || compareCodeUnits(keys[len(keys)-1], k) <= 0)
		keys = append(keys, k)
	})
	if sorted || d.fault != nil {
		return points
	}
	order := make([]int32, len(points))
	for i := range order {
		order[i] = int32(i)
	}
	sortByIndex(order, keys)
	inOrder := make([]Point, len(points))
	for to, from := range order {
		inOrder[to] = points[from]
	}
	return inOrder
}

// fewPoints refuses a shape with n points if that is over the limit. It reports whether the decoder
// has found no fault so far.
func (d *sceneDecoder) fewPoints(n int, place where, field string) bool {
	if n > d.lim.Points && d.fault == nil {
		d.fault = overPoints(n, &d.lim).in(place.field(field), place.shape)
	}
	return d.fault == nil
}

func overPoints(n int, lim *Limits) *Error {
	return overLimit("", "", strconv.Itoa(n)+" points", "at most "+strconv.Itoa(lim.Points), FlagPoints)
}

// segments reads the list of segments of a freehand shape. The limit on points holds for all of them
// together.
func (d *sceneDecoder) segments(v *fastjson.Value, place where) []Segment {
	list, err := v.Array()
	if err != nil {
		d.refuse(place, "props.segments", v, "a list of segments")
		return nil
	}
	segments := make([]Segment, len(list))
	points := 0
	for i, item := range list {
		points += len(item.GetArray("points"))
		if !d.fewPoints(points, place, "props.segments") {
			return nil
		}
		segments[i] = d.segment(item, place)
		if d.fault != nil {
			d.addMember("props.segments", "["+strconv.Itoa(i)+"]")
			return nil
		}
	}
	return segments
}

// segment reads one segment of a freehand shape (props.segments): straight or free, with its
// points. Error messages name the member of the list, not the segment's number.
func (d *sceneDecoder) segment(v *fastjson.Value, place where) (s Segment) {
	if v.Type() != fastjson.TypeObject {
		d.refuse(place, "props.segments", v, "an object with type and points")
		return s
	}
	kind, ok := findName[uint8](segmentNames, v.GetStringBytes("type"))
	if !ok {
		d.refuse(place, "props.segments.type", v.Get("type"), oneOf(segmentNames))
	}
	d.only(v, "props.segments", segmentMembers)
	if p := v.Get("path"); p != nil && v.Get("points") == nil {
		d.refuseVersion(place, "props.segments.path", "points in base64, of tldraw 5", "a list of points")
	}
	s.Straight = kind == 1
	s.Points = d.pressurePoints(v.Get("points"), place, "props.segments.points")
	return s
}

// addMember inserts the name of a list's member into the path of a fault that was just found in
// that member. It is inserted afterwards so that paths are made for errors alone.
func (d *sceneDecoder) addMember(list, member string) {
	if d.fault == nil {
		return
	}
	if i := strings.LastIndex(d.fault.Path, list); i >= 0 {
		i += len(list)
		d.fault.Path = d.fault.Path[:i] + member + d.fault.Path[i:]
	}
}

// pressurePoints reads the points of a freehand segment, each with its pressure; a missing pressure
// is 1. See docs/spec/drawing.md#r72.
func (d *sceneDecoder) pressurePoints(v *fastjson.Value, place where, field string) []Pressed {
	if d.fault != nil {
		return nil
	}
	if v != nil && v.Type() == fastjson.TypeString {
		d.refuseVersion(place, field, "points in base64, of tldraw 5", "a list of points")
		return nil
	}
	if v == nil || v.Type() != fastjson.TypeArray {
		d.refuse(place, field, v, "a list of points")
		return nil
	}
	list := v.GetArray()
	points := make([]Pressed, len(list))
	for i, item := range list {
		p := d.point(item, place, field)
		z := 1.0
		if zv := item.Get("z"); zv != nil {
			z = d.coordinate(zv, place, field, ".z")
		}
		if d.fault != nil {
			d.addMember(field, "["+strconv.Itoa(i)+"]")
			return nil
		}
		points[i] = Pressed{p.X, p.Y, z}
	}
	return points
}

// index reads the fractional index that orders a shape, a page or a point among its siblings.
func (d *sceneDecoder) index(v *fastjson.Value, place where, field string) string {
	if v == nil {
		d.refuse(place, field, nil, "a string")
		return ""
	}
	key := d.text(v, place, field)
	if d.fault == nil && !validIndex(key) {
		d.refuse(place, field, v, `a fractional index, such as "a1" or "a1V"`)
	}
	return key
}

// validIndex reports whether the editor accepts a key as an index. The first character
// determines the length of the integer part in UTF-16 code units: 2 for "a" and "Z", 3
// for "b" and "Y", and so on. A fractional part after it must not end in "0". The
// editor does not check the other characters.
func validIndex(key string) bool {
	if key == "" || key == "A"+strings.Repeat("0", 26) {
		return false
	}
	whole := 0
	switch c := key[0]; {
	case 'a' <= c && c <= 'z':
		whole = int(c-'a') + 2
	case 'A' <= c && c <= 'Z':
		whole = int('Z'-c) + 2
	default:
		return false
	}
	units := 0
	for _, r := range key {
		units++
		if r >= 0x10000 { // two UTF-16 code units
			units++
		}
	}
	return units == whole || units > whole && !strings.HasSuffix(key, "0")
}
