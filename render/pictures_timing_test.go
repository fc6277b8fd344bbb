package render

import (
	"encoding/json"
	"fmt"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring/aspire/scenario"
)

// BenchmarkEditedImages times images of 1400x800 px of balance tasks with one more shape each, with 1 and 64 answers to a
// task, without a cache and with one.
func BenchmarkEditedImages(b *testing.B) {
	const boards = 256
	for _, group := range []int{1, 64} {
		views := make([]view.View, boards)
		for i := range views {
			s, err := scenario.Make(1, "balance", i/group)
			if err != nil {
				b.Fatal(err)
			}
			answer := scenario.Shape{ID: "shape:answer", Type: "geo", X: float64(i * 37 % 1000), Y: float64(i * 61 % 500)}
			answer.Props = scenario.Props{Geo: "ellipse", Color: "violet", W: float64(200 + i*7%200), H: float64(100 + i*11%200), Fill: "solid", Dash: "draw"}
			text, err := json.Marshal(map[string]any{"shapes": append(s.Shapes, answer)})
			if err != nil {
				b.Fatal(err)
			}
			views[i] = view.View{Bounds: view.Box{W: 1400, H: 800}, Details: true, Unmeasured: true}
			if views[i].Scene, err = scene.Decode(text, scene.DefaultLimits()); err != nil {
				b.Fatal(err)
			}
		}
		for _, cfg := range []Config{{Backend: BackendCPU}, {Backend: BackendCPU, TallyCache: 64 << 20},
			{Backend: BackendGL}, {Backend: BackendGL, TallyCache: 64 << 20}} {
			b.Run(fmt.Sprintf("%s/answers=%d/cache=%dMiB", cfg.Backend, group, cfg.TallyCache>>20), func(b *testing.B) {
				e := openWith(b, cfg)
				w := e.Worker()
				begin := coreTime(b)
				for i := range b.N {
					p := prepare(b, w, views[i%boards])
					picture(b, e, p)
					p.Release()
				}
				b.ReportMetric(float64((coreTime(b)-begin).Microseconds())/float64(b.N), "core-us/op")
			})
		}
	}
}
