package program

import "math"

// exact solves every test. Only the text form of its answers varies.
var exact = map[string]func(*question) *string{
	"maze": func(q *question) *string {
		const side = 90
		at, _, _ := q.mazeTarget()
		x, y := any(at.x-side/2), any(at.y-side/2)
		switch q.cycle(4) {
		case 1:
			x, y = sumExpr(at.x, side), raw("("+number(at.y)+") - 90 / 2")
		case 2:
			x, y = number(at.x)+" - 45", at.y-side/2 // a string in a numeric field
		}
		star := geoShape("shape:red-star", "star", "red", x, y, side, side)
		return q.format(readable, creating(list{star}), nothing())
	},
	"graph": func(q *question) *string {
		green, linked, _ := q.neighbours()
		return q.format(readable, updating(recolorAll(linked, "red")),
			updating(recolorAll(append([]string{green}, linked...), "red")))
	},
	"pattern": func(q *question) *string {
		return q.format(readable, deleting(list{q.outlier()}),
			deleting(list{"shape:shape-0", "shape:shape-1"}))
	},
	"label": func(q *question) *string {
		s := &q.shapes[0]
		c := q.placeCaption(s)
		more := []field{{"textAlign", "middle"}}
		if c.scale != 1 {
			more = append(more, field{"scale", c.scale})
		}
		label := textShape(c.text, c.size, c.at.x, c.at.y, more...)
		return q.format(readable, creating(list{label}), nothing())
	},
	"line": func(q *question) *string {
		a, b := q.lineEnds()
		shape := lineShape(a, b)
		switch q.cycle(8) {
		case 1:
			shape = arrowShape(a, b)
		case 2, 5:
			shape = lineShape(b, a) // a line has no direction (docs/spec/aspire.md#r49)
		}
		return q.format(readable, creating(list{shape}), creating(list{lineShape(b, b)}))
	},
	"arrow": func(q *question) *string {
		turn := math.Round(q.angleTo("shape:green-circle")*10000) / 10000
		value := any(turn)
		switch q.cycle(4) {
		case 1:
			value = raw(number(turn) + " + 2*pi") // a full turn more
		case 2:
			value = number(turn)
		case 3:
			value = raw(number(math.Round(turn/math.Pi*100000)/100000) + " * Math.PI")
		}
		return q.format(readable, rotation(value), rotation(0.0))
	},
	"overlap": func(q *question) *string {
		targets, _, rest := q.overlapTargets()
		return q.format(readable, deleting(idList(targets)), deleting(idList(rest)))
	},
	"balance": func(q *question) *string {
		at, w, h := q.counterweight()
		x, y := any(hundredth(at.x-w/2)), any(hundredth(at.y-h/2))
		if q.cycle(3) == 1 {
			x, y = sumExpr(at.x, w), sumExpr(at.y, h)
		}
		shape := geoShape("shape:balance", "rectangle", "blue", x, y, w, h)
		return q.format(readable, creating(list{shape}), nothing())
	},
}
