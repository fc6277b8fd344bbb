package batch

import "plumb/render/paint"

// Class is the variant of the tile stage that a run needs.
type Class uint8

const (
	// Plain is one set of opaque paints, of which none leaves the picture.
	Plain Class = iota
	// Double is Plain for two sets; items of the second stand behind the others.
	Double
	// Full handles opacities, rounded products, clips, groups, pairs and the ends of the
	// picture.
	Full
	// Classes is the number of classes.
	Classes
)

// Solid is a rectangle of equal pixels inside one tile row, in closed form.
type Solid struct {
	X, Y, W, H uint32 // px
	Flat       Flat
}

// Tiled is one drawing cut into tiles. Offsets in Items are relative to the
// drawing's Masks, those in Tiles to its Items, those in Runs to its Tiles.
type Tiled struct {
	Width, Height int
	Masks         []MaskRow
	Items         []Item
	Tiles         []Tile
	Runs          [Classes][]Run
	Solids        []Solid
	// Twin has the CPU twin evaluate the drawing on every backend. Binning takes it
	// back.
	Twin bool
	// AlphaOnly says that the tiles give sums and no picture.
	AlphaOnly bool
	// Deepest is the number of items of the run that has most; more than RunItems
	// only where one tile has them.
	Deepest int

	apart bool // runs are short and of neighbours, for Ledger
	open  bool // the last run of class takes more tiles
	class Class
}

// reset empties the tiles for another drawing and keeps their memory.
func (t *Tiled) reset(d *paint.Drawing) {
	t.Width, t.Height = d.Width, d.Height
	t.Masks, t.Items, t.Tiles, t.Solids = t.Masks[:0], t.Items[:0], t.Tiles[:0], t.Solids[:0]
	for i := range t.Runs {
		t.Runs[i] = t.Runs[i][:0]
	}
	t.apart, t.open, t.Twin, t.Deepest = false, false, false, 0
}

// closeRun makes the next tile begin a new run.
func (t *Tiled) closeRun() { t.open = false }

// addTile appends a tile at (x, y) whose items, the last ones, begin at first: to the open run if that is of the
// same class and has room, else to a new run, which is then open. cols and rows are what the picture has of it.
func (t *Tiled) addTile(c Class, x, y, cols, rows uint32, first int) {
	runs := &t.Runs[c]
	if t.open && t.class == c {
		last := &(*runs)[len(*runs)-1]
		items := len(t.Items) - int(t.Tiles[last.Tiles].First)
		if t.takes(last, x) && items <= RunItems {
			last.Count++
			t.appendTile(x-last.X, cols, rows, first)
			t.Deepest = max(t.Deepest, items)
			return
		}
	}
	*runs = append(*runs, Run{Tiles: uint32(len(t.Tiles)), Count: 1, X: x, Y: y})
	t.open, t.class = true, c
	t.appendTile(0, cols, rows, first)
	t.Deepest = max(t.Deepest, len(t.Items)-first)
}

// apartTiles is the most tiles of a run that BinApart makes: fewer make the regions of edits
// smaller, more make the runs of the view before cheaper.
const apartTiles = 4

// takes reports whether a run of tiles has room for a tile whose left edge is at x. The tiles of a run
// may have gaps between them, up to RunSpan px in all. With BinApart (t.apart) a run is shorter and its
// tiles touch.
func (t *Tiled) takes(r *Run, x uint32) bool {
	if t.apart {
		return r.Count < apartTiles && x == r.X+r.Count*TileW
	}
	return r.Count < RunTiles && x+TileW-r.X <= RunSpan
}

// appendTile appends a tile that is col px right of its run's first tile.
func (t *Tiled) appendTile(col, cols, rows uint32, first int) {
	t.Tiles = append(t.Tiles, Tile{
		First: uint32(first), Count: uint32(len(t.Items) - first),
		Valid: cols | rows<<16, Col: col,
	})
}

// addSolid appends a tile of equal pixels and joins it with an equal neighbour on its left.
func (t *Tiled) addSolid(x, y, cols, rows uint32, f Flat) {
	if n := len(t.Solids); n > 0 {
		l := &t.Solids[n-1]
		if l.Y == y && l.X+l.W == x && l.Flat == f {
			l.W += cols
			return
		}
	}
	t.Solids = append(t.Solids, Solid{x, y, cols, rows, f})
}

// Work estimates the cost of the tile stage from rows of masks and items. Batches are bounded by
// it, not by the number of scenes.
func (t *Tiled) Work() int { return len(t.Masks) + 2*len(t.Items) }

// countItems returns the number of items of a run of the drawing.
func (t *Tiled) countItems(r *Run) int {
	n := 0
	for _, tile := range t.Tiles[r.Tiles : r.Tiles+r.Count] {
		n += int(tile.Count)
	}
	return n
}
