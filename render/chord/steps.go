package chord

// forwardDifferences evaluates one coordinate of a curve in q16 at equal steps of t.
type forwardDifferences struct {
	value                int64 // the coordinate at the current step
	first, second, third int64 // differences: by first the coordinate grows per step, and so on
	end                  int64 // the coordinate at the last step
}

// chordSteps produces the chords of a curve that runs downwards: between points at equal steps of
// t.
type chordSteps struct {
	x, y           forwardDifferences
	startX, startY int64 // where the next chord starts; a cubic reads only startY, and starts at x.value
	stepsLeft      int8  // steps to come
	// Shifts of the first and the second differences. A quadratic has one.
	firstShift, secondShift int8
	cubic                   bool
}

// next sets edge to the next chord that has height, and returns false if none is left.
func (steps *chordSteps) next(edge *Edge) bool {
	if steps.cubic {
		return steps.cubicNext(edge)
	}
	return steps.quadNext(edge)
}

// setQuad prepares the chords of a quadratic from points in 1/256 px. See
// docs/spec/raster.md#r14.
func (steps *chordSteps) setQuad(x, y *[4]int64) {
	bendX, bendY := x[0]-2*x[1]+x[2], y[0]-2*y[1]+y[2]
	// A quadratic is a quarter of bendX and bendY away from its chord. Negated they are rounded as in the reference.
	log2Chords := min(max(subdivisions(-bendX>>2, -bendY>>2), 1), 6) // 2 to 64 chords
	steps.x.setQuad(x, bendX, log2Chords)
	steps.y.setQuad(y, bendY, log2Chords)
	steps.y.value, steps.y.end = snapRow(steps.y.value), snapRow(steps.y.end)
	steps.startX, steps.startY = steps.x.value, steps.y.value
	steps.stepsLeft, steps.firstShift, steps.secondShift, steps.cubic = 1<<log2Chords, int8(log2Chords-1), 0, false
}

// setQuad sets one coordinate of a quadratic from its points p, in 1/256 px, and a, half its second
// derivative: start and end, and the first and second difference for 1<<k steps. The first one is kept
// 1<<(k-1) times as large as the difference of a step, as in the reference. Points shifted by 10 are in 1/2^18 px;
// the shift back by 2 makes them 1/65536 px.
func (differences *forwardDifferences) setQuad(p *[4]int64, a int64, k int) {
	b := (p[1] - p[0]) << 10
	a <<= 9
	differences.value, differences.first, differences.second, differences.end = p[0]<<8, (b+a>>k)>>2, a>>(k-1)>>2, p[2]<<8
}

// quadNext sets edge to the next chord of a quadratic that has height, and returns false if none is left.
// As in the reference, a chord ends on the nearest quarter row; one from a steep step (isSteep) of 2 px or more
// that is not flatter than 1:64 ends on a whole row, and its x is moved there along the slope.
func (steps *chordSteps) quadNext(edge *Edge) bool {
	for steps.stepsLeft > 0 {
		steps.stepsLeft--
		stepEndX, stepEndY := steps.x.end, steps.y.end // end of the step, before it is rounded to a row
		chordEndX, chordEndY := stepEndX, stepEndY     // end of the chord
		isSteep := false
		if steps.stepsLeft > 0 { // not the last step, which ends at the end of the curve
			stepX, stepY := steps.x.first>>steps.firstShift, steps.y.first>>steps.firstShift
			stepEndX, stepEndY = steps.x.value+stepX, steps.y.value+stepY
			chordEndX, chordEndY = stepEndX, min(steps.y.end, snapRow(stepEndY))
			isSteep = max(stepY, -stepY) >= 2*onePx && 64*max(steps.y.first, -steps.y.first) > max(steps.x.first, -steps.x.first)
			steps.x.first, steps.y.first = steps.x.first+steps.x.second, steps.y.first+steps.y.second
		}
		steps.x.value, steps.y.value = stepEndX, stepEndY
		var chordSlope int64
		if isSteep {
			chordSlope = slope(stepEndX-steps.startX, stepEndY-steps.startY)
			chordEndY = min(steps.y.end, wholeRow(stepEndY))
			chordEndX = stepEndX - (chordSlope*(stepEndY-chordEndY))>>16
		}
		if chordEndY <= steps.startY {
			continue
		}
		if !isSteep {
			chordSlope = slope(chordEndX-steps.startX, chordEndY-steps.startY)
		}
		edge.setChord(steps.startX, steps.startY, chordEndX, chordEndY, chordSlope)
		steps.startX, steps.startY = chordEndX, chordEndY
		return true
	}
	return false
}

