package explorer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/index"
	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/plural"
)

// answer is a result with its line in a dump.
type answer struct {
	result     *scoring.Result
	resultLine []byte
	resultJSON *fastjson.Value // the same, parsed; nil where it is no result
	dumpLine   []byte          // nil where there is none
	source     string          // file of the dump line, "" where it is not known
	lineNumber int             // of the dump line, from 1
	copied     bool            // the dump line is that of a copy, in which dumps of other tools have lines of plumb's own
	item       *scoring.Item   // nil where it cannot be read
	why        string          // why there is no item
}

// key identifies a panel by what it is made of.
func (a *answer) key(panel int) string {
	return fmt.Sprintf("%x %x %d", xxhash.Sum64(a.resultLine), xxhash.Sum64(a.dumpLine), panel)
}

// read reads a result line and finds its answer in the dumps. The error is about the result
// line. If there is no answer, its field why says so.
func (explorer *Explorer) read(opened *opened, row int) (*answer, error) {
	i, pos, ok := opened.set.Find(row)
	if !ok {
		return nil, fmt.Errorf("cannot show row %d: there are %d", row, opened.set.Rows())
	}
	file := opened.set.Files[i]
	if given := opened.reportLines[row]; given != nil {
		return explorer.readGiven(given), nil
	}
	raw, err := file.Line(pos)
	if err != nil {
		return nil, err
	}
	answer := newAnswer(raw)
	switch {
	case answer.resultJSON == nil: // newAnswer has said why
	case len(opened.dumps) == 0:
		answer.why = "no dump is open (--dump), so the answer and its pictures are not shown"
	default:
		explorer.findLine(opened, answer, file.Answer[pos])
	}
	return answer, nil
}

// newAnswer reads a result line. If it is no result, resultJSON is nil and why says so.
func newAnswer(raw []byte) *answer {
	a := &answer{resultLine: raw, result: &scoring.Result{}}
	var p fastjson.Parser
	var err error
	if a.resultJSON, err = p.ParseBytes(raw); err == nil {
		a.result, err = scoring.CheckResult(a.resultJSON)
	}
	if err != nil {
		a.resultJSON, a.result, a.why = nil, &scoring.Result{}, err.Error()
	}
	return a
}

// findLine finds the dump line with that key that is of the result's test, and reads it as an item. It looks
// first into the dump that the result names as its file. If no dump has such a line, a.why says so.
func (explorer *Explorer) findLine(opened *opened, answer *answer, key uint64) {
	dumps := opened.dumps
	named := slices.IndexFunc(dumps, func(d *index.Dump) bool { return d.Path == answer.result.Who.File })
	if named > 0 { // it is not the first: look into it before the others, which may have an answer of the same identity
		dumps = slices.Insert(slices.Clone(dumps), 0, dumps[named])
	}
	suite := explorer.cfg.Items.Suites.Find(answer.result.Suite)
	for _, d := range dumps {
		lines, numbers, err := d.Find(key)
		if err != nil {
			answer.why = err.Error()
			return
		}
		for i, l := range lines {
			test := fastjson.GetString(l, "test")
			if test == "" && suite != nil {
				// In suites of questions the format is the test.
				if format := fastjson.GetString(l, "format"); slices.Contains(suite.Tests, format) {
					test = format
				}
			}
			if test != "" && test != answer.result.Test {
				continue
			}
			answer.source, answer.dumpLine, answer.lineNumber, answer.copied = d.Path, l, numbers[i], d.Copied
			break
		}
		if answer.dumpLine != nil {
			break
		}
	}
	if answer.dumpLine == nil {
		answer.why = "no open dump has an answer with this id, model, repeat and turn that can be read"
		return
	}
	explorer.readItem(answer, dump.Line{Number: answer.lineNumber, Bytes: answer.dumpLine})
}

// readItem decodes the dump line of an answer. If that fails, answer.item is nil or answer.why says
// what is wrong.
func (explorer *Explorer) readItem(answer *answer, l dump.Line) {
	item, fault := dump.NewDecoder(explorer.cfg.Items).Item(l, answer.result.Suite)
	if fault != nil {
		answer.why = "the answer cannot be read: " + fault.Message
	}
	answer.item = item
	if item != nil && item.Fields == nil { // the line is no JSON object
		answer.item = nil
	}
}

