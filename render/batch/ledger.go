package batch

import (
	"slices"
	"unsafe"

	"plumb/render/metric"
)

// Ledger holds what each part of a drawing adds to its tally, so that the tally of a region can be
// taken out of it. Its parts are runs of neighbouring boundary tiles, as BinApart cuts them, and
// interiors. See docs/spec/raster.md#r46.
type Ledger struct {
	columns []interval16 // of each unit; by tile row, left to right within
	rows    []int32      // where each tile row begins in columns, and the end
	solids  []Solid      // by tile row
	units   []unit       // set by Batch.Ledgers
}

// unit is what a run of neighbouring boundary tiles adds to the tally.
type unit struct {
	a, b     unitSums
	coveredA uint16
	coveredB uint16
	shared   uint16
}

// interval16 is an interval of columns; a picture has at most 2,048.
type interval16 struct{ from, to uint16 }

// unitSums are the sums of one set of a unit. Alpha of apartTiles tiles is at most 4*128*255, times
// a coordinate below 2^15 less than 2^33.
type unitSums struct {
	alpha uint32
	x, y  uint64
}

// Bytes returns how many bytes the ledger takes.
func (l *Ledger) Bytes() int {
	perUnit := int(unsafe.Sizeof(unit{}) + unsafe.Sizeof(interval16{}))
	return 100 + len(l.units)*perUnit + 4*len(l.rows) + len(l.solids)*int(unsafe.Sizeof(Solid{}))
}

// NewLedger returns the ledger of a drawing that BinApart has cut, still without sums: a unit for each run,
// sorted by tile row (a counting sort) and column, and a copy of the solids.
func NewLedger(tiled *Tiled) *Ledger {
	n := 0
	for _, runs := range tiled.Runs {
		n += len(runs)
	}
	ledger := &Ledger{
		columns: make([]interval16, n), units: make([]unit, n),
		rows:   make([]int32, (tiled.Height+TileH-1)/TileH+1),
		solids: append(make([]Solid, 0, len(tiled.Solids)), tiled.Solids...),
	}
	for _, runs := range tiled.Runs {
		for i := range runs {
			// A counting sort by tile row: count the runs of each row, then add up the counts to
			// the position at which each row begins.
			ledger.rows[runs[i].Y/TileH+1]++
		}
	}
	for i := range ledger.rows[1:] {
		ledger.rows[i+1] += ledger.rows[i]
	}
	next := append(make([]int32, 0, len(ledger.rows)), ledger.rows...) // of each row: the next free place
	for _, runs := range tiled.Runs {
		for i := range runs {
			place := &next[runs[i].Y/TileH]
			ledger.columns[*place] = columnsOf(&runs[i])
			*place++
		}
	}
	for y := range len(ledger.rows) - 1 { // each class of runs is in order
		if row := ledger.row(int32(y)); !slices.IsSortedFunc(row, interval16.compare) {
			slices.SortFunc(row, interval16.compare)
		}
	}
	return ledger
}

// row returns the columns of the units of a tile row.
func (l *Ledger) row(y int32) []interval16 { return l.columns[l.rows[y]:l.rows[y+1]] }

// compare orders intervals that share no column.
func (v interval16) compare(o interval16) int { return int(v.from) - int(o.from) }

// columnsOf returns the columns of a run of neighbours.
func columnsOf(r *Run) interval16 {
	from := uint16(r.X / TileW)
	return interval16{from, from + uint16(r.Count)}
}

// unitOf returns the unit of a run, which must be one of the ledger's drawing.
func (l *Ledger) unitOf(r *Run) *unit {
	y := r.Y / TileH
	i, ok := slices.BinarySearchFunc(l.row(int32(y)), columnsOf(r), interval16.compare)
	if !ok {
		panic("BUG: a run is not in the ledger of its drawing")
	}
	return &l.units[int(l.rows[y])+i]
}

// Ledgers fills in the units of ledgers: all has the ledger of each drawing of the batch that BinApart has
// cut, nil for others. rows are those of Tallies.
func (b *Batch) Ledgers(all []*Ledger, rows []RowSums) {
	for i := range b.Runs {
		r := &b.Runs[i]
		if l := all[r.Scene]; l != nil {
			l.unitOf(r).fill(r, rows[i*TileH:(i+1)*TileH])
		}
	}
}

// fill sets the sums of a unit of the ledger to those of the rows of its run.
func (u *unit) fill(r *Run, rows []RowSums) {
	*u = unit{}
	for i := range rows {
		s, y := &rows[i], r.Y+uint32(i)
		u.a.add(s.A0, s.AX0, r.X, y)
		u.b.add(s.A1, s.AX1, r.X, y)
		u.coveredA += uint16(s.Counts & 0x3ff)
		u.coveredB += uint16(s.Counts >> 10 & 0x3ff)
		u.shared += uint16(s.Counts >> 20)
	}
}

// add adds a pixel row that begins at (x, y).
func (s *unitSums) add(a, ax, x, y uint32) {
	s.alpha += a
	s.x += uint64(ax) + uint64(a)*uint64(x)
	s.y += uint64(a) * uint64(y)
}

// Extend extends a region so that it holds each unit that it meets as a whole.
func (l *Ledger) Extend(r *Region) {
	for i := range r.rows {
		v := &r.rows[i]
		if v.from >= v.to {
			continue
		}
		for _, c := range l.row(r.first + int32(i)) { // left to right: only the last one reaches further right
			if u := (interval{int32(c.from), int32(c.to)}); u.from < v.to && u.to > v.from {
				v.join(u)
			}
		}
	}
}

// Inside returns the tally of what the drawing has inside a region: of the units in it, and of the part of each
// solid in it. Extend must have extended the region, so that it cuts no unit.
func (l *Ledger) Inside(r *Region) (tally metric.Tally) {
	for i, v := range r.rows {
		if v.from >= v.to {
			continue
		}
		y := r.first + int32(i)
		for j, c := range l.row(y) {
			if int32(c.from) >= v.from && int32(c.to) <= v.to {
				l.units[int(l.rows[y])+j].addTo(&tally)
			}
		}
	}
	// A solid may be wider than the region: only the columns in both are added.
	for i := range l.solids {
		s := l.solids[i]
		v := r.row(int32(s.Y / TileH))
		from, to := max(s.X, uint32(v.from)*TileW), min(s.X+s.W, uint32(max(v.to, 0))*TileW)
		if v.from < v.to && from < to {
			s.X, s.W = from, to-from
			s.addTo(&tally)
		}
	}
	return tally
}

// addTo adds the sums of a unit to a tally.
func (u *unit) addTo(t *metric.Tally) {
	u.a.addTo(&t.A, u.coveredA)
	u.b.addTo(&t.B, u.coveredB)
	t.Both += uint64(u.shared)
}

// addTo adds the sums of one set of a unit of the ledger to a tally.
func (s *unitSums) addTo(t *metric.Sums, covered uint16) {
	t.Alpha += uint64(s.alpha)
	t.AlphaX += s.x
	t.AlphaY += s.y
	t.Covered += uint64(covered)
}
