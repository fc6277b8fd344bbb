package tangram

import (
	"fmt"
	"strconv"

	"plumb/render/region"
	"plumb/scoring"
	"plumb/scoring/tangram/plane"
)

// raster is the variant MetricBy=raster: areas, IoU and Hausdorff distance of the
// union are measured on pixels, with bounds on their error (render/region). What
// stage 1 says, and which lines are the boundary of the union, is decided exactly
// as ever (docs/spec/tangram.md#r46). Success then is vpr, IoU of at least 0.99 and a distance of at most
// 0.02 as far as the raster can tell: each may miss its bar by its bound, for
// exact answers too. So every success by the exact rules is one here, and what
// fails here fails there; the metrics say that a raster measured.
type raster struct {
	meter region.Meter
	size  int
}

// rasterOf reads the variants; nil where exact arithmetic measures.
func rasterOf(v scoring.Variants, m region.Meter) (*raster, error) {
	switch by := v[MetricBy]; by {
	case "", "exact":
		return nil, nil
	case "raster":
	default:
		return nil, &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot use %s %.20q: want exact or raster", MetricBy, by)}
	}
	r := &raster{meter: m, size: region.DefaultSize}
	if m == nil {
		r.meter = region.Oracle{}
	}
	if text, ok := v[RasterSize]; ok {
		n, err := strconv.Atoi(text)
		if err != nil {
			n = -1
		}
		r.size = 0
		for _, size := range region.Sizes {
			if n == size {
				r.size = size
			}
		}
		if r.size == 0 {
			return nil, &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot use %s %.20q: want one of %v", RasterSize, text, region.Sizes)}
		}
	}
	return r, nil
}

// measured is what a raster found.
type measured struct {
	region.Result
	err error
}

// matchRaster compares the union with the target on a raster.
func (s *Score) matchRaster(e *plane.Result, t *plane.Target, decimal bool, r *raster) {
	union, target := e.Regions(t, decimal)
	m := &measured{}
	m.Result, m.err = r.meter.Measure(&region.Scene{U: regionOf(union), T: regionOf(target), Size: r.size})
	s.raster = m
	if m.err != nil {
		return
	}
	s.Union, s.Shared, s.IoU, s.Hausd = m.Union, m.Shared, m.IoU, m.Hausdorff
	s.Matches = s.IoU >= successIoU-m.IoUBound && s.Hausd <= successDistance+m.FarBound
	s.Success = s.VPR && s.Matches
}

func regionOf(r plane.Region) region.Region {
	var out region.Region
	for _, part := range r.Parts {
		list := make([]region.Point, len(part))
		for i, p := range part {
			list[i] = region.Point{X: p[0], Y: p[1]}
		}
		out.Parts = append(out.Parts, list)
	}
	for _, e := range r.Boundary {
		out.Edges = append(out.Edges, region.Segment{A: region.Point{X: e[0], Y: e[1]}, B: region.Point{X: e[2], Y: e[3]}})
	}
	return out
}

// rasterMetrics say that a raster measured, how large it is and how far its
// numbers may be off.
func (s *Score) rasterMetrics() []scoring.Metric {
	m := s.raster
	if m == nil {
		return nil
	}
	return []scoring.Metric{
		{Name: "metric", Value: "raster"}, {Name: "raster_size", Value: m.Size}, {Name: "area_bound", Value: m.AreaBound},
		{Name: "iou_bound", Value: m.IoUBound}, {Name: "hausdorff_bound", Value: m.FarBound},
	}
}
