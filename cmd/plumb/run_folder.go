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

// sharedPictures returns the pictures of each task of a task file, by id: tasks that share a picture
// are not independent samples. Tasks without pictures are left out; a missing file has none.
func sharedPictures(path string, limits dump.Limits) (clusters, error) {
	out := clusters{}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return out, nil
	}
	var p fastjson.Parser
	err := eachLine(path, limits, nil, func(l dump.Line) error {
		value, err := p.ParseBytes(l.Bytes)
		if err != nil {
			return fmt.Errorf("line %d: %w", l.N, err)
		}
		if id, pictures := string(value.GetStringBytes("id")), vqa.Pictures(value); id != "" && pictures != "" {
			out[id] = pictures
		}
		return nil
	})
	return out, err
}

// runFolder is a folder of plumb run, as far as tables need it.
type runFolder struct {
	results  string // the result file
	remark   string // for titles: "subset", settings that are not the standard ones
	clusters clusters
}

// openRunFolder reads what tables need of a folder of plumb run. ok is false without an error for a
// path that is no folder, which may be a result file.
func openRunFolder(path string, limits dump.Limits) (runFolder runFolder, ok bool, err error) {
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

// remark returns for titles of tables what sets the run apart from those of the papers, separated by
// ", ": a choice of tasks, and settings that differ from the standard ones. A setting that only some
// arms have names these arms. See docs/spec/runs.md#r56.
func (record *runRecord) remark() string {
	var words []string
	if c := record.Choice; c.Limit > 0 || c.Sample > 0 || len(c.Only) > 0 {
		words = append(words, "subset")
	}
	if record.System != "" {
		words = append(words, "system message")
	}
	if record.ReasoningAsAnswer {
		words = append(words, "reasoning as answer")
	}
	armsWith := map[string][]string{} // by setting
	var settings []string             // in the order of their first arms
	for _, a := range record.Arms {
		for _, text := range a.unusual(record.Suite) {
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
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

// unusual returns the settings of an arm that differ from the standard ones of its suite, as texts.
func (record *armRecord) unusual(suite string) (list []string) {
	arm := askArm(record.Arm)
	temperature, tokens := standard(suite, arm)
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

// askArm returns the arm of a record in the form of package ask: a member that the record lacks is "".
func askArm(arm runs.Arm) ask.Arm {
	word := func(text *string) string {
		if text == nil {
			return ""
		}
		return *text
	}
	return ask.Arm{Mode: word(arm.Mode), Input: word(arm.Input), Setting: word(arm.Setting), Format: word(arm.Format), Method: word(arm.Method)}
}

// differ reports whether two settings differ. nil stands for a setting that is not sent, which equals
// only itself.
func differ[T comparable](a, b *T) bool {
	return (a == nil) != (b == nil) || a != nil && *a != *b
}

// orDefault writes a setting that a run sends to the model's service, such as the temperature. It writes
// "of the service" for one that was not sent, because the service then takes its own default.
func orDefault[T any](v *T) string {
	if v == nil {
		return "of the service"
	}
	return fmt.Sprint(*v)
}

// knownMembers reports whether the members of requests in a JSON object are exactly those with which a
// known provider's reasoning is switched off or on.
func knownMembers(extra string) bool {
	for _, p := range providers {
		for _, known := range []string{p.off, p.on} {
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

// joinRemarks joins the remarks of several folders of plumb run into one text: what sets each run apart from
// the papers'. A remark that all folders have stands alone. Otherwise each remark stands after the name of its
// folder, and folders without one are left out.
func joinRemarks(names, remarks []string) string {
	if len(remarks) == 0 {
		return ""
	}
	if !slices.ContainsFunc(remarks, func(s string) bool { return s != remarks[0] }) {
		return remarks[0]
	}
	var parts []string
	for i, s := range remarks {
		if s != "" {
			parts = append(parts, names[i]+": "+s)
		}
	}
	return strings.Join(parts, "; ")
}
