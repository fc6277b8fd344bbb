package render

import (
	"fmt"
	"math"

	"plumb/render/area"
	"plumb/render/batch"
	"plumb/render/chord"
	"plumb/render/cpu"
	"plumb/render/paint"
	"plumb/render/scan"
	"plumb/render/shapes"
	"plumb/render/vector"
)

// SelfTest runs the tile stage on a small drawing that uses all of its features and compares its
// sums and pixels with those of the Go twin. A difference is an error; a daemon that gets one takes
// no requests.
func (e *Engine) SelfTest() error {
	t := new(batch.Tiled)
	new(batch.Binner).Bin(selfTestDrawing(), t)
	packed := e.pack([]*batch.Tiled{t, t}) // twice, so that the places of a second view in the batch are checked
	defer e.release(packed)
	b := &packed.batch
	got, _, err := e.stage.Sums(nil, b)
	if err != nil {
		return fmt.Errorf("cannot run the self-test: %w", err)
	}
	want := make([]batch.RowSums, b.ShaderRuns()*batch.TileH)
	cpu.Rows(b, 0, b.ShaderRuns(), want)
	for i := range want {
		if got[i] != want[i] {
			row, run := i%batch.TileH, i/batch.TileH
			return fmt.Errorf("self-test failed: row %d of run %d: got %+v; want %+v", row, run, got[i], want[i])
		}
	}
	px, _, err := e.stage.Pixels(b)
	if err != nil {
		return fmt.Errorf("cannot draw the self-test: %w", err)
	}
	oracle := make([]uint32, b.PixelCount)
	cpu.Pixels(b, 0, b.ShaderRuns(), oracle)
	for i, v := range oracle {
		if px[i] != v {
			return fmt.Errorf("self-test failed: pixel %d: got %#08x; want %#08x", i, px[i], v)
		}
	}
	return nil
}

// selfTestDrawing returns a drawing with tiles of all classes: a clip, a translucent group, two
// sets, parts of tiles, horizontal and vertical edges and parts outside the picture.
func selfTestDrawing() *paint.Drawing {
	drawing := &paint.Drawing{Width: 150, Height: 70, Groups: []uint32{shapes.Opaque / 3}}
	var filler area.Filler
	canvas := chord.Rect{X1: int32(drawing.Width), Y1: int32(drawing.Height)}
	// add adds an item whose outline is a polygon: n corners on an ellipse about (cx, cy).
	add := func(it paint.Item, n int, cx, cy, rx, ry, turn float64) {
		p := ellipsePolygon(n, cx, cy, rx, ry, turn)
		filler.Add(&p, canvas)
		first, count := filler.Take(&drawing.Coverage)
		it.FirstSpan, it.SpanCount = int32(first), int32(count)
		drawing.Items = append(drawing.Items, it)
	}
	plain := paint.Item{Opacity: shapes.Opaque, Clip: -1, Color: [3]uint8{200, 100, 50}}
	itemWith := func(f func(*paint.Item)) paint.Item { it := plain; f(&it); return it }
	// Plain items: a round one and a turned square.
	add(plain, 40, 30, 30, 40, 25, 0)
	add(plain, 4, 92, 31, 30, 20, 0.35)
	// A clip, a translucent item that it clips, and one that it does not.
	add(itemWith(func(it *paint.Item) { it.Op = paint.OpClip }), 4, 60, 40, 30, 30, math.Pi/4)
	clip := int32(len(drawing.Items) - 1)
	add(itemWith(func(it *paint.Item) { it.Clip = clip; it.Opacity = shapes.Opaque * 5 / 8 }), 5, 70, 40, 40, 30, 0.1)
	add(plain, 9, 110, 50, 35, 18, 0.2)
	// An item of the second set.
	add(itemWith(func(it *paint.Item) { it.InSecondSet = true }), 30, 75, 35, 60, 30, 0)
	// An item whose 20 spans share 120 bytes of coverage: each row starts 5 bytes after the one above.
	ragged := plain
	ragged.FirstSpan, ragged.SpanCount = int32(len(drawing.Coverage.Spans)), 20
	start := int32(len(drawing.Coverage.Bytes))
	for y := range int32(20) {
		drawing.Coverage.Spans = append(drawing.Coverage.Spans, scan.Span{X: 118, Y: 3 + y, Width: 25, FirstByte: start + 5*y})
	}
	for i := range 120 {
		drawing.Coverage.Bytes = append(drawing.Coverage.Bytes, byte(37*i))
	}
	drawing.Items = append(drawing.Items, ragged)
	// Three translucent items in a translucent group.
	grouped := itemWith(func(it *paint.Item) { it.Group = 1; it.Opacity = shapes.Opaque * 3 / 4 })
	for i := range 3 {
		add(grouped, 12, 40+20*float64(i), 20, 18, 16, 0)
	}
	return drawing
}

// ellipsePolygon returns the open path through n points of an ellipse with centre (cx, cy) and radii
// rx and ry, in px; the first lies at angle turn, in radians.
func ellipsePolygon(n int, cx, cy, rx, ry, turn float64) vector.Path {
	var p vector.Path
	for i := range n {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(n))
		// float64 keeps the product from being fused with the sum: the points are equal on every machine.
		q := vector.Point{X: float32(cx + float64(rx*cos)), Y: float32(cy + float64(ry*sin))}
		if i == 0 {
			p.MoveTo(q)
		} else {
			p.LineTo(q)
		}
	}
	return p
}
