package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/plane"
)

// source names the files of recorded answers and of their instances.
type source struct{ answers, instances string }

// recordedFiles returns the files of recorded TangramPuzzle answers and of their instances: those of the reference
// data, or the project's own where there is no reference data.
func recordedFiles() source {
	dir := os.Getenv("PLUMB_DATA")
	if dir == "" {
		dir = filepath.Join("..", "shared", "data")
	}
	reference := source{filepath.Join(dir, "tangram", "predictions.jsonl"), filepath.Join(dir, "tangram", "instances-dev.jsonl")}
	if _, err := os.Stat(reference.answers); err == nil {
		return reference
	}
	return source{filepath.Join("testdata", "tangram", "predictions.jsonl"), filepath.Join("testdata", "tangram", "instances.jsonl")}
}

// answer is one recorded answer.
type answer struct{ id, instance, target, response string }

// load returns the recorded TangramPuzzle answers of a source, each with the outline of the figure that was
// asked for (target_outline), which is in the file of the instances.
func load(source source) ([]answer, error) {
	targets := map[string]string{}
	err := eachLine(source.instances, func(instance *fastjson.Value) error {
		targets[string(instance.GetStringBytes("instance_id"))] = instance.Get("target_outline").String()
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []answer
	err = eachLine(source.answers, func(value *fastjson.Value) error {
		loaded := answer{id: string(value.GetStringBytes("id")), instance: string(value.GetStringBytes("instance_id"))}
		target, hasTarget := targets[loaded.instance]
		response := value.Get("response")
		isText := response != nil && response.Type() == fastjson.TypeString
		if !isText || !hasTarget {
			return fmt.Errorf("cannot use answer %q: want a response that is text and an instance_id of %s", loaded.id, source.instances)
		}
		loaded.target, loaded.response = target, string(value.GetStringBytes("response"))
		out = append(out, loaded)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("cannot measure: %s holds no answers", source.answers)
	}
	return out, err
}

// targetsOf returns for each TangramPuzzle instance that the answers name, by its id, the figure that was
// asked for (the target), in the form in which answers are compared with it. An outline that cannot be read
// or crosses itself is an error.
func targetsOf(list []answer) (map[string]*plane.Target, error) {
	out := map[string]*plane.Target{}
	for i := range list {
		answer := &list[i]
		if out[answer.instance] != nil {
			continue
		}
		var in struct{ Vertices [][2]string }
		if err := json.Unmarshal([]byte(answer.target), &in); err != nil {
			return nil, fmt.Errorf("cannot read the target of %s: %w", answer.instance, err)
		}
		var points []plane.Point
		for _, vertex := range in.Vertices {
			x, _, errX := field.Parse(vertex[0]) // the second value says whether it is exact
			y, _, errY := field.Parse(vertex[1])
			if err := errors.Join(errX, errY); err != nil {
				return nil, fmt.Errorf("cannot read the target of %s: %w", answer.instance, err)
			}
			points = append(points, plane.Point{X: x, Y: y})
		}
		target, ok := plane.NewTarget(points)
		if !ok {
			return nil, fmt.Errorf("cannot use the target of %s: its outline crosses itself", answer.instance)
		}
		out[answer.instance] = target
	}
	return out, nil
}

// eachLine calls f with the JSON value of each line of a file, until f returns an error. The value is valid until
// the next call. Blank lines are left out.
func eachLine(path string, f func(*fastjson.Value) error) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read answers: %w", err)
	}
	var parser fastjson.Parser
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		value, err := parser.ParseBytes(line)
		if err == nil {
			err = f(value)
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", path, err)
		}
	}
	return nil
}

// withTarget says that a dump line holds the outline of the figure that was asked for.
const withTarget = true

// line returns the answer as a dump line. If hasTarget is true, the line has the outline of the figure that
// was asked for; otherwise it has only the id of its instance, and needs a task file. copy is the number of
// the copy, from 0. Each further copy has another id, and a remark after its text, so that its result is not
// taken from a cache.
func (answer *answer) line(hasTarget bool, copy int) []byte {
	id, response := answer.id, answer.response
	if copy > 0 {
		id, response = fmt.Sprintf("%s/%d", id, copy), fmt.Sprintf("%s\n(%d)", response, copy)
	}
	out := scoring.AppendString([]byte(`{"id":`), id)
	out = scoring.AppendString(append(out, `,"suite":"tangram","test":"solution","instance_id":`...), answer.instance)
	if hasTarget {
		out = append(append(out, `,"target_outline":`...), answer.target...)
	}
	out = scoring.AppendString(append(out, `,"response":`...), response)
	return append(out, '}')
}

// writeDump writes the answers as a dump, each `copies` times. hasTarget says that the lines hold the outlines
// of the figures that were asked for; otherwise these come from a task file.
func writeDump(path string, list []answer, hasTarget bool, copies int) error {
	var out []byte
	for copy := range copies {
		for i := range list {
			out = append(append(out, list[i].line(hasTarget, copy)...), '\n')
		}
	}
	return os.WriteFile(path, out, 0o644)
}
