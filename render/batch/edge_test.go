package batch

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"plumb/render/paint"
	"plumb/render/scan"
	"plumb/render/shapes"
)

// Plain runs are summed without a look at where the picture ends: nothing in their
// masks lies beyond it, and nothing fills a tile that it cuts.
func TestPlainTilesEndWithThePicture(t *testing.T) {
	var bin Binner
	for _, drawn := range []int{1400, 1024} { // the second as large as the picture, the first larger
		cut, plain, double := 0, 0, 0
		for w := 1000; w < 1024; w++ {
			d := rings(drawn, 170)
			d.Width, d.Height = w, 157
			d.Items[13].InSecondSet = true // a stroke on its fill
			var tiled Tiled
			bin.Bin(d, &tiled)
			for i, r := range append(slices.Clone(tiled.Runs[Plain]), tiled.Runs[Double]...) {
				if i >= len(tiled.Runs[Plain]) {
					double++
				}
				for _, tile := range tiled.Tiles[r.FirstTile:][:r.TileCount] {
					cols, rows := int(tile.Valid&0xffff), int(tile.Valid>>16)
					if cols == TileW && rows == TileH {
						continue
					}
					plain++
					for _, it := range tiled.Items[tile.FirstItem:][:tile.ItemCount] {
						if it.Paint&FlagMask == 0 {
							t.Fatalf("an item fills a tile of %d x %d px", cols, rows)
						}
						for y, row := range tiled.Masks[it.FirstRow:][:TileH] {
							for x, a := range row {
								if a != 0 && (x >= cols || y >= rows) {
									t.Fatalf("picture of %d px: coverage %d at %d, %d of a tile of %d x %d px", w, a, x, y, cols, rows)
								}
							}
						}
					}
				}
			}
			for _, r := range tiled.Runs[Full] {
				cut += int(r.TileCount)
			}
		}
		if plain == 0 || cut == 0 || double == 0 {
			t.Errorf("%d plain tiles at the ends of the picture, %d that are filled there, %d runs of two sets: one kind is not tried", plain, cut, double)
		}
	}
}

// Nor do whole cells that the picture cuts.
func TestCellsAreCutWhereThePictureEnds(t *testing.T) {
	d := &paint.Drawing{Width: 24, Height: 1}
	d.Coverage.Bytes = bytes.Repeat([]byte{200}, 2*TileW)
	d.Coverage.Spans = []scan.Span{{X: 0, Y: 0, Width: 2 * TileW, FirstByte: 0}}
	d.Items = []paint.Item{{SpanCount: 1, Opacity: shapes.Opaque, Clip: -1}}
	var bin Binner
	var tiled Tiled
	bin.Bin(d, &tiled)
	last := tiled.Items[len(tiled.Items)-1]
	row := tiled.Masks[last.FirstRow]
	if want := (MaskRow{200, 200, 200, 200, 200, 200, 200, 200}); row != want {
		t.Errorf("got %v; want %v", row, want)
	}
}

// A drawing that panics half way leaves nothing behind for the next one: exports
// are cut by binners from a pool.
func TestAPanicLeavesNothing(t *testing.T) {
	good := rings(400, 300)
	var want Tiled
	new(Binner).Bin(good, &want)
	for name, broken := range map[string]func(d *paint.Drawing){
		"in the spans": func(d *paint.Drawing) { d.Coverage.Spans[len(d.Coverage.Spans)/2].FirstByte = 1 << 30 },
		"in the tiles": func(d *paint.Drawing) { d.Items[len(d.Items)/2].Group = 7 },
	} {
		t.Run(name, func(t *testing.T) {
			var b Binner
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the broken drawing was binned")
					}
				}()
				bad := rings(700, 300)
				broken(bad)
				b.Bin(bad, new(Tiled))
			}()
			var got Tiled
			if b.Bin(good, &got); !reflect.DeepEqual(got, want) {
				t.Error("the next drawing is not what it is alone")
			}
		})
	}
}
