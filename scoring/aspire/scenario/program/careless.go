package program

import (
	"math"
	"strings"
)

// careless cycles through a list of mistakes per test, each seen in real answers, and through all
// text forms, including unreadable ones.
var careless = map[string]func(*question) *string{
	"maze": func(q *question) *string {
		const side = 100
		at, anchor, _ := q.mazeTarget()
		ax, ay := anchor.Centre()
		switch q.cycle(8) {
		case 0: // takes x, y for the centre
			return q.createShapes(list{geoShape("", "star", "red", at.x, at.y, side, side)})
		case 1: // y upwards: north and south swapped
			return q.createShapes(list{geoShape("red-star", "star", "red", at.x-side/2, 2*ay-at.y-side/2, side, side)})
		case 2: // a colour that the editor does not have
			return q.createShapes(list{geoShape("", "star", "crimson", at.x-side/2, at.y-side/2, side, side)})
		case 3: // the geo as the type
			return q.createShapes(list{object{{"type", "star"}, {"x", at.x - side/2}, {"y", at.y - side/2},
				{"color", "red"}, {"w", side}, {"h", side}}})
		case 4: // moves the shape that is there instead of drawing one
			return q.format(readable, updating(
				list{object{{"id", anchor.ID}, {"type", "geo"}, {"x", at.x - 45}, {"y", at.y - 45}}}), nothing())
		case 5: // counts two squares
			return q.createShapes(list{geoShape("", "star", "red", 2*at.x-ax-side/2, 2*at.y-ay-side/2, side, side)})
		case 6:
			return nil
		default: // draws a helper first
			return q.createShapes(list{geoShape("", "rectangle", "red", 700.0, 100.0, side, side),
				geoShape("", "star", "red", at.x-side/2, at.y-side/2, side, side)})
		}
	},
	"graph": func(q *question) *string {
		green, linked, others := q.neighbours()
		switch q.cycle(7) {
		case 0: // everything
			return q.updateShapes(recolorAll(append(append([]string{green}, linked...), others...), "red"))
		case 1: // ids without their prefix, the colour beside props
			out := list{}
			for _, id := range linked {
				out = append(out, object{{"id", strings.TrimPrefix(id, "shape:")}, {"type", "geo"}, {"color", "red"}})
			}
			return q.updateShapes(out)
		case 2: // a neighbouring colour
			return q.updateShapes(recolorAll(linked, "light-red"))
		case 3: // a colour that the editor does not have
			return q.updateShapes(recolorAll(linked, "#ff0000"))
		case 4: // invents nodes, recolours the green one as well
			return q.updateShapes(recolorAll(append([]string{green, "shape:node-10", "shape:node-11"}, linked...),
				"red"))
		case 5: // new circles on top
			out := list{}
			for _, id := range linked {
				s := q.byID(id)
				out = append(out, geoShape("", "circle", "red", s.X, s.Y, 60, 60))
			}
			return q.createShapes(out)
		default: // half of them
			return q.updateShapes(recolorAll(linked[:(len(linked)+1)/2], "red"))
		}
	},
	"pattern": func(q *question) *string {
		id := q.outlier()
		switch q.cycle(6) {
		case 0:
			return q.deleteShapes(list{"shape:shape-4"})
		case 1: // two, to be safe
			return q.deleteShapes(list{id, "shape:shape-0"})
		case 2: // no prefix, not a list
			return q.format(readable, object{{"deleteShapes", strings.TrimPrefix(id, "shape:")}}, nothing())
		case 3: // objects instead of ids
			return q.deleteShapes(list{object{{"id", id}}})
		case 4: // recolours it instead
			return q.updateShapes(list{recolor(id, "black")})
		default: // and one that is not there
			return q.deleteShapes(list{id, "shape:shape-7"})
		}
	},
	"label": func(q *question) *string {
		s := &q.shapes[0]
		cx, cy := s.Centre()
		text := s.Props.Color + " " + s.Props.Geo
		switch q.cycle(8) {
		case 0: // far too large
			return q.createShapes(list{textShape(text, "xl", s.X, s.Y, field{"scale", 2.5})})
		case 1: // the words that the task forbids
			return q.createShapes(list{textShape(text, "l", tenth(cx-120), tenth(cy-24), field{"textAlign", "center"})})
		case 2: // at the corner of the box
			return q.createShapes(list{textShape(text, "m", s.X, s.Y)})
		case 3: // below the shape
			return q.createShapes(list{textShape(text, "m", s.X, s.Y+s.Props.H+10)})
		case 4: // into the shape itself
			return q.updateShapes(list{object{{"id", s.ID}, {"type", "geo"}, {"props", object{{"text", text}}}}})
		case 5: // a box with a label on top
			box := geoShape("", "rectangle", "white", tenth(cx-110), tenth(cy-40), 220, 80)
			props := box[len(box)-1].value.(object)
			box[len(box)-1].value = append(props, field{"text", text})
			return q.createShapes(list{box})
		case 6: // rotated, and the text beside props
			return q.createShapes(list{object{{"type", "text"}, {"x", tenth(cx)}, {"y", tenth(cy)}, {"rotation", -0.6},
				{"text", text}, {"size", "large"}, {"font", "sans"}}})
		default: // fixed width, so it wraps
			return q.createShapes(list{textShape(text, "l", tenth(cx-60), tenth(cy-50),
				field{"w", 120}, field{"autoSize", raw("false")}, field{"align", "middle"})})
		}
	},
	"line": func(q *question) *string {
		a, b := q.lineEnds()
		switch q.cycle(7) {
		case 0: // stops at the near side
			return q.createShapes(list{lineShape(point{a.x + (b.x-a.x)*.2, a.y + (b.y-a.y)*.2},
				point{a.x + (b.x-a.x)*.8, a.y + (b.y-a.y)*.8})})
		case 1: // the second point is not relative
			return q.createShapes(list{lineShape(a, point{a.x + b.x, a.y + b.y})})
		case 2: // a thin rectangle
			return q.createShapes(list{geoShape("", "rectangle", "black", min(a.x, b.x), min(a.y, b.y),
				hundredth(math.Abs(b.x-a.x)+1), 4)})
		case 3: // points as a list of pairs
			return q.createShapes(list{object{{"type", "line"}, {"x", a.x}, {"y", a.y}, {"props", object{
				{"points", list{list{0, 0}, list{hundredth(b.x - a.x), hundredth(b.y - a.y)}}}}}}})
		case 4: // start and end on the page
			return q.createShapes(list{object{{"type", "line"}, {"props", object{
				{"start", object{{"x", a.x}, {"y", a.y}}}, {"end", object{{"x", b.x}, {"y", b.y}}}}}}})
		case 5: // from corner to corner
			return q.createShapes(list{arrowShape(point{a.x - 60, a.y - 60}, point{b.x - 60, b.y - 60})})
		default:
			return nil
		}
	},
	"arrow": func(q *question) *string {
		turn := q.angleTo("shape:green-circle")
		switch q.cycle(8) {
		case 0:
			return q.format(readable, rotation(degrees(turn)), nothing())
		case 1: // degrees as a number
			return q.format(readable, rotation(tenth(turn*180/math.Pi)), nothing())
		case 2: // the wrong way round
			return q.format(readable, rotation(hundredth(-turn)), nothing())
		case 3: // the absolute heading
			return q.format(readable, rotation(hundredth(turn+q.byID("shape:blue-arrow").Rotation)), nothing())
		case 4: // the wrong shape
			return q.format(readable, object{{"shape", "shape:green-circle"}, {"rotation", hundredth(turn)}}, nothing())
		case 5: // in the form of the other tests
			return q.updateShapes(list{object{{"id", "shape:blue-arrow"}, {"type", "geo"},
				{"rotation", hundredth(turn)}}})
		case 6: // always a quarter turn
			return q.format(readable, object{{"rotation", raw("pi / 2")}}, nothing())
		default:
			return q.format(readable, rotation(hundredth(q.angleTo("shape:orange-circle"))), nothing())
		}
	},
	"overlap": func(q *question) *string {
		targets, reference, rest := q.overlapTargets()
		switch q.cycle(7) {
		case 0: // the other direction
			return q.deleteShapes(idList(rest))
		case 1: // the reference too
			return q.deleteShapes(idList(append([]string{reference}, targets...)))
		case 2: // only the one that touches it
			return q.deleteShapes(idList(targets[:1]))
		case 3: // moves it away instead
			return q.updateShapes(list{object{{"id", targets[0]}, {"type", "geo"}, {"x", 2000}, {"y", 0}}})
		case 4: // by colour, some that are not there
			out := list{"shape:pink", "shape:purple"}
			for _, id := range targets {
				out = append(out, strings.TrimPrefix(id, "shape:"))
			}
			return q.deleteShapes(out)
		case 5: // the rest recreated
			return q.format(unreadable, deleting(idList(targets)), nothing())
		default: // all
			return q.deleteShapes(idList(append(append(rest, reference), targets...)))
		}
	},
	"balance": func(q *question) *string {
		at, w, h := q.counterweight()
		x, y := hundredth(at.x-w/2), hundredth(at.y-h/2)
		switch q.cycle(9) {
		case 0: // in the middle, where it moves little
			return q.createShapes(list{geoShape("", "ellipse", "blue", raw("1400/2 - 150"), raw("800/2 - 100"), 300,
				raw("2*100"))})
		case 1: // on top of the others
			return q.createShapes(list{geoShape("", "rectangle", "red", frameW-x-w, frameH-y-h, w, h)})
		case 2: // outline only
			o := geoShape("", "rectangle", "black", x, y, w, h)
			o[len(o)-1].value.(object)[4].value = "none"
			return q.createShapes(list{o})
		case 3: // two shapes
			return q.createShapes(list{geoShape("", "star", "orange", x, y, w, h),
				geoShape("", "circle", "orange", x+40, y+40, tenth(w/2), tenth(h/2))})
		case 4: // beyond the frame
			return q.createShapes(list{geoShape("", "hexagon", "green", x-400, y-300, 900, 700)})
		case 5: // clears the board first
			var ids []string
			for i := range q.shapes {
				ids = append(ids, q.shapes[i].ID)
			}
			return q.format(readable, operations(list{geoShape("", "diamond", "purple", 500.0, 200.0, 400, 400)},
				idList(ids), list{}), nothing())
		case 6: // a negative size
			return q.createShapes(list{geoShape("shape:shape-0", "octagon", "blue", x, y, -w, h)})
		case 7:
			return nil
		default: // the right place, far too small
			return q.createShapes(list{geoShape("", "heart", "red", at.x-30, at.y-30, 60, 60)})
		}
	},
}

// createShapes answers with new shapes.
func (question *question) createShapes(create list) *string {
	return question.formatCareless(creating(create))
}

// deleteShapes answers with deletions, updateShapes with updates.
func (question *question) deleteShapes(ids list) *string {
	return question.formatCareless(deleting(ids))
}
func (question *question) updateShapes(updates list) *string {
	return question.formatCareless(updating(updates))
}

// formatCareless writes the careless program's answer in a form that a model could use. Every
// eleventh answer is unreadable.
func (question *question) formatCareless(object object) *string {
	draft := nothing() // some forms show it before the answer
	if question.index%11 == 10 {
		return question.format(unreadable, object, draft)
	}
	return question.format(readable, object, draft)
}
