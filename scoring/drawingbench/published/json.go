package published

import (
	"slices"
	"strconv"

	"plumb/scoring"
)

// jsonObject writes a JSON object member by member to the end of dst.
type jsonObject struct{ dst []byte }

// writeName writes the name of a member of the evaluation's JSON and the colon, after a comma
// unless the object has just been opened. It returns the receiver, so that the value can be
// appended.
func (object *jsonObject) writeName(text string) *jsonObject {
	if object.dst[len(object.dst)-1] != '{' {
		object.dst = append(object.dst, ',')
	}
	object.dst = append(scoring.AppendString(object.dst, text), ':')
	return object
}

func (object *jsonObject) writeInt(name string, n int) {
	object.dst = strconv.AppendInt(object.writeName(name).dst, int64(n), 10)
}
func (object *jsonObject) writeFloat(name string, x float64) {
	object.dst = scoring.AppendFloat(object.writeName(name).dst, x)
}
func (object *jsonObject) writeBool(name string, b bool) {
	object.dst = strconv.AppendBool(object.writeName(name).dst, b)
}
func (object *jsonObject) writeText(name, s string) {
	object.dst = scoring.AppendString(object.writeName(name).dst, s)
}
func (object *jsonObject) writeRaw(name, json string) {
	object.dst = append(object.writeName(name).dst, json...)
}

// writeNumber writes a number of the DrawingBench task into the evaluation's JSON as it was written
// in the task.
func (object *jsonObject) writeNumber(name string, n Number) {
	if n.IsInteger {
		object.writeRaw(name, n.String())
		return
	}
	object.writeFloat(name, n.F)
}

// writeList writes a member of the evaluation's JSON that is an array of n elements; item writes
// element i.
func (object *jsonObject) writeList(name string, n int, item func(i int)) {
	object.dst = append(object.writeName(name).dst, '[')
	for i := range n {
		if i > 0 {
			object.dst = append(object.dst, ',')
		}
		item(i)
	}
	object.dst = append(object.dst, ']')
}

func (object *jsonObject) writeTexts(name string, list []string) {
	object.writeList(name, len(list), func(i int) { object.dst = scoring.AppendString(object.dst, list[i]) })
}

// writeFindings writes an array of errors or warnings into the evaluation's JSON, each with its
// type and message.
func (object *jsonObject) writeFindings(name string, list []Finding) {
	object.writeList(name, len(list), func(i int) {
		object.writeObject(func() {
			object.writeText("type", list[i].Type)
			object.writeText("message", list[i].Message)
		})
	})
}

// writeObject writes an object as an element of an array, or as the value of the member just
// named. fill writes its members.
func (object *jsonObject) writeObject(fill func()) {
	object.dst = append(object.dst, '{')
	fill()
	object.dst = append(object.dst, '}')
}

// writeMember writes a member that is an object; fill writes its members.
func (object *jsonObject) writeMember(name string, fill func()) {
	object.writeName(name)
	object.writeObject(fill)
}

// AppendJSON appends the evaluation as the published evaluator, a Python program, returns it, with the
// keys in its order. After a crash it returns nothing, which is null. See
// docs/spec/drawingbench.md#r21.
func (evaluation *Evaluation) AppendJSON(dst []byte) []byte {
	if evaluation.Crash != "" {
		return append(dst, "null"...)
	}
	object := &jsonObject{dst}
	object.writeObject(func() {
		object.writeInt("total_actions", evaluation.Actions)
		object.writeMember("action_breakdown", func() {
			if !evaluation.IsList {
				return
			}
			for _, k := range []struct {
				name string
				kind actionKind
			}{{"moveTo", moveTo}, {"click", click}, {"mouseDown", mouseDown}, {"mouseUp", mouseUp},
				{"unknown", other}} {
				object.writeInt(k.name, evaluation.Breakdown[k.kind])
			}
		})
		evaluation.writeFaults(object, "errors")
		object.writeFindings("warnings", evaluation.Warnings)
		object.writeMember("metrics", func() { evaluation.writeMetrics(object) })
		criteria := evaluation.Criteria
		if evaluation.IsList && criteria != nil {
			object.writeMember("criteria_met", func() { evaluation.writeCriteriaMet(object) })
			if criteria.HasColours {
				object.writeInt("colors_required", len(criteria.Colours))
			}
			if criteria.Coverage != nil {
				object.writeNumber("min_coverage", *criteria.Coverage)
			}
		}
		object.writeFloat("score", evaluation.Score)
		if evaluation.IsList {
			object.writeMember("error_classification", func() { evaluation.writeClasses(object) })
		}
	})
	return object.dst
}

// writeFaults writes the array of the published evaluator's errors under a name. Where the answer
// is not a list, the original writes the index last.
func (evaluation *Evaluation) writeFaults(object *jsonObject, name string) {
	object.writeList(name, len(evaluation.Faults), func(i int) {
		fault := &evaluation.Faults[i]
		object.writeObject(func() {
			object.writeText("type", fault.Type)
			if evaluation.IsList {
				object.writeInt("index", fault.Index)
				object.writeText("message", fault.Message)
			} else {
				object.writeText("message", fault.Message)
				object.writeInt("index", fault.Index)
			}
			if fault.hasDetail {
				object.writeText("action_detail", fault.Detail)
			}
		})
	})
}

