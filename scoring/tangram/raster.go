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

// newRasterMeter returns what measures tangram unions on a raster, by the variants MetricBy and
// RasterSize, or nil if exact arithmetic is to measure them. device measures with shaders; if it is
// nil, plain Go does.
func newRasterMeter(variants scoring.Variants, device region.Meter) (*rasterMeter, error) {
	switch by := variants[MetricBy]; by {
	case "", "exact":
		return nil, nil
	case "raster":
	default:
		return nil, &scoring.Error{Code: "bad_options",
			Message: fmt.Sprintf("cannot use %s %.20q: want exact or raster", MetricBy, by)}
	}
	meter := &rasterMeter{meter: device, size: region.DefaultSize}
	if device == nil {
		meter.meter = region.Oracle{} // the meter in plain Go
	}
	if text, ok := variants[RasterSize]; ok {
		size, err := strconv.Atoi(text)
		if err != nil || !slices.Contains(region.Sizes, size) {
			return nil, &scoring.Error{Code: "bad_options",
				Message: fmt.Sprintf("cannot use %s %.20q: want one of %v", RasterSize, text, region.Sizes)}
		}
		meter.size = size
	}
	return meter, nil
}

// rasterResult is the measurement of a raster, or its error.
type rasterResult struct {
	region.Result
	err error
}

// matchRaster measures the union of the tangram pieces and the target on a raster, and decides success
// within the raster's error bounds. decimal says that the answer has decimal coordinates. An error of
// the meter is kept in score.rasterResult and leaves the rest unset.
func (score *Score) matchRaster(pieces *plane.Result, outline *plane.Target, decimal bool, raster *rasterMeter) {
	union, target := pieces.Regions(outline, decimal) // polygons in doubles, which the meter rasterizes
	measured := &rasterResult{}
	measured.Result, measured.err = raster.meter.Measure(&region.Scene{U: union, T: target, Size: raster.size})
	score.rasterResult = measured
	if measured.err != nil {
		return
	}
	score.Union, score.Shared, score.IoU, score.Hausdorff = measured.Union, measured.Shared, measured.IoU,
		measured.Hausdorff
	// The bounds are in the answer's favour: an answer that succeeds in exact arithmetic succeeds here too.
	score.Matches = score.IoU >= successIoU-measured.IoUBound && score.Hausdorff <= successDistance+measured.FarBound
	score.Success = score.Valid && score.Matches
}

// rasterMetrics returns the metrics of a tangram result that describe the raster: its size and the
// error bounds. It returns nil where exact arithmetic measured.
func (score *Score) rasterMetrics() []scoring.Metric {
	result := score.rasterResult
	if result == nil {
		return nil
	}
	return []scoring.Metric{
		{Name: "metric", Value: "raster"}, {Name: "raster_size", Value: result.Size},
		{Name: "area_bound", Value: result.AreaBound},
		{Name: "iou_bound", Value: result.IoUBound}, {Name: "hausdorff_bound", Value: result.FarBound},
	}
}
