package vqa

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/vqa/extract"
)

// badItem returns the error for a field of an item that cannot be used.
func badItem(field, format string, args ...any) error {
	return &scoring.Error{Code: "bad_item", Message: "cannot read " + field + ": " + fmt.Sprintf(format, args...)}
}

// text reads a member of a question that is a string, nil where it is absent.
func text(v *fastjson.Value, field string) ([]byte, error) {
	f := v.Get(field)
	if absent(f) {
		return nil, nil
	}
	if f.Type() != fastjson.TypeString {
		return nil, badItem(field, "got %.40s; want a string", f)
	}
	return f.GetStringBytes(), nil
}

// read reads a question with its options and its right answer into j, all but the model's answer.
func (s *suite) read(r *reader, it *scoring.Item, v scoring.Variants, j *job) error {
	f := it.Fields
	if b := f.GetStringBytes("benchmark"); len(b) > 0 && string(appendID(nil, b)) != s.name && string(appendID(nil, b)) != string(appendID(nil, []byte(s.title))) {
		return badItem("benchmark", "got %.40q; want %s", b, s.name)
	}
	if err := s.readFormat(it, j); err != nil {
		return err
	}
	if err := s.readGroup(r, f, v.On(AnyTaxonomy), j); err != nil {
		return err
	}
	j.run, j.model = max(1, it.Who.Repeat), it.Who.Model
	j.pictures = Pictures(f)
	if err := s.readRemarks(r, f, v.On(AnyTaxonomy), j); err != nil {
		return err
	}
	j.tokens = -1
	if n := f.Get("completion_tokens"); n != nil && n.Type() == fastjson.TypeNumber && n.GetInt() >= 0 {
		j.tokens = n.GetInt()
	}
	if err := s.readOptions(r, it, j); err != nil {
		return err
	}
	if err := s.readOptionKind(r, f, j); err != nil {
		return err
	}
	return s.readTruth(r, f, j)
}

// lacking implements scoring.Suite.Lacking.
func (s *suite) lacking(it *scoring.Item) error {
	l, f := scoring.LackingIn(it), it.Fields
	var j job
	if err := s.readFormat(it, &j); err != nil {
		return err
	}
	right := !absent(f.Get("answer")) || !absent(f.Get("answer_index"))
	if j.format == formatChoice {
		l.Want("options", "2 to 8 texts", "bad_item")
		if !right {
			l.Add("answer", "a label or the text of an option, or answer_index", "bad_item")
		}
	} else if !right && absent(f.Get("judge")) {
		l.Want("open_answer", "the ground truth, or options with answer", "bad_item")
	}
	return l.Err("want them in the line, or its id and --tasks " + s.name + "=FILE")
}

// readRemarks reads two tags of an answer: whether the model did not see the picture
// (docs/spec/vqa.md#r49), and the class of its error (docs/spec/vqa.md#r51). With any, classes
// that the paper does not have are taken as they are.
func (s *suite) readRemarks(r *reader, f *fastjson.Value, any bool, j *job) error {
	if b := f.Get("blind"); !absent(b) {
		blind, err := b.Bool()
		if err != nil {
			return badItem("blind", "got %.40s; want true or false", b)
		}
		j.blind = blind
	}
	b, err := text(f, "error_class")
	if err != nil || len(b) == 0 {
		return err
	}
	r.id = appendID(r.id[:0], b)
	for k, name := range errorClasses {
		if string(r.id) == name {
			j.errorClass = errorValues[k]
			return nil
		}
	}
	if !any {
		return badItem("error_class", "got %.60q; want one of %q (or --variant %s)", b, errorClasses, AnyTaxonomy)
	}
	j.errorClass = string(r.id)
	return nil
}

