package tangram

import (
	"fmt"
	"slices"
	"strconv"

	"plumb/render/region"
	"plumb/scoring"
	"plumb/scoring/tangram/plane"
)

// rasterMeter implements the variant MetricBy=raster: areas, IoU and Hausdorff distance of the
// union are measured on pixels, with bounds on their error (render/region). The checks of the
// pieces and the choice of boundary lines stay exact (docs/spec/tangram.md#r46).
//
// Success then means valid pieces, IoU >= 0.99 and distance <= 0.02, each within its error bound,
// for exact answers too. So every success by exact arithmetic is one on the raster, and the
// metrics say that a raster measured.
type rasterMeter struct {
	meter region.Meter
	size  int
}

// newRasterMeter reads the variants. It returns nil if exact arithmetic measures.
func newRasterMeter(v scoring.Variants, m region.Meter) (*rasterMeter, error) {
	switch by := v[MetricBy]; by {
	case "", "exact":
		return nil, nil
	case "raster":
	default:
		return nil, &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot use %s %.20q: want exact or raster", MetricBy, by)}
	}
	r := &rasterMeter{meter: m, size: region.DefaultSize}
	if m == nil {
		r.meter = region.Oracle{}
	}
	if text, ok := v[RasterSize]; ok {
		size, err := strconv.Atoi(text)
		if err != nil || !slices.Contains(region.Sizes, size) {
			return nil, &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot use %s %.20q: want one of %v", RasterSize, text, region.Sizes)}
		}
		r.size = size
	}
	return r, nil
}

// rasterResult is the measurement of a raster, or its error.
type rasterResult struct {
	region.Result
	err error
}

// matchRaster compares the union with the target on a raster.
func (s *Score) matchRaster(e *plane.Result, t *plane.Target, decimal bool, r *rasterMeter) {
	union, target := e.Regions(t, decimal)
	m := &rasterResult{}
	m.Result, m.err = r.meter.Measure(&region.Scene{U: union, T: target, Size: r.size})
	s.rasterResult = m
	if m.err != nil {
		return
	}
	s.Union, s.Shared, s.IoU, s.Hausdorff = m.Union, m.Shared, m.IoU, m.Hausdorff
	s.Matches = s.IoU >= successIoU-m.IoUBound && s.Hausdorff <= successDistance+m.FarBound
	s.Success = s.VPR && s.Matches
}

// rasterMetrics returns the metrics that describe the raster: its size and the error bounds.
func (s *Score) rasterMetrics() []scoring.Metric {
	m := s.rasterResult
	if m == nil {
		return nil
	}
	return []scoring.Metric{
		{Name: "metric", Value: "raster"}, {Name: "raster_size", Value: m.Size}, {Name: "area_bound", Value: m.AreaBound},
		{Name: "iou_bound", Value: m.IoUBound}, {Name: "hausdorff_bound", Value: m.FarBound},
	}
}
