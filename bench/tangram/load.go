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

// where returns the files of the reference data, or the project's own where there is no reference
// data.
func where() source {
	dir := os.Getenv("PLUMB_DATA")
	if dir == "" {
		dir = filepath.Join("..", "shared", "data")
	}
	s := source{filepath.Join(dir, "tangram", "predictions.jsonl"), filepath.Join(dir, "tangram", "instances-dev.jsonl")}
	if _, err := os.Stat(s.answers); err == nil {
		return s
	}
	return source{filepath.Join("testdata", "tangram", "predictions.jsonl"), filepath.Join("testdata", "tangram", "instances.jsonl")}
}

// answer is one recorded answer.
type answer struct{ id, instance, target, response string }

// load returns the recorded answers of a source, each with the target_outline of its instance, which
// is in another file.
func load(source source) ([]answer, error) {
	targets := map[string]string{}
	err := each(source.instances, func(v *fastjson.Value) error {
		targets[string(v.GetStringBytes("instance_id"))] = v.Get("target_outline").String()
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []answer
	err = each(source.answers, func(value *fastjson.Value) error {
		a := answer{id: string(value.GetStringBytes("id")), instance: string(value.GetStringBytes("instance_id"))}
		target, ok := targets[a.instance]
		if r := value.Get("response"); r == nil || r.Type() != fastjson.TypeString || !ok {
			return fmt.Errorf("cannot use answer %q: want a response that is text and an instance_id of %s", a.id, source.instances)
		}
		a.target, a.response = target, string(value.GetStringBytes("response"))
		out = append(out, a)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("cannot measure: %s holds no answers", source.answers)
	}
	return out, err
}

// prepared returns the target of each instance that the answers name, ready for comparisons, by the id
// of the instance. An outline that cannot be read or crosses itself is an error.
func prepared(list []answer) (map[string]*plane.Target, error) {
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
		for _, v := range in.Vertices {
			x, _, err1 := field.Parse(v[0])
			y, _, err2 := field.Parse(v[1])
			if err := errors.Join(err1, err2); err != nil {
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

// each calls f with the JSON value of each line of a file of answers, valid until the next call.
func each(path string, f func(*fastjson.Value) error) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read answers: %w", err)
	}
	var parser fastjson.Parser
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v, err := parser.ParseBytes(line)
		if err == nil {
			err = f(v)
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", path, err)
		}
	}
	return nil
}

// line returns the answer as a dump line, with its target outline if whole, else with the id of its
// instance alone. copy counts from 0. A copy has an id and a remark of its own after its text, so that
// no result is taken from a cache.
func (answer *answer) line(whole bool, copy int) []byte {
	id, response := answer.id, answer.response
	if copy > 0 {
		id, response = fmt.Sprintf("%s/%d", id, copy), fmt.Sprintf("%s\n(%d)", response, copy)
	}
	out := scoring.AppendString([]byte(`{"id":`), id)
	out = scoring.AppendString(append(out, `,"suite":"tangram","test":"solution","instance_id":`...), answer.instance)
	if whole {
		out = append(append(out, `,"target_outline":`...), answer.target...)
	}
	out = scoring.AppendString(append(out, `,"response":`...), response)
	return append(out, '}')
}

// write writes the answers as a dump, each `copies` times. whole says that the lines hold their
// targets; else these come from a task file.
func write(path string, list []answer, whole bool, copies int) error {
	var out []byte
	for c := range copies {
		for i := range list {
			out = append(append(out, list[i].line(whole, c)...), '\n')
		}
	}
	return os.WriteFile(path, out, 0o644)
}
