package published

import (
	"slices"
	"strconv"

	"plumb/scoring"
)

// object writes a JSON object member by member to the end of dst.
type object struct{ dst []byte }

// name writes the name of a member of the evaluation's JSON, after a comma unless the object has
// just been opened.
func (o *object) name(s string) *object {
	if o.dst[len(o.dst)-1] != '{' {
		o.dst = append(o.dst, ',')
	}
	o.dst = append(scoring.AppendString(o.dst, s), ':')
	return o
}

func (o *object) int(name string, n int)       { o.dst = strconv.AppendInt(o.name(name).dst, int64(n), 10) }
func (o *object) float(name string, x float64) { o.dst = scoring.AppendFloat(o.name(name).dst, x) }
func (o *object) bool(name string, b bool)     { o.dst = strconv.AppendBool(o.name(name).dst, b) }
func (o *object) text(name, s string)          { o.dst = scoring.AppendString(o.name(name).dst, s) }
func (o *object) raw(name, json string)        { o.dst = append(o.name(name).dst, json...) }

// number writes a number of the task as it was written there.
func (o *object) number(name string, n Number) {
	if n.Integer {
		o.raw(name, n.String())
		return
	}
	o.float(name, n.F)
}

// list writes an array of the evaluation's JSON with n elements; item writes each of them.
func (o *object) list(name string, n int, item func(i int)) {
	o.dst = append(o.name(name).dst, '[')
	for i := range n {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		item(i)
	}
	o.dst = append(o.dst, ']')
}

func (o *object) texts(name string, list []string) {
	o.list(name, len(list), func(i int) { o.dst = scoring.AppendString(o.dst, list[i]) })
}

// warnings writes an array of errors or warnings, each with its type and message.
func (o *object) warnings(name string, list []Warning) {
	o.list(name, len(list), func(i int) {
		o.inner(func() { o.text("type", list[i].Type); o.text("message", list[i].Message) })
	})
}

// inner writes an object as an element of an array, or as the value of the member just named.
// fill writes its members.
func (o *object) inner(fill func()) {
	o.dst = append(o.dst, '{')
	fill()
	o.dst = append(o.dst, '}')
}

// objectNamed writes a member that is an object; fill writes its members.
func (o *object) objectNamed(name string, fill func()) {
	o.name(name)
	o.inner(fill)
}

// AppendJSON appends the evaluation as the published evaluator returns it, keys in its order;
// null after a crash, which returns nothing. See docs/spec/drawingbench.md#r21.
func (e *Evaluation) AppendJSON(dst []byte) []byte {
	if e.Crash != "" {
		return append(dst, "null"...)
	}
	o := &object{dst}
	o.inner(func() {
		o.int("total_actions", e.Actions)
		o.objectNamed("action_breakdown", func() {
			if !e.List {
				return
			}
			for _, k := range []struct {
				name string
				kind kind
			}{{"moveTo", moveTo}, {"click", click}, {"mouseDown", mouseDown}, {"mouseUp", mouseUp}, {"unknown", other}} {
				o.int(k.name, e.Breakdown[k.kind])
			}
		})
		e.faults(o, "errors")
		o.warnings("warnings", e.Warnings)
		o.objectNamed("metrics", func() { e.metrics(o) })
		c := e.Criteria
		if e.List && c != nil {
			o.objectNamed("criteria_met", func() { e.criteriaMet(o) })
			if c.HasColour {
				o.int("colors_required", len(c.Colours))
			}
			if c.Coverage != nil {
				o.number("min_coverage", *c.Coverage)
			}
		}
		o.float("score", e.Score)
		if e.List {
			o.objectNamed("error_classification", func() { e.classes(o) })
		}
	})
	return o.dst
}

// faults writes the array of the errors that the published evaluator finds.
func (e *Evaluation) faults(o *object, name string) {
	o.list(name, len(e.Faults), func(i int) {
		f := &e.Faults[i]
		o.inner(func() {
			o.text("type", f.Type)
			if e.List {
				o.int("index", f.Index)
				o.text("message", f.Message)
			} else {
				o.text("message", f.Message)
				o.int("index", f.Index)
			}
			if f.hasDetail {
				o.text("action_detail", f.Detail)
			}
		})
	})
}

