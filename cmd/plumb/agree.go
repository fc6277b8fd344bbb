package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/plural"
	"plumb/scoring/vqa/agree"
)

// agreeCmd is `plumb agree`.
type agreeCmd struct {
	Cases  string `arg:"" name:"file" help:"Cases: one JSON object per line. Its members judge and annotators hold lists of labels (annotators one list each), and the line is a study; or they hold one label each, the line is one item, and all such lines are one study. The member category groups items. - is standard input."`
	Output string `short:"o" default:"-" placeholder:"FILE" help:"File for the results, one JSON line per study; - is standard output."`
	limitFlags
}

// Run measures how far a judge agrees with human annotators, by accuracy and by kappa, which is agreement
// beyond chance. A line of the input is a whole study with lists of labels, or a single item with one
// label of each. It writes one line for each study. All single items together are one further study,
// which comes last and has the id "all".
func (cmd *agreeCmd) Run(std streams) error {
	reader, err := openDump(cmd.Cases, cmd.lines(), std.in)
	if err != nil {
		return err
	}
	defer reader.Close()
	out, err := output(cmd.Output, std, cmd.Cases)
	if err != nil {
		return err
	}
	var singleItems study // collects the lines that are one item each
	cases := 0
	for err == nil {
		var line dump.Line
		line, err = reader.Next()
		if err == nil {
			cases++
			err = cmd.readLine(out, line, &singleItems)
		}
	}
	if err == io.EOF { // all lines are read
		err = nil
		if cases == 0 {
			err = errors.New("it has no lines; want one case on each line")
		}
		if len(singleItems.Judge) > 0 {
			_, err = out.Write(singleItems.appendJSON(nil, "all"))
		}
	}
	if err != nil {
		err = fmt.Errorf("cannot measure agreement of %s: %w", cmd.Cases, err)
	}
	return out.finish(err)
}

// study holds the labels of a judge and of annotators, with the category of each item.
type study struct {
	agree.Study
	categories []string // "" for items that name none
}

// readLine reads one line of the input of `plumb agree`. A line whose labels are lists is a whole study of how
// far a judge agrees with annotators, and its agreement is written to out. A line with one label of each
// is a single item, and is added to the study singleItems.
func (cmd *agreeCmd) readLine(out io.Writer, line dump.Line, singleItems *study) error {
	err := cmd.scenes().Check(line.Bytes) // the depth and size of its JSON
	if line.Fault != "" {
		err = errors.New(line.Fault)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", line.Number, err)
	}
	value, err := fastjson.ParseBytes(line.Bytes)
	if err != nil {
		return fmt.Errorf("line %d: %w", line.Number, err)
	}
	judge := value.Get("judge")
	// A single label: the line is one item.
	if judge == nil || judge.Type() != fastjson.TypeArray {
		if err := singleItems.addItem(value); err != nil {
			return fmt.Errorf("line %d: %w", line.Number, err)
		}
		return nil
	}
	var whole study
	if err := whole.read(value); err != nil {
		return fmt.Errorf("line %d: %w", line.Number, err)
	}
	id := string(value.GetStringBytes("id"))
	if id == "" {
		id = "line:" + strconv.Itoa(line.Number)
	}
	_, err = out.Write(whole.appendJSON(nil, id))
	return err
}

// read reads a line of `plumb agree` that is a whole study: lists of labels of the judge and of each
// annotator, and optionally of the items' categories. All lists must have a label for each item.
func (study *study) read(value *fastjson.Value) (err error) {
	if study.Judge, err = labels("judge", value.Get("judge")); err != nil {
		return err
	}
	all := value.Get("annotators")
	if all == nil || all.Type() != fastjson.TypeArray {
		return fmt.Errorf("cannot read annotators: got %s; want a list with a list of labels for each", all)
	}
	for k, annotator := range all.GetArray() {
		name := fmt.Sprintf("annotators[%d]", k)
		list, err := labels(name, annotator)
		if err == nil && len(list) != len(study.Judge) {
			err = fmt.Errorf("cannot read %s: got %s; want %d as of the judge (null for a missing one)", name, plural.Of(len(list), "label"), len(study.Judge))
		}
		if err != nil {
			return err
		}
		study.Annotators = append(study.Annotators, list)
	}
	if categories := value.Get("category"); categories != nil && categories.Type() == fastjson.TypeArray {
		study.categories, err = labels("category", categories)
		if err == nil && len(study.categories) != len(study.Judge) {
			err = fmt.Errorf("cannot read category: got %s; want %d, one for each item", plural.Of(len(study.categories), "name"), len(study.Judge))
		}
	}
	return err
}

