package gpu

import (
	"fmt"
	"slices"
	"unsafe"

	"plumb/render/batch"
)

// The sections of an upload, in the order of the shader's bindings.
const (
	inMasks = iota
	inItems
	inTiles
	inRuns
	inputs
)

// texel is the size of one texel, in bytes.
const texel = 16

const (
	maskBytes  = int(unsafe.Sizeof(batch.MaskRow{}))
	itemBytes  = int(unsafe.Sizeof(batch.Item{}))
	tileBytes  = int(unsafe.Sizeof(batch.Tile{}))
	runBytes   = int(unsafe.Sizeof(batch.Run{}))
	rowBytes   = int(unsafe.Sizeof(batch.RowSums{}))
	pixelBytes = 4
)

// piece is the part of a batch that is uploaded and evaluated at once, by one slot: the whole batch if
// that fits into the device's buffers. Its records refer to each other by their positions in the piece.
type piece struct {
	masks [][]batch.MaskRow // one after the other in one section
	items []batch.Item
	tiles []batch.Tile
	runs  []batch.Run
	ends  [batch.Classes]int // sums: where the runs of each class end

	isPicture    bool
	firstRun     int  // sums: position of runs[0] in the batch
	firstPixel   int  // picture: first px of the window
	pixelCount   int  // picture: px of the window
	sharesWindow bool // picture: other pieces write into the same window
	outputBytes  int
}

// limits bound a piece.
type limits struct {
	texels, storageBytes, workGroups, slotBytes int
	align                                       int // of sections in a buffer, bytes
	iterations                                  int // of all loops of a thread
	access                                      Access
}

// section returns the most bytes that one input section of an upload may have.
func (l *limits) section() int {
	if l.access == AccessStorage {
		return min(l.storageBytes, l.slotBytes)
	}
	return min(l.texels*texel, l.slotBytes)
}

// output returns the most bytes that the output may have.
func (l *limits) output() int { return min(l.storageBytes, l.slotBytes) }

// recordCounts counts the records of some runs.
type recordCounts struct{ masks, items, tiles, runs int }

// add returns the sum of two counts.
func (n recordCounts) add(m recordCounts) recordCounts {
	return recordCounts{n.masks + m.masks, n.items + m.items, n.tiles + m.tiles, n.runs + m.runs}
}

// fits reports whether the records can be uploaded at once.
func (l *limits) fits(n recordCounts) bool {
	most := max(n.masks*maskBytes, n.items*itemBytes, n.tiles*tileBytes, n.runs*runBytes)
	return most <= l.section() && l.upload(n) <= l.slotBytes
}

// upload returns how many bytes the records take, gaps between sections included.
func (l *limits) upload(n recordCounts) int {
	return n.masks*maskBytes + n.items*itemBytes + n.tiles*tileBytes + n.runs*runBytes + inputs*l.align
}

