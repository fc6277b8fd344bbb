package paint

import (
	"testing"

	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/view"
)

// The tables equal the alphas that the browser gives for coverages in 1/255, by lightness.
func TestContrastTables(t *testing.T) {
	for coverage, want := range map[int][contrastRows]uint8{
		0:   {},
		1:   {1, 1, 1, 1, 1, 1, 1, 2},
		16:  {16, 17, 17, 17, 18, 18, 20, 25},
		64:  {64, 65, 67, 68, 69, 71, 73, 80},
		128: {125, 129, 131, 133, 134, 136, 138, 143},
		191: {186, 191, 193, 195, 196, 197, 198, 200},
		224: {218, 224, 225, 226, 227, 227, 228, 229},
		253: {251, 253, 253, 253, 253, 253, 253, 253},
		255: {255, 255, 255, 255, 255, 255, 255, 255},
	} {
		for row := range contrastRows {
			if got := contrastTables()[row][coverage]; got != want[row] {
				t.Errorf("coverage %d in row %d: got %d; want %d", coverage, row, got, want[row])
			}
		}
	}
}

// Colours of text use the same table rows as in the browser.
func TestLightness(t *testing.T) {
	for c, want := range map[shapes.RGB]int{
		shapes.Palette[scene.Black].Solid: 0, shapes.Palette[scene.Grey].Solid: 5, shapes.Palette[scene.LightViolet].Solid: 5,
		shapes.Palette[scene.Violet].Solid: 2, shapes.Palette[scene.Blue].Solid: 3, shapes.Palette[scene.LightBlue].Solid: 5,
		shapes.Palette[scene.Yellow].Solid: 5, shapes.Palette[scene.Orange].Solid: 4, shapes.Palette[scene.Green].Solid: 3,
		shapes.Palette[scene.LightGreen].Solid: 4, shapes.Palette[scene.LightRed].Solid: 4, shapes.Palette[scene.Red].Solid: 2,
		shapes.Palette[scene.White].Solid: 7, shapes.Background: 7, linkColor: 4, {0, 222, 0}: 4, {0, 224, 0}: 5,
	} {
		if got := lightness(c); got != want {
			t.Errorf("%v: got row %d; want %d", c, got, want)
		}
	}
}

// Glyphs have the contrast of their colour: the alphas of a pixel in black and in white text belong
// to the same coverage.
func TestGlyphsHaveContrast(t *testing.T) {
	bytes := func(b *Builder, c scene.Color) (out []byte) {
		s := &scene.Scene{Shapes: []scene.Shape{{
			ID: "shape:a", Kind: scene.Text, Parent: -1, X: 3, Y: 3, Opacity: 1, Scale: 1, Size: scene.SizeM, Font: scene.FontSans,
			Color: c, Auto: true, Rich: &scene.RichText{Blocks: []scene.Block{{Spans: []scene.Span{{Text: "o"}}}}},
		}}}
		var d Drawing
		if err := b.Build(view.View{Scene: s, Bounds: view.Box{W: 60, H: 60}}, Reference, &d); err != nil {
			t.Fatal(err)
		}
		it := d.Items[len(d.Items)-1] // the glyph lies on top of its halo
		for _, sp := range d.Coverage.Spans[it.FirstSpan:][:it.SpanCount] {
			if sp.FirstByte != scan.Full {
				out = append(out, d.Coverage.Bytes[sp.FirstByte:][:sp.Width]...)
			}
		}
		return out
	}
	var pairs [contrastRows][256]map[byte]bool // of what black leaves, what other rows may
	for row := range pairs {
		for c, v := range contrastTables()[0] {
			if pairs[row][v] == nil {
				pairs[row][v] = map[byte]bool{}
			}
			pairs[row][v][contrastTables()[row][c]] = true
		}
	}
	var b Builder // one, since what it remembers must not be taken for another colour's
	black := bytes(&b, scene.Black)
	for _, c := range []scene.Color{scene.White, scene.Red, scene.Yellow, scene.Black} {
		row, differ := lightness(shapes.Palette[c].Solid), 0
		got := bytes(&b, c)
		if len(got) != len(black) {
			t.Fatalf("colour %v: %d bytes; want %d", c, len(got), len(black))
		}
		for i, v := range got {
			if !pairs[row][black[i]][v] {
				t.Errorf("colour %v: %d where black leaves %d", c, v, black[i])
			}
			if v != black[i] {
				differ++
			}
		}
		if differ == 0 && c != scene.Black {
			t.Errorf("colour %v: as black", c)
		}
	}
}
