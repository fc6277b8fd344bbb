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

// writeRows writes a data set for trainers, with one row for each task of a file: the prompt for the model,
// its pictures, and the label by which the answer is scored. The label is the whole task, so that
// scoring an answer to a row needs no task file.
func (cmd *promptCmd) writeRows(std streams, suites scoring.Suites) error {
	switch {
	case cmd.Items == "" || cmd.Items == "-":
		return usage("cannot write rows: want a file of tasks")
	case cmd.Images != "" || cmd.Turn2 != "" || len(cmd.Tasks) > 0:
		return usage("cannot use --images, --tasks or --second-turn with --rows: pictures are in the rows, and the file of tasks is the argument")
	case cmd.Suite == "tangram" && cmd.Test == "outline":
		return usage("cannot write rows of --test outline: its options are in the lines of plumb tangram items; want --test solution")
	}
	// Load the tasks.
	if err := font.Use(cmd.FontsDir); err != nil {
		return err
	}
	suite := suites.Find(cmd.Suite)
	const whole = true // prompts need members of tasks that scoring does not read
	tasks, err := dump.TaskSource{Path: cmd.Items, Rule: suite.Tasks, Limits: cmd.lines(), JSON: cmd.scenes(), Whole: whole}.Load()
	if err != nil {
		return err
	}
	out, err := output(cmd.Output, std, cmd.Items)
	if err != nil {
		return err
	}
	// What makes prompts and pictures, and the way in which the model is asked (arm).
	all := map[string]*dump.Tasks{cmd.Suite: tasks}
	prompter := &ask.Prompter{Suites: suites, Tasks: all,
		Boards: sync.OnceValues(func() (*ask.Boards, error) { return ask.NewBoards(cmd.scenes(), noBoardCache) })}
	decoder := dump.NewDecoder(dump.ItemConfig{Suites: suites, DefaultSuite: cmd.Suite, Limits: cmd.scenes(), Tasks: all})
	arm := ask.Arm{Mode: cmd.Mode, Input: cmd.Input, Format: cmd.Format, Method: cmd.Method}
	if cmd.Suite == "tangram" {
		arm.Setting = cmd.Setting
	}
	if cmd.Suite != "aspire" { // no other suite has several kinds of input here
		arm.Input = ""
	}
	// One row for each task.
	var tally promptTally
	err = tasks.Each(func(name string, index int, _ []byte) error {
		line, fault := promptRow(prompter, decoder, arm, name, cmd.Suite)
		tally.add(index+1, fault)
		_, err := out.Write(line)
		return err
	})
	if err == nil {
		err = tally.errorOfRun(std.err)
	}
	return out.finish(err)
}

// promptRow returns a row of the data set as a JSON line, for the task with a name, asked in the way of
// arm: its prompt, its pictures, and as the label the whole task without the members of an answer. If no
// prompt can be made, it returns a row with the error, and the error too.
func promptRow(prompter *ask.Prompter, decoder *dump.Decoder, arm ask.Arm, name, suite string) ([]byte, *scoring.Error) {
	idAlone := append(scoring.AppendString([]byte(`{"id":`), name), '}') // the decoder joins it with the task
	item, fault := decoder.Item(dump.Line{Number: 1, Bytes: idAlone}, suite)
	if fault != nil {
		return errorLine(item.ID, fault.Code, fault.Message), fault
	}
	// The label is the task without what would belong to an answer.
	for _, ofAnswer := range []string{"suite", "model", "repeat", "run", "asked", "response", "actions"} {
		item.Fields.Del(ofAnswer)
	}
	label := append(append([]byte(`{"suite":"`), suite...), '"', ',')
	label = append(label, jsontree.Append(nil, item.Fields)[1:]...) // without its opening brace
	const withPictures = true
	asked, err := prompter.Ask(item, arm, withPictures)
	if err != nil {
		if !errors.As(err, &fault) { // the item is not at fault
			fault = &scoring.Error{Code: "internal", Message: err.Error()}
		}
		return errorLine(item.ID, fault.Code, fault.Message), fault
	}
	out := scoring.AppendString([]byte(`{"id":`), item.ID)
	out = scoring.AppendString(append(out, `,"prompt":`...), asked.Text)
	out = appendImages(out, asked.Images)
	out = scoring.AppendString(append(out, `,"label":`...), string(label))
	return append(out, "}\n"...), nil
}

// appendImages appends the pictures of a prompt in base64: the first as the member png, null for
// none, and the others as the list more. Every row has both members, so that the columns of a data
// set are the same for all rows.
func appendImages(dst []byte, all []ask.Picture) []byte {
	dst = append(dst, `,"png":`...)
	if len(all) == 0 {
		return append(dst, `null,"more":[]`...)
	}
	dst = append(base64.StdEncoding.AppendEncode(append(dst, '"'), all[0].Data), `","more":[`...)
	for i := 1; i < len(all); i++ {
		if i > 1 {
			dst = append(dst, ',')
		}
		dst = append(base64.StdEncoding.AppendEncode(append(dst, '"'), all[i].Data), '"')
	}
	return append(dst, ']')
}