// splitSums cuts the runs of a batch that shaders evaluate into pieces that fit the limits, in order: one
// piece without a copy where all of it fits, none without runs. A run that does not fit is ErrCapacity.
func splitSums(b *batch.Batch, limits *limits) ([]piece, error) {
	n := b.ShaderRuns()
	if n == 0 {
		return nil, nil
	}
	whole := recordCounts{b.Rows(), len(b.Items), len(b.Tiles), n}
	rows := n * batch.TileH * rowBytes
	if limits.fits(whole) && rows <= limits.output() {
		return []piece{{
			masks: b.Masks, items: b.Items, tiles: b.Tiles, runs: b.Runs[:n],
			ends: b.Ends, outputBytes: rows,
		}}, nil
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	pieces, err := copyRuns(b, all, limits, limits.output()/(batch.TileH*rowBytes))
	first := 0 // position of the piece's first run in the batch
	for i := range pieces {
		p := &pieces[i]
		p.firstRun = first
		for c, end := range b.Ends { // where a class ends in the piece: at 0 if it ends before the piece begins
			p.ends[c] = min(max(end-first, 0), len(p.runs))
		}
		p.outputBytes = len(p.runs) * batch.TileH * rowBytes
		first += len(p.runs)
	}
	return pieces, err
}

// splitPicture cuts a batch of pictures into pieces that fit the limits: one piece without a copy if
// all of it fits, none without runs. Where the picture buffer does not fit, it is cut into windows,
// and the runs of a window into pieces, whose outputs are merged. Windows begin and end between tile
// rows, so no run is cut. A tile row that does not fit is ErrCapacity.
func splitPicture(batch *batch.Batch, limits *limits) ([]piece, error) {
	n := batch.ShaderRuns()
	whole := recordCounts{batch.Rows(), len(batch.Items), len(batch.Tiles), n}
	if n == 0 || batch.PixelCount == 0 {
		return nil, nil
	}
	if limits.fits(whole) && batch.PixelCount*pixelBytes <= limits.output() {
		return []piece{{
			masks: batch.Masks, items: batch.Items, tiles: batch.Tiles, runs: batch.Runs[:n],
			isPicture: true, pixelCount: batch.PixelCount, outputBytes: batch.PixelCount * pixelBytes,
		}}, nil
	}
	// Cut the picture buffer into windows, and sort the runs into them.
	ends, err := pictureWindows(batch, limits.output()/pixelBytes)
	if err != nil {
		return nil, err
	}
	members := make([][]int, len(ends)) // per window: positions of its runs
	for i := range batch.Runs[:n] {
		r := &batch.Runs[i]
		w := findWindow(ends, int(r.Picture)+int(r.Y)*int(r.Stride))
		members[w] = append(members[w], i)
	}
	// Cut the runs of each window into pieces.
	var out []piece
	from := 0
	for w, end := range ends {
		pieces, err := copyRuns(batch, members[w], limits, n) // any number of runs a piece
		if err != nil {
			return nil, err
		}
		for i := range pieces {
			pieces[i].setWindow(from, end, len(pieces) > 1)
		}
		out = append(out, pieces...)
		from = end
	}
	return out, nil
}

// setWindow makes a piece draw into the window [from, to) of the picture buffer, in px. isShared says that other
// pieces draw into the same window.
func (piece *piece) setWindow(from, to int, isShared bool) {
	piece.isPicture, piece.firstPixel, piece.pixelCount, piece.sharesWindow = true, from, to-from, isShared
	piece.outputBytes = piece.pixelCount * pixelBytes
	for i := range piece.runs {
		piece.runs[i].Picture -= uint32(from) // may wrap below 0; the shader adds the row's offset, which wraps back
	}
}

// pictureWindows splits the picture buffer into windows of at most limit px, each of whole tile
// rows, and returns their ends.
func pictureWindows(b *batch.Batch, limit int) ([]int, error) {
	var ends []int
	start, end := 0, 0 // of the current window so far
	for _, picture := range b.Pictures {
		for y := 0; y < picture.Height; y += batch.TileH {
			next := picture.Offset + min(y+batch.TileH, picture.Height)*picture.Width
			if next-end > limit {
				return nil, fmt.Errorf("cannot draw picture %d px wide: %w: a tile row takes %d px; %d fit the device's buffer",
					picture.Width, ErrCapacity, next-end, limit)
			}
			if next-start > limit {
				ends = append(ends, end)
				start = end
			}
			end = next
		}
	}
	return append(ends, end), nil
}

// findWindow returns the index of the window that holds the pixel px: the first whose end is greater.
func findWindow(ends []int, px int) int {
	i, _ := slices.BinarySearch(ends, px+1)
	return i
}

// copyRuns copies the runs of a batch at these positions, with all their records, into pieces that fit
// the limits and have at most mostRuns runs. A single run that does not fit is ErrCapacity, and so is
// mostRuns < 1, where not even the results of one run fit.
func copyRuns(batch *batch.Batch, positions []int, limits *limits, mostRuns int) ([]piece, error) {
	var out []piece
	var sum recordCounts // of piece p so far
	p := piece{}
	for _, i := range positions {
		n := countRecords(batch, &batch.Runs[i])
		if !limits.fits(n) || mostRuns < 1 {
			return nil, fmt.Errorf("cannot upload run %d of scene %d: %w: "+
				"it takes %d bytes with %d rows of masks and %d items; %d bytes fit (%d in one section)",
				i, batch.Runs[i].Scene, ErrCapacity, limits.upload(n), n.masks, n.items, limits.slotBytes, limits.section())
		}
		if !limits.fits(sum.add(n)) || sum.runs == mostRuns {
			out = append(out, p)
			p, sum = piece{}, recordCounts{}
		}
		p.add(batch, &batch.Runs[i])
		sum = sum.add(n)
	}
	if len(p.runs) > 0 {
		out = append(out, p)
	}
	return out, nil
}

// countRecords counts the records of the shader's buffers that one run of tiles refers to: tiles, items and
// rows of masks. By these counts a batch is split into pieces that fit into the buffers.
func countRecords(batch *batch.Batch, run *batch.Run) recordCounts {
	n := recordCounts{tiles: int(run.TileCount), runs: 1}
	for _, t := range batch.Tiles[run.FirstTile : run.FirstTile+run.TileCount] {
		n.items += int(t.ItemCount)
		items := batch.Items[run.FirstItem+t.FirstItem : run.FirstItem+t.FirstItem+t.ItemCount]
		for i := range items {
			n.masks += items[i].Rows()
		}
	}
	return n
}

// add appends a copy of a run of tiles of a batch to the piece, with the records that the run needs: its
// tiles, the items of each tile and the mask rows of each item. The copies lie elsewhere in the piece than
// in the batch, so add also sets the positions by which they refer to each other.
func (piece *piece) add(b *batch.Batch, run *batch.Run) {
	if piece.masks == nil {
		piece.masks = make([][]batch.MaskRow, 1)
	}
	masks := &piece.masks[0]
	newRun := *run
	newRun.FirstTile = uint32(len(piece.tiles))
	newRun.FirstItem = uint32(len(piece.items))
	newRun.FirstMask = uint32(len(*masks))
	for _, tile := range b.Tiles[run.FirstTile : run.FirstTile+run.TileCount] {
		items := b.Items[run.FirstItem+tile.FirstItem : run.FirstItem+tile.FirstItem+tile.ItemCount]
		tile.FirstItem = uint32(len(piece.items)) - newRun.FirstItem // counted from the run's first item
		for _, item := range items {
			mask := b.Mask(run, &item)
			item.FirstRow = uint32(len(*masks)) - newRun.FirstMask // counted from the run's first mask row
			*masks = append(*masks, mask...)
			piece.items = append(piece.items, item)
		}
		piece.tiles = append(piece.tiles, tile)
	}
	piece.runs = append(piece.runs, newRun)
}

// sizes returns the bytes of each section that the piece uploads: masks, items, tiles and runs.
func (piece *piece) sizes() (n [inputs]int) {
	for _, s := range piece.masks {
		n[inMasks] += len(s) * maskBytes
	}
	for i, b := range piece.sectionsAfterMasks() {
		n[inMasks+1+i] = len(b)
	}
	return n
}

// sectionsAfterMasks returns the bytes of items, tiles and runs: the sections after the masks, in the order
// of the constants after inMasks, as the shaders read them.
func (piece *piece) sectionsAfterMasks() [inputs - 1][]byte {
	return [inputs - 1][]byte{bytesOf(piece.items), bytesOf(piece.tiles), bytesOf(piece.runs)}
}

// bytesOf returns the memory of s as bytes.
func bytesOf[T any](s []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(one)))
}
