package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"slices"
	"sync"

	"plumb/bench/rig"
	"plumb/daemon/compare"
	"plumb/render"
	"plumb/render/chrome"
	"plumb/render/jsontree"
	"plumb/render/scene"
	"plumb/render/view"
)

// A sample may differ by more than 2 of 255 in toleratedShare of the pixels of its box. One that differs in more
// of them, but in no more than slightPx pixels, is reported but is no error.
const toleratedShare, slightPx = 0.001, 2

// A sheet is a picture of many samples, in columns and rows.
const columns, rowsPerSheet, gap = 10, 10, 8

// difference is a sample that is not drawn as the editor draws it.
type difference struct {
	sample
	differingPx, boxPx float64 // pixels that differ, of those of its box
	isSlight           bool    // these are only few
	why                string  // it was refused after all, "" elsewhere
}

// String says which character in which font and place is drawn otherwise than by the editor, and how many
// pixels differ, or why plumb has refused to draw it.
func (d difference) String() string {
	if d.why != "" {
		return fmt.Sprintf("%v: %s", d.sample, d.why)
	}
	return fmt.Sprintf("%v: %.0f of %.0f px", d.sample, d.differingPx, d.boxPx)
}

// compare draws samples, each of which is a character in a font at a place in a text, with plumb and with the
// editor tldraw, and returns those whose pictures differ. Many samples are drawn at once as a sheet, and
// several sheets at a time, one in each tab of the browser.
func (sweep *sweep) compare(list []sample) (all []difference, err error) {
	native, err := render.Open(render.Config{Backend: render.BackendCPU, Fidelity: render.FidelityNative})
	if err != nil {
		return nil, err
	}
	pool, err := chrome.Open(chrome.Config{Pages: sweep.tabs})
	if err != nil {
		return nil, errors.Join(err, native.Close())
	}
	sheets := make(chan []sample)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var faults []error
	for range sweep.tabs {
		wg.Go(func() {
			drawer := &drawer{sweep: sweep, native: native, worker: native.Worker(), pool: pool}
			for part := range sheets {
				differing, err := drawer.compareSheet(part)
				mu.Lock()
				all = append(all, differing...)
				faults = append(faults, err)
				mu.Unlock()
			}
		})
	}
	for sheet := range slices.Chunk(list, columns*rowsPerSheet) {
		sheets <- sheet
	}
	close(sheets)
	wg.Wait()
	return all, errors.Join(append(faults, pool.Close(), native.Close())...)
}

// drawer draws sheets, one after the other.
type drawer struct {
	*sweep
	native *render.Engine
	worker *render.Worker
	pool   *chrome.Pool
}

// shapeJSON returns a text shape as JSON that shows the sample's character, in its font and with the text around
// it. It is shape i of a whiteboard, at (x, y) px.
func (sample sample) shapeJSON(i, x, y int) []byte {
	out := fmt.Appendf(nil, `{"id":"shape:%d","type":"text","x":%d,"y":%d,"props":{"font":%q,"autoSize":%t,"w":%g,`,
		i, x, y, fontNames[sample.style.font], places[sample.place].width == 0, max(1, places[sample.place].width)) // the editor refuses a width of 0
	out = append(out, `"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":`...)
	out = jsontree.AppendString(out, sample.text())
	marks := ""
	if sample.style.bold {
		marks = `{"type":"bold"}`
	}
	if sample.style.italic {
		if marks != "" {
			marks += ","
		}
		marks += `{"type":"italic"}`
	}
	return fmt.Appendf(out, `,"marks":[%s]}]}]}}}`, marks)
}

