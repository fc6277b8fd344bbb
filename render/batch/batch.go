package batch

import "plumb/render/metric"

// Batch is many drawings laid out for one run of the tile stage. Runs stand by class, those of
// class c up to Ends[c]; the rest, those of drawings marked Twin and those of more than
// MaxItems items, are evaluated by the CPU twin on every backend. See docs/spec/raster.md#r42.
type Batch struct {
	// Masks holds the masks of each drawing. Devices keep them one after the other;
	// here they stay where the drawings have them, since they are most of a batch and
	// one copy less is worth it.
	Masks    [][]MaskRow
	Items    []Item
	Tiles    []Tile
	Runs     []Run
	Ends     [Classes]int // the last is Shader()
	Pixels   int          // px of all pictures together
	Pictures []Picture
	// MaxItems is the most items of a run that shaders evaluate, 0 for any number.
	// Reset keeps it.
	MaxItems int

	tileds []*Tiled
	bases  []Run // per drawing: where its parts begin
}

// Picture is the place of a drawing's pixels in the picture buffer.
type Picture struct{ Offset, Width, Height int } // px

// Reset empties the batch of drawings and keeps its memory.
func (b *Batch) Reset() {
	clear(b.Masks)
	b.Masks, b.Items, b.Tiles, b.Runs = b.Masks[:0], b.Items[:0], b.Tiles[:0], b.Runs[:0]
	b.Pictures, b.tileds = b.Pictures[:0], b.tileds[:0]
	b.Ends, b.Pixels = [Classes]int{}, 0
}

// Pack resets the batch and lays the drawings out, first the runs that shaders evaluate, then those of the
// CPU twin, both by class. It keeps references to the drawings until the next Reset. The tally of a drawing
// has the same index as the drawing in ts.
func (b *Batch) Pack(ts []*Tiled) {
	b.Reset()
	b.tileds = append(b.tileds, ts...)
	for _, t := range ts {
		b.Pictures = append(b.Pictures, Picture{b.Pixels, t.Width, t.Height})
		b.Pixels += t.Width * t.Height
	}
	b.bases = b.bases[:0]
	rows := 0 // of masks so far
	for i, t := range ts {
		b.bases = append(b.bases, Run{
			Tiles: uint32(len(b.Tiles)), Items: uint32(len(b.Items)), Masks: uint32(rows),
			Scene: uint32(i), Picture: uint32(b.Pictures[i].Offset), Stride: uint32(t.Width),
		})
		b.Masks = append(b.Masks, t.Masks)
		rows += len(t.Masks)
		b.Items = append(b.Items, t.Items...)
		b.Tiles = append(b.Tiles, t.Tiles...)
	}
	for c := range Classes {
		b.Ends[c] = b.appendClass(ts, c, false) // for shaders
	}
	for c := range Classes {
		b.appendClass(ts, c, true) // for the CPU twin
	}
}

// Shader returns how many runs, from the first on, shaders evaluate; the CPU twin evaluates the
// others.
func (b *Batch) Shader() int { return b.Ends[Classes-1] }

// appendClass appends the runs of class c, either those that the CPU twin evaluates or the others, and
// returns the number of runs so far. The twin takes all runs of a drawing marked Twin, and every run of more
// than MaxItems items.
func (b *Batch) appendClass(ts []*Tiled, c Class, twin bool) int {
	for i, t := range ts {
		if b.MaxItems > 0 && t.Deepest > b.MaxItems {
			for k, r := range t.Runs[c] {
				if (t.Twin || t.countItems(&r) > b.MaxItems) == twin {
					b.appendRuns(i, t.Runs[c][k:k+1])
				}
			}
		} else if t.Twin == twin {
			b.appendRuns(i, t.Runs[c])
		}
	}
	return len(b.Runs)
}

// appendRuns appends runs of drawing i, with offsets into the whole batch.
func (b *Batch) appendRuns(i int, runs []Run) {
	for _, r := range runs {
		base := b.bases[i]
		base.Tiles += r.Tiles
		base.Count, base.X, base.Y = r.Count, r.X, r.Y
		b.Runs = append(b.Runs, base)
	}
}

