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
	Wall, Core float64    // seconds
	Size       int        // bytes of the result lines
	IoU        []*float64 // of each answer, nil where it has none
	Hausdorff  []*float64 `json:"far"` // distance of the boundaries of each answer's figure and the wanted one
	Parsed     []int      // pieces read, of each answer
	About      string
	simple     []bool // no piece is distorted into a figure that crosses itself or has no area
	scored     int    // answers scored
}

// row is one way of scoring, a row of the table.
type row struct {
	name  string
	run   func() (figures, error)
	close func()
	runs  []figures
}

// inProcess returns a row that measures a way of scoring answers in this process. pass scores all n answers
// once. A run calls it `times` times, so that the run is long enough to be measured.
func inProcess(name string, times, n int, pass func() (figures, error)) *row {
	return &row{name: name, close: func() {}, run: func() (ofRun figures, err error) {
		start, core := time.Now(), rig.CoreTime()
		for range times {
			if ofRun, err = pass(); err != nil {
				return ofRun, err
			}
		}
		ofRun.Core = (rig.CoreTime() - core).Seconds()
		ofRun.Wall = time.Since(start).Seconds()
		ofRun.scored = n * times
		return ofRun, nil
	}}
}

// lineToResultRow returns the row that measures how TangramPuzzle answers are scored from the dump line to the result
// line, as in plumb score. The lines hold the figures that were asked for, so no task file is needed.
func lineToResultRow(list []answer, times int) *row {
	suite := tangram.New()
	decoder := dump.NewDecoder(dump.ItemConfig{Suites: scoring.Suites{suite}, Limits: scene.DefaultLimits()})
	all := make([][]byte, len(list))
	for i := range list {
		all[i] = list[i].line(withTarget, 0)
	}
	var buf []byte
	return inProcess("plumb: line to result line", times, len(list), func() (ofPass figures, err error) {
		for i, line := range all {
			item, fault := decoder.Item(dump.Line{Number: i + 1, Bytes: line}, suite.Name)
			if fault != nil {
				return ofPass, fmt.Errorf("cannot read %s: %s", list[i].id, fault.Message)
			}
			job, err := suite.Prepare(item, nil)
			if err != nil {
				return ofPass, err
			}
			result := job.Score(nil) // the suite needs no pictures
			buf = result.AppendJSON(buf[:0], scoring.Clamp01, "")
			ofPass.Size += len(buf)
		}
		return ofPass, nil
	})
}

// answerToScoreRow returns the row that measures how TangramPuzzle answers are scored from the model's text on, until
// every decision is made and every measure is known. The figures that were asked for are prepared before, and no
// JSON is read or written.
func answerToScoreRow(list []answer, times int) (*row, error) {
	targets, err := targetsOf(list)
	if err != nil {
		return nil, err
	}
	var reader construction.Reader
	return inProcess("plumb: answer to score", times, len(list), func() (ofPass figures, err error) {
		for i := range list {
			const repairEscapes = false
			placed := reader.Read(list[i].response, repairEscapes)
			score := tangram.Evaluate(&placed, targets[list[i].instance])
			ofPass.Size += score.Parsed + len(score.Overlaps) + int(1e6*score.IoU) // no bytes, but equal in every run too
		}
		return ofPass, nil
	}), nil
}

// metricsOf returns what plumb finds in each TangramPuzzle answer, to be compared with another program's values:
// IoU (the overlap with the wanted figure), the distance of the boundaries, the number of pieces, and whether
// all pieces are simple polygons with an area. Its time is not measured.
func metricsOf(list []answer) (figures figures, err error) {
	suite := tangram.New()
	decoder := dump.NewDecoder(dump.ItemConfig{Suites: scoring.Suites{suite}, Limits: scene.DefaultLimits()})
	for i := range list {
		item, fault := decoder.Item(dump.Line{Number: i + 1, Bytes: list[i].line(withTarget, 0)}, suite.Name)
		if fault != nil {
			return figures, fmt.Errorf("cannot read %s: %s", list[i].id, fault.Message)
		}
		job, err := suite.Prepare(item, nil)
		if err != nil {
			return figures, err
		}
		result := job.Score(nil)
		var line struct {
			Metrics struct {
				IoU       *float64 `json:"iou"`
				Hausdorff *float64 `json:"hausdorff"`
				Parsed    int      `json:"n_parsed"`
				Pieces    []struct {
					Parsed, Simple bool
					Area           float64
				}
			}
		}
		if err := json.Unmarshal(result.AppendJSON(nil, scoring.Clamp01, ""), &line); err != nil {
			return figures, err
		}
		simple := true
		for _, piece := range line.Metrics.Pieces {
			if piece.Parsed && (!piece.Simple || piece.Area <= 0) {
				simple = false
			}
		}
		figures.IoU = append(figures.IoU, line.Metrics.IoU)
		figures.Hausdorff = append(figures.Hausdorff, line.Metrics.Hausdorff)
		figures.Parsed = append(figures.Parsed, line.Metrics.Parsed)
		figures.simple = append(figures.simple, simple)
	}
	return figures, nil
}

// plumbScoreRow returns the row that measures `plumb score` as a whole process on one core, from its start to its
// table. It writes a dump with each answer `copies` times into the folder dir. The instances are the task
// file.
func plumbScoreRow(program, dir string, list []answer, source source, copies int) (*row, error) {
	path := filepath.Join(dir, "dump-"+strconv.Itoa(copies)+".jsonl")
	if err := writeDump(path, list, !withTarget, copies); err != nil {
		return nil, err
	}
	lines := len(list) * copies
	name := fmt.Sprintf("plumb score, %d lines", lines)
	return &row{name: name, close: func() {}, run: func() (ofRun figures, err error) {
		out := filepath.Join(dir, "out.jsonl")
		cmd := exec.Command(program, "score", "--workers", "1", "--suite", "tangram", "--tasks", "tangram="+source.instances, "-o", out, path)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		start := time.Now()
		if text, err := cmd.CombinedOutput(); err != nil {
			return ofRun, fmt.Errorf("cannot run %s: %w: %s", cmd, err, text)
		}
		ofRun.Wall, ofRun.scored = time.Since(start).Seconds(), lines
		ofRun.Core = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		info, err := os.Stat(out)
		if err != nil {
			return ofRun, err
		}
		ofRun.Size = int(info.Size())
		return ofRun, nil
	}}, nil
}

// shapelyRow returns the row that measures a scorer in Python with the library shapely 2, and starts it: a process
// with one thread. It reads the answers from a file once, goes over all of them for each line on its standard
// input, and then writes its figures as one line of JSON. program is the Python interpreter.
func shapelyRow(program, dir string, list []answer) (*row, error) {
	path := filepath.Join(dir, "items.jsonl")
	if err := writeDump(path, list, withTarget, 1); err != nil {
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
	return &row{name: "shapely 2: line to result line", close: func() { in.Close(); cmd.Wait() }, run: func() (ofRun figures, err error) {
		if _, err := io.WriteString(in, "go\n"); err != nil {
			return ofRun, fmt.Errorf("cannot run shapely: %w", err)
		}
		data, err := reader.ReadBytes('\n')
		if err != nil {
			return ofRun, fmt.Errorf("cannot run shapely: %w", err)
		}
		ofRun.scored = len(list)
		return ofRun, json.Unmarshal(data, &ofRun)
	}}, nil
}