// compareSheet draws up to columns x rowsPerSheet characters on one whiteboard, each in a cell of its own, with
// plumb and with the editor. It compares the two pictures cell by cell and returns the samples that differ. A sample
// that plumb refuses to draw is one of them. Pictures of samples that differ are kept, where there is a
// folder for them.
func (drawer *drawer) compareSheet(list []sample) (differing []difference, err error) {
	// Find out how large a cell must be, and leave out what plumb refuses.
	var native []sample
	var boxes []view.Box
	cell := image.Point{} // its width and height
	for _, sample := range list {
		box, err := drawer.boxOf(sample)
		if err != nil {
			differing = append(differing, difference{sample: sample, why: err.Error()})
			continue
		}
		native = append(native, sample)
		boxes = append(boxes, box)
		cell.X, cell.Y = max(cell.X, int(math.Ceil(box.W))+gap), max(cell.Y, int(math.Ceil(box.H))+gap)
	}
	if len(native) == 0 {
		return differing, nil
	}
	// Draw the sheet.
	source := []byte{'['}
	cornerOf := func(i int) image.Point { return image.Pt(i%columns*cell.X, i/columns*cell.Y) }
	for i, sample := range native {
		if i > 0 {
			source = append(source, ',')
		}
		source = append(source, sample.shapeJSON(i, cornerOf(i).X, cornerOf(i).Y)...)
	}
	got, want, err := drawer.draw(append(source, ']'), view.Box{W: float64(columns * cell.X), H: float64(rowsPerSheet * cell.Y)})
	if err != nil {
		return nil, fmt.Errorf("from %v on: %w", list[0], err)
	}
	// Compare the cells.
	const colours = true
	likeness, err := compare.Pictures(got, want, colours)
	if err != nil {
		return nil, err
	}
	for i, sample := range native {
		region := image.Rectangle{Max: cell}.Add(cornerOf(i))
		inCell, _ := likeness.Region(region)
		found := difference{sample: sample, boxPx: boxes[i].W * boxes[i].H}
		found.differingPx = math.Round((1 - min(inCell.Within, inCell.ColourWithin)) * float64(cell.X*cell.Y))
		found.isSlight = found.differingPx <= slightPx
		if found.differingPx > toleratedShare*found.boxPx {
			differing = append(differing, found)
			if err := drawer.writePictures(found, got.SubImage(region), want.SubImage(region)); err != nil {
				return nil, err
			}
		}
	}
	return differing, nil
}

// boxOf returns the box around the text shape of a sample on the page. The error says why plumb does not draw
// the shape natively.
func (drawer *drawer) boxOf(sample sample) (view.Box, error) {
	board, err := scene.Decode(append(append([]byte{'['}, sample.shapeJSON(0, 0, 0)...), ']'), scene.DefaultLimits())
	if err != nil {
		return view.Box{}, err
	}
	const onlyShape = 0 // its index
	box, ok := view.PageBounds(board, onlyShape)
	if !ok {
		return view.Box{}, errors.New("it has no bounds")
	}
	prepared, err := drawer.worker.Prepare(view.View{Scene: board, Bounds: box})
	if err != nil {
		return view.Box{}, err
	}
	prepared.Release()
	return box, nil
}

// draw draws a part of a whiteboard, which is given as JSON, with plumb (got) and with the editor (want).
// bounds is the part of the page to draw.
func (drawer *drawer) draw(source []byte, bounds view.Box) (got, want *image.NRGBA, err error) {
	board, err := scene.Decode(source, scene.DefaultLimits())
	if err != nil {
		return nil, nil, err
	}
	wanted := view.View{Scene: board, Bounds: bounds}
	prepared, err := drawer.worker.Prepare(wanted)
	if err != nil {
		return nil, nil, err
	}
	defer prepared.Release()
	images, err := drawer.native.Pictures([]*render.Prepared{prepared})
	if err != nil {
		return nil, nil, err
	}
	result, err := drawer.pool.Export(context.Background(), chrome.Request{View: wanted, Source: source})
	if err != nil {
		return nil, nil, err
	}
	return images[0], result.Image, nil
}

// writePictures writes both pictures of a character that differs side by side into the folder for pictures, if
// there is one.
func (drawer *drawer) writePictures(difference difference, got, want image.Image) error {
	if drawer.pictures == "" {
		return nil
	}
	return rig.WritePair(filepath.Join(drawer.pictures, fmt.Sprintf("%04X-%v-%d.png", difference.c, difference.style, difference.place)), got, want, gap)
}
