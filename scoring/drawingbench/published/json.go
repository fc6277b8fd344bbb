package published

import (
	"slices"
	"strconv"

	"plumb/scoring"
)

// jsonObject writes a JSON object member by member to the end of dst.
type jsonObject struct{ dst []byte }

// writeName writes a member's name and colon, after a comma unless the object has just been
// opened. It returns o, for the value to be appended.
func (o *jsonObject) writeName(s string) *jsonObject {
	if o.dst[len(o.dst)-1] != '{' {
		o.dst = append(o.dst, ',')
	}
	o.dst = append(scoring.AppendString(o.dst, s), ':')
	return o
}

func (o *jsonObject) writeInt(name string, n int) {
	o.dst = strconv.AppendInt(o.writeName(name).dst, int64(n), 10)
}
func (o *jsonObject) writeFloat(name string, x float64) {
	o.dst = scoring.AppendFloat(o.writeName(name).dst, x)
}
func (o *jsonObject) writeBool(name string, b bool) {
	o.dst = strconv.AppendBool(o.writeName(name).dst, b)
}
func (o *jsonObject) writeText(name, s string) {
	o.dst = scoring.AppendString(o.writeName(name).dst, s)
}
func (o *jsonObject) writeRaw(name, json string) { o.dst = append(o.writeName(name).dst, json...) }

// writeNumber writes a number of the task as it was written there.
func (o *jsonObject) writeNumber(name string, n Number) {
	if n.Integer {
		o.writeRaw(name, n.String())
		return
	}
	o.writeFloat(name, n.F)
}

// writeList writes a member that is an array of n elements; item writes element i.
func (o *jsonObject) writeList(name string, n int, item func(i int)) {
	o.dst = append(o.writeName(name).dst, '[')
	for i := range n {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		item(i)
	}
	o.dst = append(o.dst, ']')
}

func (o *jsonObject) writeTexts(name string, list []string) {
	o.writeList(name, len(list), func(i int) { o.dst = scoring.AppendString(o.dst, list[i]) })
}

// writeWarnings writes an array of errors or warnings, each with its type and message.
func (o *jsonObject) writeWarnings(name string, list []Warning) {
	o.writeList(name, len(list), func(i int) {
		o.writeObject(func() { o.writeText("type", list[i].Type); o.writeText("message", list[i].Message) })
	})
}

// writeObject writes an object as an element of an array, or as the value of the member just
// named. fill writes its members.
func (o *jsonObject) writeObject(fill func()) {
	o.dst = append(o.dst, '{')
	fill()
	o.dst = append(o.dst, '}')
}

// writeMember writes a member that is an object; fill writes its members.
func (o *jsonObject) writeMember(name string, fill func()) {
	o.writeName(name)
	o.writeObject(fill)
}

// AppendJSON appends the evaluation as the published evaluator returns it, keys in its
// order; null after a crash, when it returns nothing. See docs/spec/drawingbench.md#r21.
func (e *Evaluation) AppendJSON(dst []byte) []byte {
	if e.Crash != "" {
		return append(dst, "null"...)
	}
	o := &jsonObject{dst}
	o.writeObject(func() {
		o.writeInt("total_actions", e.Actions)
		o.writeMember("action_breakdown", func() {
			if !e.List {
				return
			}
			for _, k := range []struct {
				name string
				kind actionKind
			}{{"moveTo", moveTo}, {"click", click}, {"mouseDown", mouseDown}, {"mouseUp", mouseUp},
				{"unknown", other}} {
				o.writeInt(k.name, e.Breakdown[k.kind])
			}
		})
		e.writeFaults(o, "errors")
		o.writeWarnings("warnings", e.Warnings)
		o.writeMember("metrics", func() { e.writeMetrics(o) })
		c := e.Criteria
		if e.List && c != nil {
			o.writeMember("criteria_met", func() { e.writeCriteriaMet(o) })
			if c.HasColour {
				o.writeInt("colors_required", len(c.Colours))
			}
			if c.Coverage != nil {
				o.writeNumber("min_coverage", *c.Coverage)
			}
		}
		o.writeFloat("score", e.Score)
		if e.List {
			o.writeMember("error_classification", func() { e.writeClasses(o) })
		}
	})
	return o.dst
}

// writeFaults writes the array of the evaluator's errors under a name. Where the answer is
// no list, the original writes the index last.
func (e *Evaluation) writeFaults(o *jsonObject, name string) {
	o.writeList(name, len(e.Faults), func(i int) {
		f := &e.Faults[i]
		o.writeObject(func() {
			o.writeText("type", f.Type)
			if e.List {
				o.writeInt("index", f.Index)
				o.writeText("message", f.Message)
			} else {
				o.writeText("message", f.Message)
				o.writeInt("index", f.Index)
			}
			if f.hasDetail {
				o.writeText("action_detail", f.Detail)
			}
		})
	})
}

