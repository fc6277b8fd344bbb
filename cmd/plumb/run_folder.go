package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/daemon/runs"
	"plumb/scoring/vqa"
)

// clusters maps the ids of tasks to what they share with others, such as a picture.
type clusters map[string]string

// of returns the pictures of the task of that id, "" for none. It is a table.Options.Cluster.
func (c clusters) of(_, id string) string { return c[id] }

// sharedPictures reads a task file and returns, by the id of the task, a text that names the task's
// pictures. Tasks with the same text share their pictures, and so are not independent samples. Tasks
// without pictures are left out. A file that is missing has no tasks.
func sharedPictures(path string, limits dump.Limits) (clusters, error) {
	pictures := clusters{}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return pictures, nil
	}
	var parser fastjson.Parser
	err := eachLine(path, limits, nil, func(line dump.Line) error {
		task, err := parser.ParseBytes(line.Bytes)
		if err != nil {
			return fmt.Errorf("line %d: %w", line.Number, err)
		}
		if id, ofTask := string(task.GetStringBytes("id")), vqa.Pictures(task); id != "" && ofTask != "" {
			pictures[id] = ofTask
		}
		return nil
	})
	return pictures, err
}

// runFolder is a folder of plumb run, as far as tables need it.
type runFolder struct {
	results  string // the result file
	remark   string // for titles: "subset", settings that are not the standard ones
	clusters clusters
}

// openRunFolder reads what tables of results need of a folder that plumb run has written: the path of the
// result file, how the run differs from those of the papers, and which tasks share pictures. isFolder is false
// without an error for a path that is no folder, because that may be a result file.
func openRunFolder(path string, limits dump.Limits) (runFolder runFolder, isFolder bool, err error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return runFolder, false, nil
	}
	runFolder.results = filepath.Join(path, "results.jsonl")
	record, err := readRecord(filepath.Join(path, "run.json"))
	switch {
	case err != nil:
		return runFolder, true, err
	case record == nil:
		return runFolder, true, fmt.Errorf("cannot read %s: it is a folder without run.json; want a folder of plumb run, or a result file", path)
	}
	if _, err := os.Stat(runFolder.results); errors.Is(err, os.ErrNotExist) {
		return runFolder, true, fmt.Errorf("cannot read %s: the run has no results yet; want plumb run %s --model %s --out %s --no-calls, "+
			"which scores what was answered", path, record.Suite, record.Model, path)
	}
	runFolder.remark = record.remark()
	runFolder.clusters, err = sharedPictures(filepath.Join(path, "tasks.jsonl"), limits)
	return runFolder, true, err
}

// remark says for titles of tables how the run differs from those of the benchmarks' papers: that only
// some tasks were asked, and which settings are not the papers'. The parts are separated by ", ". Where
// only some ways of asking (arms) have a setting, these are named. See docs/spec/runs.md#r56.
func (record *runRecord) remark() string {
	var parts []string
	if c := record.Choice; c.Limit > 0 || c.Sample > 0 || len(c.Only) > 0 {
		parts = append(parts, "subset")
	}
	if record.System != "" {
		parts = append(parts, "system message")
	}
	if record.ReasoningAsAnswer {
		parts = append(parts, "reasoning as answer")
	}
	armsWith := map[string][]string{} // by setting
	var settings []string             // in the order of their first arms
	for _, a := range record.Arms {
		for _, text := range a.unusualSettings(record.Suite) {
			if armsWith[text] == nil {
				settings = append(settings, text)
			}
			armsWith[text] = append(armsWith[text], askArm(a.Arm).String())
		}
	}
	for _, text := range settings {
		if arms := armsWith[text]; len(arms) < len(record.Arms) {
			text += " in " + strings.Join(arms, " and ")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// unusualSettings returns, as texts, the settings of the requests of one way of asking (arm) that differ from
// those of the paper of the benchmark suite.
func (record *armRecord) unusualSettings(suite string) (list []string) {
	arm := askArm(record.Arm)
	temperature, tokens := paperSettings(suite, arm)
	if arm.Mode == ask.ModeReasoning && bytes.Contains(record.Extra, []byte(`"budget_tokens"`)) {
		// Anthropic's reasoning refuses a temperature and needs more tokens; that is no choice of the user.
		if record.Temperature == nil {
			temperature = nil
		}
		if record.MaxTokens != nil && *record.MaxTokens == anthropicTokens {
			tokens = record.MaxTokens
		}
	}
	if differ(record.Temperature, temperature) {
		list = append(list, "temperature "+orDefault(record.Temperature))
	}
	if differ(record.MaxTokens, tokens) {
		list = append(list, "max tokens "+orDefault(record.MaxTokens))
	}
	if record.TopP != nil {
		list = append(list, "top p "+orDefault(record.TopP))
	}
	if record.Seed != nil {
		list = append(list, "sampling seed "+orDefault(record.Seed))
	}
	if extra := strings.TrimSpace(string(record.Extra)); extra != "" && !knownMembers(extra) {
		list = append(list, "members "+extra)
	}
	return list
}

// askArm converts a way of asking (arm) from the form of a run's record to that of package ask, where ""
// stands for a member that the record lacks.
func askArm(arm runs.Arm) ask.Arm {
	orEmpty := func(text *string) string {
		if text == nil {
			return ""
		}
		return *text
	}
	return ask.Arm{Mode: orEmpty(arm.Mode), Input: orEmpty(arm.Input), Setting: orEmpty(arm.Setting), Format: orEmpty(arm.Format), Method: orEmpty(arm.Method)}
}

// differ reports whether two settings differ. nil stands for a setting that is not sent, which equals
// only itself.
func differ[T comparable](a, b *T) bool {
	return (a == nil) != (b == nil) || a != nil && *a != *b
}

// orDefault writes a setting that a run sends to the model's service, such as the temperature. It writes
// "of the service" for one that was not sent, because the service then takes its own default.
func orDefault[T any](setting *T) string {
	if setting == nil {
		return "of the service"
	}
	return fmt.Sprint(*setting)
}

// knownMembers reports whether a JSON object has exactly the members with which requests switch the reasoning
// of a known provider's models off or on. These follow from the way of asking and are no setting of their own.
func knownMembers(extra string) bool {
	for _, provider := range providers {
		for _, known := range []string{provider.reasoningOff, provider.reasoningOn} {
			if known != "" && sameJSON(extra, known) {
				return true
			}
		}
	}
	return false
}

// sameJSON reports whether two texts are the same JSON but for white space. Another order of members
// makes them different.
func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// joinRemarks joins the remarks on several folders of plumb run into one text. A remark says how a run differs
// from those of the papers; it is "" for no difference. If all folders have the same remark, it is returned
// alone. Otherwise each remark stands after the name of its folder, and folders without one are left out.
func joinRemarks(names, remarks []string) string {
	if len(remarks) == 0 {
		return ""
	}
	if !slices.ContainsFunc(remarks, func(s string) bool { return s != remarks[0] }) {
		return remarks[0]
	}
	var parts []string
	for i, remark := range remarks {
		if remark != "" {
			parts = append(parts, names[i]+": "+remark)
		}
	}
	return strings.Join(parts, "; ")
}
