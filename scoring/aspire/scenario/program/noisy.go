package program

import "slices"

// noisy answers with small errors and sometimes a wrong choice. Every eighth answer is unreadable.
var noisy = map[string]func(*question) *string{
	"maze": func(q *question) *string {
		at, anchor, _ := q.mazeTarget()
		if q.chance(0.15) { // the neighbouring direction
			x, y := anchor.Centre()
			at = point{x + q.cellWidth(), y}
		}
		side := hundredth(80 + 20*q.r.Float64())
		star := geoShape("", "star", "red", tenth(at.x-side/2+q.normal(18)), tenth(at.y-side/2+q.normal(18)), side,
			side)
		return q.formatNoisy(creating(list{star}))
	},
	"graph": func(q *question) *string {
		_, linked, others := q.neighbours()
		picked := q.dropSome(linked, 0.15)
		for _, n := range others {
			if q.chance(0.08) {
				picked = append(picked, n)
			}
		}
		return q.formatNoisy(updating(recolorAll(picked, "red")))
	},
	"pattern": func(q *question) *string {
		id := q.outlier()
		if q.chance(0.2) {
			id = q.shapes[q.r.IntN(len(q.shapes))].ID
		}
		return q.formatNoisy(deleting(list{id}))
	},
	"label": func(q *question) *string {
		s := &q.shapes[0]
		size := sizes[q.r.IntN(3)+1]
		text := s.Props.Color + "\n" + s.Props.Geo
		w, h := textExtent(text, size.px)
		cx, cy := s.Centre()
		label := textShape(text, size.name, tenth(cx-w/2+q.normal(25)), tenth(cy-h/2+q.normal(25)),
			field{"textAlign", "middle"}, field{"font", []string{"draw", "sans", "serif", "mono"}[q.cycle(4)]})
		return q.formatNoisy(creating(list{label}))
	},
	"line": func(q *question) *string {
		a, b := q.lineEnds()
		a = point{a.x + q.normal(22), a.y + q.normal(22)}
		b = point{b.x + q.normal(22), b.y + q.normal(22)}
		if q.chance(0.1) {
			return q.formatNoisy(creating(list{arrowShape(a, b)}))
		}
		return q.formatNoisy(creating(list{lineShape(a, b)}))
	},
	"arrow": func(q *question) *string {
		circle := "shape:green-circle"
		if q.chance(0.1) {
			circle = "shape:orange-circle"
		}
		return q.formatNoisy(rotation(hundredth(q.angleTo(circle) + q.normal(0.3))))
	},
	"overlap": func(q *question) *string {
		targets, reference, _ := q.overlapTargets()
		picked := q.dropSome(targets, 0.2)
		if q.chance(0.15) {
			picked = append(picked, reference)
		}
		return q.formatNoisy(deleting(idList(picked)))
	},
	"balance": func(q *question) *string {
		return q.formatNoisy(creating(list{q.naiveCounterweight()}))
	},
}

// formatNoisy writes the noisy program's answer in a form that a model could use. Every eighth
// answer is unreadable.
func (question *question) formatNoisy(object object) *string {
	draft := nothing() // some forms show it before the answer
	if question.index%8 == 7 {
		return question.format(unreadable, object, draft)
	}
	return question.format(readable, object, draft)
}

// dropSome returns the ids without some of them: each is left out with probability p.
func (question *question) dropSome(ids []string, p float64) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(string) bool { return question.chance(p) })
}

// naiveCounterweight returns an answer to the balance test: a shape opposite to the centre of the others, sized
// by the areas of their boxes. This rule of thumb is wrong as far as outlines do not fill their boxes.
func (question *question) naiveCounterweight() object {
	// The point opposite to the centre of all boxes, weighted by area.
	var area float64
	var weightedSum point
	for i := range question.shapes {
		s := &question.shapes[i]
		boxArea := s.Props.W * s.Props.H
		x, y := s.Centre()
		area, weightedSum = area+boxArea, point{weightedSum.x + boxArea*x, weightedSum.y + boxArea*y}
	}
	opposite := point{frameW - weightedSum.x/area, frameH - weightedSum.y/area}
	// A shape of about the same area there, with random errors.
	w := tenth(300 + question.normal(40))
	h := tenth(max(60, area/w*(0.8+question.normal(0.1))))
	geo := []string{"rectangle", "ellipse", "hexagon", "octagon"}[question.cycle(4)]
	shape := geoShape("shape:counterweight", geo, "violet", tenth(opposite.x-w/2+question.normal(20)),
		tenth(opposite.y-h/2+question.normal(20)), w, h)
	if question.chance(0.25) { // a small rotation, before props, which is the last member
		last := len(shape) - 1
		rotation := object{{"rotation", hundredth(question.normal(0.15))}}
		shape = slices.Concat(shape[:last], rotation, shape[last:])
	}
	return shape
}