// readFormat reads how the question was asked: with options or open.
func (s *suite) readFormat(it *scoring.Item, j *job) error {
	b, err := text(it.Fields, "format")
	if err != nil {
		return err
	}
	j.format = cmp.Or(string(b), it.Test, formatChoice)
	if !slices.Contains(s.formats, j.format) {
		return badItem("format", "got %.40q; want one of %q", j.format, s.formats)
	}
	return nil
}

// readGroup reads category, subcategory and scale of the question. With any, names that the
// benchmark does not have are taken as they are.
func (s *suite) readGroup(r *reader, f *fastjson.Value, any bool, j *job) error {
	j.place = place{-1, -1}
	for _, field := range [...]string{"category", "subcategory"} {
		b, err := text(f, field)
		if err != nil {
			return err
		}
		if len(b) == 0 {
			continue
		}
		r.id = appendID(r.id[:0], b)
		p, ok := s.names[string(r.id)]
		ok = ok && (p.sub >= 0) == (field == "subcategory")
		switch {
		case !ok && any && field == "category":
			j.otherCategory = string(r.id)
		case !ok && any:
			j.otherSub = string(r.id)
		case !ok:
			return badItem(field, "got %.60q, which is none of %s; want one of its taxonomy (or --variant %s)", b, s.title, AnyTaxonomy)
		case field == "category":
			j.place.category = p.category
		case j.place.category >= 0 && j.place.category != p.category:
			return badItem(field, "got %.60q, which belongs to %s; want one of %s", b, s.categories[p.category].name, s.categories[j.place.category].name)
		default:
			j.place = p
		}
	}
	b, err := text(f, "scale")
	if err != nil {
		return err
	}
	if len(b) > 0 {
		r.id = appendID(r.id[:0], b)
		j.scale = knownScale(r.id)
		if j.scale == nil {
			j.scale = string(r.id)
		}
	}
	return nil
}

// scales are the seven scales of space that the paper names; others are taken as they are. See
// docs/spec/vqa.md#r7.
var scales = []string{"object", "room_space", "building_space", "spatial_structure", "urban_space", "abstract_geometry", "others"}

var scaleValues = boxed(scales)

