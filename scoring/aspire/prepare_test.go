package aspire

import (
	"fmt"
	"strings"
	"testing"

	"plumb/render/metric"
	"plumb/scoring"
)

// itemsToScore are answers to every test that exercise each way to a score without pictures.
func itemsToScore() []string {
	star := `{"createShapes":[{"type":"star","color":"red","x":9,"y":7}],"deleteShapes":["s0","r0"]}`
	answers := []string{star, `{}`, `"no JSON"`, `{"rotation":1,"shape":"other"}`, `{"rotation":0.5}`,
		`{"updateShapes":[{"id":"node-2","color":"red"}]}`, `{"createShapes":[{"type":"line","points":[[300,400],[0,0]]}]}`,
		`{"createShapes":[{"type":"text","x":10,"y":10,"text":"a"}]}`}
	var items []string
	for _, item := range fuzzItems {
		for _, answer := range answers {
			items = append(items, `{`+item+`,"tokens":7,"response":`+answer+`}`)
		}
	}
	return items
}

// TestPrepareDoesNotScore checks that Prepare only reads: what it leaves in the job has no score and none
// of the metrics that Score computes.
func TestPrepareDoesNotScore(t *testing.T) {
	computed := []string{"centre", "distance", "score_cell", "score_contains", "theta_i", "theta_f", "ends", "score_ordered",
		"label_pixels", "over_shape", "com_before", "ci", "cf"}
	s := New(Config{})
	for _, item := range itemsToScore() {
		prepared := prepareWith(t, s, item).(*job).result
		if prepared.Scored || prepared.Score != 0 || prepared.Err != nil {
			t.Errorf("%s: got a score after Prepare: %+v", item, prepared)
		}
		for _, name := range computed {
			if _, ok := metricOf(&prepared, name); ok {
				t.Errorf("%s: the metric %s is there before Score", item, name)
			}
		}
	}
}

// TestScoreAfterOtherItems checks that a score does not depend on what its suite prepared meanwhile: jobs
// must keep nothing of the workspace that the next item uses.
func TestScoreAfterOtherItems(t *testing.T) {
	s, items := New(Config{}), itemsToScore()
	score := func(j scoring.Job) string {
		r := j.Score([]metric.Tally{tally(5, 5), tally(700, 300)}[:len(j.Views())])
		return fmt.Sprintf("%s %+v", r.AppendJSON(nil, scoring.Clamp01, ""), j.(scoring.Shower).Show(&r).Panels[1].Marks)
	}
	jobs, want := make([]scoring.Job, len(items)), make([]string, len(items))
	for i, item := range items {
		want[i] = score(prepareWith(t, s, item))
	}
	for i, item := range items {
		jobs[i] = prepareWith(t, s, item)
	}
	for i, j := range jobs {
		for range 2 { // Score works on a copy
			if got := score(j); got != want[i] {
				t.Errorf("%s:\ngot  %s\nwant %s", items[i], got, want[i])
			}
		}
		if strings.Count(want[i], `"tokens":7`) != 1 {
			t.Errorf("%s: got %s; want the tokens once", items[i], want[i])
		}
	}
}
