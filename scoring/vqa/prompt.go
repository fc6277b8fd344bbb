package vqa

import (
	"strings"

	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/vqa/extract"
)

// prompt returns what a model is asked about a question, with the options in the order in which
// they are shown. The picture is a content part before it (docs/spec/vqa.md#r11). The error is that
// of an item that cannot be scored or has no question. With options.Open, a SPATIALAB item without a test
// becomes an open one. It implements scoring.Suite.Prompt.
func (suite *suite) prompt(item *scoring.Item, options scoring.PromptOptions) (string, error) {
	r := suite.pool.Get().(*reader)
	defer suite.pool.Put(r)
	j := &job{suite: suite, id: item.ID}
	if options.Open && suite.benchmark == spatialab && item.Test == "" {
		item.Test = formatOpen
	}
	if err := suite.readQuestion(r, item, scoring.Variants{}, j); err != nil {
		return "", err
	}
	question, err := stringField(item.Fields, "question")
	if err != nil {
		return "", err
	}
	if len(question) == 0 {
		return "", badItem("question", "got none; want the text that the model is asked")
	}
	if suite.benchmark == spaceeval {
		// The benchmark's own prompt lists the options in the item's order, so it is no use for another one.
		ownPrompt := item.Fields.GetStringBytes("prompt")
		inItemOrder := jsontree.Absent(item.Fields.Get("order")) && jsontree.Absent(item.Fields.Get("shuffle"))
		if len(ownPrompt) > 0 && inItemOrder {
			return string(ownPrompt), nil
		}
		return "Question: " + string(question) + "\nOptions:\n" + r.labelledLines(j.style) +
			"Please select one correct answer from the given options based on the image.", nil
	}
	q := promptQuestion{question: string(question), open: j.format == formatOpen, style: j.style}
	if !q.open {
		q.options = r.shown()
	}
	return q.text(options.Method, options.Step, options.EarlierAnswers), nil
}

// shown returns the question's options in the order in which they are shown. A missing one is
// "nan", as in the benchmark's own files.
func (reader *reader) shown() []string {
	out := make([]string, len(reader.options))
	for i, o := range reader.options {
		out[i] = string(o)
		if o == nil {
			out[i] = "nan"
		}
	}
	return out
}

// labelledLines returns the options as shown with their labels, one a line.
func (reader *reader) labelledLines(style extract.Style) string {
	question := promptQuestion{options: reader.shown(), style: style}
	return strings.Join(question.labelledOptions(), "\n") + "\n"
}
