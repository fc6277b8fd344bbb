package scoring

import (
	"strconv"

	"plumb/render/metric"
)

// pixelMetrics are the metrics of one picture or mask, in the order in which they are written.
// Replies, statistics and the description of the HTTP interface follow from this table. See
// docs/spec/cli.md#r31.
var pixelMetrics = []struct {
	name   string
	schema string // JSON schema of the value
	append func(b []byte, s metric.Stats) []byte
	// undefined says why the value is null, "" where it is not; nil where it never is.
	undefined func(s metric.Stats) string
}{
	{name: "alpha_sum", schema: `{"type":"number","description":"An opaque pixel counts 255"}`,
		append: func(b []byte, s metric.Stats) []byte { return AppendFloat(b, s.Alpha255()) }},
	{name: "covered_pixels", schema: `{"type":"integer"}`,
		append: func(b []byte, s metric.Stats) []byte { return strconv.AppendUint(b, s.Covered, 10) }},
	{name: "opaque_pixels", schema: `{"type":"integer"}`,
		append: func(b []byte, s metric.Stats) []byte { return strconv.AppendUint(b, s.Opaque, 10) }},
	{name: "center_of_mass", schema: `{"type":"array","minItems":2,"maxItems":2,"items":{"type":"number"},"nullable":true}`,
		append: func(b []byte, s metric.Stats) []byte {
			x, y, _ := s.CentreOfMass()
			return appendList(b, []float64{x, y}, AppendFloat)
		},
		undefined: func(s metric.Stats) string {
			if s.Alpha == 0 {
				return "has no alpha"
			}
			return ""
		}},
	{name: "bbox", schema: `{"type":"array","minItems":4,"maxItems":4,"items":{"type":"integer"},"nullable":true}`,
		append: func(b []byte, s metric.Stats) []byte {
			corners := []int{s.Box.Min.X, s.Box.Min.Y, s.Box.Max.X, s.Box.Max.Y}
			return appendList(b, corners, func(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) })
		},
		undefined: func(s metric.Stats) string {
			if s.Covered == 0 {
				return "covers no pixel"
			}
			return ""
		}},
}

// AppendStats appends the pixel metrics of a picture or mask as members of a JSON object,
// without braces. For each metric that has no value it writes null, and calls onNull, unless that is nil,
// with the name and the reason: "covers no pixel".
func AppendStats(dst []byte, stats metric.Stats, onNull func(name, why string)) []byte {
	for i, pixelMetric := range pixelMetrics {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, pixelMetric.name), ':')
		whyNull := ""
		if pixelMetric.undefined != nil {
			whyNull = pixelMetric.undefined(stats)
		}
		if whyNull == "" {
			dst = pixelMetric.append(dst, stats)
			continue
		}
		dst = append(dst, "null"...)
		if onNull != nil {
			onNull(pixelMetric.name, whyNull)
		}
	}
	return dst
}

// PixelMetricSchemas calls f with the name of each pixel metric and the JSON schema of its value.
func PixelMetricSchemas(f func(name, schema string)) {
	for _, m := range pixelMetrics {
		f(m.name, m.schema)
	}
}
