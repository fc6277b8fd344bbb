package paint

import (
	"plumb/render/view"
	"testing"
)

// BenchmarkBuildArrows draws one bound arrow of each kind with its targets per operation.
func BenchmarkBuildArrows(b *testing.B) {
	const boxes = `{"id":"shape:a","type":"geo","x":0,"y":0,"props":{"w":80,"h":60}},{"id":"shape:b","type":"geo","x":200,"y":150,"props":{"geo":"ellipse","w":80,"h":60}},`
	const bound = `{"type":"arrow","fromId":"shape:r","toId":"shape:a","props":{"terminal":"start"}},{"type":"arrow","fromId":"shape:r","toId":"shape:b","props":{"terminal":"end"}}`
	for name, props := range map[string]string{"straight": `"bend":0`, "arc": `"bend":40`, "elbow": `"kind":"elbow"`} {
		s := board(b, `{"shapes":[`+boxes+`{"id":"shape:r","type":"arrow","x":0,"y":0,"props":{"arrowheadEnd":"triangle",`+props+`}}],"bindings":[`+bound+`]}`)
		b.Run("kind="+name, func(b *testing.B) {
			var builder Builder
			d := new(Drawing)
			b.ReportAllocs()
			for b.Loop() {
				if err := builder.Build(view.View{Scene: s, Bounds: view.Box{X: -20, Y: -20, W: 340, H: 280}, FirstIDs: []string{"shape:r"}}, Reference, d); err != nil || len(d.Items) < 2 {
					b.Fatal(err, len(d.Items))
				}
			}
		})
	}
}