// metrics writes the members of "metrics" in the published evaluator's result.
func (e *Evaluation) metrics(o *object) {
	o.int("tool_changes", e.ToolChanges)
	o.int("color_changes", e.ColourChanges)
	o.int("drawing_segments", e.Segments)
	if !e.List { // the original counts nothing here, in integers
		o.raw("canvas_coverage", "0")
		o.raw("canvas_coverage_accurate", "0")
		o.texts("exact_colors_used", nil)
		return
	}
	o.float("canvas_coverage", e.Box)
	o.float("canvas_coverage_accurate", e.Grid)
	o.texts("exact_colors_used", e.Colours)
	if e.Region != "" {
		o.float("spatial_accuracy", e.Accuracy)
	} else {
		o.raw("spatial_accuracy", "null")
	}
	o.objectNamed("spatial_constraints", func() {
		if e.Region != "" {
			o.text("region", e.Region)
		}
	})
	if e.Efficient {
		o.float("action_efficiency", e.Efficiency)
	} else {
		o.raw("action_efficiency", "null")
	}
}

// criteriaMet writes the members of criteria_met in the published evaluator's result.
func (e *Evaluation) criteriaMet(o *object) {
	c := e.Criteria
	for _, t := range e.Tools {
		o.bool("tool_"+t.Tool+"_used", t.Used)
		o.bool("tool_"+t.Tool+"_selected", t.Selected)
		o.bool("tool_"+t.Tool+"_actually_used", t.Drew)
	}
	if c.Segments != nil {
		o.bool("min_segments_met", e.SegmentsMet)
		o.int("actual_segments", e.Segments)
	}
	if c.HasColour {
		o.int("colors_changed", e.ColourChanges)
		o.bool("min_colors_met", e.ColoursMet)
		o.texts("colors_exact_used", e.Used)
		o.int("colors_matched", e.Matched)
		o.texts("colors_missing", e.Missing)
		o.bool("min_colors_exact_met", e.ExactMet)
	}
	if c.Coverage != nil {
		o.float("canvas_coverage", e.Box)
		o.bool("min_coverage_met", e.BoxMet)
		o.float("canvas_coverage_accurate", e.Grid)
		o.bool("min_coverage_accurate_met", e.GridMet)
	}
}

// classes writes the members of error_classification, which sorts what the answer lacks by
// kind. Without criteria all lists are empty. See docs/spec/drawingbench.md#r43.
func (e *Evaluation) classes(o *object) {
	c := e.Criteria
	if c == nil {
		for _, name := range []string{"spatial_errors", "tool_errors", "color_errors", "planning_errors", "syntax_errors"} {
			o.raw(name, "[]")
		}
		return
	}
	o.objects("spatial_errors", func(next func(func())) {
		m := c.Coverage
		if m != nil && e.Grid < m.F {
			next(func() {
				o.text("type", "insufficient_coverage")
				o.float("actual", e.Grid)
				o.number("required", *m)
				o.float("deficit", m.F-e.Grid)
			})
		}
		if e.Region != "" && e.Accuracy < 0.7 {
			next(func() {
				o.text("type", "incorrect_spatial_placement")
				o.float("accuracy", e.Accuracy)
				o.text("expected_region", e.Region)
			})
		}
	})
	o.objects("tool_errors", func(next func(func())) {
		for _, t := range e.Tools {
			if !t.Drew {
				next(func() { o.text("type", "missing_required_tool"); o.text("tool", t.Tool) })
			}
		}
	})
	o.objects("color_errors", func(next func(func())) {
		for _, hex := range c.Colours {
			if !slices.Contains(e.Colours, hex) {
				next(func() { o.text("type", "missing_required_color"); o.text("color", hex) })
			}
		}
	})
	o.objects("planning_errors", func(next func(func())) {
		m := c.Segments
		if m != nil && float64(e.Segments) < m.F {
			next(func() {
				o.text("type", "insufficient_segments")
				o.int("actual", e.Segments)
				o.number("required", *m)
				o.number("deficit", Number{m.F - float64(e.Segments), m.Integer})
			})
		}
	})
	e.faults(o, "syntax_errors")
}

// objects writes an array of objects. each calls next once for each of them, with the function
// that writes its members.
func (o *object) objects(name string, each func(next func(fill func()))) {
	o.dst = append(o.name(name).dst, '[')
	each(func(fill func()) {
		if o.dst[len(o.dst)-1] != '[' {
			o.dst = append(o.dst, ',')
		}
		o.inner(fill)
	})
	o.dst = append(o.dst, ']')
}
