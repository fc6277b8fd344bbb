package api

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/jsoncut"
	"plumb/daemon/message"
	"plumb/daemon/queue"
	"plumb/daemon/reward"
	"plumb/render/jsontree"
	"plumb/render/scene"
	"plumb/scoring"
)

// sample is one answer with its label, as the parts of a body.
type sample struct {
	label     []byte         // JSON value, nil for none
	answer    []byte         // JSON value, nil where there is no response
	labelPath string         // names the label in messages: "label", "labels[3]"
	notes     []scoring.Note // how the answer was read
}

// nativeRoute is POST /v1/reward: one sample, or {"samples":[...]}. A sample without a score has its error in
// its place, in a request of one too: clients tell failed scorers from bad answers by it.
var nativeRoute = trainer{
	name: "native", path: "/v1/reward", metric: "reward", wantsLines: true,
	decode: func(s *Server, x *exchange) (fault *scoring.Error) {
		x.samples, x.batch, fault = s.nativeSamples(x.body, x.preparation)
		return fault
	},
	encode: func(x *exchange) []byte {
		if !x.batch {
			return slices.Concat(x.results[0].json, []byte{'\n'})
		}
		out := []byte(`{"results":[`)
		for i, g := range x.results {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, g.json...)
		}
		return append(out, "]}\n"...)
	},
}

// outsideThought says to prepare that the answer does not begin in a block of thought.
const outsideThought = false

// prepare runs steps of text preparation, such as removing thoughts and special tokens, on an answer that
// is a string, and notes those that changed it. inThink says that the prompt has opened a block of
// thought, in which the answer then begins.
func (one *sample) prepare(steps reward.Steps, inThink bool) {
	if steps == 0 || jsoncut.Null(one.answer) || one.answer[0] != '"' {
		return
	}
	text, done := reward.Prepare(string(jsoncut.Text(one.answer)), steps, inThink)
	if done != nil {
		one.answer = scoring.AppendString(nil, text)
		one.noteSteps(done)
	}
}

// noteSteps notes the steps of text preparation that changed the answer.
func (one *sample) noteSteps(steps []string) {
	if steps != nil {
		one.notes = append(one.notes, scoring.Note{Code: "prepared", Path: "response",
			Message: "the text was prepared before it was read: " + strings.Join(steps, ", ")})
	}
}

// graded is the result of one sample of a trainer's request, with its reward.
type graded struct {
	result scoring.Result
	json   []byte // the result line, where it was asked for
	timing queue.Timing
}

// answer returns the result in the form of the queue, for code that writes timings.
func (graded *graded) answer() *queue.Answer {
	wait := graded.timing[queue.PartQueue]
	return &queue.Answer{Result: graded.result, JSON: graded.json, Wait: wait, Took: graded.timing.Total() - wait, Timing: graded.timing}
}

// trainerOptions reads what a trainer's request chooses: the options, and the steps of text preparation, which
// are those of the adapter if the query names none. ok is false if they are invalid: then it has
// answered the request itself.
func (server *Server) trainerOptions(ctx *fasthttp.RequestCtx, adapter string) (opt *queue.Options, steps reward.Steps, ok bool) {
	opt, fault := server.options(ctx, nil)
	if fault == nil {
		steps, fault = server.preparation(ctx, adapter)
	}
	if fault != nil {
		server.fail(ctx, fasthttp.StatusBadRequest, fault.Code, fault.Message)
	}
	return opt, steps, fault == nil
}

// parseSamples calls f, which reads samples from a trainer's body, once there is memory for it. ok is false
// if there is none or f found a fault: then it has answered the request itself.
func (server *Server) parseSamples(ctx *fasthttp.RequestCtx, opt *queue.Options, body []byte, f func() *scoring.Error) (ok bool) {
	var fault *scoring.Error
	if err := server.parseWithinMemory(server.life, opt.Client, body, func() { fault = f() }); err != nil {
		server.failWith(ctx, err)
		return false
	}
	if fault != nil {
		server.fail(ctx, statusOfField(fault), fault.Code, fault.Message)
	}
	return fault == nil
}

// preparation returns how the texts of a trainer's answers are prepared: as its adapter does, unless the
// query chooses otherwise.
func (server *Server) preparation(ctx *fasthttp.RequestCtx, adapter string) (reward.Steps, *scoring.Error) {
	if v := ctx.QueryArgs().Peek("prepare"); v != nil {
		steps, err := reward.ParseSteps(string(v))
		if err != nil {
			return 0, &scoring.Error{Code: "bad_options", Message: err.Error()}
		}
		return steps, nil
	}
	return server.cfg.Prepare[adapter], nil
}

