package render

import (
	"errors"
	"time"

	"plumb/render/paint"
	"plumb/render/view"
)

// Spent is the wall time that the preparation of one view took on the CPU.
type Spent struct {
	Outline time.Duration // shapes to paths, and by paint.Reference to coverage
	Tile    time.Duration // a drawing to tiles
}

// PrepareTimed prepares a view that is drawn natively, as Prepare does, and returns how long each step
// took. It does without the cache of tallies, which would hide the cost. between, if not nil, is called
// between the two steps, for benchmarks that read counters there. A view that only the editor can draw is
// an error that wraps view.ErrForeign.
func (w *Worker) PrepareTimed(v view.View, between func()) (*Prepared, Spent, error) {
	begin := time.Now()
	if v.Content != nil || w.engine.cfg.Fidelity == FidelityTldraw {
		return nil, Spent{}, errors.Join(view.ErrForeign, v.Foreign)
	}
	if err := w.engine.checkBounds(v.Bounds); err != nil {
		return nil, Spent{}, err
	}
	defer w.dropLargeMemory()
	if err := w.builder.Build(v, w.engine.cfg.Raster, &w.drawing); err != nil {
		return nil, Spent{}, err
	}
	built := time.Now()
	if between != nil {
		between()
	}
	p := w.tile(&w.drawing, v.TallyOnly && !v.Details)
	return p, Spent{Outline: built.Sub(begin), Tile: time.Since(built)}, nil
}

// Tile does the last step of Prepare for a drawing that is already built. It keeps no reference to
// the drawing.
func (w *Worker) Tile(d *paint.Drawing) *Prepared { return w.tile(d, false) }

// tile cuts a drawing into tiles. With alphaOnly they hold only what tallies need, no colours, and
// the result cannot be drawn as a picture.
func (w *Worker) tile(d *paint.Drawing, alphaOnly bool) *Prepared {
	w.binner.AlphaOnly = alphaOnly
	w.binner.Bin(d, &w.tiled)
	return &Prepared{engine: w.engine, tiled: w.engine.pool.copyOf(&w.tiled)}
}

// Parts counts what a prepared view puts on the device, for benchmarks, because the time of the
// device depends on these numbers.
type Parts struct {
	MaskRows int // rows of coverage masks, 16 bytes each
	Items    int // paths in tiles
	Tiles    int // boundary tiles, those that an outline crosses
	Runs     int // of up to batch.RunTiles tiles of one tile row
	Solids   int // rectangles in closed form
}

// Parts returns the counts of the view. All are 0 while it is Pending: until Finish the editor has
// not drawn it, and there are no tiles.
func (p *Prepared) Parts() Parts {
	t := p.tiled
	if t == nil {
		return Parts{}
	}
	parts := Parts{MaskRows: len(t.Masks), Items: len(t.Items), Tiles: len(t.Tiles), Solids: len(t.Solids)}
	for _, r := range t.Runs {
		parts.Runs += len(r)
	}
	return parts
}
