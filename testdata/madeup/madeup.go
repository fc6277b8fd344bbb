// Package madeup makes tldraw shapes by chance, of every kind that is drawn
// natively, to hold what plumb draws to what the editor draws of the same.
package madeup

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Kinds are the kinds of shapes.
var Kinds = slices.Sorted(maps.Keys(makers))

type object = map[string]any

// Shape returns the record of a shape of one of the Kinds as JSON.
func Shape(r *rand.Rand, id, kind string) string { return text(shape(r, id, kind, makers[kind](r))) }

func text(o object) string {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // numbers, texts and maps alone
	}
	return string(b)
}

func shape(r *rand.Rand, id, kind string, props object) object {
	return object{
		"id": id, "type": kind, "x": px(r, 300), "y": px(r, 300), "rotation": one(r, 0, 0, 0, 0.3, 1.5, 3, math.Round(r.Float64()*6000)/1000),
		"opacity": one(r, 1, 1, 1, 0.25, 0.5, 0.75, 0.9), "props": props,
	}
}

// makers make the properties.
var makers = map[string]func(r *rand.Rand) object{
	"draw": func(r *rand.Rand) object {
		o := freehand(r)
		o["isClosed"], o["dash"], o["fill"] = one(r, true, false), dash(r), fill(r)
		return o
	},
	"highlight": freehand,
	"geo": func(r *rand.Rand) object {
		return say(r, false, common(r, object{
			"geo": one(r, strings.Fields("rectangle ellipse triangle diamond pentagon hexagon octagon star rhombus rhombus-2 oval trapezoid arrow-right arrow-left arrow-up arrow-down x-box check-box cloud heart")...),
			"w":   px(r, 200) + 1, "h": px(r, 200) + 1, "growY": one(r, 0, 0, 30.0), "dash": dash(r), "fill": fill(r),
			"text": one(r, "", "", "one", "several words", letters(r)), "labelColor": color(r), "font": font(r),
			"align": one(r, "start", "middle", "end"), "verticalAlign": one(r, "start", "middle", "end"),
		}))
	},
	"line": func(r *rand.Rand) object {
		points := object{}
		for i := range 2 + r.IntN(5) {
			k := fmt.Sprintf("a%d", i+1)
			points[k] = object{"id": k, "index": k, "x": px(r, 200) - 100, "y": px(r, 200) - 100}
		}
		return common(r, object{"points": points, "spline": one(r, "line", "cubic"), "dash": dash(r)})
	},
	"arrow": func(r *rand.Rand) object {
		end := func() object { return object{"x": px(r, 300) - 150, "y": px(r, 300) - 150} }
		heads := strings.Fields("none arrow triangle dot diamond bar square pipe inverted")
		return say(r, false, common(r, object{
			"start": end(), "end": end(), "bend": one(r, 0, 0, px(r, 200)-100), "arrowheadStart": one(r, heads...), "arrowheadEnd": one(r, heads...),
			"dash": dash(r), "fill": fill(r), "text": one(r, "", "", "one", "several words of a label", letters(r)), "labelColor": color(r), "font": font(r),
			"labelPosition": one(r, 0.5, 0.5, 0.3, 0.8),
		}))
	},
	"text": func(r *rand.Rand) object {
		wide, narrow := px(r, 300)+400, px(r, 200)+12 // than words
		return say(r, true, common(r, object{"text": words(r), "autoSize": one(r, true, false), "w": one(r, wide, wide, narrow), "font": font(r), "textAlign": one(r, "start", "middle", "end")}))
	},
	"note": func(r *rand.Rand) object {
		return say(r, false, common(r, object{"text": words(r), "font": font(r), "growY": one(r, 0, 0, 40), "align": one(r, "start", "middle", "end"), "verticalAlign": one(r, "start", "middle", "end")}))
	},
}

// common adds what all kinds have.
func common(r *rand.Rand, o object) object {
	o["size"], o["scale"], o["color"] = one(r, "s", "m", "l", "xl"), one(r, 1, 1, 1, 2, 0.5, 0.25), color(r)
	return o
}

func dash(r *rand.Rand) string { return one(r, "draw", "solid", "dashed", "dotted") }
func fill(r *rand.Rand) string {
	return one(r, "none", "semi", "solid", "pattern", "fill", "lined-fill")
}
func font(r *rand.Rand) string { return one(r, "draw", "sans", "serif", "mono") }

func color(r *rand.Rand) string {
	return one(r, strings.Fields("black grey light-violet violet blue light-blue yellow orange green light-green light-red red white")...)
}

// one picks one of the values.
func one[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// px is a length up to most, often whole, seldom tiny.
func px(r *rand.Rand, most float64) float64 {
	steps := one(r, 1, 1, 100.0) // per px
	return math.Round(r.Float64()*most*one(r, 1, 1, 1, 1, 1, 1, 1, 0.02)*steps) / steps
}

func words(r *rand.Rand) string {
	var w []string
	for range 1 + r.IntN(9) {
		w = append(w, one(r, "a", "to", "word", "Writing", "punctuation,", "(brackets)", "extraordinarily", "difficult", "office", "AVAWA", "x1\n", "end.", " two", "x1\n  ", "\n"))
	}
	return strings.Join(w, " ")
}

// letters are words that no font was made for, often wider than what they label.
func letters(r *rand.Rand) string {
	var w []string
	for range 1 + r.IntN(3) {
		b := make([]byte, 2+r.IntN(13))
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		w = append(w, string(b))
	}
	return strings.Join(w, " ")
}

// freehand makes what draw shapes and highlights share: from a point to a scrawl.
func freehand(r *rand.Rand) object {
	reach := one(r, 10, 25, 60, 120.0)
	x, y := 0.0, 0.0
	points := []object{}
	for range 1 + r.IntN(10) {
		points = append(points, object{"x": math.Round(x*100) / 100, "y": math.Round(y*100) / 100, "z": one(r, 0.5, math.Round(r.Float64()*100)/100)})
		x, y = x+(2*r.Float64()-1)*reach, y+(2*r.Float64()-1)*reach
	}
	segments := []object{{"type": "free", "points": points}}
	if r.IntN(4) == 0 {
		segments = append(segments, object{"type": "straight", "points": []object{points[len(points)-1], {"x": 10, "y": -60, "z": 0.5}}})
	}
	return common(r, object{"segments": segments, "isComplete": one(r, true, false), "isPen": one(r, true, false)})
}
