package render

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"plumb/render/batch"
	"plumb/render/paint"
	"plumb/render/paint/painttest"
	"plumb/render/shapes"
)

// Thin translucent bars upon each other, each over several tiles: more items than a
// driver may let a thread loop over, in runs of several tiles and in single tiles.
func TestStacksOfShapesHaveTheSumsOfTheTwin(t *testing.T) {
	gl, cpu := open(t, BackendGL), open(t, BackendCPU)
	for _, n := range []int{5000, 17000} {
		d := &paint.Drawing{Width: 64, Height: 16}
		it := paint.Item{Opacity: shapes.Opaque / 250, Clip: -1, Color: [3]uint8{255, 0, 0}}
		for i := range n {
			y := 3 + float64(i%7)/2
			painttest.Polygon(d, it, [][2]float64{{10.5, y}, {58.5, y}, {58.5, y + 3}, {10.5, y + 3}}...)
		}
		it.Opacity = shapes.Opaque // what is lost is what stands in front
		painttest.Polygon(d, it, [][2]float64{{5, 4}, {60, 4.5}, {30, 6}}...)
		var sums []string
		for _, e := range []*Engine{gl, cpu} {
			p := e.Worker().Tile(d)
			tallies, err := e.Measure(nil, []*Prepared{p})
			if err != nil {
				t.Fatal(err)
			}
			images, err := e.Pictures([]*Prepared{p})
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, fmt.Sprintf("%+v, picture %x", tallies[0], sha256.Sum256(images[0].Pix)))
			p.Release()
		}
		if sums[0] != sums[1] {
			t.Errorf("%d bars: the device has %s; the twin has %s", n, sums[0], sums[1])
		}
	}
	if most := gl.Info().GPU.Limits.Items; most < batch.RunItems {
		t.Errorf("the device takes %d items of a run; want at least %d", most, batch.RunItems)
	}
}