// addItem adds a line of `plumb agree` that is one item: a label of the judge, one of each annotator, and
// the category of the item, "" for none. All items have the same number of annotators; null stands for a
// label that is missing.
func (study *study) addItem(value *fastjson.Value) error {
	if value.Type() != fastjson.TypeObject {
		return fmt.Errorf("cannot read item: got %s; want an object with judge and annotators", value.Type())
	}
	if value.Get("judge") == nil {
		return errors.New("cannot read judge: got none; want a label or a list of labels")
	}
	judge, err := label("judge", value.Get("judge"))
	if err != nil {
		return err
	}
	all, err := labels("annotators", value.Get("annotators"))
	if err != nil {
		return err
	}
	// The first item says how many annotators there are.
	if len(study.Judge) > 0 && len(all) != len(study.Annotators) {
		return fmt.Errorf("cannot read annotators: got %s; want %d as before (null for a missing one)", plural.Of(len(all), "label"), len(study.Annotators))
	}
	if len(study.Judge) == 0 {
		study.Annotators = make([][]string, len(all))
	}
	study.Judge = append(study.Judge, judge)
	for k, ofAnnotator := range all {
		study.Annotators[k] = append(study.Annotators[k], ofAnnotator)
	}
	study.categories = append(study.categories, string(value.GetStringBytes("category")))
	return nil
}

// labels reads a JSON list of labels that a judge or annotator gave; a missing one, null, is "". name is
// the place of the list in the line, for errors.
func labels(name string, value *fastjson.Value) (out []string, err error) {
	if value == nil || value.Type() != fastjson.TypeArray {
		return nil, fmt.Errorf("cannot read %s: got %s; want a list of labels", name, value)
	}
	for k, element := range value.GetArray() {
		text, err := label(fmt.Sprintf("%s[%d]", name, k), element)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// label reads one label that a judge or annotator gave: a text, a number or a truth value, each as a text. It
// returns "" for null, which is a missing label. name is the place of the label in the line, for errors.
func label(name string, value *fastjson.Value) (string, error) {
	switch value.Type() {
	case fastjson.TypeNull:
		return "", nil
	case fastjson.TypeString:
		return string(value.GetStringBytes()), nil
	case fastjson.TypeNumber:
		return strconv.FormatFloat(value.GetFloat64(), 'g', -1, 64), nil
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return value.String(), nil
	}
	return "", fmt.Errorf("cannot read %s: got %.40s; want a text, a number, true or false", name, value)
}

// appendJSON appends a JSON line with how far the judge of a study agrees with the annotators, for all
// items, and for the items of each category where items name categories.
func (study *study) appendJSON(dst []byte, id string) []byte {
	dst = scoring.AppendString(append(dst, `{"id":`...), id)
	dst = appendAgreement(append(dst, ','), agree.Measure(study.Study))
	first := true
	for _, name := range study.categoryNames() {
		if first {
			dst = append(dst, `,"categories":{`...)
		} else {
			dst = append(dst, ',')
		}
		first = false
		dst = scoring.AppendString(dst, name)
		dst = append(dst, ":{"...)
		dst = appendAgreement(dst, agree.Measure(study.ofCategory(name)))
		dst = append(dst, '}')
	}
	if !first {
		dst = append(dst, '}')
	}
	return append(dst, "}\n"...)
}

// categoryNames returns each category of the items once, in order of appearance. Items without a
// category have no name here: they count in the whole study alone.
func (study *study) categoryNames() (out []string) {
	seen := map[string]bool{"": true} // "" is no category
	for _, name := range study.categories {
		if !seen[name] {
			out = append(out, name)
		}
		seen[name] = true
	}
	return out
}

// ofCategory returns the study of the items of one category alone: the labels that the judge and each
// annotator gave these items.
func (study *study) ofCategory(name string) (part agree.Study) {
	part.Annotators = make([][]string, len(study.Annotators))
	for i, category := range study.categories {
		if category != name {
			continue
		}
		part.Judge = append(part.Judge, study.Judge[i])
		for k := range study.Annotators {
			part.Annotators[k] = append(part.Annotators[k], study.Annotators[k][i])
		}
	}
	return part
}

// appendAgreement appends the measures of how far a judge agrees with annotators, as members of a JSON object,
// without its braces. A measure that is undefined, such as the kappa of labels that are all equal, is null.
func appendAgreement(dst []byte, agreement agree.Agreement) []byte {
	number := func(dst []byte, x *float64) []byte {
		if x == nil {
			return append(dst, "null"...)
		}
		return scoring.AppendFloat(dst, *x)
	}
	numbers := func(dst []byte, list []*float64) []byte {
		dst = append(dst, '[')
		for i, x := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = number(dst, x)
		}
		return append(dst, ']')
	}
	dst = fmt.Appendf(dst, `"n":%d,"ties":%d,"missing":%d`, agreement.N, agreement.Ties, agreement.Missing)
	dst = number(append(dst, `,"accuracy_majority":`...), agreement.AccuracyMajority)
	dst = number(append(dst, `,"kappa_majority":`...), agreement.KappaMajority)
	dst = numbers(append(dst, `,"kappa_each":`...), agreement.KappaEach)
	dst = numbers(append(dst, `,"accuracy_each":`...), agreement.AccuracyEach)
	dst = number(append(dst, `,"fleiss_annotators":`...), agreement.FleissAnnotators)
	return number(append(dst, `,"fleiss_with_judge":`...), agreement.FleissWithJudge)
}
