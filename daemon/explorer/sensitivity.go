package explorer

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/jsoncut"
	"plumb/scoring"
)

// maxSteps is how many moves to each side a heat map has.
const maxSteps = 20

// scoredAtOnce is how many copies are scored at the same time, so that the engine has batches.
const scoredAtOnce = 64

// sensitivity answers GET sensitivity: it scores copies of an answer in which one part, or for "" all
// parts, is moved, and returns the scores row by row, the unmoved copy in the middle. A remark says if
// the unmoved copy does not score what the results say.
func (explorer *Explorer) sensitivity(ctx context.Context, opened *opened, query *query) (*Sensitivity, error) {
	// The answer, its suite, and an engine that scores.
	answer, err := explorer.read(opened, query.row)
	if err != nil {
		return nil, err
	}
	suite, err := explorer.movable(answer)
	if err != nil {
		return nil, err
	}
	eng, err := explorer.openEngine()
	if err != nil {
		return nil, fmt.Errorf("cannot score moved answers: %w", err)
	}
	// Score the moved copies.
	steps, step := max(1, min(query.steps, maxSteps)), query.step
	const tooFar = 1e6 // in the unit of moves
	if !(step > 0 && step < tooFar) {
		step = suite.Move.Step
	}
	begin := time.Now()
	out := &Sensitivity{Part: query.part, Metric: query.metric, Steps: steps, Step: step, Unit: suite.Move.Unit, Up: suite.Move.Up}
	lines, err := explorer.copies(answer, suite, out)
	if err != nil {
		return nil, err
	}
	results, err := scoreAll(ctx, eng, lines, answer.lineNumber, answer.item.Suite)
	if err != nil {
		return nil, err
	}
	// Their scores.
	out.Scores = make([]*float64, len(lines))
	for i := range results {
		r := &results[i]
		out.Scores[i] = valueOf(r, query.metric)
		if r.Err != nil && out.Remark == "" {
			out.Remark = "some moves have no score: " + r.Err.Message
		}
	}
	// The unmoved copy must score what the results say.
	middle := &results[len(results)/2]
	out.Base = out.Scores[len(lines)/2]
	const rounding = 1e-9 // relative difference that the last digits of a written score can make
	tolerance := rounding * (1 + math.Abs(answer.result.Score))
	if middle.Scored != answer.result.Scored || middle.Scored && math.Abs(middle.Score-answer.result.Score) > tolerance {
		out.Remark = fmt.Sprintf("the answer itself scores %s now, and %s in the results; variants, tasks or versions differ", printScore(middle), printScore(answer.result))
	}
	out.Millis = float64(time.Since(begin).Microseconds()) / 1000
	return out, nil
}

// movable returns the suite of an answer if the suite can move what the answer placed, else
// an error that says why not.
func (explorer *Explorer) movable(answer *answer) (*scoring.Suite, error) {
	if answer.item == nil || answer.why != "" {
		return nil, fmt.Errorf("cannot move the answer: %s", answer.why)
	}
	suite := explorer.cfg.Items.Suites.Find(answer.item.Suite)
	if suite == nil || suite.MoveParts == nil {
		return nil, fmt.Errorf("cannot move the answer: answers of suite %s place nothing that can be moved", answer.item.Suite)
	}
	if len(suite.MovableParts(answer.item, explorer.cfg.Variants)) == 0 {
		return nil, fmt.Errorf("cannot move the answer: it places nothing")
	}
	return suite, nil
}

// copies returns dump lines with the moved answers, in the order of Sensitivity.Scores: row by row, from
// the upper left, up to grid.Steps steps in each direction. grid says what is moved and how far a step is.
func (explorer *Explorer) copies(answer *answer, suite *scoring.Suite, grid *Sensitivity) ([][]byte, error) {
	side := 2*grid.Steps + 1
	lines := make([][]byte, side*side)
	for i := range lines {
		dx, dy := float64(i%side-grid.Steps)*grid.Step, float64(i/side-grid.Steps)*grid.Step // row by row, from the upper left
		if grid.Up {
			dy = -dy
		}
		response, err := suite.MoveParts(answer.item, explorer.cfg.Variants, grid.Part, dx, dy)
		if err != nil {
			return nil, fmt.Errorf("cannot move the answer: %w", err)
		}
		if lines[i], err = withResponse(answer.dumpLine, response); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// valueOf returns the score of a result, or if metric is not "", that metric: 1 and 0 for
// yes and no. It returns nil if there is none.
func valueOf(result *scoring.Result, metric string) *float64 {
	if metric == "" {
		if !result.Scored {
			return nil
		}
		return scoring.Finite(result.Score)
	}
	if yes, ok := result.Bool(metric); ok {
		x := 0.0
		if yes {
			x = 1
		}
		return &x
	}
	if x, ok := result.Float(metric); ok {
		return scoring.Finite(x)
	}
	return nil
}

// printScore returns the score of a result as text, "nothing" where there is none.
func printScore(result *scoring.Result) string {
	if !result.Scored {
		return "nothing"
	}
	return fmt.Sprintf("%.4g", result.Score)
}

// withResponse returns a copy of a dump line whose answer is response, a JSON value, in
// place of response and actions. The other members are copied as they are.
func withResponse(line, response []byte) ([]byte, error) {
	out := append(make([]byte, 0, len(line)+len(response)), '{')
	err := jsoncut.Members(bytes.TrimSpace(line), func(key, value []byte) error {
		if name := jsoncut.Name(key); name == "response" || name == "actions" {
			return nil
		}
		out = append(out, '"')
		out = append(out, key...)
		out = append(out, `":`...)
		out = append(out, value...)
		out = append(out, ',')
		return nil
	})
	out = append(out, `"response":`...)
	out = append(out, response...)
	out = append(out, '}')
	return out, err
}

// scoreAll scores dump lines, scoredAtOnce at a time so that the engine gets batches, and returns the results
// in their order. After an error it returns one of the errors; some results are missing then.
func scoreAll(ctx context.Context, eng Engine, lines [][]byte, number int, suite string) ([]scoring.Result, error) {
	out := make([]scoring.Result, len(lines))
	next := make(chan int, len(lines))
	for i := range lines {
		next <- i
	}
	close(next)
	var wait sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range min(scoredAtOnce, len(lines)) {
		wait.Go(func() {
			for i := range next {
				result, err := eng.Score(ctx, dump.Line{Number: number, Bytes: lines[i]}, suite)
				if err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
					return
				}
				out[i] = result
			}
		})
	}
	wait.Wait()
	return out, failed
}
