package vqa

import (
	"strings"

	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/vqa/extract"
)

// prompt returns what a model is asked about a question, with the options in the order in which
// they are shown. The picture is a content part before it (docs/spec/vqa.md#r11). The error is that
// of an item that cannot be scored or has no question. With o.Open, a SPATIALAB item without a test
// becomes an open one. It implements scoring.Suite.Prompt.
func (s *suite) prompt(it *scoring.Item, o scoring.PromptOptions) (string, error) {
	r := s.pool.Get().(*reader)
	defer s.pool.Put(r)
	j := &job{suite: s, id: it.ID}
	if o.Open && s.benchmark == spatialab && it.Test == "" {
		it.Test = formatOpen
	}
	if err := s.readQuestion(r, it, scoring.Variants{}, j); err != nil {
		return "", err
	}
	question, err := stringField(it.Fields, "question")
	if err != nil {
		return "", err
	}
	if len(question) == 0 {
		return "", badItem("question", "got none; want the text that the model is asked")
	}
	if s.benchmark == spaceeval {
		// the benchmark's own prompt lists the options in the item's order, so it is no use for another one
		if itsPrompt := it.Fields.GetStringBytes("prompt"); len(itsPrompt) > 0 &&
			jsontree.Absent(it.Fields.Get("order")) && jsontree.Absent(it.Fields.Get("shuffle")) {
			return string(itsPrompt), nil
		}
		return "Question: " + string(question) + "\nOptions:\n" + r.labelledLines(j.style) +
			"Please select one correct answer from the given options based on the image.", nil
	}
	q := promptQuestion{question: string(question), open: j.format == formatOpen, style: j.style}
	if !q.open {
		q.options = r.shown()
	}
	return q.text(o.Method, o.Step, o.Heard), nil
}

// shown returns the question's options in the order in which they are shown. A missing one is
// "nan", as in the benchmark's own files.
func (r *reader) shown() []string {
	out := make([]string, len(r.options))
	for i, o := range r.options {
		out[i] = string(o)
		if o == nil {
			out[i] = "nan"
		}
	}
	return out
}

// labelledLines returns the options as shown with their labels, one a line.
func (r *reader) labelledLines(style extract.Style) string {
	question := promptQuestion{options: r.shown(), style: style}
	return strings.Join(question.labelledOptions(), "\n") + "\n"
}
