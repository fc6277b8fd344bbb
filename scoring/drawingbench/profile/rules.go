package profile

import (
	"math"

	"plumb/scoring/drawingbench/published"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/drawingbench/session"
)

// The canvas, px, and where it lies on the screen. See
// docs/spec/drawingbench.md#r6.
const (
	width, height = 1000, 700
	area          = width * height
	left, top     = 90, 70
)

// Answer is what is known of an answer.
type Answer struct {
	Evaluation *published.Evaluation
	Picture    *replay.Picture
	Demand     Demand
}

// drawn are the elements that changed a pixel.
func (a *Answer) drawn() (list []*session.Element) {
	for i := range a.Picture.Elements {
		if e := &a.Picture.Elements[i]; e.Painted.Changed > 0 {
			list = append(list, e)
		}
	}
	return list
}

// errors counts the evaluator's errors and warnings of a type.
func (a *Answer) errors(kind string) (n int) {
	for i := range a.Evaluation.Faults {
		if a.Evaluation.Faults[i].Type == kind {
			n++
		}
	}
	for i := range a.Evaluation.Warnings {
		if a.Evaluation.Warnings[i].Type == kind {
			n++
		}
	}
	return n
}

// boxCoverage is the box of all that is not white as a share of the canvas.
func (a *Answer) boxCoverage() float64 {
	b := a.Picture.Stats.Box
	return float64(b.Dx()*b.Dy()) / area
}

// placed reports whether the position constraint holds. See
// docs/spec/drawingbench.md#r73.
func (a *Answer) placed() bool {
	p := a.Demand.Position
	if p == nil {
		return true
	}
	elements := a.drawn()
	if len(elements) == 0 {
		return false
	}
	switch p.Where {
	case "":
		return a.within(elements)
	case "corners":
		return nonzero(a.Picture.Stats.Quadrants)
	case "above", "below", "left", "right":
		b := elements[0].Painted.Box
		x, y := float64(b.Min.X+b.Max.X)/2, float64(b.Min.Y+b.Max.Y)/2
		return map[string]bool{"above": y < height/2, "below": y > height/2, "left": x < width/2, "right": x > width/2}[p.Where]
	}
	x, y, ok := centroid(a.Picture)
	if !ok {
		return false
	}
	if p.Where == "center" {
		return x >= 400 && x <= 600 && y >= 280 && y <= 420
	}
	part := map[[2]bool]string{{true, true}: "top-left", {false, true}: "top-right", {true, false}: "bottom-left", {false, false}: "bottom-right"}
	return part[[2]bool{x < width/2, y < height/2}] == p.Where
}

// within reports whether all that was painted lies inside the limits.
func (a *Answer) within(elements []*session.Element) bool {
	p := a.Demand.Position
	for _, e := range elements {
		if p.XMax != nil && float64(e.Painted.Box.Max.X+left) > *p.XMax || p.YMax != nil && float64(e.Painted.Box.Max.Y+top) > *p.YMax {
			return false
		}
	}
	return true
}

// sized reports whether some drawn element has the wanted size, without the width
// of its strokes. See docs/spec/drawingbench.md#r74.
func (a *Answer) sized() bool {
	s := a.Demand.Size
	if s == nil {
		return true
	}
	for _, e := range a.drawn() {
		if math.Abs(e.Box[2]-e.Box[0]-s.Width) <= s.Tolerance && math.Abs(e.Box[3]-e.Box[1]-s.Height) <= s.Tolerance {
			return true
		}
	}
	return false
}

func nonzero(counts [4]int) bool {
	return counts[0] > 0 && counts[1] > 0 && counts[2] > 0 && counts[3] > 0
}

// centroid is the mean place of ink, in pixel indices; ok is false without any.
func centroid(p *replay.Picture) (x, y float64, ok bool) {
	s := &p.Stats
	if s.InkSum == 0 {
		return 0, 0, false
	}
	return float64(s.InkX) / float64(s.InkSum), float64(s.InkY) / float64(s.InkSum), true
}

// painted reports whether a tool changed a pixel.
func painted(p *replay.Picture, tool string) bool {
	for _, ink := range p.Inks {
		if string(ink.Kind) == tool && ink.Changed {
			return true
		}
	}
	return false
}

// touched reports whether something was painted with a colour on the canvas.
func touched(p *replay.Picture, hex string) bool {
	for _, ink := range p.Inks {
		if ink.Kind != "eraser" && ink.Colour == hex {
			return true
		}
	}
	return false
}

// visible reports whether a colour is visible at the end; white where it was
// painted over something else. See docs/spec/drawingbench.md#r71.
func visible(p *replay.Picture, hex string) bool {
	for i, c := range replay.Palette {
		switch {
		case c.Hex != hex:
		case hex == "#FFFFFF":
			for _, ink := range p.Inks {
				if ink.Kind != "eraser" && ink.Colour == hex && ink.Changed {
					return true
				}
			}
		default:
			return p.Stats.Colours[i] > 0
		}
	}
	return false
}
