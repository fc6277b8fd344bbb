package aspire

import (
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// BenchmarkPrepare reads one reference item of each test, without parsing its
// line; the job is checked, so that a fast wrong one fails.
func BenchmarkPrepare(b *testing.B) {
	s := New(Config{})
	seen := map[string]bool{}
	for _, c := range references(b) {
		if seen[c.Test] || c.Tag != "clean" {
			continue
		}
		seen[c.Test] = true
		b.Run(c.Test, func(b *testing.B) {
			it := &scoring.Item{ID: c.ID, Suite: "aspire", Test: c.Test, Fields: fastjson.MustParseBytes(c.raw)}
			b.ReportAllocs()
			for b.Loop() {
				j, err := s.Prepare(it, nil)
				if err != nil || j.(*job).result.Status != "fenced" {
					b.Fatal(err)
				}
			}
		})
	}
}