// writeMetrics writes the members of "metrics". Numbers that were not computed are null.
func (e *Evaluation) writeMetrics(o *jsonObject) {
	o.writeInt("tool_changes", e.ToolChanges)
	o.writeInt("color_changes", e.ColourChanges)
	o.writeInt("drawing_segments", e.Segments)
	if !e.List { // the original counts nothing here, in integers
		o.writeRaw("canvas_coverage", "0")
		o.writeRaw("canvas_coverage_accurate", "0")
		o.writeTexts("exact_colors_used", nil)
		return
	}
	o.writeFloat("canvas_coverage", e.Box)
	o.writeFloat("canvas_coverage_accurate", e.Grid)
	o.writeTexts("exact_colors_used", e.Colours)
	if e.Region != "" {
		o.writeFloat("spatial_accuracy", e.Accuracy)
	} else {
		o.writeRaw("spatial_accuracy", "null")
	}
	o.writeMember("spatial_constraints", func() {
		if e.Region != "" {
			o.writeText("region", e.Region)
		}
	})
	if e.Efficient {
		o.writeFloat("action_efficiency", e.Efficiency)
	} else {
		o.writeRaw("action_efficiency", "null")
	}
}

// writeCriteriaMet writes the members of "criteria_met", only those of stated criteria.
func (e *Evaluation) writeCriteriaMet(o *jsonObject) {
	c := e.Criteria
	for _, t := range e.Tools {
		o.writeBool("tool_"+t.Tool+"_used", t.Used)
		o.writeBool("tool_"+t.Tool+"_selected", t.Selected)
		o.writeBool("tool_"+t.Tool+"_actually_used", t.Drew)
	}
	if c.Segments != nil {
		o.writeBool("min_segments_met", e.SegmentsMet)
		o.writeInt("actual_segments", e.Segments)
	}
	if c.HasColour {
		o.writeInt("colors_changed", e.ColourChanges)
		o.writeBool("min_colors_met", e.ColoursMet)
		o.writeTexts("colors_exact_used", e.Used)
		o.writeInt("colors_matched", e.Matched)
		o.writeTexts("colors_missing", e.Missing)
		o.writeBool("min_colors_exact_met", e.ExactMet)
	}
	if c.Coverage != nil {
		o.writeFloat("canvas_coverage", e.Box)
		o.writeBool("min_coverage_met", e.BoxMet)
		o.writeFloat("canvas_coverage_accurate", e.Grid)
		o.writeBool("min_coverage_accurate_met", e.GridMet)
	}
}

// writeClasses writes the members of error_classification, which sorts what the answer lacks by
// kind. Without criteria all lists are empty. See docs/spec/drawingbench.md#r43.
func (e *Evaluation) writeClasses(o *jsonObject) {
	c := e.Criteria
	if c == nil {
		for _, name := range []string{"spatial_errors", "tool_errors", "color_errors", "planning_errors",
			"syntax_errors"} {
			o.writeRaw(name, "[]")
		}
		return
	}
	o.writeObjects("spatial_errors", func(next func(func())) {
		m := c.Coverage
		if m != nil && e.Grid < m.F {
			next(func() {
				o.writeText("type", "insufficient_coverage")
				o.writeFloat("actual", e.Grid)
				o.writeNumber("required", *m)
				o.writeFloat("deficit", m.F-e.Grid)
			})
		}
		if e.Region != "" && e.Accuracy < 0.7 {
			next(func() {
				o.writeText("type", "incorrect_spatial_placement")
				o.writeFloat("accuracy", e.Accuracy)
				o.writeText("expected_region", e.Region)
			})
		}
	})
	o.writeObjects("tool_errors", func(next func(func())) {
		for _, t := range e.Tools {
			if !t.Drew {
				next(func() { o.writeText("type", "missing_required_tool"); o.writeText("tool", t.Tool) })
			}
		}
	})
	o.writeObjects("color_errors", func(next func(func())) {
		for _, hex := range c.Colours {
			if !slices.Contains(e.Colours, hex) {
				next(func() { o.writeText("type", "missing_required_color"); o.writeText("color", hex) })
			}
		}
	})
	o.writeObjects("planning_errors", func(next func(func())) {
		m := c.Segments
		if m != nil && float64(e.Segments) < m.F {
			next(func() {
				o.writeText("type", "insufficient_segments")
				o.writeInt("actual", e.Segments)
				o.writeNumber("required", *m)
				o.writeNumber("deficit", Number{m.F - float64(e.Segments), m.Integer})
			})
		}
	})
	e.writeFaults(o, "syntax_errors")
}

// writeObjects writes a member that is an array of objects. each calls next once for each
// object, with the function that writes its members.
func (o *jsonObject) writeObjects(name string, each func(next func(fill func()))) {
	o.dst = append(o.writeName(name).dst, '[')
	each(func(fill func()) {
		if o.dst[len(o.dst)-1] != '[' {
			o.dst = append(o.dst, ',')
		}
		o.writeObject(fill)
	})
	o.dst = append(o.dst, ']')
}