// exhibit returns the pictures and texts that explain a score, and the suite of the item.
// whyNone says why there are none, "" if there are.
func (explorer *Explorer) exhibit(answer *answer) (exhibit scoring.Exhibit, suite *scoring.Suite, whyNone string) {
	if answer.item == nil || answer.why != "" {
		return exhibit, nil, answer.why
	}
	suite = explorer.cfg.Items.Suites.Find(answer.item.Suite)
	if suite == nil {
		return exhibit, nil, fmt.Sprintf("no pictures: suite %q is not known here", answer.item.Suite)
	}
	job, err := suite.Prepare(answer.item, explorer.cfg.Variants)
	if err != nil {
		return exhibit, suite, "no pictures: " + err.Error()
	}
	shower, ok := job.(scoring.Shower)
	if !ok {
		return exhibit, suite, "no pictures: suite " + suite.Name + " has none to show"
	}
	return shower.Show(answer.result), suite, ""
}

// limits are the bytes that a page shows of the texts of one item.
type limits struct{ answer, raw, prompt int }

// Limits of pages and of saved pages, which hold the texts of all of their items.
var (
	pageLimits  = limits{256 << 10, 128 << 10, 64 << 10}
	savedLimits = limits{20_000, 20_000, 20_000}
)

// Bounds of what a page shows of one result, because files may hold any number of things of any length.
const (
	maxOthers   = 100  // other answers, and parts of the answer
	maxPartName = 200  // bytes of the name of a part
	maxIDShown  = 4096 // bytes of the id
	maxNotes    = 1000
)

// item answers GET item: everything about one result, its place in the list that filter and order
// give, and other results of the same question.
func (explorer *Explorer) item(ctx context.Context, opened *opened, row int, filter index.Filter, order index.Sort) (*Item, error) {
	answer, err := explorer.read(opened, row)
	if err != nil {
		return nil, err
	}
	out, _ := explorer.describe(ctx, opened, row, answer, order.By, &pageLimits)
	opened.place(out, row, filter, order)
	opened.others(out, row)
	return out, nil
}

// describe describes one result without its neighbours in a list. It also returns the
// picture of each panel, empty for one that could not be drawn. sortKey is the key of the
// list's order, and limits bounds the bytes of texts.
func (explorer *Explorer) describe(ctx context.Context, opened *opened, row int, answer *answer, sortKey string, limits *limits) (*Item, []drawn) {
	// The result.
	x, suite, whyNone := explorer.exhibit(answer)
	out := &Item{Row: opened.row(row, sortKey), Problem: whyNone, NoteList: []Note{}, Metrics: []Metric{}, Panels: []Panel{}, Texts: []Text{}, Answer: []Segment{},
		Others: []Row{}, Parts: []Part{}, Arms: [][]string{}, First: max(0, min(x.First, len(x.Panels)-1)), Raw: cut(string(answer.resultLine), limits.raw)}
	if answer.resultJSON != nil {
		out.describe(answer, explorer.cfg.Items.Suites.Find(answer.result.Suite))
	}
	// Its pictures and texts.
	var pictures []drawn
	for i := range x.Panels {
		p, d := explorer.describePanel(ctx, answer, i, &x.Panels[i])
		out.Panels = append(out.Panels, p)
		pictures = append(pictures, d)
	}
	for _, t := range x.Texts {
		out.Texts = append(out.Texts, Text{t.Title, cut(t.Body, limits.prompt)})
	}
	// Where its result and its answer come from.
	i, at, _ := opened.set.Find(row)
	if opened.reportLines == nil {
		out.File = fmt.Sprintf("%s, byte %d", opened.set.Files[i].Path, opened.set.Files[i].At(at))
	}
	if answer.source != "" {
		out.Line = fmt.Sprintf("%s, line %d", answer.source, answer.lineNumber)
		if answer.copied && answer.result.Who.At != "" {
			out.Line = fmt.Sprintf("%s, %s", answer.source, answer.result.Who.At)
		}
		out.Command = explorer.command(answer)
	}
	// The answer itself, and what the model was asked.
	if answer.item != nil {
		out.answered(answer, suite, explorer.cfg.Variants, limits.answer)
		if suite != nil && suite.MovableParts != nil && answer.why == "" {
			for _, p := range suite.MovableParts(answer.item, explorer.cfg.Variants) {
				if sane(p.X, p.Y) && len(out.Parts) < maxOthers {
					out.Parts = append(out.Parts, Part{cut(p.Name, maxPartName), p.X, p.Y})
				}
			}
		}
		out.Prompt, out.PromptOf = promptOf(answer.item, suite)
		out.Prompt = cut(out.Prompt, limits.prompt)
	} else if answer.dumpLine != nil {
		out.Answer = []Segment{{Text: cut(string(answer.dumpLine), limits.answer)}}
	}
	return out, pictures
}

