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

// stringField returns the string in a member of a question's item, or nil where it is absent or
// null. Other types are an error.
func stringField(item *fastjson.Value, field string) ([]byte, error) {
	value := item.Get(field)
	if jsontree.Absent(value) {
		return nil, nil
	}
	if value.Type() != fastjson.TypeString {
		return nil, badItem(field, "got %.40s; want a string", value)
	}
	return value.GetStringBytes(), nil
}

// readQuestion reads everything of an item but the model's answer into j: taxonomy, pictures,
// options with their labels and order, and the right answer. The options stay in reader, in the order in
// which they were shown to the model.
func (suite *suite) readQuestion(reader *reader, item *scoring.Item, variants scoring.Variants, j *job) error {
	fields := item.Fields
	if named := fields.GetStringBytes("benchmark"); len(named) > 0 {
		given, title := string(appendID(nil, named)), string(appendID(nil, []byte(suite.title)))
		if given != suite.name && given != title {
			return badItem("benchmark", "got %.40q; want %s", named, suite.name)
		}
	}
	if err := suite.readFormat(item, j); err != nil {
		return err
	}
	if err := suite.readTaxonomy(reader, fields, variants.On(AnyTaxonomy), j); err != nil {
		return err
	}
	j.repeat, j.modelName = max(1, item.Who.Repeat), item.Who.Model
	j.pictures = Pictures(fields)
	if err := suite.readBlindAndErrorClass(reader, fields, variants.On(AnyTaxonomy), j); err != nil {
		return err
	}
	j.tokens = -1 // unknown
	if tokens := fields.Get("completion_tokens"); tokens != nil && tokens.Type() == fastjson.TypeNumber &&
		tokens.GetInt() >= 0 {
		j.tokens = tokens.GetInt()
	}
	if err := suite.readOptions(reader, item, j); err != nil {
		return err
	}
	if err := suite.readOptionKind(reader, fields, j); err != nil {
		return err
	}
	return suite.readTruth(reader, fields, j)
}

// lacking returns an error that names every member that the question's item needs and does not
// have, or nil where it has all. It implements scoring.Suite.MissingMembers.
func (suite *suite) lacking(it *scoring.Item) error {
	lacks, fields := scoring.LackingIn(it), it.Fields
	var j job // only for its format
	if err := suite.readFormat(it, &j); err != nil {
		return err
	}
	hasRight := !jsontree.Absent(fields.Get("answer")) || !jsontree.Absent(fields.Get("answer_index"))
	if j.format == formatChoice {
		lacks.AddIfAbsent("options", "2 to 8 texts", "bad_item")
		if !hasRight {
			lacks.Add("answer", "a label or the text of an option, or answer_index", "bad_item")
		}
	} else if !hasRight && jsontree.Absent(fields.Get("judge")) {
		lacks.AddIfAbsent("open_answer", "the ground truth, or options with answer", "bad_item")
	}
	return lacks.Err("want them in the line, or its id and --tasks " + suite.name + "=FILE")
}

// readBlindAndErrorClass reads two tags that describe the answer: whether the model did not
// see the picture (docs/spec/vqa.md#r49), and the class of its error (docs/spec/vqa.md#r51).
// A class that the paper does not have is refused unless allowUnknown.
func (suite *suite) readBlindAndErrorClass(reader *reader, fields *fastjson.Value, allowUnknown bool, j *job) error {
	if value := fields.Get("blind"); !jsontree.Absent(value) {
		blind, err := value.Bool()
		if err != nil {
			return badItem("blind", "got %.40s; want true or false", value)
		}
		j.blind = blind
	}
	value, err := stringField(fields, "error_class")
	if err != nil || len(value) == 0 {
		return err
	}
	reader.id = appendID(reader.id[:0], value)
	for k, name := range errorClasses {
		if string(reader.id) == name {
			j.errorClass = errorValues[k] // the same value for all items, so that results allocate none
			return nil
		}
	}
	if !allowUnknown {
		return badItem("error_class", "got %.60q; want one of %q (or --variant %s)", value, errorClasses, AnyTaxonomy)
	}
	j.errorClass = string(reader.id)
	return nil
}

// readFormat reads how the question was asked, with options or open: from the field format,
// else from the item's test, else with options.
func (suite *suite) readFormat(item *scoring.Item, j *job) error {
	value, err := stringField(item.Fields, "format")
	if err != nil {
		return err
	}
	j.format = cmp.Or(string(value), item.Test, formatChoice)
	if !slices.Contains(suite.formats, j.format) {
		return badItem("format", "got %.40q; want one of %q", j.format, suite.formats)
	}
	return nil
}

