package ask

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/daemon/chat"
	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/drawingbench"
)

// drawing asks DrawingBench's tasks: two turns of one chat, without pictures.
type drawing struct {
	tasks  []*Task
	score  func(line []byte) (*scoring.Result, error)
	choice choices
}

// drawingTest is the only test of the benchmark.
const drawingTest = "drawing"

// emptyAnswer stands for an empty first answer in the second turn: an endpoint refuses a
// message without content.
const emptyAnswer = "(empty answer)"

// NewDrawingBench returns the suite for the tasks of the published file. score scores the
// dump line of a first turn: its feedback is the second turn's question. See
// docs/spec/runs.md#r33.
func NewDrawingBench(tasks *dump.Tasks, score func(line []byte) (*scoring.Result, error)) (Suite, error) {
	s := &drawing{score: score, choice: choices{modes: []string{ModeDefault, ModeReasoning}}}
	err := tasks.Each(func(name string, index int, json []byte) error {
		value, err := fastjson.ParseBytes(json)
		if err != nil {
			return err
		}
		line := scoring.AppendString([]byte(`{"suite":"drawingbench","task_id":`), string(value.GetStringBytes("id")))
		line = strconv.AppendInt(append(line, `,"index":`...), int64(index), 10)
		line = append(line, '}')
		s.tasks = append(s.tasks, &Task{ID: name, Test: drawingTest, Group: drawingTest, Line: line, data: value})
		return nil
	})
	if err == nil && len(s.tasks) == 0 {
		err = errors.New("cannot ask anything: there are no tasks")
	}
	return s, err
}

// Arms implements Suite: every arm asks all tasks.
func (drawing *drawing) Arms(options Options) ([]Arm, []string, error) {
	return drawing.choice.arms(options, func(Arm) int { return len(drawing.tasks) }, len(drawing.tasks))
}

// Tasks implements Suite: the tasks in the order of their file.
func (drawing *drawing) Tasks() []*Task { return drawing.tasks }

// Fits implements Suite: every task is asked in every arm.
func (drawing *drawing) Fits(*Task, Arm) bool { return true }

// Next implements Suite. The first turn asks for the task. If its answer, which Next scores, is below the
// benchmark's bound, the second turn gives the feedback on it in the same chat. A first call without an
// answer ends the task.
func (drawing *drawing) Next(task *Task, _ Arm, replies []Heard) (*Step, error) {
	text, err := drawingbench.Prompt(task.data.(*fastjson.Value))
	if err != nil {
		return nil, fmt.Errorf("cannot ask %s: %w", task.ID, err)
	}
	first := chat.User(chat.Text(text))
	if len(replies) == 0 {
		return &Step{Turn: 1, Messages: []chat.Message{first}}, nil
	}
	if len(replies) > 1 || !replies[0].OK {
		return nil, nil
	}
	// Score the first answer, because the feedback comes from its result.
	firstAnswer := Answer{ID: turnID(task, 1), Turn: 1, Text: replies[0].Text, OK: true}
	result, err := drawing.score(AppendAnswer(nil, task, firstAnswer, nil))
	if err != nil {
		return nil, fmt.Errorf("cannot score the first turn of %s: %w", task.ID, err)
	}
	feedback, again := drawingbench.Followup(result)
	if !again {
		return nil, nil
	}
	answer := chat.Message{Role: "assistant", Parts: []chat.Part{chat.Text(cmp.Or(replies[0].Text, emptyAnswer))}}
	return &Step{Turn: 2, Messages: []chat.Message{first, answer, chat.User(chat.Text(feedback))}}, nil
}

// turnID returns the id of the dump line of a turn: TASK/1 or TASK/2.
func turnID(task *Task, turn int) string { return task.ID + "/" + strconv.Itoa(turn) }

// Answers returns the answers of a DrawingBench task: one for each reply, because each turn is scored
// on its own.
func (drawing *drawing) Answers(task *Task, _ Arm, replies []Heard) (all []Answer) {
	for i, h := range replies {
		all = append(all, Answer{ID: turnID(task, h.Turn), Turn: h.Turn, Text: h.Text, OK: h.OK, Last: i, From: i})
	}
	return all
}

// AppendAnswer appends the dump line of an answer without its closing newline: the task's
// line with the id, the turn and the response. more are further members without braces.
func AppendAnswer(dst []byte, task *Task, answer Answer, more []byte) []byte {
	dst = scoring.AppendString(append(dst, `{"id":`...), answer.ID)
	if answer.Turn > 0 {
		dst = strconv.AppendInt(append(dst, `,"turn":`...), int64(answer.Turn), 10)
	}
	dst = appendMembers(dst, task.Line)
	if len(more) > 0 {
		dst = append(append(dst, ','), more...)
	}
	dst = append(dst, `,"response":`...)
	if answer.OK {
		dst = scoring.AppendString(dst, answer.Text)
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, '}')
}
