package program

import (
	"math"
	"strings"
)

// careless goes round a list of mistakes per test, each seen in real answers.
// The text forms go round too, the unreadable ones among them.
var careless = map[string]func(*question) *string{
	"maze": func(q *question) *string {
		const side = 100
		at, anchor, _ := q.target()
		ax, ay := anchor.Centre()
		switch q.habit(8) {
		case 0: // takes x, y for the centre
			return q.blurt(list{geoShape("", "star", "red", at.x, at.y, side, side)})
		case 1: // y upwards: north and south swapped
			return q.blurt(list{geoShape("red-star", "star", "red", at.x-side/2, 2*ay-at.y-side/2, side, side)})
		case 2: // a colour that the editor does not have
			return q.blurt(list{geoShape("", "star", "crimson", at.x-side/2, at.y-side/2, side, side)})
		case 3: // the geo as the type
			return q.blurt(list{object{{"type", "star"}, {"x", at.x - side/2}, {"y", at.y - side/2},
				{"color", "red"}, {"w", side}, {"h", side}}})
		case 4: // moves the shape that is there instead of drawing one
			return q.say(readable, operations(list{}, list{},
				list{object{{"id", anchor.ID}, {"type", "geo"}, {"x", at.x - 45}, {"y", at.y - 45}}}), nothing())
		case 5: // counts two squares
			return q.blurt(list{geoShape("", "star", "red", 2*at.x-ax-side/2, 2*at.y-ay-side/2, side, side)})
		case 6:
			return nil
		default: // draws a helper first
			return q.blurt(list{geoShape("", "rectangle", "red", 700.0, 100.0, side, side),
				geoShape("", "star", "red", at.x-side/2, at.y-side/2, side, side)})
		}
	},
	"graph": func(q *question) *string {
		green, linked, others := q.neighbours()
		switch q.habit(7) {
		case 0: // everything
			return q.change(recolored(append(append([]string{green}, linked...), others...)))
		case 1: // ids without their prefix, the colour beside props
			out := list{}
			for _, id := range linked {
				out = append(out, object{{"id", strings.TrimPrefix(id, "shape:")}, {"type", "geo"}, {"color", "red"}})
			}
			return q.change(out)
		case 2: // a neighbouring colour
			out := list{}
			for _, id := range linked {
				out = append(out, recolor(id, "light-red"))
			}
			return q.change(out)
		case 3: // a colour that the editor does not have
			out := list{}
			for _, id := range linked {
				out = append(out, recolor(id, "#ff0000"))
			}
			return q.change(out)
		case 4: // invents nodes, recolours the green one as well
			return q.change(recolored(append([]string{green, "shape:node-10", "shape:node-11"}, linked...)))
		case 5: // new circles on top
			out := list{}
			for _, id := range linked {
				s := q.byID(id)
				out = append(out, geoShape("", "circle", "red", s.X, s.Y, 60, 60))
			}
			return q.blurt(out)
		default: // half of them
			return q.change(recolored(linked[:(len(linked)+1)/2]))
		}
	},
	"pattern": func(q *question) *string {
		id := q.outlier()
		switch q.habit(6) {
		case 0:
			return q.remove(list{"shape:shape-4"})
		case 1: // two, to be safe
			return q.remove(list{id, "shape:shape-0"})
		case 2: // no prefix, not a list
			return q.say(readable, object{{"deleteShapes", strings.TrimPrefix(id, "shape:")}}, nothing())
		case 3: // objects instead of ids
			return q.remove(list{object{{"id", id}}})
		case 4: // recolours it instead
			return q.change(list{recolor(id, "black")})
		default: // and one that is not there
			return q.remove(list{id, "shape:shape-7"})
		}
	},
	"label": func(q *question) *string {
		s := &q.shapes[0]
		cx, cy := s.Centre()
		text := s.Props.Color + " " + s.Props.Geo
		switch q.habit(8) {
		case 0: // far too large
			return q.blurt(list{textShape(text, "xl", s.X, s.Y, field{"scale", 2.5})})
		case 1: // the words that the task forbids
			return q.blurt(list{textShape(text, "l", tenth(cx-120), tenth(cy-24), field{"textAlign", "center"})})
		case 2: // at the corner of the box
			return q.blurt(list{textShape(text, "m", s.X, s.Y)})
		case 3: // below the shape
			return q.blurt(list{textShape(text, "m", s.X, s.Y+s.Props.H+10)})
		case 4: // into the shape itself
			return q.change(list{object{{"id", s.ID}, {"type", "geo"}, {"props", object{{"text", text}}}}})
		case 5: // a box with a label on top
			box := geoShape("", "rectangle", "white", tenth(cx-110), tenth(cy-40), 220, 80)
			props := box[len(box)-1].value.(object)
			box[len(box)-1].value = append(props, field{"text", text})
			return q.blurt(list{box})
		case 6: // rotated, and the text beside props
			return q.blurt(list{object{{"type", "text"}, {"x", tenth(cx)}, {"y", tenth(cy)}, {"rotation", -0.6},
				{"text", text}, {"size", "large"}, {"font", "sans"}}})
		default: // fixed width, so it wraps
			return q.blurt(list{textShape(text, "l", tenth(cx-60), tenth(cy-50),
				field{"w", 120}, field{"autoSize", raw("false")}, field{"align", "middle"})})
		}
	},
	"line": func(q *question) *string {
		a, b := q.ends()
		switch q.habit(7) {
		case 0: // stops at the near side
			return q.blurt(list{lineShape(point{a.x + (b.x-a.x)*.2, a.y + (b.y-a.y)*.2}, point{a.x + (b.x-a.x)*.8, a.y + (b.y-a.y)*.8})})
		case 1: // the second point is not relative
			return q.blurt(list{lineShape(a, point{a.x + b.x, a.y + b.y})})
		case 2: // a thin rectangle
			return q.blurt(list{geoShape("", "rectangle", "black", min(a.x, b.x), min(a.y, b.y), hundredth(math.Abs(b.x-a.x)+1), 4)})
		case 3: // points as a list of pairs
			return q.blurt(list{object{{"type", "line"}, {"x", a.x}, {"y", a.y}, {"props", object{
				{"points", list{list{0, 0}, list{hundredth(b.x - a.x), hundredth(b.y - a.y)}}}}}}})
		case 4: // start and end on the page
			return q.blurt(list{object{{"type", "line"}, {"props", object{
				{"start", object{{"x", a.x}, {"y", a.y}}}, {"end", object{{"x", b.x}, {"y", b.y}}}}}}})
		case 5: // from corner to corner
			return q.blurt(list{arrowShape(point{a.x - 60, a.y - 60}, point{b.x - 60, b.y - 60})})
		default:
			return nil
		}
	},
	"arrow": func(q *question) *string {
		turn := q.turn("shape:green-circle")
		switch q.habit(8) {
		case 0:
			return q.say(readable, rotation(degrees(turn)), nothing())
		case 1: // degrees as a number
			return q.say(readable, rotation(tenth(turn*180/math.Pi)), nothing())
		case 2: // the wrong way round
			return q.say(readable, rotation(hundredth(-turn)), nothing())
		case 3: // the absolute heading
			return q.say(readable, rotation(hundredth(turn+q.byID("shape:blue-arrow").Rotation)), nothing())
		case 4: // the wrong shape
			return q.say(readable, object{{"shape", "shape:green-circle"}, {"rotation", hundredth(turn)}}, nothing())
		case 5: // in the form of the other tests
			return q.change(list{object{{"id", "shape:blue-arrow"}, {"type", "geo"}, {"rotation", hundredth(turn)}}})
		case 6: // a quarter of a turn, whatever is asked
			return q.say(readable, object{{"rotation", raw("pi / 2")}}, nothing())
		default:
			return q.say(readable, rotation(hundredth(q.turn("shape:orange-circle"))), nothing())
		}
	},
	"overlap": func(q *question) *string {
		targets, reference, rest := q.hidden()
		switch q.habit(7) {
		case 0: // the other direction
			return q.remove(names(rest))
		case 1: // the reference too
			return q.remove(names(append([]string{reference}, targets...)))
		case 2: // only the one that touches it
			return q.remove(names(targets[:1]))
		case 3: // moves it away instead
			return q.change(list{object{{"id", targets[0]}, {"type", "geo"}, {"x", 2000}, {"y", 0}}})
		case 4: // by colour, some that are not there
			out := list{"shape:pink", "shape:purple"}
			for _, id := range targets {
				out = append(out, strings.TrimPrefix(id, "shape:"))
			}
			return q.remove(out)
		case 5: // the rest recreated
			return q.say(unreadable, operations(list{}, names(targets), list{}), nothing())
		default: // all
			return q.remove(names(append(append(rest, reference), targets...)))
		}
	},
	"balance": func(q *question) *string {
		at, w, h := q.counterweight()
		x, y := hundredth(at.x-w/2), hundredth(at.y-h/2)
		switch q.habit(9) {
		case 0: // in the middle, where it moves little
			return q.blurt(list{geoShape("", "ellipse", "blue", raw("1400/2 - 150"), raw("800/2 - 100"), 300, raw("2*100"))})
		case 1: // on top of the others
			return q.blurt(list{geoShape("", "rectangle", "red", frameW-x-w, frameH-y-h, w, h)})
		case 2: // outline only
			o := geoShape("", "rectangle", "black", x, y, w, h)
			o[len(o)-1].value.(object)[4].value = "none"
			return q.blurt(list{o})
		case 3: // two shapes
			return q.blurt(list{geoShape("", "star", "orange", x, y, w, h),
				geoShape("", "circle", "orange", x+40, y+40, tenth(w/2), tenth(h/2))})
		case 4: // beyond the frame
			return q.blurt(list{geoShape("", "hexagon", "green", x-400, y-300, 900, 700)})
		case 5: // clears the board first
			ids := []string{}
			for i := range q.shapes {
				ids = append(ids, q.shapes[i].ID)
			}
			return q.say(readable, operations(list{geoShape("", "diamond", "purple", 500.0, 200.0, 400, 400)}, names(ids), list{}), nothing())
		case 6: // a negative size
			return q.blurt(list{geoShape("shape:shape-0", "octagon", "blue", x, y, -w, h)})
		case 7:
			return nil
		default: // the right place, far too small
			return q.blurt(list{geoShape("", "heart", "red", at.x-30, at.y-30, 60, 60)})
		}
	},
}

// blurt answers with new shapes; every eleventh answer cannot be read.
func (q *question) blurt(create list) *string { return q.slip(operations(create, list{}, list{})) }

// remove answers with deletions, change with updates.
func (q *question) remove(ids list) *string     { return q.slip(operations(list{}, ids, list{})) }
func (q *question) change(updates list) *string { return q.slip(operations(list{}, list{}, updates)) }

func (q *question) slip(a object) *string {
	if q.index%11 == 10 {
		return q.say(unreadable, a, nothing())
	}
	return q.say(readable, a, nothing())
}
