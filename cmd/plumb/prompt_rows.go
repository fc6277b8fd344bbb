package main

import (
	"encoding/base64"
	"errors"
	"sync"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/render/font"
	"plumb/render/jsontree"
	"plumb/scoring"
)

// rows writes one row of a data set per task of a file: what the model is asked, its pictures and
// the label by which its answer is scored. The label is the whole task, so that a row needs no
// task file.
func (c *promptCmd) rows(std streams, suites scoring.Suites) error {
	switch {
	case c.Items == "" || c.Items == "-":
		return usage("cannot write rows: want a file of tasks")
	case c.Images != "" || c.Turn2 != "" || len(c.Tasks) > 0:
		return usage("cannot use --images, --tasks or --second-turn with --rows: pictures are in the rows, and the file of tasks is the argument")
	case c.Suite == "tangram" && c.Test == "outline":
		return usage("cannot write rows of --test outline: its options are in the lines of plumb tangram items; want --test solution")
	}
	if err := font.Use(c.FontsDir); err != nil {
		return err
	}
	suite := suites.Find(c.Suite)
	tasks, err := dump.TaskSource{Path: c.Items, Rule: suite.Tasks, Limits: c.lines(), JSON: c.scenes(), Whole: true}.Load()
	if err != nil {
		return err
	}
	out, err := output(c.Output, std, c.Items)
	if err != nil {
		return err
	}
	all := map[string]*dump.Tasks{c.Suite: tasks}
	p := &ask.Prompter{Suites: suites, Tasks: all,
		Boards: sync.OnceValues(func() (*ask.Boards, error) { return ask.NewBoards(c.scenes()) })}
	d := dump.NewDecoder(dump.ItemConfig{Suites: suites, Suite: c.Suite, Limits: c.scenes(), Tasks: all})
	a := ask.Arm{Mode: c.Mode, Input: c.Input, Format: c.Format, Method: c.Method}
	if c.Suite == "tangram" {
		a.Setting = c.Setting
	}
	if c.Suite != "aspire" {
		a.Input = ""
	}
	var told promptTally
	err = tasks.Each(func(name string, index int, _ []byte) error {
		line, fault := promptRow(p, d, a, name, c.Suite)
		told.add(index+1, fault)
		_, err := out.Write(line)
		return err
	})
	if err == nil {
		err = told.verdict(std.err)
	}
	return out.finish(err)
}

// promptRow returns the row of the task with a name: its prompt, its pictures, and as the label the
// whole task without the members of an answer. If there is no prompt, it returns a row with the
// error, and the error too.
func promptRow(p *ask.Prompter, d *dump.Decoder, arm ask.Arm, name, suite string) ([]byte, *scoring.Error) {
	ref := append(scoring.AppendString([]byte(`{"id":`), name), '}') // the decoder joins it with its task
	it, fault := d.Item(dump.Line{N: 1, Bytes: ref}, suite)
	if fault != nil {
		return failure(it.ID, fault.Code, fault.Message), fault
	}
	for _, ofAnswer := range []string{"suite", "model", "repeat", "run", "asked", "response", "actions"} {
		it.Fields.Del(ofAnswer)
	}
	label := append(append([]byte(`{"suite":"`), suite...), '"', ',')
	label = append(label, jsontree.Append(nil, it.Fields)[1:]...) // without its opening brace
	asked, err := p.Ask(it, arm, true)
	if err != nil {
		if !errors.As(err, &fault) {
			fault = &scoring.Error{Code: "internal", Message: err.Error()}
		}
		return failure(it.ID, fault.Code, fault.Message), fault
	}
	b := scoring.AppendString([]byte(`{"id":`), it.ID)
	b = scoring.AppendString(append(b, `,"prompt":`...), asked.Text)
	b = appendImages(b, asked.Images)
	b = scoring.AppendString(append(b, `,"label":`...), string(label))
	return append(b, "}\n"...), nil
}

// appendImages appends the pictures of a prompt in base64: the first as the member png, null for
// none, and the others as the list more. Every row has both members, so that the columns of a data
// set are the same for all rows.
func appendImages(b []byte, all []ask.Picture) []byte {
	b = append(b, `,"png":`...)
	if len(all) == 0 {
		return append(b, `null,"more":[]`...)
	}
	b = append(base64.StdEncoding.AppendEncode(append(b, '"'), all[0].Data), `","more":[`...)
	for i := 1; i < len(all); i++ {
		if i > 1 {
			b = append(b, ',')
		}
		b = append(base64.StdEncoding.AppendEncode(append(b, '"'), all[i].Data), '"')
	}
	return append(b, ']')
}
