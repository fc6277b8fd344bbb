package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// ArrowTask holds the criteria of the arrow test (docs/spec/aspire.md#r50).
type ArrowTask struct {
	Arrow      string `json:"arrow"`
	Target     string `json:"target"`
	Distractor string `json:"distractor"`
}

// MinInitialAngle is the smallest angle between the arrow and its target, radians; the score
// divides by that angle (docs/spec/aspire.md#r53).
const MinInitialAngle = 0.1

// drawArrow makes a random scenario of the arrow test: a green and an orange circle and a blue
// arrow, whose circumscribed circles are disjoint and inside the canvas (docs/spec/aspire.md#r52).
// It returns false if a place is not free or if the arrow points at its target already.
func drawArrow(random *rand.Rand) (Scenario, bool) {
	const gap = 20 // px that stay free between two shapes
	type disc struct{ x, y, radius float64 }
	var discs []disc
	// place adds the circumscribed circle of a shape to discs, unless its place is not free.
	place := func(candidate disc) bool {
		if candidate.x < candidate.radius || candidate.x > canvasW-candidate.radius ||
			candidate.y < candidate.radius || candidate.y > canvasH-candidate.radius {
			return false
		}
		for _, other := range discs {
			if math.Hypot(other.x-candidate.x, other.y-candidate.y) < other.radius+candidate.radius+gap {
				return false
			}
		}
		discs = append(discs, candidate)
		return true
	}
	// The circles.
	var scenario Scenario
	for _, color := range []string{"green", "orange"} {
		side := randomInt(random, 100, 200)
		x, y := randomInt(random, 0, canvasW), randomInt(random, 0, canvasH)
		if !place(disc{x + side/2, y + side/2, side / 2}) {
			return scenario, false
		}
		scenario.Shapes = append(scenario.Shapes, solidGeo("shape:"+color+"-circle", "ellipse", color, x, y, side,
			side))
	}
	// The arrow, which is turned around its corner.
	width, height := randomInt(random, 90, 140), randomInt(random, 130, 190)
	rotation := float64(random.IntN(6284)) / 1000 // [0, 2 pi) in thousandths
	sin, cos := math.Sincos(rotation)
	x, y := randomInt(random, -200, canvasW+200), randomInt(random, -200, canvasH+200)
	arrowDisc := disc{x + cos*width/2 - sin*height/2, y + sin*width/2 + cos*height/2, math.Hypot(width, height) / 2}
	if !place(arrowDisc) {
		return scenario, false
	}
	body := solidGeo("shape:blue-arrow", "arrow-up", "blue", x, y, width, height)
	body.Rotation = rotation
	scenario.Shapes = append(scenario.Shapes, body)
	// An arrow-up points upwards when it is not turned.
	heading := rotation - math.Pi/2
	off := heading - math.Atan2(discs[0].y-arrowDisc.y, discs[0].x-arrowDisc.x)
	if math.Abs(math.Remainder(off, 2*math.Pi)) < MinInitialAngle {
		return scenario, false
	}
	scenario.Task = &ArrowTask{Arrow: body.ID, Target: "shape:green-circle", Distractor: "shape:orange-circle"}
	scenario.Prompt = "Rotate the arrow so that it is pointed at the green circle. Give your rotation in radians to rotate " +
		"in a clockwise direction from the current position. You can use a negative rotation to rotate counterclockwise."
	return scenario, true
}

// OverlapTask holds the criteria of the overlap test (docs/spec/aspire.md#r55).
type OverlapTask struct {
	Reference string   `json:"reference"`
	Direction string   `json:"direction"` // "in front of" or "behind"
	Expected  []string `json:"expected"`  // ids to delete, never empty
}

