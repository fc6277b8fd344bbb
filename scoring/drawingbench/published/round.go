package published

import (
	"math"
	"strconv"
)

// decimals is Python's round(x, n): the decimal nearest to the exact binary
// value, half to even, read back.
func decimals(x float64, n int) float64 {
	var b [32]byte
	v, _ := strconv.ParseFloat(string(strconv.AppendFloat(b[:0], x, 'f', n, 64)), 64)
	return v
}

// scalar rounds to three decimals as a numpy scalar does: half to even of the
// product. The score is a numpy scalar after a deduction for coverage. See
// docs/spec/drawingbench.md#r40.
func scalar(x float64) float64 { return math.RoundToEven(x*1000) / 1000 }