// setCubic prepares the division of a cubic curve into 2^log2Chords chords, from its four points in 1/256 px.
// Their number grows with how far the curve deviates from a line. cubicNext steps through x and y by
// differences, whose shifts follow from log2Chords. See docs/spec/raster.md#r15.
func (steps *chordSteps) setCubic(x, y *[4]int64) {
	log2Chords := min(subdivisions(cubicDeviation(x), cubicDeviation(y))+1, 6)
	steps.x.setCubic(x, log2Chords)
	steps.y.setCubic(y, log2Chords)
	steps.y.value, steps.y.end = snapRow(steps.y.value), snapRow(steps.y.end)
	steps.startX, steps.startY = steps.x.value, steps.y.value
	steps.stepsLeft = 1 << log2Chords
	steps.firstShift = int8(max(0, log2Chords-4))
	steps.secondShift = int8(log2Chords)
	steps.cubic = true
}

// cubicDeviation returns how far one coordinate of a cubic is from its chord at a third and at two
// thirds, whichever is more, in 1/256 px; 19/512 is about 1/27.
func cubicDeviation(p *[4]int64) int64 {
	a := (19 * (8*p[0] - 15*p[1] + 6*p[2] + p[3])) >> 9
	b := (19 * (p[0] + 6*p[1] - 15*p[2] + 8*p[3])) >> 9
	return max(a, -a, b, -b)
}

// setCubic sets one coordinate of a cubic from its points p, in 1/256 px: start and end, and three
// differences for 1<<k steps. The polynomial less its start is e t^3 + c t^2 + b t. With steps of h = 1/2^k its
// differences are b h + c h^2 + e h^3, then 2 c h^2 + 6 e h^3, then 6 e h^3. As in the reference, the first one
// is kept divided by h, the others divided by h^2, and all with 2^(u-2) units in 1/256 px. The shifts of
// cubicNext divide by what is left, so that a step is in 1/65536 px.
func (differences *forwardDifferences) setCubic(p *[4]int64, k int) {
	u := max(6, 10-k)
	b := 3 * (p[1] - p[0]) << u
	c := 3 * (p[0] - 2*p[1] + p[2]) << u
	e := (p[3] + 3*(p[1]-p[2]) - p[0]) << u
	differences.value, differences.end = p[0]<<8, p[3]<<8
	sixEH := (3 * e) >> (k - 1) // 6 e h
	differences.first = (b + (c >> k) + (e >> (2 * k))) >> 2
	differences.second = (2*c + sixEH) >> 2
	differences.third = sixEH >> 2
}

// cubicNext sets edge to the next chord of a cubic that has height, and returns false if none is left. A
// chord ends on the nearest quarter row. It keeps the x of the step, so that the next chord starts there,
// and never goes up.
func (steps *chordSteps) cubicNext(edge *Edge) bool {
	for steps.stepsLeft > 0 {
		steps.stepsLeft--
		x, y := steps.x.value, steps.y.value
		stepEndX, stepEndY := steps.x.end, steps.y.end // where the step ends
		if steps.stepsLeft > 0 {
			stepEndX, stepEndY = x+steps.x.first>>steps.firstShift, max(y, y+steps.y.first>>steps.firstShift)
			steps.x.first, steps.x.second = steps.x.first+steps.x.second>>steps.secondShift, steps.x.second+steps.x.third
			steps.y.first, steps.y.second = steps.y.first+steps.y.second>>steps.secondShift, steps.y.second+steps.y.third
		}
		chordEndY := min(steps.y.end, snapRow(stepEndY))
		steps.x.value, steps.y.value, steps.startX = stepEndX, stepEndY, stepEndX
		if chordEndY > steps.startY {
			dx := (stepEndX - x) >> 10
			edge.setChord(x, steps.startY, stepEndX, chordEndY, saturate((dx<<16)/((chordEndY-steps.startY)>>10)))
			steps.startY = chordEndY
			return true
		}
	}
	return false
}

// smooth reports whether a walk may pass the end of a chord by part of a row, because the curve turns slowly there:
// in x and in y the second difference is at most half the first, and the chord's own step is at least a px high.
// That step is computed back: first is already that of the next step, which is larger by the second difference.
func (steps *chordSteps) smooth() bool {
	steady := func(d *forwardDifferences) bool {
		return max(d.first, -d.first)>>1 >= max(d.second, -d.second)>>steps.secondShift
	}
	ownStepY := (steps.y.first - steps.y.second>>steps.secondShift) >> steps.firstShift
	return steady(&steps.x) && steady(&steps.y) && ownStepY >= onePx
}
