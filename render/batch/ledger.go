package batch

import (
	"unsafe"

	"plumb/render/metric"
)

// Ledger holds what each tile of a drawing adds to its tally, so that the tally of a part can be
// taken out of it. It is read-only once made. See docs/spec/raster.md#r46.
type Ledger struct {
	tiles  []tileSums // by tile row, in any order within
	rows   []int32    // where each tile row begins in tiles, and the end
	solids []Solid    // by tile row
}

// tileSums is what one boundary tile adds to the tally. All fit 32 bits: alpha of 128 px is at most
// 128*255, times a coordinate below 2^15 less than 2^31.
type tileSums struct {
	a, b     setSums
	col      uint16
	coveredA uint8
	coveredB uint8
	both     uint8
}

// setSums are the sums of one set.
type setSums struct{ alpha, x, y uint32 }

// Bytes returns how many bytes the ledger takes.
func (l *Ledger) Bytes() int {
	return 100 + len(l.tiles)*int(unsafe.Sizeof(tileSums{})) + 4*len(l.rows) + len(l.solids)*int(unsafe.Sizeof(Solid{}))
}

// Ledgers returns the ledger of each drawing that BinApart has cut, nil for others. rows are those
// of Tallies.
func (b *Batch) Ledgers(rows []RowSums) []*Ledger {
	all := make([]*Ledger, len(b.tileds))
	for i, t := range b.tileds {
		if t.Apart {
			all[i] = newLedger(t)
		}
	}
	next := make([][]int32, len(all))
	for i, l := range all {
		if l != nil {
			next[i] = append(next[i], l.rows...)
		}
	}
	for i := range b.Runs {
		r := &b.Runs[i]
		l := all[r.Scene]
		if l == nil {
			continue
		}
		at := &next[r.Scene][r.Y/TileH]
		l.tiles[*at] = sumsOfTile(r, rows[i*TileH:(i+1)*TileH])
		*at++
	}
	return all
}

// newLedger returns the ledger of a drawing without the sums of its boundary tiles.
func newLedger(t *Tiled) *Ledger {
	l := &Ledger{
		tiles: make([]tileSums, len(t.Tiles)), rows: make([]int32, (t.Height+TileH-1)/TileH+1),
		solids: append([]Solid(nil), t.Solids...),
	}
	for _, runs := range t.Runs {
		for i := range runs {
			l.rows[runs[i].Y/TileH+1]++
		}
	}
	for i := range l.rows[1:] {
		l.rows[i+1] += l.rows[i]
	}
	return l
}

// sumsOfTile adds up the rows of a run of one tile.
func sumsOfTile(r *Run, rows []RowSums) tileSums {
	t := tileSums{col: uint16(r.X / TileW)}
	for i := range rows {
		s, y := &rows[i], r.Y+uint32(i)
		t.a.add(s.A0, s.AX0, r.X, y)
		t.b.add(s.A1, s.AX1, r.X, y)
		t.coveredA += uint8(s.Counts & 0x3ff)
		t.coveredB += uint8(s.Counts >> 10 & 0x3ff)
		t.both += uint8(s.Counts >> 20)
	}
	return t
}

// add adds a pixel row that begins at (x, y).
func (s *setSums) add(a, ax, x, y uint32) {
	s.alpha += a
	s.x += ax + a*x
	s.y += a * y
}

// Inside returns the tally of the tiles of a region.
func (l *Ledger) Inside(r *Region) (t metric.Tally) {
	for i, v := range r.rows {
		y := r.first + int32(i)
		if v.from >= v.to || y < 0 || int(y)+1 >= len(l.rows) {
			continue
		}
		for j := l.rows[y]; j < l.rows[y+1]; j++ {
			if c := int32(l.tiles[j].col); c >= v.from && c < v.to {
				l.tiles[j].addTo(&t)
			}
		}
	}
	for i := range l.solids {
		s := l.solids[i]
		v := r.row(int32(s.Y / TileH))
		from, to := max(s.X, uint32(v.from)*TileW), min(s.X+s.W, uint32(max(v.to, 0))*TileW)
		if v.from < v.to && from < to {
			s.X, s.W = from, to-from
			s.addTo(&t)
		}
	}
	return t
}

// addTo adds the sums of a tile to a tally.
func (s *tileSums) addTo(t *metric.Tally) {
	s.a.addTo(&t.A, s.coveredA)
	s.b.addTo(&t.B, s.coveredB)
	t.Both += uint64(s.both)
}

// addTo adds the sums of one set of a tile.
func (s *setSums) addTo(t *metric.Sums, covered uint8) {
	t.Alpha += uint64(s.alpha)
	t.AlphaX += uint64(s.x)
	t.AlphaY += uint64(s.y)
	t.Covered += uint64(covered)
}