// nativeSamples reads the samples of the body of /v1/reward: the body itself, or those of its list
// samples, and then batch is true.
func (server *Server) nativeSamples(body []byte, steps reward.Steps) (list []sample, batch bool, fault *scoring.Error) {
	var samples []byte
	jsoncut.Named(body, func(key, value []byte) error {
		if string(key) == "samples" {
			samples = value
		}
		return nil
	})
	// Without a list the body is one sample.
	if samples == nil {
		one, fault := nativeSample(body, "", steps)
		return []sample{one}, false, fault
	}
	values, fault := server.list("samples", samples)
	if fault != nil {
		return nil, true, fault
	}
	for i, v := range values {
		at := fmt.Sprintf("samples[%d]", i)
		if v[0] != '{' {
			return nil, true, badField(at, v, "an object with label and response")
		}
		one, fault := nativeSample(v, at+".", steps)
		if fault != nil {
			return nil, true, fault
		}
		list = append(list, one)
	}
	return list, true, nil
}

// nativeSample reads a sample of plumb's own reward route: label, response and prompt. path is
// where b stands in the request, for messages.
func nativeSample(b []byte, path string, steps reward.Steps) (sample, *scoring.Error) {
	one, inThink := sample{labelPath: path + "label"}, false
	jsoncut.Named(b, func(key, value []byte) error {
		switch string(key) {
		case "label":
			one.label = value
		case "response":
			one.answer = value
		case "prompt":
			inThink = opensThought(value)
		}
		return nil
	})
	if _, fault := one.unwrap(path + "response"); fault != nil {
		return one, fault
	}
	one.prepare(steps, inThink)
	return one, nil
}

// opensThought reports whether a prompt, a JSON value, ends inside a block of thought.
func opensThought(prompt []byte) bool {
	return !jsoncut.Null(prompt) && prompt[0] == '"' && reward.OpensThought(string(jsoncut.Text(prompt)))
}

// unwrap replaces an answer that is chat messages or a completion by its text, with a note, so that it
// can be prepared as any text. If no message is the model's, the answer becomes a missing one. Any other
// answer stays as it is, for the suite to read. at is where the answer stands in the request, for errors.
// shape is the form of the messages, "" for none.
func (one *sample) unwrap(at string) (shape string, fault *scoring.Error) {
	if jsoncut.Null(one.answer) || one.answer[0] == '"' {
		return "", nil
	}
	value, err := jsontree.Parse(new(fastjson.Parser), one.answer)
	if err != nil {
		return "", &scoring.Error{Code: dump.BadResponse, Message: "cannot read " + at + ": " + err.Error()}
	}
	message, ok, err := message.Read(value)
	switch {
	case err != nil:
		return "", &scoring.Error{Code: dump.BadResponse, Message: "cannot read " + at + err.Error()} // err begins with the path below at
	case ok && !message.Answered: // the call of the model failed
		one.answer = nil
	case ok:
		one.answer = scoring.AppendString(nil, message.Text)
		one.notes = append(one.notes, scoring.Note{Code: dump.Unwrapped, Path: "response", Message: message.Note()})
	}
	return message.Shape, nil
}

// badField returns the error of a member of a request that has the wrong type; at is where it stands.
func badField(at string, v []byte, want string) *scoring.Error {
	return &scoring.Error{Code: "bad_field", Message: fmt.Sprintf("cannot use %s: got %s; want %s", at, jsoncut.Kind(v), want)}
}

// readObject reads the body of a trainer's request, which must be one JSON object within the limits. ok is
// false if it is not: then it has answered the request itself.
func (server *Server) readObject(ctx *fasthttp.RequestCtx) (body []byte, ok bool) {
	body, ok = server.readBody(ctx)
	if !ok {
		return nil, false
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		server.fail(ctx, fasthttp.StatusBadRequest, "bad_json", "cannot read body: it is empty; want a JSON object")
		return nil, false
	}
	return server.checkObject(ctx, body)
}

// checkObject checks that the body of a trainer's request, which is not empty, is a JSON object within the
// limits. ok is false if it is not: then it has answered the request itself.
func (server *Server) checkObject(ctx *fasthttp.RequestCtx, body []byte) (_ []byte, ok bool) {
	if err := server.cfg.Items.Limits.Check(body); err != nil {
		status, kind := fasthttp.StatusBadRequest, "bad_json"
		if errors.Is(err, scene.ErrLimit) {
			status, kind = fasthttp.StatusUnprocessableEntity, "limit"
		}
		server.fail(ctx, status, kind, "cannot read body: "+err.Error())
		return nil, false
	}
	if body[0] != '{' {
		server.fail(ctx, fasthttp.StatusUnprocessableEntity, "bad_field", "cannot read body: got "+jsoncut.Kind(body)+"; want an object")
		return nil, false
	}
	return body, true
}

// labelReader returns how labels are read by this daemon.
func (server *Server) labelReader() *reward.Labels {
	c := &server.cfg.Items
	return &reward.Labels{Limits: c.Limits, Suites: c.Suites, Suite: c.DefaultSuite, Tasks: c.Tasks}
}

