package vqa

import (
	"strings"

	"plumb/scoring"
	"plumb/scoring/vqa/extract"
)

// prompt returns what a model is asked about an item, in the direct form; the picture
// is a content part of its own before it (docs/spec/vqa.md#r11). Options stand in the order that
// the item's shuffle or order gives. The error is a *scoring.Error, as for an item that cannot be scored; an item
// without a question cannot be asked.
func (s *suite) prompt(it *scoring.Item, o scoring.PromptOptions) (string, error) {
	r := s.pool.Get().(*reader)
	defer s.pool.Put(r)
	j := &job{suite: s, id: it.ID}
	if o.Open && s.kind == spatialab && it.Test == "" {
		it.Test = formatOpen
	}
	if err := s.read(r, it, scoring.Variants{}, j); err != nil {
		return "", err
	}
	question, err := text(it.Fields, "question")
	if err != nil {
		return "", err
	}
	if len(question) == 0 {
		return "", badItem("question", "got none; want the text that the model is asked")
	}
	switch {
	case s.kind == spaceeval:
		return "Question: " + string(question) + "\nOptions:\n" + r.listed(j.style) +
			"Please select one correct answer from the given options based on the image.", nil
	case j.format == formatOpen:
		return "You are a spatial reasoning assistant.\nAnswer the following question in 2-4 sentences about the given image.\nQuestion:\n" + string(question), nil
	}
	what := "number"
	if j.style == extract.Letters {
		what = "letter"
	}
	return "You are a spatial reasoning assistant. Given a multiple choice question about an image,\nAnswer with a single " + what +
		" (" + labelText(j.style, 0) + "-" + labelText(j.style, j.n-1) + ") corresponding to the option.\nQuestion:\n" + string(question) +
		"\nOptions:\n" + strings.TrimSuffix(r.listed(j.style), "\n"), nil
}

// listed are the options as shown, one per line with their labels. A missing one
// reads nan, as in the benchmark's own files.
func (r *reader) listed(style extract.Style) string {
	var b strings.Builder
	for p, o := range r.options {
		b.WriteString(labelText(style, p) + ". ")
		if o == nil {
			o = []byte("nan")
		}
		b.Write(o)
		b.WriteByte('\n')
	}
	return b.String()
}
