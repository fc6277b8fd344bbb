package episode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/drawingbench"
	"plumb/scoring/tangram/assembly"
)

// maxNotesTold bounds the notes in a feedback.
const maxNotesTold = 10

// level returns how much feedback the observations of the episode give.
func (episode *Episode) level() string {
	if episode.opt.Feedback == "" {
		return feedbackScore
	}
	return episode.opt.Feedback
}

// closingRequest returns the text that ends the prompt of a further turn and asks for
// another answer.
func (episode *Episode) closingRequest() string {
	if episode.suite.Name == "drawingbench" && episode.rule.name == "retry" {
		return drawingbench.Again
	}
	return episode.rule.closing
}

// feedback returns what an answer did and what is wrong with it: as text for the model, and
// as a JSON object. The level that the reset chose says how much: nothing, how the answer
// was read, the score, or all metrics. DrawingBench has feedback of its own. See
// docs/spec/episodes.md#r12.
func (episode *Episode) feedback(turn *Turn, result *Result) (text string, object []byte) {
	level := episode.level()
	if level == feedbackNone {
		return "", nil
	}
	tellsScore := level == feedbackScore || level == feedbackFull
	if episode.suite.Name == "drawingbench" && tellsScore && result.Scored {
		text, object = drawingbench.Feedback(result.Result), []byte("null")
		for _, f := range result.Fields {
			if j, ok := f.Value.(scoring.JSON); ok && f.Name == "feedback" {
				object = j
			}
		}
		return text, object
	}
	// How the answer was read.
	status, notes := result.Status, result.Notes
	if turn.applied {
		status, notes = turn.status, turn.notes
	}
	object = scoring.AppendString([]byte(`{"status":`), status)
	lines := []string{describeStatus(status)}
	object = append(object, `,"notes":[`...)
	for i, n := range notes {
		if i == maxNotesTold {
			lines = append(lines, fmt.Sprintf("- and %d more", len(notes)-maxNotesTold))
			break
		}
		if i > 0 {
			object = append(object, ',')
		}
		line := strings.TrimSpace(n.Path + " (" + n.Code + "): " + n.Message)
		lines = append(lines, "- "+line)
		object = scoring.AppendString(object, line)
	}
	object = append(object, ']')
	// Its score.
	if tellsScore && !result.Outcome.Failed {
		lines = append(lines, "Score: "+short(result.Outcome.Score)+" (1 is best).")
		object = scoring.AppendFloat(append(object, `,"score":`...), result.Outcome.Score)
		if episode.rule.name == "place" {
			lines = append(lines, episode.puzzleFeedback(result)...)
		}
	}
	// Its metrics.
	if level == feedbackFull {
		if m := metrics(result.JSON); m != "" {
			lines = append(lines, "Metrics: "+m)
			object = append(append(object, `,"metrics":`...), m...)
		}
	}
	return strings.Join(lines, "\n"), append(object, '}')
}

// describeStatus says in words how an answer was read, by the status of its result.
func describeStatus(status string) string {
	switch status {
	case "":
		return "Your answer could not be read."
	case "no_json", "none", "no_answer", "invalid":
		return "Nothing in your answer could be read as an answer (" + status + ")."
	case "other_shape":
		return "Your answer turns another shape than the one that the task is about."
	}
	return "Your answer was read (" + status + ")."
}

// short writes a number with four digits, for people and models.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// puzzleFeedback returns lines of text about the tangram pieces that the answers have placed: which are
// missing, which overlap, how much area lies outside of the outline, and how well both agree (IoU). It takes
// the last three from the metrics of the result line, and leaves out what these lack.
func (episode *Episode) puzzleFeedback(result *Result) (lines []string) {
	var placed []string
	if p, ok := episode.canvas.(interface{ Placed() []string }); ok {
		placed = p.Placed()
	}
	// Missing pieces.
	var missing []string
	for _, id := range assembly.IDs {
		if !slices.Contains(placed, id) {
			missing = append(missing, id)
		}
	}
	if missing != nil {
		lines = append(lines, "Missing pieces: "+strings.Join(missing, ", ")+".")
	}
	v, err := fastjson.ParseBytes(result.JSON)
	if err != nil {
		return lines
	}
	// Pairs that overlap.
	value := v.Get("metrics")
	var pairs []string
	for _, o := range value.GetArray("overlaps") {
		overlap := o.GetArray() // two indexes of pieces, the area, and whether it is more than a tolerance allows
		if len(overlap) < 4 || !overlap[3].GetBool() {
			continue
		}
		i, k := overlap[0].GetInt(), overlap[1].GetInt()
		if i < len(placed) && k < len(placed) {
			pairs = append(pairs, placed[i]+" and "+placed[k])
		}
	}
	if pairs != nil {
		lines = append(lines, "Overlapping: "+strings.Join(pairs, "; ")+".")
	}
	// How the assembly fits the outline.
	if value.GetBool("evaluable") {
		out := max(0, value.GetFloat64("union_area")-value.GetFloat64("intersection_area"))
		lines = append(lines, "Area outside the outline: "+short(out)+". IoU: "+short(value.GetFloat64("iou"))+".")
	}
	return lines
}

// metrics returns the member metrics of a result line, "" for none.
func metrics(line []byte) string {
	value, err := fastjson.ParseBytes(line)
	if err != nil || value.Get("metrics") == nil {
		return ""
	}
	return value.Get("metrics").String()
}

// feedbackJSON returns the member feedback of an observation: an object with the text for the model
// and the same as an object, or null if there is none.
func feedbackJSON(text string, object []byte) []byte {
	if object == nil {
		return null
	}
	b := scoring.AppendString([]byte(`{"text":`), text)
	b = append(b, `,"object":`...)
	b = append(b, object...)
	return append(b, '}')
}
