// Package batch cuts drawings into tiles, lays them out as the tile stage reads them, and adds
// tallies up. In: drawings, each the paths of one scene as fills, with how much of each pixel they
// cover. Out: flat arrays whose bytes are what the shaders of the tile stage read, which paint the
// pixels of tiles and sum up their alphas. Only tiles that an outline crosses reach them. All
// other tiles have one value in all pixels: they become solids, whose sums have a formula. A
// tally is the sums of one drawing: alpha, alpha times position, and covered pixels.
//
// A drawing has one set of shapes or two, A and B, which are compared: its tally has sums for
// each, and its picture shows A over B. The CPU twin is Go code that computes what the shaders
// compute, bit by bit. See docs/spec/raster.md#r41.
package batch

import "plumb/render/metric"

// Batch is many drawings laid out for one run of the tile stage. Runs stand by class, those of
// class c up to Ends[c]. The rest, those of drawings marked CPUOnly and those of more than
// MaxItems items, are not for shaders: the CPU twin evaluates them, whatever device draws the
// others. See docs/spec/raster.md#r42.
type Batch struct {
	// Masks holds the masks of each drawing. Devices keep them one after the other;
	// here they stay where the drawings have them, since they are most of a batch and
	// one copy less is worth it.
	Masks      [][]MaskRow
	Items      []Item
	Tiles      []Tile
	Runs       []Run
	Ends       [Classes]int // the last is ShaderRuns()
	PixelCount int          // px of all pictures together
	Pictures   []Picture
	// MaxItems is the most items of a run that shaders evaluate, 0 for any number.
	// Reset keeps it.
	MaxItems int

	drawings []*Tiled
	// bases has a Run for each drawing, from which appendRuns makes the drawing's runs: it holds
	// where the tiles, items, masks and pixels of the drawing begin in the batch.
	bases []Run
}

// Picture is the place of a drawing's pixels in the picture buffer.
type Picture struct{ Offset, Width, Height int } // px

// Reset removes all drawings from the batch and keeps its memory for the next ones. Slices that refer to
// drawings are cleared too, so that these can be freed.
func (batch *Batch) Reset() {
	clear(batch.Masks)
	clear(batch.drawings)
	batch.Masks, batch.Items, batch.Tiles, batch.Runs = batch.Masks[:0], batch.Items[:0], batch.Tiles[:0], batch.Runs[:0]
	batch.Pictures, batch.drawings = batch.Pictures[:0], batch.drawings[:0]
	batch.Ends, batch.PixelCount = [Classes]int{}, 0
}

// Pack resets the batch and lays the drawings out for the tile stage, first the runs that shaders evaluate, then
// those of the CPU twin, both by class. It keeps references to the drawings until the next Reset. The tally of a
// drawing has the same index as the drawing.
func (batch *Batch) Pack(drawings []*Tiled) {
	batch.Reset()
	batch.drawings = append(batch.drawings, drawings...)
	for _, drawing := range drawings {
		batch.Pictures = append(batch.Pictures, Picture{batch.PixelCount, drawing.Width, drawing.Height})
		batch.PixelCount += drawing.Width * drawing.Height
	}
	batch.bases = batch.bases[:0]
	rows := 0 // of masks so far
	for i, tiled := range drawings {
		batch.bases = append(batch.bases, Run{
			FirstTile: uint32(len(batch.Tiles)), FirstItem: uint32(len(batch.Items)), FirstMask: uint32(rows),
			Scene: uint32(i), Picture: uint32(batch.Pictures[i].Offset), Stride: uint32(tiled.Width),
		})
		batch.Masks = append(batch.Masks, tiled.Masks)
		rows += len(tiled.Masks)
		batch.Items = append(batch.Items, tiled.Items...)
		batch.Tiles = append(batch.Tiles, tiled.Tiles...)
	}
	for c := range Classes {
		batch.Ends[c] = batch.appendClass(drawings, c, false) // for shaders
	}
	for c := range Classes {
		batch.appendClass(drawings, c, true) // for the CPU twin, which needs no ends of classes
	}
}

// ShaderRuns returns how many runs, from the first on, shaders evaluate; the CPU twin evaluates the
// others.
func (batch *Batch) ShaderRuns() int { return batch.Ends[Classes-1] }

// appendClass appends the runs of a class of all drawings: with forTwin those that the CPU twin evaluates, else
// those of shaders. It returns the number of runs so far. The twin takes all runs of a drawing marked CPUOnly, and
// every run of more than MaxItems items.
func (batch *Batch) appendClass(drawings []*Tiled, class Class, forTwin bool) int {
	for i, tiled := range drawings {
		if batch.MaxItems > 0 && tiled.Deepest > batch.MaxItems {
			for k, r := range tiled.Runs[class] {
				if (tiled.CPUOnly || tiled.countItems(&r) > batch.MaxItems) == forTwin {
					batch.appendRuns(i, tiled.Runs[class][k:k+1])
				}
			}
		} else if tiled.CPUOnly == forTwin {
			batch.appendRuns(i, tiled.Runs[class])
		}
	}
	return len(batch.Runs)
}

