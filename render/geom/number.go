package geom

import (
	"bytes"
	"math"
	"strconv"

	"plumb/render/vector"
)

// The export writes coordinates as decimals, and the browser reads them digit by digit in
// binary32: the digits before the point are summed from the right, those after it from the
// left, each times a power of ten that is itself rounded (observed). About one number in ten is
// off by its last bit. See docs/spec/drawing.md#r18.

// stepsPerUnit is 10,000, because the export writes most numbers with four decimals.
const stepsPerUnit = 1e4

// fractions holds what the browser reads for 0, 0.0001, ... 0.9999.
var fractions = func() (t [stepsPerUnit]float32) {
	for i := range t {
		t[i] = fraction(strconv.Itoa(stepsPerUnit + i)[1:])
	}
	return t
}()

// fraction reads the digits after the decimal point in binary32, with the browser's rounding.
func fraction(digits string) (sum float32) {
	power := float32(1)
	for _, d := range digits {
		power *= 0.1
		sum += float32(float32(d-'0') * power)
	}
	return sum
}

// roundToFourDecimals rounds to the four decimals with which the export writes most numbers.
func roundToFourDecimals(v float64) float64 {
	return math.Floor(float64(v*stepsPerUnit)+0.5) / stepsPerUnit
}

// AsExportedNumber returns the number that v becomes in an SVG export: the editor writes it with four
// decimals, and the browser reads these digits one by one in binary32, with the rounding errors of each step.
func AsExportedNumber(v float64) float32 {
	n := math.Floor(float64(v*stepsPerUnit) + 0.5) // in 1/10,000
	// The sum of digits is looked up: whole numbers up to 2^24 are exact in whatever order their digits
	// are summed, and fractions has the rest. Greater numbers are far outside of every picture.
	const limit = (1 << 24) * stepsPerUnit
	if !(math.Abs(n) < limit) { // also NaN
		return float32(n / stepsPerUnit)
	}
	steps := int64(math.Abs(n))
	sum := float32(steps/stepsPerUnit) + fractions[steps%stepsPerUnit]
	return float32(math.Copysign(float64(sum), n))
}

// AsExportedUnrounded returns the number that a value becomes in an SVG export where the editor writes it
// with all its digits: the browser reads these one by one in binary32, with the rounding errors of each step.
// Values that are written with an exponent, or lie far outside of every picture, are only rounded.
func AsExportedUnrounded(value float64) float32 {
	if a := math.Abs(value); !(a >= 1e-6 && a < 1e15) {
		return float32(value)
	}
	var digits [32]byte
	decimal := strconv.AppendFloat(digits[:0], math.Abs(value), 'f', -1, 64)
	whole, decimals, _ := bytes.Cut(decimal, []byte{'.'}) // the digits before and after the decimal point
	sum, power := float32(0), float32(1)
	for i := len(whole) - 1; i >= 0; i-- {
		sum += float32(power * float32(whole[i]-'0'))
		power *= 10
	}
	sum += fraction(string(decimals))
	return float32(math.Copysign(float64(sum), value))
}

// AsExported returns the point that p becomes in an SVG export: the editor writes its coordinates with
// four decimals, and the browser reads them in binary32.
func AsExported(p Point) vector.Point {
	return vector.Point{X: AsExportedNumber(p.X), Y: AsExportedNumber(p.Y)}
}
