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

// Steps returns the steps of a prompting method in the order of their calls (docs/spec/vqa.md#r61);
// a method of one call has the single step "". pictures is the number of pictures of the item:
// Xolver describes transformations only between several.
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

// printedPrompt returns the text of a prompt that the benchmark's paper prints, from the files in the program.
func printedPrompt(name string) string {
	data, err := printed.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(data)
}

// promptQuestion is a question of which a prompt is made.
type promptQuestion struct {
	question string
	open     bool
	options  []string // as shown
	style    extract.Style
}

// text returns the prompt for one step of a prompting method, such as chain of thought. It chooses the
// printed prompt by method, step and kind of question, and fills it in. earlierAnswers holds what the
// model answered in the steps before, by step.
func (question *promptQuestion) text(method, step string, earlierAnswers map[string]string) string {
	format := "mcq"
	if question.open {
		format = "open"
	}
	values := map[string]string{"question": question.question, "question_text": question.question, "image_input": "(attached)",
		"options_text": "\n" + strings.Join(question.labelledOptions(), "\n")}
	// The name of the printed prompt, and what it refers to. Self-reflection about options begins as chain
	// of thought does.
	name, isAnswer := "", step == stepAnswer
	switch {
	case method == CoT, method == Reflect && !question.open && isAnswer:
		name = format + "_cot"
	case method == Reflect && !question.open:
		name, values["prev_output"] = "mcq_reflect", earlierAnswers[stepAnswer]
	case method == Reflect && isAnswer:
		name = "open_reflect_first"
	case method == Reflect:
		name = "open_reflect_second"
		values["reason"], values["answer"] = reasonAndAnswer(earlierAnswers[stepAnswer])
	case method == Xolver && isAnswer:
		name = "xolver_" + format
		addFindings(values, earlierAnswers)
		addSummary(values, earlierAnswers)
	case method == Xolver:
		name = "xolver_" + step
		addFindings(values, earlierAnswers)
	default:
		name = format + "_direct"
	}
	return fillIn(question.fitToOptions(printedPrompt(name)), values)
}

// labelledOptions returns the question's options with their labels, such as "1. Kitchen".
func (question *promptQuestion) labelledOptions() []string {
	out := make([]string, len(question.options))
	for i, o := range question.options {
		out[i] = labelText(question.style, i) + ". " + o
	}
	return out
}

// fitToOptions puts the options into a printed prompt, which is written for four numbered options. Where the
// item has other labels or another number of options, the prompt's words about them are replaced.
func (question *promptQuestion) fitToOptions(prompt string) string {
	if question.open {
		return prompt
	}
	labelNoun, last := "number", len(question.options)-1
	if question.style == extract.Letters {
		labelNoun = "letter"
	}
	var labels []string
	for i := range question.options {
		labels = append(labels, labelText(question.style, i))
	}
	return strings.NewReplacer(
		"1. {opt1}\n2. {opt2}\n3. {opt3}\n4. {opt4}", strings.Join(question.labelledOptions(), "\n"),
		"1. {opt1} 2. {opt2} 3. {opt3} 4. {opt4}", strings.Join(question.labelledOptions(), " "),
		"number (1-4)", labelNoun+" ("+labels[0]+"-"+labels[last]+")",
		"(1, 2, 3, 4)", "("+strings.Join(labels, ", ")+")",
		"<option number>", "<option "+labelNoun+">",
		"<result>1</result>", "<result>"+labels[0]+"</result>",
	).Replace(prompt)
}

// placeholder is a name in braces.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// fillIn replaces each placeholder {name} of a printed prompt by its value; those without a value
// stay. All are replaced in one pass, so a placeholder within a value stays as it is.
func fillIn(prompt string, values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(prompt, func(name string) string {
		if v, ok := values[strings.Trim(name, "{}")]; ok {
			return v
		}
		return name
	})
}

// reasonAndAnswer divides a model's first answer under self-reflection. The answer is all that follows the last
// line that begins with "Answer:", the reason is what stands before that line, without "Reasoning:". Without
// such a line the reason is the whole text, and the answer its last line.
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

// addFindings adds the findings of Xolver's earlier steps to the values of a prompt, each
// reduced to the form that its step asked for (lines of a list, or JSON). The printed prompts have two
// placeholders for some findings. See docs/spec/vqa.md#r62.
func addFindings(values, earlierAnswers map[string]string) {
	values["visual_description"] = earlierAnswers["base"]
	values["object_list"] = matchingLines(earlierAnswers["segment"], objectLine.MatchString)
	values["attributes_json"] = firstJSON(earlierAnswers["attributes"], "[{", "[]")
	values["relation_list"] = matchingLines(earlierAnswers["relations"],
		func(l string) bool { return strings.HasPrefix(l, "(") })
	values["relations_list"] = values["relation_list"]
	values["grouping_symmetry"] = firstJSON(earlierAnswers["groups"], "{", `{"groups":[],"symmetries":[]}`)
	values["grouping_symmetry_json"] = values["grouping_symmetry"]
	values["transformations"] = "[]" // with a single picture there is no such step
	if said, ok := earlierAnswers["transformations"]; ok {
		values["transformations"] = said
	}
	values["transformations_json"] = values["transformations"]
}

// addSummary replaces the findings by members of the JSON that the step "standardise"
// returned, where these are not empty. Without readable JSON nothing changes.
func addSummary(values, earlierAnswers map[string]string) {
	var summary map[string]json.RawMessage
	if json.Unmarshal([]byte(firstJSON(earlierAnswers["standardise"], "{", "{}")), &summary) != nil {
		return
	}
	isFilled := func(name string) bool {
		v := strings.Join(strings.Fields(string(summary[name])), "")
		return !slices.Contains([]string{"", "null", "[]", "{}", `""`}, v)
	}
	for name, placeholder := range map[string]string{"objects": "attributes_json", "relations": "relations_list",
		"transformations": "transformations_json"} {
		if isFilled(name) {
			values[placeholder] = string(summary[name])
		}
	}
	if isFilled("groups") || isFilled("symmetries") {
		member := func(name string) string {
			if isFilled(name) {
				return string(summary[name])
			}
			return "[]"
		}
		values["grouping_symmetry_json"] = `{"groups":` + member("groups") + `,"symmetries":` +
			member("symmetries") + `}`
	}
}

// objectLine is a line of the list of objects.
var objectLine = regexp.MustCompile(`^Obj\d+:`)

// matchingLines returns the trimmed lines of a model's answer for which match is true, joined by line ends.
func matchingLines(text string, match func(string) bool) string {
	var matching []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if match(line) {
			matching = append(matching, line)
		}
	}
	return strings.Join(matching, "\n")
}

// firstJSON returns the first JSON value in a model's answer that begins with one of the characters
// in brackets, as written there, or none if there is no such value.
func firstJSON(text, brackets, none string) string {
	for {
		start := strings.IndexAny(text, brackets)
		if start < 0 {
			return none
		}
		text = text[start:]
		var value json.RawMessage
		if json.NewDecoder(strings.NewReader(text)).Decode(&value) == nil {
			return string(value)
		}
		text = text[1:]
	}
}
