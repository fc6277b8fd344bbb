package main

// #cgo CFLAGS: -O3 -march=native
// #include "others/centre.h"
import "C"

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	raster "golang.org/x/image/vector"

	"plumb/render"
	"plumb/render/chord"
	"plumb/render/paint"
	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/vector"
)

func distance(a, b centre) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }
func abs(x float64) float64        { return math.Abs(x) }

// plumbRow returns the row of plumb itself in the table of renderers: it reads scenes as JSON, draws them with
// a backend, and computes the centre of mass of each picture, on all processors.
func plumbRow(backend string, list []work) (*row, error) {
	engine, err := render.Open(render.Config{Backend: backend, Fidelity: render.FidelityNative})
	if err != nil {
		return nil, err
	}
	ofShapes := &row{name: "plumb, " + engine.Info().Backend + ", of shapes", input: "shapes", close: func() { engine.Close() }}
	ofShapes.run = func() (figures, error) {
		return timed(func() ([]centre, error) { return drawnCentres(engine, list) })
	}
	return ofShapes, nil
}

// plumbPathsRow returns the row of plumb in the table of renderers when it starts from finished outlines, as the
// other renderers do. It only fills them, cuts the pictures into tiles and measures these on the device,
// in one goroutine. The row of plumb as a whole (plumbRow) also reads scenes and makes the outlines.
func plumbPathsRow(list []work) (*row, error) {
	engine, err := render.Open(render.Config{Fidelity: render.FidelityNative})
	if err != nil {
		return nil, err
	}
	fromPaths := &row{name: "plumb, " + engine.Info().Backend + ", of paths", input: "paths", close: func() { engine.Close() }}
	fromPaths.run = func() (figures, error) {
		return timed(func() (out []centre, err error) {
			worker := engine.Worker()
			var scanner scan.Scanner
			var drawing paint.Drawing
			for first := 0; first < len(list); first += batchSize {
				var batch []*render.Prepared
				for i := range list[first:min(first+batchSize, len(list))] {
					fillPaths(&list[first+i], &scanner, &drawing)
					batch = append(batch, worker.Tile(&drawing))
				}
				centres, err := measureBatch(engine, batch)
				if err != nil {
					return nil, err
				}
				out = append(out, centres...)
			}
			return out, nil
		})
	}
	return fromPaths, nil
}

// fillPaths makes the drawing of a scene from its finished paths: for each path an opaque item, with how
// much of each pixel the path covers.
func fillPaths(work *work, scanner *scan.Scanner, drawing *paint.Drawing) {
	drawing.Reset()
	drawing.Width, drawing.Height = work.w, work.h
	for k := range work.fills {
		const unclipped = -1
		fill := &work.fills[k]
		picture := chord.Rect{X1: int32(work.w), Y1: int32(work.h)}
		// Fill by the non-zero rule, as the other renderers do. With Cells, spans of coverage begin and end
		// where tiles do, which saves plumb the work of dividing them.
		first, count := scanner.Append(&drawing.Coverage, &fill.path, picture, scan.Rule{Cells: true})
		drawing.Items = append(drawing.Items, paint.Item{FirstSpan: int32(first), SpanCount: int32(count), Opacity: shapes.Opaque, Color: fill.rgb, Clip: unclipped})
	}
}

// measureBatch measures the pictures of a batch with plumb's engine, returns the centre of mass of each, and
// releases the pictures.
func measureBatch(engine *render.Engine, batch []*render.Prepared) (centres []centre, err error) {
	tallies, err := engine.Measure(nil, batch)
	for _, picture := range batch {
		picture.Release()
	}
	for _, tally := range tallies {
		x, y, _ := tally.A.CentreOfMass()
		centres = append(centres, centre{tally.A.Alpha255() / 255, x, y})
	}
	return centres, err
}

// batchSize is how many scenes go to the device at once.
const batchSize = 32

// drawnCentres draws and measures scenes with plumb's engine, batch by batch, in a goroutine for each processor,
// and returns the centre of mass of each. It makes new workers for each call: workers remember the shapes
// of scenes that they have seen, and would be faster the second time.
func drawnCentres(engine *render.Engine, list []work) ([]centre, error) {
	out := make([]centre, len(list))
	var next atomic.Int64 // the first scene that no worker has taken
	failed := make([]error, runtime.GOMAXPROCS(0))
	batches := 2 * len(failed) // at least: two for each worker, so that none is idle for long at the end
	size := min(batchSize, (len(list)+batches-1)/batches)
	var group sync.WaitGroup
	for i := range failed {
		group.Go(func() {
			worker := engine.Worker()
			for failed[i] == nil {
				end := int(next.Add(int64(size)))
				first := end - size
				if first >= len(list) {
					return
				}
				batch, err := prepareBatch(worker, list[first:min(end, len(list))])
				if err == nil {
					var centres []centre
					centres, err = measureBatch(engine, batch)
					copy(out[first:], centres)
				}
				failed[i] = err
			}
		})
	}
	group.Wait()
	return out, errors.Join(failed...)
}

