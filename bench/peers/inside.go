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

// ours measures plumb beside other renderers from the shapes' JSON to the centre of mass, on all
// processors.
func ours(backend string, list []work) (*row, error) {
	engine, err := render.Open(render.Config{Backend: backend, Fidelity: render.FidelityNative})
	if err != nil {
		return nil, err
	}
	r := &row{name: "plumb, " + engine.Info().Backend + ", of shapes", input: "shapes", close: func() { engine.Close() }}
	r.run = func() (figures, error) {
		return timed(func() ([]centre, error) { return tallies(engine, list) })
	}
	return r, nil
}

// ofPaths returns the row of the table for plumb when it starts from finished outlines, as the other
// renderers do: it only fills them, cuts tiles and measures on the device. The row of plumb as a whole
// also reads the scene and makes the outlines.
func ofPaths(list []work) (*row, error) {
	engine, err := render.Open(render.Config{Fidelity: render.FidelityNative})
	if err != nil {
		return nil, err
	}
	r := &row{name: "plumb, " + engine.Info().Backend + ", of paths", input: "paths", close: func() { engine.Close() }}
	r.run = func() (figures, error) {
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
				if out, err = measured(engine, batch, out); err != nil {
					return nil, err
				}
			}
			return out, nil
		})
	}
	return r, nil
}

// fillPaths makes the drawing of a scene from its finished paths: an opaque item for each, with its
// coverage.
func fillPaths(work *work, scanner *scan.Scanner, drawing *paint.Drawing) {
	drawing.Reset()
	drawing.Width, drawing.Height = work.w, work.h
	for k := range work.fills {
		f := &work.fills[k]
		first, count := scanner.Append(&drawing.Coverage, &f.path, chord.Rect{X1: int32(work.w), Y1: int32(work.h)}, scan.Rule{Cells: true})
		drawing.Items = append(drawing.Items, paint.Item{First: int32(first), Count: int32(count), Opacity: shapes.Opaque, Color: f.rgb, Clip: -1})
	}
}

// measured appends the centres of mass of a batch that plumb drew, and releases its pictures.
func measured(e *render.Engine, batch []*render.Prepared, out []centre) ([]centre, error) {
	ts, err := e.Measure(nil, batch)
	for _, p := range batch {
		p.Release()
	}
	for _, t := range ts {
		x, y, _ := t.A.CentreOfMass()
		out = append(out, centre{t.A.Alpha255() / 255, x, y})
	}
	return out, err
}

// batchSize is how many scenes go to the device at once.
const batchSize = 32

// tallies measures scenes batch by batch. Its workers are new, because workers remember the shapes
// of scenes that they have seen.
func tallies(engine *render.Engine, list []work) ([]centre, error) {
	out := make([]centre, len(list))
	var next atomic.Int64
	failed := make([]error, runtime.GOMAXPROCS(0))
	size := min(batchSize, (len(list)+2*len(failed)-1)/(2*len(failed))) // two for each, at least
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
				var batch []*render.Prepared
				batch, failed[i] = prepared(worker, list[first:min(end, len(list))])
				if failed[i] == nil {
					_, failed[i] = measured(engine, batch, out[:first])
				}
			}
		})
	}
	group.Wait()
	return out, errors.Join(failed...)
}

// prepared reads scenes and prepares them for a batch. The caller releases them; after an error they
// are released already.
func prepared(worker *render.Worker, list []work) (batch []*render.Prepared, err error) {
	defer func() {
		if err != nil {
			for _, p := range batch {
				p.Release()
			}
		}
	}()
	for i := range list {
		sc, err := scene.Decode(list[i].source, scene.DefaultLimits())
		if err != nil {
			return batch, err
		}
		v := list[i].view
		v.Scene = sc
		prepared, err := worker.Prepare(v)
		if err != nil {
			return batch, err
		}
		batch = append(batch, prepared)
	}
	return batch, nil
}

// goVector returns the row of the table for the rasteriser golang.org/x/image/vector. It fills the
// finished paths of each scene and computes the picture's centre of mass.
func goVector(list []work) *row {
	return &row{name: "Go x/image/vector", input: "paths", close: func() {}, run: func() (figures, error) {
		return timed(func() (out []centre, err error) {
			var z raster.Rasterizer
			var m *image.RGBA
			for i := range list {
				work := &list[i]
				if m == nil || m.Rect.Dx() != work.w || m.Rect.Dy() != work.h {
					m = image.NewRGBA(image.Rect(0, 0, work.w, work.h))
				}
				clear(m.Pix)
				for k := range work.fills {
					fill := &work.fills[k]
					box := bounds(&fill.path).Intersect(m.Rect)
					z.Reset(box.Dx(), box.Dy())
					trace(&z, &fill.path, float32(box.Min.X), float32(box.Min.Y))
					z.DrawOp = draw.Over
					z.Draw(m, box, image.NewUniform(color.RGBA{fill.rgb[0], fill.rgb[1], fill.rgb[2], 255}), image.Point{})
				}
				out = append(out, centreOf(m.Pix, work.w))
			}
			return out, nil
		})
	}}
}

// bounds returns the box of whole px around a path.
func bounds(p *vector.Path) image.Rectangle {
	lo, hi := p.Points[0], p.Points[0]
	for _, q := range p.Points {
		lo.X = min(lo.X, q.X)
		lo.Y = min(lo.Y, q.Y)
		hi.X = max(hi.X, q.X)
		hi.Y = max(hi.Y, q.Y)
	}
	floor := func(v float32) int { return int(math.Floor(float64(v))) }
	return image.Rect(floor(lo.X), floor(lo.Y), floor(hi.X)+1, floor(hi.Y)+1)
}

// trace adds a path to the rasteriser of golang.org/x/image/vector. (x, y) is the upper left corner of
// the rasteriser's picture, because it holds only the box around the path.
func trace(z *raster.Rasterizer, p *vector.Path, x, y float32) {
	each(p, func(kind byte, _ vector.Point, points []vector.Point) {
		switch kind {
		case 'M':
			z.MoveTo(points[0].X-x, points[0].Y-y)
		case 'L':
			z.LineTo(points[0].X-x, points[0].Y-y)
		case 'Q':
			z.QuadTo(points[0].X-x, points[0].Y-y, points[1].X-x, points[1].Y-y)
		case 'C':
			z.CubeTo(points[0].X-x, points[0].Y-y, points[1].X-x, points[1].Y-y, points[2].X-x, points[2].Y-y)
		case 'Z':
			z.ClosePath()
		}
	})
}

// centreOf returns the centre of mass of RGBA pixels, by the loop in C that renderers in C and
// Node use too: Go's compiler does not turn it into vectors.
func centreOf(pix []uint8, w int) centre {
	sums := C.sum_alpha((*C.uint8_t)(&pix[0]), C.intptr_t(4*w), C.uint32_t(w), C.uint32_t(len(pix)/4/w))
	if sums.alpha == 0 {
		return centre{}
	}
	sum := float64(sums.alpha)
	return centre{sum / 255, float64(sums.x)/sum + 0.5, float64(sums.y)/sum + 0.5}
}