// appendRuns appends runs of drawing i, with offsets into the whole batch.
func (batch *Batch) appendRuns(i int, runs []Run) {
	for _, r := range runs {
		run := batch.bases[i] // a copy
		run.FirstTile += r.FirstTile
		run.TileCount, run.X, run.Y = r.TileCount, r.X, r.Y
		batch.Runs = append(batch.Runs, run)
	}
}

// Rows returns the number of mask rows in the batch.
func (batch *Batch) Rows() int {
	n := 0
	for _, r := range batch.Masks {
		n += len(r)
	}
	return n
}

// Mask returns the mask of an item of a run, which is empty where the item fills
// its tile.
func (batch *Batch) Mask(r *Run, it *Item) []MaskRow {
	return batch.Masks[r.Scene][it.FirstRow:][:it.Rows()]
}

// Tallies appends one tally per drawing to dst: the sum of its rows in all runs and of its solids, in closed
// form. rows holds TileH RowSums per run, in the order of Runs.
func (batch *Batch) Tallies(dst []metric.Tally, rows []RowSums) []metric.Tally {
	from := len(dst)
	all := append(dst, make([]metric.Tally, len(batch.drawings))...)
	dst = all[from:]
	for i := range batch.Runs {
		run := &batch.Runs[i]
		tally := &dst[run.Scene]
		for y, sums := range rows[i*TileH : (i+1)*TileH] {
			// Counts holds three numbers of ten bits.
			addRow(&tally.A, sums.A0, sums.AX0, sums.Counts&0x3ff, run.X, run.Y+uint32(y))
			addRow(&tally.B, sums.A1, sums.AX1, sums.Counts>>10&0x3ff, run.X, run.Y+uint32(y))
			tally.Both += uint64(sums.Counts >> 20)
		}
	}
	// Solids have one value in all pixels, so that their sums have a formula.
	for i, td := range batch.drawings {
		for j := range td.Solids {
			s := &td.Solids[j]
			s.addTo(&dst[i])
		}
	}
	return all
}

// addRow adds the sums of one pixel row of a run, whose first pixel is (x, y), to the sums of a set: a is the
// sum of alpha, ax that of alpha times the column from x on, covered the number of covered pixels.
func addRow(sums *metric.Sums, a, ax, covered, x, y uint32) {
	sums.Alpha += uint64(a)
	sums.AlphaX += uint64(ax) + uint64(a)*uint64(x)
	sums.AlphaY += uint64(a) * uint64(y)
	sums.Covered += uint64(covered)
}

// addTo adds the pixels of a rectangle of one colour to a tally: to the sums of sets A and B, by the
// alpha that each set has there, and to the pixels that both sets cover.
func (s *Solid) addTo(tally *metric.Tally) {
	addSolid(&tally.A, s, s.Flat.A0)
	addSolid(&tally.B, s, s.Flat.A1)
	if s.Flat.A0 >= metric.CoveredFrom && s.Flat.A1 >= metric.CoveredFrom {
		tally.Both += uint64(s.W) * uint64(s.H)
	}
}

// addSolid adds a rectangle whose pixels all have alpha a to the sums of a set, by a formula instead of pixel
// by pixel: the columns X..X+W-1 sum to W*(2X+W-1)/2, and rows likewise. No sum exceeds 2^8 * 2^26 px * 2^15,
// which fits 64 bits.
func addSolid(sums *metric.Sums, solid *Solid, a uint32) {
	if a == 0 {
		return
	}
	x, y, w, h := uint64(solid.X), uint64(solid.Y), uint64(solid.W), uint64(solid.H)
	sums.Alpha += uint64(a) * w * h
	sums.AlphaX += uint64(a) * h * (w * (2*x + w - 1) / 2)
	sums.AlphaY += uint64(a) * w * (h * (2*y + h - 1) / 2)
	if a >= metric.CoveredFrom {
		sums.Covered += w * h
	}
}

// FillSolids writes the solids into the picture buffer, one uint32 per px as
// in Flat.RGBA; the tile stage writes the rest.
func (batch *Batch) FillSolids(pixels []uint32) {
	for i, t := range batch.drawings {
		picture := batch.Pictures[i]
		for j := range t.Solids {
			solid := &t.Solids[j]
			for y := solid.Y; y < solid.Y+solid.H; y++ {
				row := pixels[picture.Offset+int(y)*picture.Width+int(solid.X):][:solid.W]
				for x := range row {
					row[x] = solid.Flat.RGBA
				}
			}
		}
	}
}