// Rows returns the number of rows of all masks.
func (b *Batch) Rows() int {
	n := 0
	for _, r := range b.Masks {
		n += len(r)
	}
	return n
}

// Mask returns the mask of an item of a run, which is empty where the item fills
// its tile.
func (b *Batch) Mask(r *Run, it *Item) []MaskRow {
	return b.Masks[r.Scene][it.First:][:it.Rows()]
}

// Tallies appends one tally per drawing to dst: the sum of its rows in all runs and of its solids, in closed
// form. rows holds TileH RowSums per run, in the order of Runs.
func (b *Batch) Tallies(dst []metric.Tally, rows []RowSums) []metric.Tally {
	from := len(dst)
	all := append(dst, make([]metric.Tally, len(b.tileds))...)
	dst = all[from:]
	for i := range b.Runs {
		r := &b.Runs[i]
		t := &dst[r.Scene]
		for y, s := range rows[i*TileH : (i+1)*TileH] {
			// Counts holds three numbers of ten bits.
			addRow(&t.A, s.A0, s.AX0, s.Counts&0x3ff, r.X, r.Y+uint32(y))
			addRow(&t.B, s.A1, s.AX1, s.Counts>>10&0x3ff, r.X, r.Y+uint32(y))
			t.Both += uint64(s.Counts >> 20)
		}
	}
	// Solids have one value in all pixels, so that their sums have a formula.
	for i, td := range b.tileds {
		for j := range td.Solids {
			s := &td.Solids[j]
			s.addTo(&dst[i])
		}
	}
	return all
}

// addRow adds the sums of one pixel row of a run, whose first pixel is (x, y), to the sums of a set: a is the
// sum of alpha, ax that of alpha times the column from x on, covered the number of covered pixels.
func addRow(s *metric.Sums, a, ax, covered, x, y uint32) {
	s.Alpha += uint64(a)
	s.AlphaX += uint64(ax) + uint64(a)*uint64(x)
	s.AlphaY += uint64(a) * uint64(y)
	s.Covered += uint64(covered)
}

// addTo adds the rectangle to a tally.
func (s *Solid) addTo(t *metric.Tally) {
	addSolid(&t.A, s, s.Flat.A0)
	addSolid(&t.B, s, s.Flat.A1)
	if s.Flat.A0 >= metric.CoveredFrom && s.Flat.A1 >= metric.CoveredFrom {
		t.Both += uint64(s.W) * uint64(s.H)
	}
}

// addSolid adds a rectangle whose pixels all have alpha a to the sums of a set. The columns X..X+W-1 sum to
// W*(2X+W-1)/2, and rows likewise. The bound of a sum, 2^8 * 2^26 px * 2^15, fits 64 bits.
func addSolid(s *metric.Sums, r *Solid, a uint32) {
	if a == 0 {
		return
	}
	x, y, w, h := uint64(r.X), uint64(r.Y), uint64(r.W), uint64(r.H)
	s.Alpha += uint64(a) * w * h
	s.AlphaX += uint64(a) * h * (w * (2*x + w - 1) / 2)
	s.AlphaY += uint64(a) * w * (h * (2*y + h - 1) / 2)
	if a >= metric.CoveredFrom {
		s.Covered += w * h
	}
}

// FillSolids writes the interiors into the picture buffer, one uint32 per px as
// in Flat.RGBA; the tile stage writes the rest.
func (b *Batch) FillSolids(pixels []uint32) {
	for i, t := range b.tileds {
		p := b.Pictures[i]
		for j := range t.Solids {
			s := &t.Solids[j]
			for y := s.Y; y < s.Y+s.H; y++ {
				row := pixels[p.Offset+int(y)*p.Width+int(s.X):][:s.W]
				for x := range row {
					row[x] = s.Flat.RGBA
				}
			}
		}
	}
}
