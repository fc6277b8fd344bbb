package program

import "math"

// exact solves every test. Only the form of its answers varies.
var exact = map[string]func(*question) *string{
	"maze": func(q *question) *string {
		const side = 90
		at, _, _ := q.target()
		x, y := any(at.x-side/2), any(at.y-side/2)
		switch q.habit(4) {
		case 1:
			x, y = sum(at.x, side), raw("("+number(at.y)+") - 90 / 2")
		case 2:
			x, y = number(at.x)+" - 45", at.y-side/2 // a string in a numeric field
		}
		star := geoShape("shape:red-star", "star", "red", x, y, side, side)
		return q.say(readable, operations(list{star}, list{}, list{}), nothing())
	},
	"graph": func(q *question) *string {
		green, linked, _ := q.neighbours()
		return q.say(readable, operations(list{}, list{}, recolored(linked)),
			operations(list{}, list{}, recolored(append([]string{green}, linked...))))
	},
	"pattern": func(q *question) *string {
		return q.say(readable, operations(list{}, list{q.outlier()}, list{}),
			operations(list{}, list{"shape:shape-0", "shape:shape-1"}, list{}))
	},
	"label": func(q *question) *string {
		s := &q.shapes[0]
		c := q.fit(s)
		more := []field{{"textAlign", "middle"}}
		if c.scale != 1 {
			more = append(more, field{"scale", c.scale})
		}
		label := textShape(c.text, c.size, c.at.x, c.at.y, more...)
		return q.say(readable, operations(list{label}, list{}, list{}), nothing())
	},
	"line": func(q *question) *string {
		a, b := q.ends()
		shape := lineShape(a, b)
		switch q.habit(8) {
		case 1:
			shape = arrowShape(a, b)
		case 2, 5:
			shape = lineShape(b, a) // a line has no direction (docs/spec/aspire.md#r49)
		}
		return q.say(readable, operations(list{shape}, list{}, list{}), operations(list{lineShape(b, b)}, list{}, list{}))
	},
	"arrow": func(q *question) *string {
		turn := math.Round(q.turn("shape:green-circle")*10000) / 10000
		value := any(turn)
		switch q.habit(4) {
		case 1:
			value = raw(number(turn) + " + 2*pi") // a full turn more
		case 2:
			value = number(turn)
		case 3:
			value = raw(number(math.Round(turn/math.Pi*100000)/100000) + " * Math.PI")
		}
		return q.say(readable, rotation(value), rotation(0.0))
	},
	"overlap": func(q *question) *string {
		targets, _, rest := q.hidden()
		return q.say(readable, operations(list{}, names(targets), list{}), operations(list{}, names(rest), list{}))
	},
	"balance": func(q *question) *string {
		at, w, h := q.counterweight()
		x, y := any(hundredth(at.x-w/2)), any(hundredth(at.y-h/2))
		if q.habit(3) == 1 {
			x, y = sum(at.x, w), sum(at.y, h)
		}
		shape := geoShape("shape:balance", "rectangle", "blue", x, y, w, h)
		return q.say(readable, operations(list{shape}, list{}, list{}), nothing())
	},
}
