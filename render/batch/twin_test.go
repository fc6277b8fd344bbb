package batch

import (
	"hash/maphash"
	"slices"
	"testing"
)

// A drawing for the twin has all its runs behind those of the shaders, and its
// neighbours keep theirs.
func TestTwin(t *testing.T) {
	binned := func(w, h int) *Tiled {
		t := new(Tiled)
		new(Binner).Bin(rings(w, h), t)
		return t
	}
	a, b := binned(400, 300), binned(500, 200)
	runs := func(t *Tiled) int { return len(t.Runs[Plain]) + len(t.Runs[Double]) + len(t.Runs[Full]) }
	var both, twin Batch
	both.Pack([]*Tiled{a, b, a})
	b.CPUOnly = true
	twin.Pack([]*Tiled{a, b, a})
	if got, want := twin.ShaderRuns(), 2*runs(a); got != want || want == 0 {
		t.Errorf("shaders get %d runs; want %d", got, want)
	}
	for _, r := range twin.Runs[:twin.ShaderRuns()] {
		if r.Scene == 1 {
			t.Fatalf("shaders get a run of the twin's drawing: %+v", r)
		}
	}
	key := func(a, b Run) int { return int(a.Scene)<<40 - int(b.Scene)<<40 + int(a.FirstTile) - int(b.FirstTile) }
	if slices.SortFunc(both.Runs, key); len(both.Runs) != len(twin.Runs) {
		t.Fatalf("%d runs; want %d", len(twin.Runs), len(both.Runs))
	}
	if slices.SortFunc(twin.Runs, key); !slices.Equal(twin.Runs, both.Runs) {
		t.Error("the runs themselves differ")
	}
	if new(Binner).Bin(rings(500, 200), b); b.CPUOnly {
		t.Error("binning does not take Twin back")
	}
}

func TestHash(t *testing.T) {
	seed := maphash.MakeSeed()
	one := func(edit func(*Tiled)) uint64 {
		t := new(Tiled)
		new(Binner).Bin(rings(400, 300), t)
		edit(t)
		return t.Hash(seed)
	}
	same := one(func(*Tiled) {})
	if one(func(t *Tiled) { t.CPUOnly = true }) != same {
		t.Error("equal drawings have different hashes")
	}
	for name, edit := range map[string]func(*Tiled){
		"mask":  func(t *Tiled) { t.Masks[len(t.Masks)-1][3]++ },
		"item":  func(t *Tiled) { t.Items[0].Color++ },
		"tile":  func(t *Tiled) { t.Tiles[len(t.Tiles)/2].Valid++ },
		"run":   func(t *Tiled) { t.Runs[Plain][0].X++ },
		"class": func(t *Tiled) { t.Runs[Full], t.Runs[Plain] = t.Runs[Plain], t.Runs[Full] },
		"size":  func(t *Tiled) { t.Width++ },
	} {
		if one(edit) == same {
			t.Errorf("another %s has the same hash", name)
		}
	}
}
