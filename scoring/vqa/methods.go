package vqa

import (
	"embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"plumb/scoring/vqa/extract"
)

// The methods of SPATIALAB's paper by which a model is asked. See docs/spec/vqa.md#r60.
const (
	Direct  = "direct"
	CoT     = "cot"
	Reflect = "self-reflection"
	Xolver  = "xolver"
)

// Methods lists the methods in the order of the paper.
func Methods() []string { return []string{Direct, CoT, Reflect, Xolver} }

// The steps of the methods that take several calls. A method of one call has the step "".
const (
	stepAnswer  = "answer"
	stepReflect = "reflect"
)

// xolverSteps are the calls of Xolver before its answer. See docs/spec/vqa.md#r62.
var xolverSteps = []string{"base", "segment", "attributes", "relations", "groups", "transformations", "standardise"}

// Steps lists the calls that a method takes, in their order (docs/spec/vqa.md#r61). pictures is how many the item
// has: the step that follows changes from picture to picture needs several.
func Steps(method string, pictures int) []string {
	switch method {
	case Reflect:
		return []string{stepAnswer, stepReflect}
	case Xolver:
		steps := slices.Clone(xolverSteps)
		if pictures < 2 {
			steps = slices.DeleteFunc(steps, func(s string) bool { return s == "transformations" })
		}
		return append(steps, stepAnswer)
	}
	return []string{""}
}

// HasPicture reports whether the picture goes with a step: Xolver describes it in its first
// call and reasons about the text from then on.
func HasPicture(method, step string) bool { return method != Xolver || step == xolverSteps[0] }

// printed holds the prompts that the paper prints, by name.
//
//go:embed prompts/*.txt
var printed embed.FS

// printedPrompt returns a prompt that the paper prints.
func printedPrompt(name string) string {
	b, err := printed.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(b)
}

// asked is a question of which a prompt is made.
type asked struct {
	question string
	open     bool
	options  []string // as shown
	style    extract.Style
}

// text returns the prompt of one step. heard has the texts of the steps before it.
func (q *asked) text(method, step string, heard map[string]string) string {
	format := "mcq"
	if q.open {
		format = "open"
	}
	values := map[string]string{"question": q.question, "question_text": q.question, "image_input": "(attached)",
		"options_text": "\n" + strings.Join(q.labelledOptions(), "\n")}
	name := ""
	switch {
	case method == CoT, method == Reflect && !q.open && step == stepAnswer:
		name = format + "_cot"
	case method == Reflect && !q.open:
		name, values["prev_output"] = "mcq_reflect", heard[stepAnswer]
	case method == Reflect && step == stepAnswer:
		name = "open_reflect_first"
	case method == Reflect:
		name = "open_reflect_second"
		values["reason"], values["answer"] = reasonAndAnswer(heard[stepAnswer])
	case method == Xolver && step == stepAnswer:
		name = "xolver_" + format
		addFindings(values, heard)
		addSummary(values, heard)
	case method == Xolver:
		name = "xolver_" + step
		addFindings(values, heard)
	default:
		name = format + "_direct"
	}
	return fillIn(q.fitOptions(printedPrompt(name)), values)
}

// labelledOptions lists the options with their labels: "1. Kitchen".
func (q *asked) labelledOptions() []string {
	out := make([]string, len(q.options))
	for i, o := range q.options {
		out[i] = labelText(q.style, i) + ". " + o
	}
	return out
}

// fitOptions puts the options into a printed prompt, which has four with numbers. Other labels
// and other counts replace what the prompt says of them.
func (q *asked) fitOptions(prompt string) string {
	if q.open {
		return prompt
	}
	what, last := "number", len(q.options)-1
	if q.style == extract.Letters {
		what = "letter"
	}
	var labels []string
	for i := range q.options {
		labels = append(labels, labelText(q.style, i))
	}
	return strings.NewReplacer(
		"1. {opt1}\n2. {opt2}\n3. {opt3}\n4. {opt4}", strings.Join(q.labelledOptions(), "\n"),
		"1. {opt1} 2. {opt2} 3. {opt3} 4. {opt4}", strings.Join(q.labelledOptions(), " "),
		"number (1-4)", what+" ("+labels[0]+"-"+labels[last]+")",
		"(1, 2, 3, 4)", "("+strings.Join(labels, ", ")+")",
		"<option number>", "<option "+what+">",
		"<result>1</result>", "<result>"+labels[0]+"</result>",
	).Replace(prompt)
}