// cut shortens a text to at most limit bytes, at the boundary of a character, and says how
// many bytes are left out. Bytes that are not UTF-8 are replaced.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= limit {
		return text
	}
	n := limit
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return fmt.Sprintf("%s\n[%s not shown]", text[:n], plural.Of(len(text)-n, "further byte is", "further bytes are"))
}

// place sets the number of a row in the list that filter and sort give, the length of the list, and
// the rows before and after it. Position is -1 if the list does not have the row.
func (opened *opened) place(out *Item, row int, filter index.Filter, sort index.Sort) {
	order := opened.set.Order(filter, sort)
	out.Total, out.Position = len(order), slices.Index(order, uint32(row))
	if i := out.Position; i >= 0 {
		if i > 0 {
			n := int(order[i-1])
			out.Previous = &n
		}
		if i+1 < len(order) {
			n := int(order[i+1])
			out.Next = &n
		}
	}
}

// others adds the other results of the same question in all files, at most maxOthers.
func (opened *opened) others(out *Item, row int) {
	i, at, _ := opened.set.Find(row)
	key := opened.set.Files[i].Item[at]
	for k, f := range opened.set.Files {
		first := opened.set.First(k)
		for n, item := range f.Item {
			if item == key && first+n != row && len(out.Others) < maxOthers {
				out.Others = append(out.Others, opened.row(first+n, ""))
			}
		}
	}
}

// describe sets what the page of one item shows of its result line: id, reward, error, notes, metrics,
// and a list of how the model was asked, in which empty values and zeros are left out. suite is nil for a
// result of an unknown suite, whose metrics are not explained.
func (out *Item) describe(answer *answer, suite *scoring.Suite) {
	result := answer.result
	out.ID = cut(result.ID, maxIDShown)
	if v := answer.resultJSON.Get("reward"); v != nil && v.Type() == fastjson.TypeNumber {
		out.Reward = scoring.Finite(v.GetFloat64())
	}
	if result.Err != nil {
		out.Message = result.Err.Message
	}
	for _, n := range result.Notes[:min(len(result.Notes), maxNotes)] {
		out.NoteList = append(out.NoteList, Note{n.Code, n.Path, n.Message})
	}
	answer.resultJSON.GetObject("metrics").Visit(func(name []byte, v *fastjson.Value) {
		out.Metrics = append(out.Metrics, Metric{string(name), json.RawMessage(jsontree.Append(nil, v)), formula(suite, string(name))})
	})
	// How the model was asked.
	add := func(name, value string) {
		if value != "" && value != "0" {
			out.Arms = append(out.Arms, []string{name, value})
		}
	}
	add("model", result.Who.Model)
	for i, name := range []string{"mode", "input", "setting", "format", "method"} {
		add(name, result.Who.Arm()[i])
	}
	add("repeat", strconv.Itoa(result.Who.Repeat))
	add("turn", strconv.Itoa(result.Who.Turn))
	add("finish reason", result.Who.FinishReason)
	add("cut", result.Who.Cut)
	add("backend", result.Backend)
	add("scorer", string(answer.resultJSON.GetStringBytes("scorer")))
	for _, name := range []string{"file", "at", "key"} {
		if v := answer.resultJSON.Get(name); v != nil {
			add(name, strings.Trim(v.String(), `"`))
		}
	}
	if s, ok := result.Who.Settings().Seconds(); ok {
		add("seconds", strconv.FormatFloat(s, 'f', 2, 64))
	}
	if c, ok := result.Who.Settings().Cost(); ok {
		add("cost", strconv.FormatFloat(c, 'g', 4, 64))
	}
}