// readTaxonomy reads the category, subcategory and scale of the question. A category or subcategory that the
// benchmark does not have is refused unless allowUnknown; then its identifier is kept. Any scale is accepted.
func (suite *suite) readTaxonomy(reader *reader, fields *fastjson.Value, allowUnknown bool, j *job) error {
	j.place = taxonomyPlace{-1, -1}
	for _, field := range [...]string{"category", "subcategory"} {
		isCategory := field == "category"
		name, err := stringField(fields, field)
		if err != nil {
			return err
		}
		if len(name) == 0 {
			continue
		}
		reader.id = appendID(reader.id[:0], name)
		found, known := suite.places[string(reader.id)]
		known = known && isCategory == (found.sub < 0) // not the name of the other level
		switch {
		case !known && !allowUnknown:
			return badItem(field, "got %.60q, which is none of %s; want one of its taxonomy (or --variant %s)",
				name, suite.title, AnyTaxonomy)
		case !known && isCategory:
			j.otherCategory = string(reader.id)
		case !known:
			j.otherSub = string(reader.id)
		case !isCategory && j.place.category >= 0 && j.place.category != found.category:
			return badItem(field, "got %.60q, which belongs to %s; want one of %s", name,
				suite.categories[found.category].name, suite.categories[j.place.category].name)
		default:
			j.place = found
		}
	}
	name, err := stringField(fields, "scale")
	if err != nil {
		return err
	}
	if len(name) > 0 {
		reader.id = appendID(reader.id[:0], name)
		j.scale = knownScale(reader.id)
		if j.scale == nil {
			j.scale = string(reader.id)
		}
	}
	return nil
}

// scales are the seven scales of space that the paper names; others are taken as they are. See
// docs/spec/vqa.md#r7.
var scales = []string{"object", "room_space", "building_space", "spatial_structure", "urban_space",
	"abstract_geometry", "others"}

var scaleValues = metricValues(scales)

