package paint

import (
	"plumb/render/view"
	"testing"
)

// balanceViews returns the balance scenes of the reference data, each before and after the answer.
func balanceViews(t testing.TB) (views []view.View) {
	exportedScenes(t, func(e *exported) {
		if e.Kind != "balance" {
			return
		}
		s := e.scene(t)
		before := []string{}
		for i := range s.Shapes {
			if s.Shapes[i].ID != e.Added[0].ID {
				before = append(before, s.Shapes[i].ID)
			}
		}
		views = append(views, view.View{Scene: s, Bounds: e.bounds(), FirstIDs: before}, view.View{Scene: s, Bounds: e.bounds()})
	})
	return views
}

// BenchmarkBuildBalance draws one balance scene, 7.5 shapes, per operation.
func BenchmarkBuildBalance(b *testing.B) {
	views := balanceViews(b)
	var builder Builder
	d := new(Drawing)
	spans, items := 0, 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := builder.Build(views[i%len(views)], Reference, d); err != nil {
			b.Fatal(err)
		}
		spans, items = spans+len(d.Coverage.Spans), items+len(d.Items)
	}
	b.ReportMetric(float64(spans)/float64(b.N), "spans/op")
	b.ReportMetric(float64(items)/float64(b.N), "items/op")
}