// names of the forms and tones of marks, by their numbers.
var (
	forms = []string{"dot", "cross", "ring", "box", "span", "gap", "dart", "wedge"}
	tones = []string{"goal", "good", "bad", "was", "is"}
)

// panelWidth is the width in px of the pictures in an item.
const panelWidth = 760

// describePanel draws a panel and describes it with its marks. If it cannot be drawn, Error
// says why, and its marks are shown if the bounds of the panel are known. Marks with
// coordinates beyond maxCoordinate are left out. n is the number of the panel in its item.
func (explorer *Explorer) describePanel(ctx context.Context, answer *answer, n int, panel *scoring.Panel) (Panel, drawn) {
	out := Panel{Title: panel.Title, Cover: panel.View.SecondIDs != nil, Box: []float64{}, Marks: []Mark{}, Lost: []Lost{}, Axes: []float64{}}
	picture, err := explorer.panel(ctx, answer.key(n), panel, panelWidth)
	if err != nil {
		out.Error = err.Error()
		bounds := panel.View.Bounds
		boundsAreKnown := bounds.W > 0 && bounds.H > 0 && bounds.W < maxPanel && bounds.H < maxPanel
		if panel.Image != nil || !boundsAreKnown {
			return out, drawn{}
		}
		picture.picture.Box = bounds
	}
	// Where on the page the picture lies.
	box := picture.picture.Box
	out.Box = []float64{box.X, box.Y, box.W, box.H}
	if panel.Axes != nil {
		if at := panel.Axes(); sane(at.X, at.Y, at.UnitX, at.UnitY) {
			out.Axes = []float64{at.X, at.Y, at.UnitX, at.UnitY}
		}
	}
	// What is marked in it.
	for _, mark := range panel.Marks {
		if !sane(mark.A.X, mark.A.Y, mark.B.X, mark.B.Y, mark.R, mark.From, mark.To) {
			continue
		}
		out.Marks = append(out.Marks, Mark{forms[mark.Form], tones[mark.Tone], []float64{mark.A.X, mark.A.Y}, []float64{mark.B.X, mark.B.Y}, mark.R, mark.From, mark.To, mark.Text})
	}
	// What could not be drawn.
	for _, missing := range picture.picture.Lost {
		lost := Lost{Name: missing.Name, Why: missing.Why}
		for _, corner := range missing.Corners {
			if !sane(corner.X, corner.Y) {
				corner.X, corner.Y = 0, 0
			}
			lost.Corners = append(lost.Corners, corner.X, corner.Y)
		}
		out.Lost = append(out.Lost, lost)
	}
	return out, picture
}

// Pages draw marks within maxCoordinate of the origin, and panels of less than maxPanel a side, both in
// units of the panel's picture.
const (
	maxCoordinate = 1e7
	maxPanel      = 1e6
)

// sane reports whether all coordinates are numbers from -maxCoordinate to maxCoordinate.
func sane(list ...float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return !(v >= -maxCoordinate && v <= maxCoordinate) })
}

// answered fills in the answer's text, at most limit bytes, in up to three segments: before, within
// and after the part that was read as the answer. Reading says why no part is marked.
func (out *Item) answered(answer *answer, suite *scoring.Suite, variants scoring.Variants, limit int) {
	text, isText := answerText(answer.item.Fields)
	if text == "" && isMissing(answer.item.Fields) {
		out.Reading = "there is no answer: the response is missing"
		return
	}
	from, to := 0, 0
	switch {
	case !isText:
		out.Reading = "the answer is no text; all of it was read"
	case suite == nil || suite.Reading == nil:
		out.Reading = "the part that was read is not marked for this suite"
	default:
		var ok bool
		if from, to, ok = suite.Reading(answer.item, variants); !ok {
			out.Reading, from, to = "nothing in the answer was read as an answer", 0, 0
		}
	}
	end := len(text)
	if end > limit {
		end = limit
		out.AnswerCut = len(text) - end
	}
	from, to = min(from, end), min(to, end)
	for _, s := range []struct {
		from, to int
		read     bool
	}{{0, from, false}, {from, to, true}, {to, end, false}} {
		if s.from < s.to {
			out.Answer = append(out.Answer, Segment{strings.ToValidUTF8(text[s.from:s.to], "\ufffd"), s.read})
		}
	}
}

