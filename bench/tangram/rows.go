package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"plumb/bench/rig"
	"plumb/daemon/dump"
	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/tangram"
	"plumb/scoring/tangram/construction"
)

// figures are the measurements of one pass of a row, with the values that it found.
type figures struct {
	Wall, Core float64 // seconds
	Size       int     // bytes of the result lines
	IoU, Far   []*float64
	Parsed     []int
	About      string
	simple     []bool // no piece is distorted into a figure that crosses itself or has no area
	scored     int    // answers scored
}

// row is one way of scoring, a row of the table.
type row struct {
	name  string
	run   func() (figures, error)
	close func()
	all   []figures
}

// within returns a row that scores answers in this process. times is how often a run goes over the
// answers.
func within(name string, times, n int, pass func() (figures, error)) *row {
	return &row{name: name, close: func() {}, run: func() (f figures, err error) {
		start, core := time.Now(), rig.CoreTime()
		for range times {
			if f, err = pass(); err != nil {
				return f, err
			}
		}
		f.Core = (rig.CoreTime() - core).Seconds()
		f.Wall = time.Since(start).Seconds()
		f.scored = n * times
		return f, nil
	}}
}

// lines returns the row that measures the way from a dump line to its result line, as plumb score
// takes it. The lines hold their targets, so no task file is needed.
func lines(list []answer, times int) *row {
	suite := tangram.New()
	decoder := dump.NewDecoder(dump.ItemConfig{Suites: scoring.Suites{suite}, Limits: scene.DefaultLimits()})
	all := make([][]byte, len(list))
	for i := range list {
		all[i] = list[i].line(true, 0)
	}
	var buf []byte
	return within("plumb: line to result line", times, len(list), func() (f figures, err error) {
		for i, b := range all {
			item, e := decoder.Item(dump.Line{N: i + 1, Bytes: b}, suite.Name)
			if e != nil {
				return f, fmt.Errorf("cannot read %s: %s", list[i].id, e.Message)
			}
			j, err := suite.Prepare(item, nil)
			if err != nil {
				return f, err
			}
			r := j.Score(nil)
			buf = r.AppendJSON(buf[:0], scoring.Clamp01, "")
			f.Size += len(buf)
		}
		return f, nil
	})
}

// answers returns the row that measures the way from a model's text to every decision and measure of
// the answer. Targets are prepared before, and no JSON is read or written.
func answers(list []answer, times int) (*row, error) {
	targets, err := prepared(list)
	if err != nil {
		return nil, err
	}
	var r construction.Reader
	return within("plumb: answer to score", times, len(list), func() (f figures, err error) {
		for i := range list {
			p := r.Read(list[i].response, false)
			s := tangram.Evaluate(&p, targets[list[i].instance])
			f.Size += s.Parsed + len(s.Overlaps) + int(1e6*s.IoU)
		}
		return f, nil
	}), nil
}

// found returns what plumb finds in each answer, to be compared with another program's values: IoU,
// distance, number of pieces, and whether all pieces are simple polygons. It is not measured.
func found(list []answer) (figures figures, err error) {
	suite := tangram.New()
	d := dump.NewDecoder(dump.ItemConfig{Suites: scoring.Suites{suite}, Limits: scene.DefaultLimits()})
	for i := range list {
		item, e := d.Item(dump.Line{N: i + 1, Bytes: list[i].line(true, 0)}, suite.Name)
		if e != nil {
			return figures, fmt.Errorf("cannot read %s: %s", list[i].id, e.Message)
		}
		j, err := suite.Prepare(item, nil)
		if err != nil {
			return figures, err
		}
		result := j.Score(nil)
		var m struct {
			Metrics struct {
				IoU    *float64 `json:"iou"`
				Far    *float64 `json:"hausdorff"`
				Parsed int      `json:"n_parsed"`
				Pieces []struct {
					Parsed, Simple bool
					Area           float64
				}
			}
		}
		if err := json.Unmarshal(result.AppendJSON(nil, scoring.Clamp01, ""), &m); err != nil {
			return figures, err
		}
		simple := true
		for _, p := range m.Metrics.Pieces {
			simple = simple && (!p.Parsed || p.Simple && p.Area > 0)
		}
		figures.IoU = append(figures.IoU, m.Metrics.IoU)
		figures.Far = append(figures.Far, m.Metrics.Far)
		figures.Parsed = append(figures.Parsed, m.Metrics.Parsed)
		figures.simple = append(figures.simple, simple)
	}
	return figures, nil
}

// command returns the row that measures `plumb score` as a whole process on one core, from its start
// to its table. The dump has each answer `copies` times.
func command(program, dir string, list []answer, source source, copies int) (*row, error) {
	path := filepath.Join(dir, "dump-"+strconv.Itoa(copies)+".jsonl")
	if err := write(path, list, false, copies); err != nil {
		return nil, err
	}
	n := len(list) * copies
	name := fmt.Sprintf("plumb score, %d lines", n)
	return &row{name: name, close: func() {}, run: func() (f figures, err error) {
		out := filepath.Join(dir, "out.jsonl")
		cmd := exec.Command(program, "score", "--workers", "1", "--suite", "tangram", "--tasks", "tangram="+source.instances, "-o", out, path)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		start := time.Now()
		if text, err := cmd.CombinedOutput(); err != nil {
			return f, fmt.Errorf("cannot run %s: %w: %s", cmd, err, text)
		}
		f.Wall, f.scored = time.Since(start).Seconds(), n
		f.Core = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		info, err := os.Stat(out)
		if err != nil {
			return f, err
		}
		f.Size = int(info.Size())
		return f, nil
	}}, nil
}

// python measures the scorer in Python on shapely 2, a process with one thread. It goes over the
// answers once for each line of its input.
func python(program, dir string, list []answer) (*row, error) {
	path := filepath.Join(dir, "items.jsonl")
	if err := write(path, list, true, 1); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, filepath.Join("bench", "tangram", "scorer.py"), path)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start shapely: %w", err)
	}
	reader := bufio.NewReader(out)
	return &row{name: "shapely 2: line to result line", close: func() { in.Close(); cmd.Wait() }, run: func() (f figures, err error) {
		if _, err := io.WriteString(in, "go\n"); err != nil {
			return f, fmt.Errorf("cannot run shapely: %w", err)
		}
		data, err := reader.ReadBytes('\n')
		if err != nil {
			return f, fmt.Errorf("cannot run shapely: %w", err)
		}
		f.scored = len(list)
		return f, json.Unmarshal(data, &f)
	}}, nil
}