// drawOverlap makes a random scenario of the overlap test: five rectangles, each of which covers a corner of
// the one before, and the task to delete all in front of or behind one of them (docs/spec/aspire.md#r56,
// docs/spec/aspire.md#r57, docs/spec/aspire.md#r58). It returns false if a rectangle leaves the area.
func drawOverlap(random *rand.Rand) (Scenario, bool) {
	const count, areaW, areaH = 5, 1400, 1000
	var scenario Scenario
	hues := sampleDistinct(random, colors, count)
	for i, color := range hues {
		width, height := randomHalf(random, 300, 600), randomHalf(random, 200, 480)
		var x, y float64
		if i == 0 {
			x, y = randomHalf(random, 0, areaW-width), randomHalf(random, 0, areaH-height)
		} else {
			before := &scenario.Shapes[i-1]
			var okX, okY bool
			x, okX = coverEnd(random, before.X, before.Props.W, width)
			y, okY = coverEnd(random, before.Y, before.Props.H, height)
			if !okX || !okY {
				return scenario, false
			}
		}
		if x < 0 || y < 0 || x+width > areaW || y+height > areaH {
			return scenario, false
		}
		scenario.Shapes = append(scenario.Shapes, solidGeo("shape:"+color, "rectangle", color, x, y, width, height))
	}
	ref := 1 + random.IntN(count-2) // neither the first nor the last, so that both directions have shapes
	task := &OverlapTask{Reference: scenario.Shapes[ref].ID, Direction: "in front of"}
	targets := scenario.Shapes[ref+1:]
	if random.IntN(2) == 0 {
		task.Direction, targets = "behind", scenario.Shapes[:ref]
	}
	for _, target := range targets {
		task.Expected = append(task.Expected, target.ID)
	}
	scenario.Task = task
	scenario.Prompt = fmt.Sprintf("Delete all shapes %s the %s rectangle. Do not change any of the other shapes.",
		task.Direction, hues[ref])
	return scenario, true
}

// coverEnd returns a random position, along one axis, for a rectangle of the overlap test that covers one end
// of the rectangle before. That one extends from start to start+length; the new one has the length newLength.
// They overlap by 0.1 to 0.6 of the smaller length. ok is false if rounding to halves leaves that range.
func coverEnd(random *rand.Rand, start, length, newLength float64) (newStart float64, ok bool) {
	smaller := math.Min(length, newLength)
	covered := roundTo(smaller*(0.1+0.5*random.Float64()), 0.5)
	if coversStart := random.IntN(2) == 0; coversStart {
		newStart = start + covered - newLength
	} else {
		newStart = start + length - covered
	}
	return newStart, covered >= 0.1*smaller && covered <= 0.6*smaller
}

// BalanceTask holds the criteria of the balance test (docs/spec/aspire.md#r60).
type BalanceTask struct {
	Quadrant string     `json:"quadrant"` // where the initial shapes are
	Frame    [4]float64 `json:"frame"`    // x, y, w, h of the picture, px
}

// drawBalance makes a random scenario of the balance test: seven shapes inside one quadrant of the
// frame, and the task to add an eighth that balances them (docs/spec/aspire.md#r64).
func drawBalance(random *rand.Rand) (Scenario, bool) {
	const count, quadW, quadH = 7, canvasW / 2, canvasH / 2
	quadrant := random.IntN(4)
	left, top := float64(quadrant%2*quadW), float64(quadrant/2*quadH)
	var scenario Scenario
	for i := range count {
		width, height := randomHalf(random, 40, 160), randomHalf(random, 40, 160)
		x, y := left+randomHalf(random, 0, quadW-width), top+randomHalf(random, 0, quadH-height)
		scenario.Shapes = append(scenario.Shapes,
			solidGeo(fmt.Sprintf("shape:shape-%d", i), pick(random, geos), pick(random, colors), x, y,
				width, height))
	}
	scenario.Task = &BalanceTask{
		Quadrant: []string{"top-left", "top-right", "bottom-left", "bottom-right"}[quadrant],
		Frame:    [4]float64{0, 0, canvasW, canvasH},
	}
	scenario.Prompt = "Given the current state of the whiteboard, add 1 large shape to create a more visually balanced scene. " +
		"After adding the new shape, the visual weight of the whiteboard should be focused at the center of the frame. " +
		"Adjust the size, type, and rotation of the shape to best reflect where new visual weight should be added to " +
		"balance the existing shapes. Do not add more than one shape. Do not delete or update any shapes."
	return scenario, true
}
