package drawingbench

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/drawingbench/profile"
	"plumb/scoring/drawingbench/published"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/pyjson"
)

// bonuses are the values that the bonuses of the profile "paper" can take.
const bonuses = "0|0.01|0.02|0.05|0.1"

// FlagPaint is the flag that raises the limit of what an answer may paint. Messages name it.
const FlagPaint = "--max-paint"

// profileOf returns the name of the profile that the variants choose.
func profileOf(variants scoring.Variants) string { return cmp.Or(variants[Profile], "release") }

// addPixels adds to a DrawingBench result what needs the picture: the score of a profile other than
// "release", which is the published evaluator's, and the pixel metrics. Where neither is wanted, it
// draws nothing. A picture that costs more than the limit gets a note, and scores 0 under a profile
// other than "release". The error says which of the task's criteria cannot be used.
func (j *job) addPixels(evaluation *published.Evaluation) *scoring.Error {
	variants := j.variants
	name := profileOf(variants)
	if name == "release" && !variants.On(PixelMetrics) {
		return nil
	}
	// Draw the picture.
	demand, err := profile.Read(j.task.criteriaJSON, j.task.criteria)
	if err != nil {
		return &scoring.Error{Code: "bad_item", Message: err.Error()}
	}
	picture, limit := j.reader.picture(&j.answer.value, j.suite.MaxPaint)
	if limit != nil {
		j.base.Notes = append(j.base.Notes,
			scoring.Note{Code: scoring.NoteLimit, Path: "response", Message: limit.Message})
		// The profiles that look at the picture cannot score without it.
		if name != "release" {
			j.base.Score = 0
		}
		return nil
	}
	j.base.Backend = "cpu"
	if name != "release" {
		drawn := &profile.Answer{Evaluation: evaluation, Picture: picture, Demand: demand}
		score := profile.Pixels(drawn)
		if name == "paper" {
			score = profile.Paper(drawn, options(variants))
		}
		j.base.Score = score.Value
		j.base.Metrics = append(j.base.Metrics, scoring.Metric{Name: "profile", Value: name},
			scoring.Metric{Name: "definition", Value: "project"}, // the paper defines no such profile in full
			scoring.Metric{Name: "release_score", Value: evaluation.Score})
		j.base.Metrics = append(j.base.Metrics, score.Metrics...)
	}
	if variants.On(PixelMetrics) {
		j.base.Metrics = append(j.base.Metrics, profile.Metrics(picture, j.task.prompt)...)
	}
	return nil
}

// picture draws an answer's mouse actions on the app's canvas. It returns an error if drawing would
// cost more than maxWrites writes to a pixel.
func (reader *reader) picture(actions *pyjson.Value, maxWrites int) (*replay.Picture, *scoring.Error) {
	if reader.drawer == nil {
		reader.drawer = replay.New()
	}
	reader.drawer.MaxWrites = maxWrites
	drawn := reader.drawer.Draw(actions)
	if drawn.Limited {
		return nil, &scoring.Error{Code: "limit",
			Message: fmt.Sprintf("cannot draw actions: they paint more than %d pixels, repeats and strokes counted; want at most that (%s)", maxWrites, FlagPaint)}
	}
	return &drawn, nil
}

// options returns the options of the profile "paper" that the variants choose. Bonuses are
// in hundredths.
func options(variants scoring.Variants) profile.Options {
	bonus := func(name string) int {
		x, _ := strconv.ParseFloat(variants[name], 64) // checked as one of bonuses before; 0 where it is not given
		return int(math.Round(100 * x))
	}
	return profile.Options{Renormalise: variants.On(Renormalise), NoPenalties: variants[Penalties] == "off",
		CoverageBonus: bonus(CoverageBonus), EfficiencyBonus: bonus(EfficiencyBonus)}
}
