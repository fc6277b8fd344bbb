package batch

import "testing"

// TestOpaqueStaysOpaque: whatever is painted over alpha 255 leaves it at 255, which
// docs/spec/raster.md#r41 relies on.
func TestOpaqueStaysOpaque(t *testing.T) {
	over := func(paint, group, coverage uint32, paired bool) {
		p := Pixel{sets: [2]layer{{a: 255}, {}}}
		p.Add(&Item{Paint: paint, Group: group}, coverage, paired)
		if a, _ := p.Alpha(); a != 255 {
			t.Fatalf("paint %x, group %d, coverage %d, paired %v: got alpha %d", paint, group, coverage, paired, a)
		}
	}
	const alone = FlagGrouped | FlagGroupFirst | FlagGroupLast
	for alpha := range uint32(256) {
		for coverage := range uint32(256) {
			over(alpha, 0, coverage, false)
			over(alpha|FlagRoundNearest, 0, coverage, false)
			over(255, 0, coverage, true)
			over(255|alone, alpha, coverage, false)
			over(255|alone|FlagRoundEach, alpha, coverage, false)
		}
	}
}
