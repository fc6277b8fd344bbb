package stroke

import (
	"testing"

	"plumb/render/vector"
	"plumb/render/vector/vectortest"
)

// A dashed side of a hand-drawn board's ellipse, and dots along it.
func BenchmarkDash(b *testing.B) {
	src, err := vectortest.Parse("M 0 23 C 0 10.2975 27.9822 0 62.5 0 C 97.0178 0 125 10.2975 125 23 C 125 35.7025 97.0178 46 62.5 46 C 27.9822 46 0 35.7025 0 23")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		dashes []float32
	}{{"dashed", []float32{7, 8}}, {"dotted", []float32{0.035, 7.3}}} {
		b.Run(c.name, func(b *testing.B) {
			var d Dasher
			var s Stroker
			var dashed, dst vector.Path
			b.ReportAllocs()
			for b.Loop() {
				dashed.Reset()
				dst.Reset()
				if !d.Dash(&dashed, src, c.dashes, 3.5, 1) {
					b.Fatal("refused")
				}
				s.Outline(&dst, &dashed, 3.5, 1)
			}
			b.ReportMetric(float64(len(dst.Verbs)), "verbs")
		})
	}
}
