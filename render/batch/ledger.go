package batch

import (
	"slices"
	"unsafe"

	"plumb/render/metric"
)

// Ledger holds what each part of a drawing adds to its tally, so that the tally of a region can be
// taken out of it. Its parts are units, which are runs of neighbouring boundary tiles as BinApart cuts
// them, and solids. See docs/spec/raster.md#r46.
type Ledger struct {
	columns []interval16 // of each unit; by tile row, left to right within
	rows    []int32      // where each tile row begins in columns and units, and the end
	solids  []Solid      // in the order of Tiled.Solids
	units   []unit       // in the order of columns; Batch.Ledgers sets them
}

// unit is what a run of neighbouring boundary tiles, which are those that an outline crosses, adds to the
// tally.
type unit struct {
	a, b        unitSums
	coveredA    uint16
	coveredB    uint16
	coveredBoth uint16
}

// interval16 is an interval of columns; a picture has at most 2,048.
type interval16 struct{ from, to uint16 }

// unitSums are the sums of one set of a unit: of alpha, and of alpha times x and y. The alpha of a unit's four
// tiles is at most 4*128*255, which fits 32 bits; times a coordinate below 2^15 it does not.
type unitSums struct {
	alpha uint32
	x, y  uint64
}

// Bytes returns how many bytes the ledger takes.
func (ledger *Ledger) Bytes() int {
	perUnit := int(unsafe.Sizeof(unit{}) + unsafe.Sizeof(interval16{}))
	return 100 + len(ledger.units)*perUnit + 4*len(ledger.rows) + len(ledger.solids)*int(unsafe.Sizeof(Solid{}))
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
	// A counting sort by tile row: count the runs of each row, add up the counts to the position at
	// which each row begins, and put each run at the next free position of its row.
	for _, runs := range tiled.Runs {
		for i := range runs {
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
	// Within a row, the runs of one class come in order of columns, but those of several classes do not.
	for y := range len(ledger.rows) - 1 {
		if row := ledger.row(int32(y)); !slices.IsSortedFunc(row, interval16.compare) {
			slices.SortFunc(row, interval16.compare)
		}
	}
	return ledger
}

// row returns the columns of the units of a tile row.
func (ledger *Ledger) row(y int32) []interval16 {
	return ledger.columns[ledger.rows[y]:ledger.rows[y+1]]
}

// compare orders intervals that share no column.
func (v interval16) compare(o interval16) int { return int(v.from) - int(o.from) }

// columnsOf returns the columns of a run of neighbours.
func columnsOf(r *Run) interval16 {
	from := uint16(r.X / TileW)
	return interval16{from, from + uint16(r.TileCount)}
}

// unitOf returns the unit of a run, which must be one of the ledger's drawing.
func (ledger *Ledger) unitOf(r *Run) *unit {
	y := r.Y / TileH
	i, ok := slices.BinarySearchFunc(ledger.row(int32(y)), columnsOf(r), interval16.compare)
	if !ok {
		panic("BUG: a run is not in the ledger of its drawing")
	}
	return &ledger.units[int(ledger.rows[y])+i]
}

// Ledgers fills in what each run adds to its drawing's tally (a unit of the ledger) from the row sums of the batch,
// which are those of Tallies. all has the ledger of each drawing that BinApart has cut, nil for other drawings.
func (batch *Batch) Ledgers(all []*Ledger, rows []RowSums) {
	for i := range batch.Runs {
		r := &batch.Runs[i]
		if l := all[r.Scene]; l != nil {
			l.unitOf(r).fill(r, rows[i*TileH:(i+1)*TileH])
		}
	}
}

// fill sets the sums of a unit of the ledger to those of the rows of its run.
func (u *unit) fill(run *Run, rows []RowSums) {
	*u = unit{}
	for i := range rows { // Counts holds three numbers of ten bits
		sums, y := &rows[i], run.Y+uint32(i)
		u.a.add(sums.A0, sums.AX0, run.X, y)
		u.b.add(sums.A1, sums.AX1, run.X, y)
		u.coveredA += uint16(sums.Counts & 0x3ff)
		u.coveredB += uint16(sums.Counts >> 10 & 0x3ff)
		u.coveredBoth += uint16(sums.Counts >> 20)
	}
}

// add adds a pixel row that begins at (x, y).
func (s *unitSums) add(a, ax, x, y uint32) {
	s.alpha += a
	s.x += uint64(ax) + uint64(a)*uint64(x)
	s.y += uint64(a) * uint64(y)
}

// Extend extends a region, which must lie in the picture, so that it holds each unit that it meets as a whole.
// Units share no column, so the region extended over one unit meets no further one.
func (ledger *Ledger) Extend(region *Region) {
	for i := range region.rows {
		columns := &region.rows[i]
		if columns.from >= columns.to {
			continue
		}
		for _, c := range ledger.row(region.first + int32(i)) {
			if unitColumns := (interval{int32(c.from), int32(c.to)}); unitColumns.from < columns.to && unitColumns.to > columns.from {
				columns.join(unitColumns)
			}
		}
	}
}

// Inside returns the tally of what the drawing has inside a region: of the units in it, and of the part of each
// solid in it. Extend must have extended the region, so that it cuts no unit.
func (ledger *Ledger) Inside(region *Region) (tally metric.Tally) {
	for i, interval := range region.rows {
		if interval.from >= interval.to {
			continue
		}
		y := region.first + int32(i)
		for j, c := range ledger.row(y) {
			if int32(c.from) >= interval.from && int32(c.to) <= interval.to {
				ledger.units[int(ledger.rows[y])+j].addTo(&tally)
			}
		}
	}
	// A solid may be wider than the region: only the columns in both are added.
	for i := range ledger.solids {
		solid := ledger.solids[i]
		v := region.row(int32(solid.Y / TileH))
		if v.from >= v.to {
			continue
		}
		from, to := max(solid.X, uint32(v.from)*TileW), min(solid.X+solid.W, uint32(v.to)*TileW)
		if from < to {
			solid.X, solid.W = from, to-from
			solid.addTo(&tally)
		}
	}
	return tally
}

// addTo adds the sums of a unit to a tally.
func (unit *unit) addTo(t *metric.Tally) {
	unit.a.addTo(&t.A, unit.coveredA)
	unit.b.addTo(&t.B, unit.coveredB)
	t.Both += uint64(unit.coveredBoth)
}

// addTo adds the sums of one set of a unit of the ledger to a tally.
func (s *unitSums) addTo(sums *metric.Sums, covered uint16) {
	sums.Alpha += uint64(s.alpha)
	sums.AlphaX += s.x
	sums.AlphaY += s.y
	sums.Covered += uint64(covered)
}