// failIfWaitedTooLong answers a request of one sample with status 504 if its deadline passed while it waited
// for its turn, and reports whether it did. The wait says nothing about the sample, and a trainer would learn
// from a reward of zero, so it is told to try again. A sample that was being worked on when its deadline passed
// follows the adapter's policy instead: it might never end. See docs/spec/http.md#r23.
func (server *Server) failIfWaitedTooLong(ctx *fasthttp.RequestCtx, all []graded) bool {
	if len(all) != 1 || !all[0].waited() {
		return false
	}
	server.setRetryAfter(ctx, server.pace.retryAfter(server.cfg.Queue.Depth()))
	server.fail(ctx, fasthttp.StatusGatewayTimeout, "deadline", all[0].result.Err.Message+"; it waited for its turn: try again")
	return true
}

// waited reports whether the deadline of the sample passed while it mostly waited for its turn: at least half
// of its time. See docs/spec/http.md#r23.
func (graded *graded) waited() bool {
	if graded.result.Err == nil || graded.result.Err.Code != "deadline" {
		return false
	}
	waiting := graded.timing[queue.PartQueue]
	if graded.result.Suite == "" { // no worker has read the sample and its suite, so all its time was waiting
		waiting = graded.timing.Total()
	}
	mostly := graded.timing.Total() / 2
	return waiting >= mostly
}

// reportTimes reports where the time of the samples went: in the headers of the reply for a single sample, and
// in the result lines if the request asks for timings. hasLines is false if the reply has no result lines.
func (server *Server) reportTimes(ctx *fasthttp.RequestCtx, all []graded, hasLines bool) {
	if len(all) == 1 {
		setTimingHeaders(ctx, all[0].answer())
	}
	if !hasLines || !wantsTimings(ctx) {
		return
	}
	for i := range all {
		all[i].json = appendTimed(nil, all[i].answer())
	}
}

// addNotes adds to the results of a trainer's request the notes of its samples, on how the answers were
// read. wantsLines says that there are result lines, which are then written anew.
func (server *Server) addNotes(samples []sample, all []graded, opt *queue.Options, wantsLines bool) {
	for i, one := range samples {
		if one.notes == nil {
			continue
		}
		r := &all[i].result
		r.Notes = append(slices.Clip(r.Notes), one.notes...)
		if wantsLines {
			all[i].json = r.AppendJSON(nil, opt.Reward, "plumb "+server.cfg.Version.Version)
		}
	}
}

// grade scores the samples of one request and returns their results in order. A single sample has high
// priority, as trainers wait for it; several become one stream. wantsLines says that the result lines are wanted. The
// results are noted in trail, for traces and logs. fault is that of the first label that cannot be used,
// which refuses the whole request.
func (server *Server) grade(trail *trail, life context.Context, samples []sample, opt *queue.Options, wantsLines bool) (
	all []graded, fault *scoring.Error, err error) {
	lines := make([]dump.Line, len(samples))
	labels := server.labelReader()
	for i, one := range samples {
		data, fault := labels.AppendDumpLine(nil, one.label, one.answer, one.labelPath)
		if fault != nil {
			return nil, fault, nil
		}
		lines[i] = dump.Line{Number: i + 1, Bytes: data}
	}
	if len(lines) == 1 {
		answer, err := server.cfg.Queue.Score(life, lines[0], opt)
		if err != nil {
			return nil, nil, err
		}
		server.noteAnswer(trail, &answer, time.Now())
		return []graded{{answer.Result, answer.JSON, answer.Timing}}, reward.Fault(&answer.Result, samples[0].labelPath), nil
	}
	return server.gradeMany(trail, life, samples, lines, opt, wantsLines)
}

// gradeMany scores the lines of several samples as one stream, which takes one place in the queue and
// has the normal priority unless the request chooses another. The rest is as for grade. After an error
// it waits until the queue has given back all lines.
func (server *Server) gradeMany(trail *trail, life context.Context, samples []sample, lines []dump.Line, opt *queue.Options, wantsLines bool) (
	all []graded, fault *scoring.Error, _ error) {
	leaveQueue, err := server.cfg.Queue.Admit()
	if err != nil {
		return nil, nil, err
	}
	defer leaveQueue()
	life, cancel := context.WithCancel(life)
	opt.Priority = cmp.Or(opt.Priority, queue.PriorityNormal)
	stream := server.cfg.Queue.Stream(life, opt)
	defer func() {
		cancel()
		for err == nil { // the stream ends when its last line is taken; until then its lines use the body
			_, err = stream.Next()
		}
	}()
	go func() {
		defer stream.End()
		for i := range lines {
			if stream.Put(lines[i]) != nil {
				return
			}
		}
	}()
	for {
		var answer queue.Answer
		answer, err = stream.Next()
		if err == io.EOF {
			return all, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if fault := reward.Fault(&answer.Result, samples[len(all)].labelPath); fault != nil {
			return nil, fault, nil
		}
		server.noteAnswer(trail, &answer, time.Now())
		scored := graded{result: answer.Result, timing: answer.Timing}
		if wantsLines {
			scored.json = slices.Clone(answer.JSON)
		}
		all = append(all, scored)
	}
}