// metricValues returns names of the benchmark's taxonomy as values of metrics. They are made once,
// so that results allocate none.
func metricValues(list []string) (out []any) {
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// knownScale returns the scale of a question as the value of a metric, or nil for a name that is
// not one of scales.
func knownScale(id []byte) any {
	for k, s := range scales {
		if string(id) == s {
			return scaleValues[k]
		}
	}
	return nil
}

// readOptions reads the options into reader.options as the item lists them, then the style of
// their labels and the order in which they were shown. Numbers and booleans are options with
// their JSON text, and null is an empty one. An open question needs none.
func (suite *suite) readOptions(reader *reader, item *scoring.Item, j *job) error {
	list := item.Fields.Get("options")
	reader.options = reader.options[:0]
	if jsontree.Absent(list) {
		if j.format == formatOpen {
			return nil
		}
		return badItem("options", "got none; want 2 to %d texts", extract.MaxOptions)
	}
	options, err := list.Array()
	if err != nil || len(options) < 2 || len(options) > extract.MaxOptions {
		return badItem("options", "got %.40s; want a list of 2 to %d texts", list, extract.MaxOptions)
	}
	for i, option := range options {
		switch option.Type() {
		case fastjson.TypeString:
			reader.options = append(reader.options, option.GetStringBytes())
		case fastjson.TypeNull: // a missing option, as pandas writes it
			reader.options = append(reader.options, nil)
		case fastjson.TypeNumber, fastjson.TypeTrue, fastjson.TypeFalse:
			reader.options = append(reader.options, option.MarshalTo(nil))
		default:
			return badItem(fmt.Sprintf("options[%d]", i), "got %.40s; want a text", option)
		}
	}
	j.optionCount = len(options)
	labels, err := stringField(item.Fields, "labels")
	if err != nil {
		return err
	}
	switch string(labels) {
	case "":
		j.style = styleOf(suite.labels)
	case "numbers", "letters":
		j.style = styleOf(string(labels))
	default:
		return badItem("labels", "got %.40q; want numbers or letters", labels)
	}
	return j.readOrder(item)
}

// styleOf returns the style of option labels that is called "numbers" or "letters".
func styleOf(labels string) extract.Style {
	if labels == "numbers" {
		return extract.Numbers
	}
	return extract.Letters
}

// readTruth reads the right option of a question into j.gold, and the ground truth of an open answer into
// j.truth. A choice question needs a right option. An open one needs a ground truth, a right option, or a
// verdict that was recorded in the member judge. answer and answer_index refer to the item's own order, so the
// options are put into the order in which they were shown only after that.
func (suite *suite) readTruth(reader *reader, fields *fastjson.Value, j *job) error {
	j.gold = -1
	if j.optionCount > 0 {
		reader.choice.SetOptions(j.style, reader.options) // labels them in the item's own order
		if err := reader.readGold(fields, j); err != nil {
			return err
		}
	}
	if j.format == formatChoice {
		if j.gold < 0 {
			return badItem("answer", "got none; want answer_index, or answer as a label or the text of an option")
		}
		if j.shuffled {
			reader.putInShownOrder(j)
			reader.choice.SetOptions(j.style, reader.options) // labels them again, in the shown order
		}
		return nil
	}
	openAnswer, err := stringField(fields, "open_answer")
	if err != nil {
		return err
	}
	switch {
	case len(openAnswer) > 0:
		j.truth = string(openAnswer)
	case j.gold >= 0:
		j.truth = string(reader.options[j.gold])
	case jsontree.Absent(fields.Get("judge")): // no recorded verdict either
		return badItem("open_answer", "got none; want the ground truth of the open format, or the right option")
	}
	return nil
}

// readGold reads the index of the right option into j.gold: from answer_index, else from answer,
// which must be a label or the full text of one option. It stays -1 where the item has neither, and
// where the answer of an open question is not an option. See docs/spec/vqa.md#r5.
func (reader *reader) readGold(fields *fastjson.Value, j *job) error {
	if index := fields.Get("answer_index"); !jsontree.Absent(index) {
		gold, err := index.Int()
		if err != nil || gold < 0 || gold >= j.optionCount {
			return badItem("answer_index", "got %.40s; want an integer from 0 to %d", index, j.optionCount-1)
		}
		j.gold = gold
		return nil
	}
	answer := fields.Get("answer")
	if jsontree.Absent(answer) {
		return nil
	}
	said := answer.GetStringBytes()
	if answer.Type() != fastjson.TypeString {
		said = jsontree.Append(reader.text[:0], answer)
	}
	const strict = true
	reading := reader.choice.Read(said, strict)
	if isJustOption := sourceOf(reading) == sourceLiteral; !isJustOption { // more than a label or an option's text
		if j.format == formatOpen {
			return nil // the answer of an open question is no option
		}
		return badItem("answer", "got %.60q; want the label or the full text of one option", said)
	}
	j.gold = reading.Option
	return nil
}

// readOptionKind reads whether SpaCE-Eval's options are texts or only point to drawings, and
// infers it from the options where the item does not say.
func (suite *suite) readOptionKind(reader *reader, fields *fastjson.Value, j *job) error {
	if suite.benchmark != spaceeval {
		return nil
	}
	kind, err := stringField(fields, "option_kind")
	if err != nil {
		return err
	}
	switch string(kind) {
	case "text", "visual":
		j.visualOptions = string(kind) == "visual"
	case "":
		j.visualOptions, j.kindInferred = optionsPointToDrawings(reader.options), true
	default:
		return badItem("option_kind", "got %.40q; want text or visual", kind)
	}
	return nil
}

// optionsPointToDrawings reports whether options only point to drawings: each is a name of
// one to four letters or digits, and either three or more say "option" or "in the image", or
// all are Roman numerals up to X. See docs/spec/vqa.md#r6.
func optionsPointToDrawings(options [][]byte) bool {
	worded, roman := 0, 0
	for _, option := range options {
		// The name without what may stand around it, as in "Option B in the image".
		lower := bytes.ToLower(bytes.TrimSpace(option))
		name, hasPrefix := bytes.CutPrefix(lower, []byte("option "))
		name, hasSuffix := bytes.CutSuffix(name, []byte(" in the image"))
		if len(name) < 1 || len(name) > 4 {
			return false
		}
		for _, c := range name {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
				return false
			}
		}
		if hasPrefix || hasSuffix {
			worded++
		}
		switch string(name) {
		case "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x":
			if !hasPrefix && !hasSuffix {
				roman++
			}
		}
	}
	return worded >= 3 || roman == len(options)
}

// labelText returns the label of option i of a question: "1", "2", ... or "A", "B", ...
func labelText(style extract.Style, i int) string {
	if style == extract.Numbers {
		return strconv.Itoa(i + 1)
	}
	return letters[i]
}

// letters name options in results, even where their labels are numbers. See docs/spec/vqa.md#r35.
var letters = [extract.MaxOptions]string{"A", "B", "C", "D", "E", "F", "G", "H"}

var letterValues = metricValues(letters[:])
