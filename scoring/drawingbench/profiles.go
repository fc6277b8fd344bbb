package drawingbench

import (
	"fmt"
	"math"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/drawingbench/profile"
	"plumb/scoring/drawingbench/published"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/pyjson"
)

// bonuses are the values that the bonuses of the profile paper take.
const bonuses = "0|0.01|0.02|0.05|0.1"

// FlagPaint raises the limit of what an answer may paint, as messages name it.
const FlagPaint = "--max-paint"

// profileOf is the profile that is wanted.
func profileOf(v scoring.Variants) string {
	if p := v[Profile]; p != "" {
		return p
	}
	return "release"
}

// draw adds what needs the picture: the score of another profile, and the pixel
// metrics. Without either the picture is not made. The published evaluation stays
// as it is. The error says why the criteria do not fit the profile.
func (j *job) draw(e *published.Evaluation) *scoring.Error {
	v := j.variants
	name := profileOf(v)
	if name == "release" && !v.On(PixelMetrics) {
		return nil
	}
	d, err := profile.Read(j.task.demand, j.task.criteria)
	if err != nil {
		return &scoring.Error{Code: "bad_item", Message: err.Error()}
	}
	p, over := j.reader.picture(&j.value, j.suite.paint)
	if over != nil {
		j.base.Notes = append(j.base.Notes, scoring.Note{Code: scoring.NoteLimit, Path: "response", Message: over.Message})
		if name != "release" {
			j.base.Score = 0
		}
		return nil
	}
	j.base.Backend = "cpu"
	if name != "release" {
		a := &profile.Answer{Evaluation: e, Picture: p, Demand: d}
		got := profile.Pixels(a)
		if name == "paper" {
			got = profile.Paper(a, options(v))
		}
		j.base.Score = got.Value
		j.base.Metrics = append(j.base.Metrics, scoring.Metric{Name: "profile", Value: name},
			scoring.Metric{Name: "definition", Value: "project"}, scoring.Metric{Name: "release_score", Value: e.Score})
		j.base.Metrics = append(j.base.Metrics, got.Metrics...)
	}
	if v.On(PixelMetrics) {
		j.base.Metrics = append(j.base.Metrics, profile.Metrics(p, j.task.prompt)...)
	}
	return nil
}

// picture draws an answer. The error is the limit of what it may paint.
func (r *reader) picture(actions *pyjson.Value, most int) (*replay.Picture, *scoring.Error) {
	if r.drawer == nil {
		r.drawer = replay.New()
	}
	r.drawer.Most = most
	p := r.drawer.Draw(actions)
	if p.Limited {
		if most <= 0 {
			most = replay.MaxWork
		}
		return nil, &scoring.Error{Code: "limit", Message: fmt.Sprintf("cannot draw actions: they paint more than %d pixels, repeats and strokes counted; want at most that (%s)", most, FlagPaint)}
	}
	return &p, nil
}

// options are those of the profile paper.
func options(v scoring.Variants) profile.Options {
	bonus := func(name string) int {
		x, _ := strconv.ParseFloat(v[name], 64) // one of bonuses, or not given
		return int(math.Round(100 * x))
	}
	return profile.Options{Renormalise: v.On(Renormalise), NoPenalties: v[Penalties] == "off",
		CoverageBonus: bonus(CoverageBonus), EfficiencyBonus: bonus(EfficiencyBonus)}
}
