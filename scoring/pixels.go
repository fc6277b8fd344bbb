package scoring

import (
	"fmt"

	"plumb/render/metric"
)

// AppendStats appends the pixel metrics of a picture or mask as members of a JSON object, without
// braces: alpha_sum, covered_pixels, opaque_pixels, center_of_mass, bbox. The last two are null
// where no pixel is covered. See docs/spec/cli.md#r31.
func AppendStats(b []byte, s metric.Stats) []byte {
	b = AppendFloat(append(b, `"alpha_sum":`...), s.Alpha255())
	b = fmt.Appendf(b, `,"covered_pixels":%d,"opaque_pixels":%d,"center_of_mass":`, s.Covered, s.Opaque)
	x, y, ok := s.CentreOfMass()
	if ok {
		b = appendList(b, []float64{x, y}, AppendFloat)
	} else {
		b = append(b, "null"...)
	}
	if s.Covered == 0 {
		return append(b, `,"bbox":null`...)
	}
	return fmt.Appendf(b, `,"bbox":[%d,%d,%d,%d]`, s.Box.Min.X, s.Box.Min.Y, s.Box.Max.X, s.Box.Max.Y)
}
