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
	random := rand.New(rand.NewPCG(1, 2))
	dst := make([]byte, 0, 1024)
	for i := range n {
		question := i / (len(models) * len(modes))
		test := tests[question%len(tests)]
		model, mode := models[i%len(models)], modes[i/len(models)%len(modes)]
		dst = append(dst[:0], `{"id":"`...)
		dst = append(dst, test...)
		dst = append(dst, '-')
		dst = strconv.AppendInt(dst, int64(question), 10)
		dst = append(append(dst, `","suite":"aspire","test":"`...), test...)
		dst = append(append(dst, `","model":"`...), model...)
		dst = append(dst, `","repeat":1,"score":`...)
		score := random.Float64()
		if random.IntN(10) == 0 {
			score = 0
		} else if random.IntN(5) == 0 {
			score = 1
		}
		failed := random.IntN(50) == 0
		if failed {
			dst = append(dst, `null,"reward":null`...)
		} else {
			dst = strconv.AppendFloat(dst, score, 'f', 6, 64)
			dst = strconv.AppendFloat(append(dst, `,"reward":`...), score, 'f', 6, 64)
		}
		dst = append(append(dst, `,"status":"`...), statuses[random.IntN(len(statuses))]...)
		dst = append(dst, `","metrics":{"created":["shape:new-0"],"chosen":"shape:new-0","centre":[`...)
		dst = strconv.AppendFloat(dst, 1400*random.Float64(), 'f', 2, 64)
		dst = strconv.AppendFloat(append(dst, ','), 800*random.Float64(), 'f', 2, 64)
		dst = strconv.AppendFloat(append(dst, `],"distance":`...), 300*(1-score), 'f', 6, 64)
		dst = strconv.AppendFloat(append(dst, `,"score_cell":`...), score*score, 'f', 6, 64)
		dst = append(dst, `},"notes":[`...)
		if random.IntN(8) == 0 {
			dst = append(dst, `{"code":"dropped_field","path":"createShapes[0].props.foo","message":"not a property of geo"}`...)
		}
		dst = append(dst, ']')
		if failed {
			dst = append(append(dst, `,"error":{"code":"`...), codes[random.IntN(len(codes))]...)
			dst = append(dst, `","message":"made up"}`...)
		}
		dst = append(dst, `,"backend":"gl","scorer":"plumb test","asked":{"model":"`...)
		dst = append(dst, model...)
		dst = append(dst, `","mode":"`...)
		dst = append(dst, mode...)
		dst = append(dst, `","repeat":1,"cost":0.004,"seconds":`...)
		dst = append(strconv.AppendFloat(dst, 1+30*random.Float64(), 'f', 1, 64), "}}\n"...)
		if _, err := out.Write(dst); err != nil {
			return err
		}
	}
	return out.Flush()
}