// prepareBatch reads scenes and draws them as far as the CPU does, for a batch that plumb's engine then
// measures. The caller releases the results; after an error they are released already.
func prepareBatch(worker *render.Worker, list []work) (batch []*render.Prepared, err error) {
	defer func() {
		if err != nil {
			for _, picture := range batch {
				picture.Release()
			}
		}
	}()
	for i := range list {
		board, err := scene.Decode(list[i].source, scene.DefaultLimits())
		if err != nil {
			return batch, err
		}
		wanted := list[i].view
		wanted.Scene = board
		prepared, err := worker.Prepare(wanted)
		if err != nil {
			return batch, err
		}
		batch = append(batch, prepared)
	}
	return batch, nil
}

// goVectorRow returns the row of the rasteriser golang.org/x/image/vector in the table of renderers. It fills
// the finished paths of each scene and computes the picture's centre of mass, in one goroutine.
func goVectorRow(list []work) *row {
	return &row{name: "Go x/image/vector", input: "paths", close: func() {}, run: func() (figures, error) {
		return timed(func() (out []centre, err error) {
			var filler raster.Rasterizer
			var picture *image.RGBA
			for i := range list {
				work := &list[i]
				if picture == nil || picture.Rect.Dx() != work.w || picture.Rect.Dy() != work.h {
					picture = image.NewRGBA(image.Rect(0, 0, work.w, work.h))
				}
				clear(picture.Pix)
				for k := range work.fills {
					fill := &work.fills[k]
					box := bounds(&fill.path).Intersect(picture.Rect) // less work than the whole picture
					filler.Reset(box.Dx(), box.Dy())
					addPath(&filler, &fill.path, float32(box.Min.X), float32(box.Min.Y))
					filler.DrawOp = draw.Over
					filler.Draw(picture, box, image.NewUniform(color.RGBA{fill.rgb[0], fill.rgb[1], fill.rgb[2], 255}), image.Point{})
				}
				out = append(out, centreOf(picture.Pix, work.w))
			}
			return out, nil
		})
	}}
}

// bounds returns a box of whole px around all points of a path, control points of curves included.
func bounds(path *vector.Path) image.Rectangle {
	lo, hi := path.Points[0], path.Points[0]
	for _, point := range path.Points {
		lo.X = min(lo.X, point.X)
		lo.Y = min(lo.Y, point.Y)
		hi.X = max(hi.X, point.X)
		hi.Y = max(hi.Y, point.Y)
	}
	floor := func(v float32) int { return int(math.Floor(float64(v))) }
	return image.Rect(floor(lo.X), floor(lo.Y), floor(hi.X)+1, floor(hi.Y)+1)
}

// addPath adds a path to the rasteriser of golang.org/x/image/vector. The rasteriser fills only a box around
// the path, whose upper left corner is (x, y), so all points are moved by that much.
func addPath(filler *raster.Rasterizer, path *vector.Path, x, y float32) {
	eachVerb(path, func(command byte, _ vector.Point, points []vector.Point) {
		switch command {
		case 'M':
			filler.MoveTo(points[0].X-x, points[0].Y-y)
		case 'L':
			filler.LineTo(points[0].X-x, points[0].Y-y)
		case 'Q':
			filler.QuadTo(points[0].X-x, points[0].Y-y, points[1].X-x, points[1].Y-y)
		case 'C':
			filler.CubeTo(points[0].X-x, points[0].Y-y, points[1].X-x, points[1].Y-y, points[2].X-x, points[2].Y-y)
		case 'Z':
			filler.ClosePath()
		}
	})
}

// centreOf returns the sum of the alpha and the centre of mass, in px, of a picture of RGBA bytes that is w
// px wide. It calls the loop in C that the renderers in C and Node use too, because Go's compiler does not
// turn such a loop into vector instructions.
func centreOf(pix []uint8, w int) centre {
	sums := C.sum_alpha((*C.uint8_t)(&pix[0]), C.intptr_t(4*w), C.uint32_t(w), C.uint32_t(len(pix)/4/w))
	if sums.alpha == 0 {
		return centre{}
	}
	sum := float64(sums.alpha)
	const half = 0.5 // from a pixel's index to its centre
	return centre{sum / 255, float64(sums.x)/sum + half, float64(sums.y)/sum + half}
}
