package outline

import (
	"testing"

	"plumb/render/scene"
)

// Alphas that the browser gave for coverages of 1/255, by lightness of the text.
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

// Rows that the browser uses for the colours of text.
func TestLightness(t *testing.T) {
	for c, want := range map[rgb]int{
		palette[scene.Black].solid: 0, palette[scene.Grey].solid: 5, palette[scene.LightViolet].solid: 5,
		palette[scene.Violet].solid: 2, palette[scene.Blue].solid: 3, palette[scene.LightBlue].solid: 5,
		palette[scene.Yellow].solid: 5, palette[scene.Orange].solid: 4, palette[scene.Green].solid: 3,
		palette[scene.LightGreen].solid: 4, palette[scene.LightRed].solid: 4, palette[scene.Red].solid: 2,
		palette[scene.White].solid: 7, background: 7, linkColor: 4, {0, 222, 0}: 4, {0, 224, 0}: 5,
	} {
		if got := lightness(c); got != want {
			t.Errorf("%v: got row %d; want %d", c, got, want)
		}
	}
}
