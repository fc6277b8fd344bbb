// Package indextest makes result files of any length, for tests and measurements. In: a number of results. Out:
// lines as plumb score writes them, the same for the same number. It scores nothing.
package indextest

import (
	"bufio"
	"io"
	"math/rand/v2"
	"strconv"
)

var (
	tests    = []string{"maze", "graph", "pattern", "label", "line", "arrow", "overlap", "balance"}
	models   = []string{"alpha-72b", "beta-9b", "gamma", "delta-mini"}
	modes    = []string{"default", "cot"}
	statuses = []string{"fenced", "fenced", "fenced", "bare", "no_json"}
	codes    = []string{"no_response", "backend", "deadline"}
)

// Write writes n results of ASPIRE: every question is answered by four models in two modes. About a tenth has
// score 0, a fifth of the others score 1, and one in fifty no score.
func Write(w io.Writer, n int) error {
	out := bufio.NewWriterSize(w, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, 1024)
	for i := range n {
		question := i / (len(models) * len(modes))
		test := tests[question%len(tests)]
		model, mode := models[i%len(models)], modes[i/len(models)%len(modes)]
		b = append(b[:0], `{"id":"`...)
		b = append(b, test...)
		b = append(b, '-')
		b = strconv.AppendInt(b, int64(question), 10)
		b = append(append(b, `","suite":"aspire","test":"`...), test...)
		b = append(append(b, `","model":"`...), model...)
		b = append(b, `","repeat":1,"score":`...)
		score := r.Float64()
		if r.IntN(10) == 0 {
			score = 0
		} else if r.IntN(5) == 0 {
			score = 1
		}
		failed := r.IntN(50) == 0
		if failed {
			b = append(b, `null,"reward":null`...)
		} else {
			b = strconv.AppendFloat(b, score, 'f', 6, 64)
			b = strconv.AppendFloat(append(b, `,"reward":`...), score, 'f', 6, 64)
		}
		b = append(append(b, `,"status":"`...), statuses[r.IntN(len(statuses))]...)
		b = append(b, `","metrics":{"created":["shape:new-0"],"chosen":"shape:new-0","centre":[`...)
		b = strconv.AppendFloat(b, 1400*r.Float64(), 'f', 2, 64)
		b = strconv.AppendFloat(append(b, ','), 800*r.Float64(), 'f', 2, 64)
		b = strconv.AppendFloat(append(b, `],"distance":`...), 300*(1-score), 'f', 6, 64)
		b = strconv.AppendFloat(append(b, `,"score_cell":`...), score*score, 'f', 6, 64)
		b = append(b, `},"notes":[`...)
		if r.IntN(8) == 0 {
			b = append(b, `{"code":"dropped_field","path":"createShapes[0].props.foo","message":"not a property of geo"}`...)
		}
		b = append(b, ']')
		if failed {
			b = append(append(b, `,"error":{"code":"`...), codes[r.IntN(len(codes))]...)
			b = append(b, `","message":"made up"}`...)
		}
		b = append(b, `,"backend":"gl","scorer":"plumb test","asked":{"model":"`...)
		b = append(b, model...)
		b = append(b, `","mode":"`...)
		b = append(b, mode...)
		b = append(b, `","repeat":1,"cost":0.004,"seconds":`...)
		b = append(strconv.AppendFloat(b, 1+30*r.Float64(), 'f', 1, 64), "}}\n"...)
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return out.Flush()
}