// placeholder is a name in braces.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// fillIn replaces the placeholders that have a value, in one pass: a placeholder's name in a
// value stays as it is.
func fillIn(prompt string, values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(prompt, func(name string) string {
		if v, ok := values[strings.Trim(name, "{}")]; ok {
			return v
		}
		return name
	})
}

// reasonAndAnswer divides the first answer of a self-reflection: the answer follows the last
// line that begins "Answer:", the reason stands before it. Without such a line the reason
// is all of the text, and the answer its last line that is not empty.
func reasonAndAnswer(text string) (reason, answer string) {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		rest, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), "Answer:")
		if !ok {
			continue
		}
		answer = strings.TrimSpace(strings.Join(append([]string{rest}, lines[i+1:]...), "\n"))
		reason = strings.TrimSpace(strings.Join(lines[:i], "\n"))
		return strings.TrimSpace(strings.TrimPrefix(reason, "Reasoning:")), answer
	}
	reason = strings.TrimSpace(text)
	answer = strings.TrimSpace(reason[strings.LastIndexByte(reason, '\n')+1:])
	return reason, answer
}

// addFindings adds what Xolver's steps found so far to the values of a prompt. Each output
// is reduced to the form that its prompt asks for. See docs/spec/vqa.md#r62.
func addFindings(values, heard map[string]string) {
	values["visual_description"] = heard["base"]
	values["object_list"] = linesThat(heard["segment"], objectLine.MatchString)
	values["attributes_json"] = firstJSON(heard["attributes"], "[{", "[]")
	values["relation_list"] = linesThat(heard["relations"], func(l string) bool { return strings.HasPrefix(l, "(") })
	values["relations_list"] = values["relation_list"]
	values["grouping_symmetry"] = firstJSON(heard["groups"], "{", `{"groups":[],"symmetries":[]}`)
	values["grouping_symmetry_json"] = values["grouping_symmetry"]
	values["transformations"] = "[]"
	if said, ok := heard["transformations"]; ok {
		values["transformations"] = said
	}
	values["transformations_json"] = values["transformations"]
}

// addSummary replaces findings by the members of the standardised JSON that are not empty.
func addSummary(values, heard map[string]string) {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(firstJSON(heard["standardise"], "{", "{}")), &all) != nil {
		return
	}
	full := func(name string) bool {
		v := strings.Join(strings.Fields(string(all[name])), "")
		return !slices.Contains([]string{"", "null", "[]", "{}", `""`}, v)
	}
	for name, to := range map[string]string{"objects": "attributes_json", "relations": "relations_list", "transformations": "transformations_json"} {
		if full(name) {
			values[to] = string(all[name])
		}
	}
	if full("groups") || full("symmetries") {
		member := func(name string) string {
			if full(name) {
				return string(all[name])
			}
			return "[]"
		}
		values["grouping_symmetry_json"] = `{"groups":` + member("groups") + `,"symmetries":` + member("symmetries") + `}`
	}
}

// objectLine is a line of the list of objects.
var objectLine = regexp.MustCompile(`^Obj\d+:`)

// linesThat returns the lines of a text that match, trimmed.
func linesThat(text string, match func(string) bool) string {
	var kept []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if match(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// firstJSON returns the first JSON value in a text that begins with one of the brackets, as
// it is written there; none if there is no such value.
func firstJSON(text, brackets, none string) string {
	for from := 0; ; {
		i := strings.IndexAny(text[from:], brackets)
		if i < 0 {
			return none
		}
		d := json.NewDecoder(strings.NewReader(text[from+i:]))
		var v json.RawMessage
		if d.Decode(&v) == nil {
			return string(v)
		}
		from += i + 1
	}
}
