package runs

import (
	"cmp"

	"plumb/daemon/ask"
	"plumb/daemon/canonical"
)

// promptVersion is raised with each change of the texts and pictures that this program sends.
const promptVersion = 1

// configLength is in hexadecimal digits.
const configLength = 12

// Arm is an arm in JSON: members that the suite does not have are null.
type Arm struct {
	Mode    *string `json:"mode"`
	Input   *string `json:"input"`
	Setting *string `json:"setting"`
	Format  *string `json:"format"`
	Method  *string `json:"method"`
}

// ArmOf returns an arm, the way in which a model is asked, in the form for JSON: members that are not set
// are nil, which is written as null.
func ArmOf(arm ask.Arm) Arm {
	return Arm{orNil(arm.Mode), orNil(arm.Input), orNil(arm.Setting), orNil(arm.Format), orNil(arm.Method)}
}

// toAsk returns the arm in the form that suites use, in which members that are not set are "".
func (arm Arm) toAsk() ask.Arm {
	word := func(text *string) string {
		if text == nil {
			return ""
		}
		return *text
	}
	return ask.Arm{
		Mode: word(arm.Mode), Input: word(arm.Input), Setting: word(arm.Setting), Format: word(arm.Format), Method: word(arm.Method)}
}

// identity is what the key of a call is the hash of. See docs/spec/runs.md#r40.
type identity struct {
	Version int    `json:"v"`
	Suite   string `json:"suite"`
	Task    string `json:"task"`
	Test    string `json:"test"`
	Repeat  int    `json:"repeat"`
	Turn    int    `json:"turn"`
	Step    string `json:"step"`
	Request string `json:"request"` // hash of the request's canonical body
}

// testOf returns the test of a unit: that of its task, or else, for SPATIALAB, the format in which the
// task is asked.
func testOf(u unit) string { return cmp.Or(u.task.Test, u.arm.Format) }

// keyOf returns the key of a call: the answer of one serves all calls with its key. Repeats have keys of
// their own, although they send the same.
func keyOf(suite string, c *call) (string, error) {
	const version = 1 // of what is hashed
	return canonical.Key(identity{version, suite, c.task.ID, testOf(c.unit), c.repeat, c.step.Turn, c.step.Name, c.hash})
}

// configOf returns the first configLength digits of a hash of everything that is sent in an arm beside the
// task: suite, arm, settings, system message and the version of the prompts. Lines of the log and the dump
// have it, so that answers to different requests are never taken for each other.
func configOf(cfg *Config, a ask.Arm, s *Settings) (string, error) {
	key, err := canonical.Key(map[string]any{
		"suite": cfg.Suite, "arm": ArmOf(a), "settings": s, "system": cfg.System, "prompts": promptVersion})
	if err != nil {
		return "", err
	}
	return key[:configLength], nil
}
