package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/daemon"
	"plumb/scoring"
	"plumb/scoring/drawingbench"
)

// drawingBenchPrompts are the flags of DrawingBench.
type drawingBenchPrompts struct {
	Tasks []string `sep:"none" placeholder:"[SUITE=]FILE" group:"drawingbench" help:"The task file: one prompt is written per task, with the layout of the app."`
	Turn2 string   `name:"second-turn" placeholder:"RESULTS" group:"drawingbench" help:"Write the prompts of second turns instead, from result lines of plumb score: the feedback for every first turn that scored less than 0.9."`
}

// drawingBench writes the prompts of DrawingBench: those of first turns from the task
// file, those of second turns from result lines.
func (c *promptCmd) drawingBench(std streams) error {
	if c.Items != "" {
		return usage("cannot write prompts of drawingbench: it takes --tasks or --second-turn alone")
	}
	if (c.Turn2 == "") == (len(c.Tasks) == 0) {
		return usage("cannot write prompts of drawingbench: want --tasks FILE for first turns or --second-turn RESULTS for second ones")
	}
	if c.Turn2 != "" {
		return c.secondTurns(std)
	}
	cc, err := core(&engineFlags{Raster: "reference", Backend: "cpu"}, &c.limitFlags, &scoreFlags{Suite: c.Suite, Tasks: c.Tasks})
	if err != nil {
		return err
	}
	items, err := daemon.Items(cc)
	if err != nil {
		return err
	}
	out, err := output(c.Output, std, cc.TaskFile[c.Suite])
	if err != nil {
		return err
	}
	err = items.Tasks[c.Suite].Each(func(name string, index int, json []byte) error {
		_, err := out.Write(firstTurn(name, index, json))
		return err
	})
	if err != nil {
		err = fmt.Errorf("cannot write prompts: %w", err)
	}
	return out.finish(err)
}

// firstTurn returns the line of one task, given as JSON: an item without an answer, and its prompt. A
// task without a prompt gets a line with its error. index is the task's position in the file, from 0.
func firstTurn(name string, index int, json []byte) []byte {
	v, err := fastjson.ParseBytes(json)
	if err != nil {
		return failure(name, "bad_line", err.Error())
	}
	text, err := drawingbench.Prompt(v)
	if err != nil {
		return failure(name, codeOf(err), err.Error())
	}
	b := scoring.AppendString([]byte(`{"id":`), name+"/1")
	b = scoring.AppendString(append(b, `,"suite":"drawingbench","task_id":`...), string(v.GetStringBytes("id")))
	b = strconv.AppendInt(append(b, `,"index":`...), int64(index), 10)
	b = scoring.AppendString(append(b, `,"turn":1,"prompt":`...), text)
	return append(b, "}\n"...)
}

// secondTurns writes the prompts of second turns from the results of first ones, and prints how many
// there are and how many tasks end after their first turn.
func (c *promptCmd) secondTurns(std streams) error {
	r, err := openDump(c.Turn2, c.lines(), std.in)
	if err != nil {
		return err
	}
	defer r.Close()
	out, err := output(c.Output, std, c.Turn2)
	if err != nil {
		return err
	}
	var p fastjson.Parser
	going, ended := 0, 0
	for {
		l, e := r.Next()
		if e == io.EOF {
			break
		}
		if e != nil {
			err = fmt.Errorf("cannot read %s: %w", c.Turn2, e)
			break
		}
		b, again := secondTurn(&p, l.Bytes, l.N, l.Fault)
		if !again {
			ended++
			continue
		}
		going++
		if _, err = out.Write(b); err != nil {
			break
		}
	}
	fmt.Fprintf(std.err, "%d second turns; %d results have none\n", going, ended)
	return out.finish(err)
}

// secondTurn returns the line with the second prompt after one result, which is line n of its file;
// fault says why the line could not be read, "" for nothing. again is false if the task ends with its
// first turn. A line that is no result gets a line with an error, and again is true.
func secondTurn(p *fastjson.Parser, line []byte, n int, fault string) (b []byte, again bool) {
	v, err := p.ParseBytes(line)
	switch {
	case fault != "":
		return failure(fmt.Sprintf("line:%d", n), "bad_line", fault), true
	case err != nil || v.Type() != fastjson.TypeObject || !v.Exists("score"):
		return failure(fmt.Sprintf("line:%d", n), "bad_line", "cannot read result: want a result line of plumb score"), true
	}
	r, err := scoring.ReadResult(v)
	if err != nil {
		return failure(r.ID, "bad_line", "cannot read result: "+err.Error()), true
	}
	text, again := drawingbench.Followup(r)
	if !again || r.Suite != "drawingbench" {
		return nil, false
	}
	name := r.ID
	if s := r.Strings("task"); len(s) == 1 && s[0] != "" {
		name = s[0]
	}
	b = scoring.AppendString([]byte(`{"id":`), name+"/2")
	b = scoring.AppendString(append(b, `,"suite":"drawingbench","after":`...), r.ID)
	b = scoring.AppendString(append(b, `,"task":`...), name)
	b = scoring.AppendString(append(b, `,"turn":2,"prompt":`...), text)
	return append(b, "}\n"...), true
}
