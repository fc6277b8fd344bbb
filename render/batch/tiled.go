package batch

import "plumb/render/paint"

// Class is the variant of the tile stage that a run needs.
type Class uint8

const (
	// Plain is one set of opaque paints, of which none leaves the picture.
	Plain Class = iota
	// Double is Plain for two sets; items of the second follow the others.
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
	// CPUOnly has the CPU twin evaluate the drawing on every backend. It is set after binning, which
	// resets it to false.
	CPUOnly bool
	// AlphaOnly says that the tiles give sums and no picture.
	AlphaOnly bool
	// Deepest is the number of items of the run that has most; more than RunItems
	// only where one tile has them.
	Deepest int

	forLedger bool // runs are short and of neighbours, for Ledger
	runOpen   bool // the last run of openClass takes more tiles
	openClass Class
}

// reset empties the tiles and sets them to the size of another drawing. Their memory is kept.
func (tiled *Tiled) reset(d *paint.Drawing) {
	tiled.Width, tiled.Height = d.Width, d.Height
	tiled.Masks, tiled.Items, tiled.Tiles, tiled.Solids = tiled.Masks[:0], tiled.Items[:0], tiled.Tiles[:0], tiled.Solids[:0]
	for i := range tiled.Runs {
		tiled.Runs[i] = tiled.Runs[i][:0]
	}
	tiled.forLedger, tiled.runOpen, tiled.CPUOnly, tiled.Deepest = false, false, false, 0
}

// closeRun makes the next tile begin a new run.
func (tiled *Tiled) closeRun() { tiled.runOpen = false }

// addTile appends a tile at (x, y) px to the open run if that is of the same class and has room, else to a new
// run, which is then open. The caller has already appended the tile's items to tiled.Items, where they begin at
// first. cols and rows are how many of the tile's columns and rows of pixels are in the picture.
func (tiled *Tiled) addTile(class Class, x, y, cols, rows uint32, first int) {
	runs := &tiled.Runs[class]
	if tiled.runOpen && tiled.openClass == class {
		last := &(*runs)[len(*runs)-1]
		items := len(tiled.Items) - int(tiled.Tiles[last.FirstTile].FirstItem) // of the run with the new tile
		if tiled.hasRoom(last, x) && items <= RunItems {
			last.TileCount++
			tiled.appendTile(x-last.X, cols, rows, first)
			tiled.Deepest = max(tiled.Deepest, items)
			return
		}
	}
	*runs = append(*runs, Run{FirstTile: uint32(len(tiled.Tiles)), TileCount: 1, X: x, Y: y})
	tiled.runOpen, tiled.openClass = true, class
	tiled.appendTile(0, cols, rows, first)
	tiled.Deepest = max(tiled.Deepest, len(tiled.Items)-first)
}

// apartTiles is the most tiles of a run that BinApart makes. With fewer, the region that is drawn again after
// an edit of the scene is smaller; with more, drawing the scene as a whole is cheaper.
const apartTiles = 4

// hasRoom reports whether a run of tiles has room for a tile whose left edge is at x px. The tiles of a run
// may have gaps between them, up to RunSpan px in all. With BinApart (tiled.forLedger) a run is shorter and its
// tiles touch.
func (tiled *Tiled) hasRoom(run *Run, x uint32) bool {
	if tiled.forLedger {
		return run.TileCount < apartTiles && x == run.X+run.TileCount*TileW
	}
	return run.TileCount < RunTiles && x+TileW-run.X <= RunSpan
}

// appendTile appends a tile that is col px right of its run's first tile.
func (tiled *Tiled) appendTile(col, cols, rows uint32, first int) {
	tiled.Tiles = append(tiled.Tiles, Tile{
		FirstItem: uint32(first), ItemCount: uint32(len(tiled.Items) - first),
		Valid: cols | rows<<16, Col: col,
	})
}

// addSolid appends a tile of equal pixels, or extends the rectangle before by it if that is its left neighbour and
// has the same pixels.
func (tiled *Tiled) addSolid(x, y, cols, rows uint32, flat Flat) {
	if n := len(tiled.Solids); n > 0 {
		l := &tiled.Solids[n-1]
		if l.Y == y && l.X+l.W == x && l.Flat == flat {
			l.W += cols
			return
		}
	}
	tiled.Solids = append(tiled.Solids, Solid{x, y, cols, rows, flat})
}

// Work estimates the cost of the tile stage from rows of masks and items. Batches are bounded by
// it, not by the number of scenes.
func (tiled *Tiled) Work() int { return len(tiled.Masks) + 2*len(tiled.Items) }

// countItems returns the number of items of a run of the drawing.
func (tiled *Tiled) countItems(run *Run) int {
	n := 0
	for _, tile := range tiled.Tiles[run.FirstTile : run.FirstTile+run.TileCount] {
		n += int(tile.ItemCount)
	}
	return n
}
