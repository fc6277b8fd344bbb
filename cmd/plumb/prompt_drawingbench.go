package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/daemon"
	"plumb/scoring"
	"plumb/scoring/drawingbench"
	"plumb/scoring/plural"
)

// drawingBenchPrompts are the flags of DrawingBench.
type drawingBenchPrompts struct {
	Tasks []string `sep:"none" placeholder:"[SUITE=]FILE" group:"drawingbench" help:"The task file: one prompt is written per task, with the layout of the app."`
	Turn2 string   `name:"second-turn" placeholder:"RESULTS" group:"drawingbench" help:"Write the prompts of second turns instead, from result lines of plumb score: the feedback for every first turn that scored less than 0.9."`
}

// writeDrawingBench writes the prompts of DrawingBench: those of first turns from the task file of --tasks, or
// those of second turns from the result lines of first ones, which --second-turn names.
func (cmd *promptCmd) writeDrawingBench(std streams) error {
	if cmd.Items != "" {
		return usage("cannot write prompts of drawingbench: it takes --tasks or --second-turn alone")
	}
	if (cmd.Turn2 == "") == (len(cmd.Tasks) == 0) {
		return usage("cannot write prompts of drawingbench: want --tasks FILE for first turns or --second-turn RESULTS for second ones")
	}
	if cmd.Turn2 != "" {
		return cmd.writeSecondTurns(std)
	}
	// First turns: the tasks of the file, in its order. Nothing is drawn; the configuration only needs valid values.
	config, err := coreConfig(&engineFlags{Raster: "reference", Backend: "cpu"}, &cmd.limitFlags, &scoreFlags{Suite: cmd.Suite, Tasks: cmd.Tasks})
	if err != nil {
		return err
	}
	items, err := daemon.Items(config)
	if err != nil {
		return err
	}
	out, err := output(cmd.Output, std, config.TaskFile[cmd.Suite])
	if err != nil {
		return err
	}
	err = items.Tasks[cmd.Suite].Each(func(name string, index int, json []byte) error {
		_, err := out.Write(firstTurn(name, index, json))
		return err
	})
	if err != nil {
		err = fmt.Errorf("cannot write prompts: %w", err)
	}
	return out.finish(err)
}

// firstTurn returns the line for the first turn of one DrawingBench task, which is given as JSON: the
// members of an item without an answer, and the prompt. If no prompt can be made, the line holds the
// error. index is the position of the task in its file, from 0.
func firstTurn(name string, index int, json []byte) []byte {
	value, err := fastjson.ParseBytes(json)
	if err != nil {
		return errorLine(name, "bad_line", err.Error())
	}
	text, err := drawingbench.Prompt(value)
	if err != nil {
		return errorLine(name, codeOf(err), err.Error())
	}
	out := scoring.AppendString([]byte(`{"id":`), name+"/1")
	out = scoring.AppendString(append(out, `,"suite":"drawingbench","task_id":`...), string(value.GetStringBytes("id")))
	out = strconv.AppendInt(append(out, `,"index":`...), int64(index), 10)
	out = scoring.AppendString(append(out, `,"turn":1,"prompt":`...), text)
	return append(out, "}\n"...)
}

// writeSecondTurns writes the prompts of second turns from the results of first ones, and prints how many
// there are and how many tasks end after their first turn.
func (cmd *promptCmd) writeSecondTurns(std streams) error {
	reader, err := openDump(cmd.Turn2, cmd.lines(), std.in)
	if err != nil {
		return err
	}
	defer reader.Close()
	out, err := output(cmd.Output, std, cmd.Turn2)
	if err != nil {
		return err
	}
	var parser fastjson.Parser
	secondTurns, ended := 0, 0
	for {
		line, readErr := reader.Next()
		if readErr == io.EOF {
			break
		}
		if readErr != nil {
			err = fmt.Errorf("cannot read %s: %w", inputName(cmd.Turn2), readErr)
			break
		}
		data, hasSecond := secondTurn(&parser, line.Bytes, line.Number, line.Fault)
		if !hasSecond {
			ended++
			continue
		}
		secondTurns++
		if _, err = out.Write(data); err != nil {
			break
		}
	}
	fmt.Fprintf(std.err, "%s; %s none\n", plural.Of(secondTurns, "second turn"), plural.Of(ended, "result has", "results have"))
	return out.finish(err)
}

// secondTurn returns the line for the second turn of a DrawingBench task, with its prompt, from the result
// of the first turn. line is that result, which is line n of its file; fault says why the line could not
// be read, "" if it could. hasSecond is false if the task ends with its first turn. For a line that is no
// result it returns a line with an error, and hasSecond is true.
func secondTurn(parser *fastjson.Parser, line []byte, n int, fault string) (dst []byte, hasSecond bool) {
	value, err := parser.ParseBytes(line)
	switch {
	case fault != "":
		return errorLine(fmt.Sprintf("line:%d", n), "bad_line", fault), true
	case err != nil || value.Type() != fastjson.TypeObject || !value.Exists("score"):
		return errorLine(fmt.Sprintf("line:%d", n), "bad_line", "cannot read result: want a result line of plumb score"), true
	}
	result, err := scoring.ReadResult(value)
	if err != nil {
		return errorLine(result.ID, "bad_line", "cannot read result: "+err.Error()), true
	}
	text, hasSecond := drawingbench.Followup(result)
	if !hasSecond || result.Suite != "drawingbench" {
		return nil, false
	}
	name := result.ID
	if task := result.Strings("task"); len(task) == 1 && task[0] != "" {
		name = task[0]
	}
	dst = scoring.AppendString([]byte(`{"id":`), name+"/2")
	dst = scoring.AppendString(append(dst, `,"suite":"drawingbench","after":`...), result.ID)
	dst = scoring.AppendString(append(dst, `,"task":`...), name)
	dst = scoring.AppendString(append(dst, `,"turn":2,"prompt":`...), text)
	return append(dst, "}\n"...), true
}
