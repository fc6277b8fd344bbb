package program

import (
	"fmt"
	"strconv"
)

// geoShape returns an entry of an answer's createShapes for a geo shape, without an id if id is "".
func geoShape(id, geo, color string, x, y, w, h any) object {
	var o object
	if id != "" {
		o = append(o, field{"id", id})
	}
	return append(o, field{"type", "geo"}, field{"x", x}, field{"y", y}, field{"props", object{
		{"geo", geo}, {"color", color}, {"w", w}, {"h", h}, {"fill", "solid"}}})
}

// textShape is a text entry of createShapes; more props come last.
func textShape(text, size string, x, y any, more ...field) object {
	props := append(object{{"text", text}, {"size", size}}, more...)
	return object{{"type", "text"}, {"x", x}, {"y", y}, {"props", props}}
}

// lineShape returns an entry of an answer's createShapes for a line from a to b.
func lineShape(a, b point) object {
	vertex := func(id string, x, y float64) object {
		return object{{"id", id}, {"index", id}, {"x", x}, {"y", y}}
	}
	return object{{"type", "line"}, {"x", hundredth(a.x)}, {"y", hundredth(a.y)}, {"props", object{
		{"color", "black"}, {"points", object{
			{"a1", vertex("a1", 0, 0)},
			{"a2", vertex("a2", hundredth(b.x-a.x), hundredth(b.y-a.y))}}}}}}
}

// arrowShape is an arrow entry of createShapes from a to b, bound to no shape.
func arrowShape(a, b point) object {
	return object{{"type", "arrow"}, {"x", hundredth(a.x)}, {"y", hundredth(a.y)}, {"props", object{
		{"start", object{{"x", 0.0}, {"y", 0.0}}},
		{"end", object{{"x", hundredth(b.x - a.x)}, {"y", hundredth(b.y - a.y)}}}}}}
}

// recolor is an entry of updateShapes that changes a colour.
func recolor(id, color string) object {
	return object{{"id", id}, {"type", "geo"}, {"props", object{{"color", color}}}}
}

// recolorAll returns entries of an answer's updateShapes that give each shape a colour.
func recolorAll(ids []string, color string) list {
	out := list{}
	for _, id := range ids {
		out = append(out, recolor(id, color))
	}
	return out
}

// idList returns ids of shapes as the JSON list of a simulated answer.
func idList(ids []string) list {
	out := list{}
	for _, id := range ids {
		out = append(out, id)
	}
	return out
}

// sumExpr writes the corner of a box of size w about c as the expression "c - w/2", like a model
// that shows its work.
func sumExpr(c, w float64) raw { return raw(number(c) + " - " + number(w) + "/2") }

// number formats v with as many decimals as it needs.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rotation is the answer object of the arrow test.
func rotation(value any) object {
	return object{{"shape", "shape:blue-arrow"}, {"rotation", value}}
}

// degrees writes an angle in words, which no rule reads as a number.
func degrees(radians float64) string {
	return fmt.Sprintf("%.0f degrees", radians*180/3.141592653589793)
}

// nothing is an answer without operations.
func nothing() object { return operations(list{}, list{}, list{}) }
