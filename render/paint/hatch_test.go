package paint

import (
	"plumb/render/vector"
	"testing"
)

// TestHatchTile compares the tile of 8 px with what was found in the reference
// pictures: how much of the pattern's colour shows, in 1/255.
func TestHatchTile(t *testing.T) {
	want := map[[2]int]int{
		{1, 0}: 57, {2, 0}: 101, {0, 1}: 94, {1, 1}: 162, {0, 2}: 44, {4, 3}: 239, {3, 4}: 236,
		{7, 5}: 49, {6, 6}: 171, {7, 6}: 85, {5, 7}: 106, {6, 7}: 52,
	}
	tile := hatchTileOf(vector.Identity)
	for y := range tile.side {
		for x := range tile.side {
			if got := 255 - int(tile.alpha[y*tile.side+x]); max(got-want[[2]int{x, y}], want[[2]int{x, y}]-got) > 5 {
				t.Errorf("(%d, %d): got %d; want %d", x, y, got, want[[2]int{x, y}])
			}
		}
	}
	if got := hatchTileOf(vector.Matrix{A: 1.63, D: 1.63}).side; got != 14 {
		t.Errorf("at 1.63 px a unit: side %d; want 14", got)
	}
	if hatchTileOf(vector.Matrix{A: 1e9, D: 1e9}) != nil {
		t.Error("a huge tile is drawn")
	}
}