// boxed returns names of the taxonomy as values of metrics, made once so that results allocate
// none.
func boxed(list []string) (out []any) {
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// knownScale returns the value of a metric for one of scales, nil for others.
func knownScale(id []byte) any {
	for k, s := range scales {
		if string(id) == s {
			return scaleValues[k]
		}
	}
	return nil
}

// readOptions reads the options as the item lists them, their labels, and the order in which they
// were shown.
func (s *suite) readOptions(r *reader, it *scoring.Item, j *job) error {
	list := it.Fields.Get("options")
	r.options = r.options[:0]
	if absent(list) {
		if j.format == formatOpen {
			return nil
		}
		return badItem("options", "got none; want 2 to %d texts", extract.Most)
	}
	all, err := list.Array()
	if err != nil || len(all) < 2 || len(all) > extract.Most {
		return badItem("options", "got %.40s; want a list of 2 to %d texts", list, extract.Most)
	}
	for k, o := range all {
		switch o.Type() {
		case fastjson.TypeString:
			r.options = append(r.options, o.GetStringBytes())
		case fastjson.TypeNull: // a missing option, as pandas writes it
			r.options = append(r.options, nil)
		case fastjson.TypeNumber, fastjson.TypeTrue, fastjson.TypeFalse:
			r.options = append(r.options, o.MarshalTo(nil))
		default:
			return badItem(fmt.Sprintf("options[%d]", k), "got %.40s; want a text", o)
		}
	}
	j.n = len(all)
	labels, err := text(it.Fields, "labels")
	if err != nil {
		return err
	}
	switch string(labels) {
	case "":
		j.style = styleOf(s.labels)
	case "numbers", "letters":
		j.style = styleOf(string(labels))
	default:
		return badItem("labels", "got %.40q; want numbers or letters", labels)
	}
	return j.readOrder(it)
}

// styleOf returns the style of labels that are called "numbers" or "letters".
func styleOf(labels string) extract.Style {
	if labels == "numbers" {
		return extract.Numbers
	}
	return extract.Letters
}

// readTruth reads which option is right and the ground truth of an open answer. answer and
// answer_index refer to the item's order of options; after that r.options are put in the order in
// which they were shown.
func (s *suite) readTruth(r *reader, f *fastjson.Value, j *job) error {
	j.gold = -1
	if j.n > 0 {
		r.choice.Options(j.style, r.options)
		if err := r.readGold(f, j); err != nil {
			return err
		}
	}
	if j.format == formatChoice {
		if j.gold < 0 {
			return badItem("answer", "got none; want answer_index, or answer as a label or the text of an option")
		}
		if j.shuffled {
			r.shuffle(j)
			r.choice.Options(j.style, r.options)
		}
		return nil
	}
	b, err := text(f, "open_answer")
	if err != nil {
		return err
	}
	switch {
	case len(b) > 0:
		j.truth = string(b)
	case j.gold >= 0:
		j.truth = string(r.options[j.gold])
	case absent(f.Get("judge")):
		return badItem("open_answer", "got none; want the ground truth of the open format, or the right option")
	}
	return nil
}

// readGold reads which option is right, from answer_index or answer, into j.gold. See
// docs/spec/vqa.md#r5.
func (r *reader) readGold(f *fastjson.Value, j *job) error {
	if at := f.Get("answer_index"); !absent(at) {
		n, err := at.Int()
		if err != nil || n < 0 || n >= j.n {
			return badItem("answer_index", "got %.40s; want an integer from 0 to %d", at, j.n-1)
		}
		j.gold = n
		return nil
	}
	a := f.Get("answer")
	if absent(a) {
		return nil
	}
	b := a.GetStringBytes()
	if a.Type() != fastjson.TypeString {
		b = jsontree.Append(r.text[:0], a)
	}
	got := r.choice.Read(b, true)
	if got.Option < 0 || got.Stage != 1 {
		if j.format == formatOpen {
			return nil // the answer of an open question is no option
		}
		return badItem("answer", "got %.60q; want the label or the full text of one option", b)
	}
	j.gold = got.Option
	return nil
}

// readOptionKind reads whether options are texts or only point to drawings, and infers it where
// the item does not say.
func (s *suite) readOptionKind(r *reader, f *fastjson.Value, j *job) error {
	if s.kind != spaceeval {
		return nil
	}
	b, err := text(f, "option_kind")
	if err != nil {
		return err
	}
	switch string(b) {
	case "text", "visual":
		j.visual = string(b) == "visual"
	case "":
		j.visual, j.inferred = visual(r.options), true
	default:
		return badItem("option_kind", "got %.40q; want text or visual", b)
	}
	return nil
}

// visual reports whether options only point to drawings: each is a short name, and either three or
// more say "option" or "in the image", or all are Roman numerals up to X. See docs/spec/vqa.md#r6.
func visual(options [][]byte) bool {
	worded, roman := 0, 0
	for _, o := range options {
		s := bytes.ToLower(bytes.TrimSpace(o))
		name, a := bytes.CutPrefix(s, []byte("option "))
		name, b := bytes.CutSuffix(name, []byte(" in the image"))
		if len(name) < 1 || len(name) > 4 {
			return false
		}
		for _, c := range name {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
				return false
			}
		}
		if a || b {
			worded++
		}
		switch string(name) {
		case "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x":
			if !a && !b {
				roman++
			}
		}
	}
	return worded >= 3 || roman == len(options)
}

// labelText returns the label of the option at index k.
func labelText(s extract.Style, k int) string {
	if s == extract.Numbers {
		return strconv.Itoa(k + 1)
	}
	return letters[k]
}

// letters name options in results, even where their labels are numbers. See docs/spec/vqa.md#r35.
var letters = [extract.Most]string{"A", "B", "C", "D", "E", "F", "G", "H"}

var letterValues = boxed(letters[:])
