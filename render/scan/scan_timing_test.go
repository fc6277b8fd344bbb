package scan

import (
	"testing"

	"plumb/render/chord"
)

// BenchmarkScene fills all paths of one scene of the editor: nine shapes on
// average, each a fill and a stroke of two passes.
func BenchmarkScene(b *testing.B) {
	b.Run("pixels", func(b *testing.B) { benchmarkScene(b, false) })
	b.Run("cells", func(b *testing.B) { benchmarkScene(b, true) })
}

func benchmarkScene(b *testing.B, cells bool) {
	exports, _ := scenes(b, "balance")
	clip := chord.Rect{X1: 1400, Y1: 800}
	var s Scanner
	var c Coverage
	run := func(e *export) {
		c.Reset()
		for _, f := range e.fills {
			s.Append(&c, f.p, clip, Rule{Plain: f.black, Cells: cells})
		}
	}
	spans, bytes, fills := 0, 0, 0
	for _, e := range exports {
		run(e)
		spans, bytes, fills = spans+len(c.Spans), bytes+len(c.Bytes), fills+len(e.fills)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		run(exports[i%len(exports)])
		i++
	}
	n := float64(len(exports))
	b.ReportMetric(float64(spans)/n, "spans/op")
	b.ReportMetric(float64(bytes)/n, "bytes/op")
	b.ReportMetric(float64(fills)/n, "paths/op")
}
