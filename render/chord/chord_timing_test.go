package chord

import (
	"testing"

	"plumb/render/rastertest"
	"plumb/render/stroke"
	"plumb/render/vector"
)

// A hand-drawn rectangle of 140 x 120, one pass, and an ellipse.
var timed = []struct{ name, d string }{
	{"rect", "M 7.1401 0.9148 L 134.0741 1.156 Q 141.0741 1.156 141.0741 8.156 L 139.1054 113.0142 Q 139.1054 120.0142 132.1054 120.0142 L 6.5338 120.4251 Q -0.4662 120.4251 -0.4662 113.4251 L 0.1401 7.9148 Q 0.1401 0.9148 7.1401 0.9148"},
	{"ellipse", "M 0.348 23.2664 C -0.0052 9.5289 27.977 -0.7686 62.4948 -0.7686 C 96.9439 0.4577 124.9261 10.7551 124.9261 23.4577 C 124.1336 36.6281 96.1514 46.9256 61.6336 46.9256 C 28.3302 46.2664 0.348 35.969 0.348 23.2664"},
}

// at is where they are drawn.
var at = vector.Matrix{A: 0.9239, B: 0.3827, C: -0.3827, D: 0.9239, E: 120, F: 40}

var modes = []struct {
	name string
	mode Mode
	fine float32
}{{"reference", Reference, 1}, {"exact", Exact, stroke.Fine}}

// One stroked path, from its units to segments: outline, map, chords.
func BenchmarkStrokeToSegments(b *testing.B) {
	for _, p := range timed {
		for _, m := range modes {
			for _, clip := range []struct {
				name string
				r    Rect
			}{{"inside", Rect{0, 0, 1400, 800}}, {"clipped", Rect{0, 0, 200, 200}}} {
				b.Run(p.name+"/"+m.name+"/"+clip.name, func(b *testing.B) {
					src := rastertest.Path(b, p.d)
					var s stroke.Stroker
					var c Cutter
					var dst vector.Path
					var segs []Segment
					b.ReportAllocs()
					for b.Loop() {
						dst.Reset()
						s.Outline(&dst, src, 3.5, stroke.Resolution(at)*m.fine)
						dst.Transform(at)
						segs = c.Append(segs[:0], &dst, clip.r, m.mode)
					}
					if len(segs) < 20 {
						b.Fatalf("got %d segments; want a stroke", len(segs))
					}
					b.ReportMetric(float64(len(segs)), "segments")
				})
			}
		}
	}
}

// The same with the stroker left out: chords of a finished outline.
func BenchmarkAppend(b *testing.B) {
	for _, p := range timed {
		for _, m := range modes {
			b.Run(p.name+"/"+m.name, func(b *testing.B) {
				src := rastertest.Path(b, p.d)
				var s stroke.Stroker
				var c Cutter
				var dst vector.Path
				var segs []Segment
				s.Outline(&dst, src, 3.5, stroke.Resolution(at)*m.fine)
				dst.Transform(at)
				b.ReportAllocs()
				for b.Loop() {
					segs = c.Append(segs[:0], &dst, Rect{0, 0, 1400, 800}, m.mode)
				}
				if len(segs) < 20 {
					b.Fatalf("got %d segments; want a stroke", len(segs))
				}
				b.ReportMetric(float64(len(segs)), "segments")
			})
		}
	}
}