// answerText returns the answer of a dump line: actions if it has any, else response. isText is false if the
// answer is an object or a list; then its JSON is returned. A missing answer is the text "".
func answerText(v *fastjson.Value) (text string, isText bool) {
	response := v.Get("response")
	if actions := v.Get("actions"); actions != nil && actions.Type() != fastjson.TypeNull {
		response = actions
	}
	switch {
	case response == nil || response.Type() == fastjson.TypeNull:
		return "", true
	case response.Type() == fastjson.TypeString:
		return string(response.GetStringBytes()), true
	}
	return string(jsontree.Append(nil, response)), false
}

// isMissing reports whether a dump line has neither a response nor actions.
func isMissing(v *fastjson.Value) bool {
	absent := func(name string) bool { x := v.Get(name); return x == nil || x.Type() == fastjson.TypeNull }
	return absent("response") && absent("actions")
}

// promptOf returns the prompt of an item and where it is from: the dump, or else the suite's
// own prompt. Both are "" if neither has one.
func promptOf(item *scoring.Item, suite *scoring.Suite) (text, of string) {
	if p := item.Fields.GetStringBytes("prompt"); len(p) > 0 {
		return string(p), "the prompt in the dump"
	}
	if suite == nil || suite.Prompt == nil {
		return "", ""
	}
	p, err := suite.Prompt(item, scoring.PromptOptions{})
	if err != nil {
		return "", ""
	}
	return p, "the dump has no prompt; plumb asks this one"
}

// command returns a shell command that scores an answer alone: from its line in the dump, or if the dump is a
// copy, from the line itself, unless that is longer than maxInline; then it returns "".
func (explorer *Explorer) command(answer *answer) string {
	args := append([]string{"plumb", "score"}, explorer.cfg.Flags...)
	if fastjson.GetString(answer.dumpLine, "suite") == "" && answer.result.Suite != "" && !slices.Contains(explorer.cfg.Flags, "--suite") {
		args = append(args, "--suite", answer.result.Suite)
	}
	for i, s := range args {
		args[i] = quoted(s)
	}
	if !answer.copied {
		return fmt.Sprintf("sed -n %dp %s | %s -", answer.lineNumber, quoted(answer.source), strings.Join(args, " "))
	}
	if len(answer.dumpLine) > maxInline {
		return ""
	}
	return fmt.Sprintf("printf '%%s\\n' %s | %s -", quoted(string(answer.dumpLine)), strings.Join(args, " "))
}

// maxInline is how many bytes of a line stand in the command that scores it.
const maxInline = 64 << 10

// quoted returns an argument quoted for a shell, or as it is if no character needs quotes.
func quoted(text string) string {
	needsQuotes := func(r rune) bool {
		return !strings.ContainsRune("+-./:=_,@%", r) && !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
	}
	if text != "" && strings.IndexFunc(text, needsQuotes) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// errNoPicture says that an item has no picture, which is no fault.
var errNoPicture = errors.New("there is no picture")

// picture returns a panel of the exhibit of a row of results as a picture. It is at least `wide` px wide, but
// not wider than the largest of widths, the sizes that are drawn. Panel -1 is the one that is shown first.
func (explorer *Explorer) picture(ctx context.Context, opened *opened, row, panel, wide int) (drawn, error) {
	answer, err := explorer.read(opened, row)
	if err != nil {
		return drawn{}, err
	}
	shown, _, whyNone := explorer.exhibit(answer)
	if panel < 0 {
		panel = shown.First
	}
	if panel >= len(shown.Panels) {
		return drawn{}, fmt.Errorf("%w: %s", errNoPicture, cmp.Or(whyNone, "the item has none"))
	}
	return explorer.panel(ctx, answer.key(panel), &shown.Panels[panel], wide)
}
