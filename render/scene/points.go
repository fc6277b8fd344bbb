package scene

import (
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// readPoint reads a point of a shape, {x, y}, within the limit on coordinates.
func (decoder *sceneDecoder) readPoint(value *fastjson.Value, place jsonPlace, field string) (p Point) {
	if value.Type() != fastjson.TypeObject {
		decoder.refuse(place, field, value, "an object with x and y")
		return p
	}
	decoder.noteUnknown(value, field, pointMembers)
	p.X = decoder.readCoordinate(value.Get("x"), place, field, ".x")
	p.Y = decoder.readCoordinate(value.Get("y"), place, field, ".y")
	return p
}

// readCoordinate reads one coordinate of a shape's point, which must be finite and within the limit on
// coordinates. axis is the end of its name in errors, such as ".x".
func (decoder *sceneDecoder) readCoordinate(v *fastjson.Value, place jsonPlace, field, axis string) float64 {
	n, ok := decoder.readFloat(v)
	if !ok {
		decoder.refuse(place, field+axis, v, "a finite number")
		return 0
	}
	if err := checkCoordinate(n, &decoder.limits); err != nil && decoder.fault == nil {
		decoder.fault = err.in(place.field(field+axis), place.shape)
	}
	return n
}

// readLinePoints reads the object of a line's points, {key: {id, index, x, y}}, and returns the points in the
// order of their indexes.
func (decoder *sceneDecoder) readLinePoints(v *fastjson.Value, place jsonPlace) []Point {
	object, err := v.Object()
	if err != nil {
		decoder.refuse(place, "props.points", v, "an object of points, each with index, x and y")
		return nil
	}
	if !decoder.pointsAllowed(object.Len(), place, "props.points") {
		return nil
	}
	points := make([]Point, 0, object.Len())
	keys := make([]string, 0, object.Len())
	sorted := true // so far, by their index keys
	object.Visit(func(key []byte, value *fastjson.Value) {
		if decoder.fault != nil {
			return
		}
		index := decoder.readIndex(value.Get("index"), place, "props.points.index")
		points = append(points, decoder.readPoint(value, place, "props.points"))
		if id := value.Get("id"); id == nil || id.Type() != fastjson.TypeString {
			decoder.noteOdd("props.points."+shorten(string(key), 40)+".id", describe(id), "a string")
		}
		if decoder.fault != nil { // say in which point
			decoder.addMember("props.points", "."+shorten(string(key), 80))
		}
		sorted = sorted && (len(keys) == 0 || compareCodeUnits(keys[len(keys)-1], index) <= 0)
		keys = append(keys, index)
	})
	if sorted || decoder.fault != nil {
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

// pointsAllowed sets the fault if a shape has n points and that is over the limit. It reports whether the
// decoder has found no fault so far.
func (decoder *sceneDecoder) pointsAllowed(n int, place jsonPlace, field string) bool {
	if n > decoder.limits.Points && decoder.fault == nil {
		decoder.fault = overPoints(n, &decoder.limits).in(place.field(field), place.shape)
	}
	return decoder.fault == nil
}

func overPoints(n int, lim *Limits) *Error {
	return overLimit("", "", strconv.Itoa(n)+" points", "at most "+strconv.Itoa(lim.Points), FlagPoints)
}

// readSegments reads the list of segments of a freehand shape. The limit on points holds for all of them
// together.
func (decoder *sceneDecoder) readSegments(v *fastjson.Value, place jsonPlace) []Segment {
	list, err := v.Array()
	if err != nil {
		decoder.refuse(place, "props.segments", v, "a list of segments")
		return nil
	}
	segments := make([]Segment, len(list))
	points := 0
	for i, item := range list {
		points += len(item.GetArray("points"))
		if !decoder.pointsAllowed(points, place, "props.segments") {
			return nil
		}
		segments[i] = decoder.readSegment(item, place)
		if decoder.fault != nil {
			decoder.addMember("props.segments", "["+strconv.Itoa(i)+"]")
			return nil
		}
	}
	return segments
}

// readSegment reads one segment of a freehand shape (props.segments): straight or free, with its
// points. The path of a fault lacks the segment's number, which readSegments adds.
func (decoder *sceneDecoder) readSegment(value *fastjson.Value, place jsonPlace) (segment Segment) {
	if value.Type() != fastjson.TypeObject {
		decoder.refuse(place, "props.segments", value, "an object with type and points")
		return segment
	}
	kind, ok := findName[uint8](segmentNames, value.GetStringBytes("type"))
	if !ok {
		decoder.refuse(place, "props.segments.type", value.Get("type"), oneOf(segmentNames))
	}
	decoder.noteUnknown(value, "props.segments", segmentMembers)
	if p := value.Get("path"); p != nil && value.Get("points") == nil {
		decoder.refuseVersion(place, "props.segments.path", "points in base64, of tldraw 5", "a list of points")
	}
	segment.Straight = kind == 1
	segment.Points = decoder.readPressurePoints(value.Get("points"), place, "props.segments.points")
	return segment
}

// addMember inserts a member after a list's name in the path of the fault that was just found: with
// list "segments" and member "[3]", "segments.type" becomes "segments[3].type". It is inserted
// afterwards, so that only errors cost the work of making paths.
func (decoder *sceneDecoder) addMember(list, member string) {
	if decoder.fault == nil {
		return
	}
	if i := strings.LastIndex(decoder.fault.Path, list); i >= 0 {
		i += len(list)
		decoder.fault.Path = decoder.fault.Path[:i] + member + decoder.fault.Path[i:]
	}
}

// readPressurePoints reads the points of a freehand segment, each with its pressure; a missing pressure
// is 1. See docs/spec/drawing.md#r72.
func (decoder *sceneDecoder) readPressurePoints(value *fastjson.Value, place jsonPlace, field string) []Pressed {
	if decoder.fault != nil {
		return nil
	}
	if value != nil && value.Type() == fastjson.TypeString {
		decoder.refuseVersion(place, field, "points in base64, of tldraw 5", "a list of points")
		return nil
	}
	if value == nil || value.Type() != fastjson.TypeArray {
		decoder.refuse(place, field, value, "a list of points")
		return nil
	}
	// Each is a point with a pressure.
	list := value.GetArray()
	points := make([]Pressed, len(list))
	for i, item := range list {
		p := decoder.readPoint(item, place, field)
		z := 1.0
		if zv := item.Get("z"); zv != nil {
			z = decoder.readCoordinate(zv, place, field, ".z")
		}
		if decoder.fault != nil {
			decoder.addMember(field, "["+strconv.Itoa(i)+"]")
			return nil
		}
		points[i] = Pressed{p.X, p.Y, z}
	}
	return points
}

// readIndex reads the fractional index that orders a shape, a page or a point among its siblings.
func (decoder *sceneDecoder) readIndex(value *fastjson.Value, place jsonPlace, field string) string {
	if value == nil {
		decoder.refuse(place, field, nil, "a string")
		return ""
	}
	key := decoder.readText(value, place, field)
	if decoder.fault == nil && !validIndex(key) {
		decoder.refuse(place, field, value, `a fractional index, such as "a1" or "a1V"`)
	}
	return key
}

// validIndex reports whether the editor accepts a key as an index. The first character
// determines the length of the integer part in UTF-16 code units: 2 for "a" and "Z", 3
// for "b" and "Y", and so on. A fractional part after it must not end in "0". The
// editor does not check the other characters. It refuses "A" with 26 zeros, the least
// key, as none sorts below it.
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