// writeMetrics writes the members of "metrics" of the published evaluator's result. Numbers that
// were not computed are null.
func (evaluation *Evaluation) writeMetrics(object *jsonObject) {
	object.writeInt("tool_changes", evaluation.ToolChanges)
	object.writeInt("color_changes", evaluation.ColourChanges)
	object.writeInt("drawing_segments", evaluation.Segments)
	if !evaluation.IsList { // the original counts nothing here, in integers
		object.writeRaw("canvas_coverage", "0")
		object.writeRaw("canvas_coverage_accurate", "0")
		object.writeTexts("exact_colors_used", nil)
		return
	}
	object.writeFloat("canvas_coverage", evaluation.BoxCoverage)
	object.writeFloat("canvas_coverage_accurate", evaluation.GridCoverage)
	object.writeTexts("exact_colors_used", evaluation.Colours)
	if evaluation.Region != "" {
		object.writeFloat("spatial_accuracy", evaluation.SpatialAccuracy)
	} else {
		object.writeRaw("spatial_accuracy", "null")
	}
	object.writeMember("spatial_constraints", func() {
		if evaluation.Region != "" {
			object.writeText("region", evaluation.Region)
		}
	})
	if evaluation.HasEfficiency {
		object.writeFloat("action_efficiency", evaluation.Efficiency)
	} else {
		object.writeRaw("action_efficiency", "null")
	}
}

// writeCriteriaMet writes the members of "criteria_met" of the published evaluator's result, only
// those of stated criteria.
func (evaluation *Evaluation) writeCriteriaMet(object *jsonObject) {
	criteria := evaluation.Criteria
	for _, tool := range evaluation.Tools {
		object.writeBool("tool_"+tool.Tool+"_used", tool.Used)
		object.writeBool("tool_"+tool.Tool+"_selected", tool.Selected)
		object.writeBool("tool_"+tool.Tool+"_actually_used", tool.Drew)
	}
	if criteria.Segments != nil {
		object.writeBool("min_segments_met", evaluation.SegmentsMet)
		object.writeInt("actual_segments", evaluation.Segments)
	}
	if criteria.HasColours {
		object.writeInt("colors_changed", evaluation.ColourChanges)
		object.writeBool("min_colors_met", evaluation.ColourChangesMet)
		object.writeTexts("colors_exact_used", evaluation.UsedColours)
		object.writeInt("colors_matched", evaluation.MatchedColours)
		object.writeTexts("colors_missing", evaluation.MissingColours)
		object.writeBool("min_colors_exact_met", evaluation.AllColoursUsed)
	}
	if criteria.Coverage != nil {
		object.writeFloat("canvas_coverage", evaluation.BoxCoverage)
		object.writeBool("min_coverage_met", evaluation.BoxCoverageMet)
		object.writeFloat("canvas_coverage_accurate", evaluation.GridCoverage)
		object.writeBool("min_coverage_accurate_met", evaluation.GridCoverageMet)
	}
}

// writeClasses writes the members of error_classification, which sorts what the answer lacks by kind:
// a list for each of space, tools, colours, planning and syntax. Without criteria all lists are empty.
// See docs/spec/drawingbench.md#r43.
func (evaluation *Evaluation) writeClasses(object *jsonObject) {
	criteria := evaluation.Criteria
	if criteria == nil {
		for _, name := range []string{"spatial_errors", "tool_errors", "color_errors", "planning_errors",
			"syntax_errors"} {
			object.writeRaw(name, "[]")
		}
		return
	}
	object.writeObjects("spatial_errors", func(writeOne func(members func())) {
		minimum := criteria.Coverage
		if minimum != nil && evaluation.GridCoverage < minimum.F {
			writeOne(func() {
				object.writeText("type", "insufficient_coverage")
				object.writeFloat("actual", evaluation.GridCoverage)
				object.writeNumber("required", *minimum)
				object.writeFloat("deficit", minimum.F-evaluation.GridCoverage)
			})
		}
		if evaluation.Region != "" && evaluation.SpatialAccuracy < 0.7 {
			writeOne(func() {
				object.writeText("type", "incorrect_spatial_placement")
				object.writeFloat("accuracy", evaluation.SpatialAccuracy)
				object.writeText("expected_region", evaluation.Region)
			})
		}
	})
	object.writeObjects("tool_errors", func(writeOne func(members func())) {
		for _, tool := range evaluation.Tools {
			if !tool.Drew {
				writeOne(func() { object.writeText("type", "missing_required_tool"); object.writeText("tool", tool.Tool) })
			}
		}
	})
	object.writeObjects("color_errors", func(writeOne func(members func())) {
		for _, hex := range criteria.Colours {
			if !slices.Contains(evaluation.Colours, hex) {
				writeOne(func() { object.writeText("type", "missing_required_color"); object.writeText("color", hex) })
			}
		}
	})
	object.writeObjects("planning_errors", func(writeOne func(members func())) {
		minimum := criteria.Segments
		if minimum != nil && float64(evaluation.Segments) < minimum.F {
			writeOne(func() {
				object.writeText("type", "insufficient_segments")
				object.writeInt("actual", evaluation.Segments)
				object.writeNumber("required", *minimum)
				object.writeNumber("deficit", Number{minimum.F - float64(evaluation.Segments), minimum.IsInteger})
			})
		}
	})
	evaluation.writeFaults(object, "syntax_errors")
}

// writeObjects writes a member of the evaluation's JSON that is an array of objects. It calls writeAll
// once, which calls writeOne once for each object, with the function that writes the object's members.
func (object *jsonObject) writeObjects(name string, writeAll func(writeOne func(members func()))) {
	object.dst = append(object.writeName(name).dst, '[')
	writeAll(func(members func()) {
		if object.dst[len(object.dst)-1] != '[' {
			object.dst = append(object.dst, ',')
		}
		object.writeObject(members)
	})
	object.dst = append(object.dst, ']')
}
