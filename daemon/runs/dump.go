package runs

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"plumb/daemon/ask"
	"plumb/daemon/chat"
	"plumb/daemon/ledger"
	"plumb/scoring"
)

// Asked is the member asked of a dump line: how the answer was asked for and what it took.
// See docs/spec/runs.md#r42.
type Asked struct {
	Model   string   `json:"model"`
	Served  *string  `json:"served"` // the model that the endpoint names
	Arm              // mode, input, setting, format, method
	Repeat  int      `json:"repeat"`
	Turn    *int     `json:"turn"` // null for suites of one turn
	Config  string   `json:"config"`
	Finish  *string  `json:"finish"`
	Outcome string   `json:"outcome"`
	Usage   *Usage   `json:"usage"` // of all calls of the answer
	Cost    *float64 `json:"cost"`
	Seconds float64  `json:"seconds"`
	Tries   int      `json:"tries"`
	Calls   int      `json:"calls"`
}

// Usage is the tokens of an answer, a sum over its calls; nil numbers are unknown.
type Usage struct {
	Prompt     int64  `json:"prompt"`
	Completion int64  `json:"completion"`
	Reasoning  *int64 `json:"reasoning"`
	Cached     *int64 `json:"cached"`
}

// Totals count the answers of a run.
type Totals struct {
	Answers  int     `json:"answers"` // dump lines
	Missing  int     `json:"missing"` // of them without a response
	Filtered int     `json:"filtered"`
	Cut      int     `json:"cut"` // responses that end at the limit of tokens
	Tokens   Usage   `json:"tokens"`
	Cost     float64 `json:"cost"`
	Priced   bool    `json:"priced"` // every answer has a cost
	Seconds  float64 `json:"seconds"`
	// Reasons count the answers that are missing by why they are.
	Reasons map[string]int `json:"reasons"`
	Pending int            `json:"pending"` // tasks, arms and repeats whose calls are not all made
	Other   int            `json:"other"`   // of them, that have answers of an earlier command with other settings
}

// Dump writes one line for each answer in the log, of this command and of earlier ones in
// the folder, by task, arm, repeat and turn. Planned tasks whose calls are not all made
// count as pending and have no line. See docs/spec/runs.md#r42.
func (run *Run) Dump(w io.Writer) (totals Totals, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	totals.Priced = true
	planned := map[unitKey]int{} // indices in run.units
	for i, u := range run.units {
		planned[keyOfUnit(u)] = i
	}
	earlier, err := run.earlierCalls()
	if err != nil {
		return totals, err
	}
	// Go through this command's units and those of earlier commands.
	for _, unit := range run.allUnits(planned, earlier) {
		i, asked := planned[keyOfUnit(unit)] // asked: by this command
		var made unitCalls
		if asked {
			if made, err = run.planned(i); err != nil {
				return totals, err
			}
			if !made.complete {
				totals.Pending++
			}
		}
		// A unit that this command has not finished may have been asked in full by an earlier one.
		if !made.complete {
			if made, err = run.fromLog(unit, earlier[keyOfUnit(unit)]); err != nil {
				return totals, err
			}
			if asked && made.complete {
				totals.Other++
			}
		}
		if !made.complete {
			continue
		}
		// A line for each answer.
		for _, a := range run.cfg.Source.Answers(unit.task, unit.arm, made.replies) {
			line, err := run.dumpLine(unit, a, made.calls, &totals)
			if err == nil {
				_, err = out.Write(line)
			}
			if err != nil {
				return totals, fmt.Errorf("cannot write dump: %w", err)
			}
		}
	}
	return totals, out.Flush()
}

// unitKey tells units apart, whichever command planned them.
type unitKey struct {
	task, test string
	arm        ask.Arm
	repeat     int
}

// keyOfUnit returns the key of a unit of this command.
func keyOfUnit(u unit) unitKey { return unitKey{u.task.ID, testOf(u), u.arm, u.repeat} }

// loggedCall is a call of the log: its label, which says what was asked of whom, and the place of its line.
type loggedCall struct {
	Label
	place ledger.Place
}

// earlierCalls returns the calls of the log by unit (task, test, arm and repeat), in the order of the log.
// Of each arm, a way to ask the model, only calls with one configuration count, so that no table mixes
// two. That is the configuration of this command if the log has any call with it, else that of the arm's
// last call. A configuration is a hash of all that is sent beside the task; see configOf.
func (run *Run) earlierCalls() (map[unitKey][]loggedCall, error) {
	var all []loggedCall
	config := map[ask.Arm]string{} // the configuration that counts
	for _, record := range run.calls.all() {
		d := loggedCall{place: record.place}
		if err := run.calls.read(record.place, &d.Label); err != nil {
			return nil, err
		}
		all = append(all, d)
		config[d.Arm.toAsk()] = d.Config
	}
	for arm, s := range run.settings {
		// A configuration with which nothing was asked yet does not replace that of earlier calls.
		if slices.ContainsFunc(all, func(d loggedCall) bool { return d.Config == s.config }) {
			config[arm] = s.config
		}
	}
	out := map[unitKey][]loggedCall{}
	for _, d := range all {
		arm := d.Arm.toAsk()
		if d.Config == config[arm] {
			k := unitKey{d.Task, d.Test, arm, d.Repeat}
			out[k] = append(out[k], d)
		}
	}
	return out, nil
}

// allUnits returns the units of this command (planned) and those of the log (earlier), each once, in the
// order of tasks, arms and repeats. It leaves out units of the log whose task is not in the file of tasks
// any more, or has another test there.
func (run *Run) allUnits(planned map[unitKey]int, earlier map[unitKey][]loggedCall) []unit {
	keys := map[string][]unitKey{} // by task
	arms := slices.Clone(run.cfg.Arms)
	seen := map[unitKey]bool{}
	add := func(k unitKey) {
		if !seen[k] {
			seen[k] = true
			keys[k.task] = append(keys[k.task], k)
		}
		if !slices.Contains(arms, k.arm) {
			arms = append(arms, k.arm)
		}
	}
	for k := range planned {
		add(k)
	}
	for k := range earlier {
		add(k)
	}
	// Sort them.
	slices.SortFunc(arms, func(a, b ask.Arm) int { return strings.Compare(armOrder(a), armOrder(b)) })
	var out []unit
	for _, task := range run.cfg.Source.Tasks() {
		list := keys[task.ID]
		slices.SortFunc(list, func(a, b unitKey) int {
			return cmp.Or(slices.Index(arms, a.arm)-slices.Index(arms, b.arm), a.repeat-b.repeat)
		})
		for _, k := range list {
			if u := (unit{task, k.arm, k.repeat}); testOf(u) == k.test {
				out = append(out, u)
			}
		}
	}
	return out
}

// armOrder returns the text by which arms are sorted. The papers' defaults are replaced by 0 in it,
// which sorts before all letters.
func armOrder(a ask.Arm) string {
	s := strings.NewReplacer(ask.ModeDefault, "0", ask.InputFull, "0", "direct", "0", "zero-shot", "0").Replace(a.Mode + "|" + a.Input)
	return s + "|" + a.Setting + "|" + a.Format + "|" + a.Method
}

// fromLog puts together the calls of a unit that earlier commands made; calls are those of the log. It
// compares turn and step only, because what was asked may differ from what this command would ask. Of
// several calls of one turn and step the last one counts. The result is not complete if a call is missing, or
// if the task cannot be asked; the error is of reading the log.
func (run *Run) fromLog(u unit, calls []loggedCall) (made unitCalls, err error) {
	for {
		// Next only tells whether there is another call, of which turn and step. What it would ask was asked.
		step, err := run.cfg.Source.Next(u.task, u.arm, made.replies)
		if err != nil {
			return made, nil // not complete
		}
		if step == nil {
			made.complete = true
			return made, nil
		}
		i := len(calls) - 1 // becomes the last call of this turn and step, or -1
		for ; i >= 0 && (calls[i].Turn != step.Turn || calls[i].Step != step.Name); i-- {
		}
		if i < 0 {
			return made, nil // not complete
		}
		done := new(Done)
		if err := run.calls.read(calls[i].place, done); err != nil {
			return made, err
		}
		made.add(run, done)
	}
}

// planned reads the calls of unit i of this command from the log. The result is not complete if one is
// missing, or if the task cannot be asked; the error is of reading the log.
func (run *Run) planned(i int) (made unitCalls, err error) {
	keys, ok := run.finished[i]
	if !ok { // the log may have them all the same
		c, err := run.firstWithoutOutcome(run.units[i], &made, run.calls.Done, ignore)
		made.complete = err == nil && c == nil
		if errors.Is(err, errLog) {
			return made, err
		}
		return made, nil
	}
	for _, key := range keys {
		done, err := run.calls.Done(key)
		if err != nil {
			return made, err
		}
		made.add(run, done)
	}
	made.complete = true
	return made, nil
}

// dumpLine returns the dump line of an answer, which ends in a line feed, and adds the answer to the totals.
// Its usage, time and tries are sums over the calls that led to the answer, its outcome that of the
// last one. Its cost is unknown if that of any call is.
func (run *Run) dumpLine(unit unit, answer ask.Answer, calls []*Done, totals *Totals) ([]byte, error) {
	calls = calls[answer.From : answer.Last+1]
	last := calls[len(calls)-1]
	asked := Asked{
		Model: run.cfg.Model, Served: orNil(last.Model), Arm: ArmOf(unit.arm), Repeat: unit.repeat, Config: last.Config,
		Finish: orNil(last.Finish), Outcome: string(last.Kind),
		Calls: len(calls), Usage: new(Usage), Cost: new(float64), // sums
	}
	if answer.Turn > 0 {
		asked.Turn = &answer.Turn
	}
	for _, done := range calls {
		asked.Tries += done.Tries
		asked.Seconds += done.Seconds
		asked.Usage.add(done.Usage)
		if done.Cost == nil {
			asked.Cost = nil // and stays so
		} else if asked.Cost != nil {
			*asked.Cost += *done.Cost
		}
	}
	totals.add(&asked, answer.OK, last)
	// Members that plumb score and the tables read stand beside "asked", which is for people and tools.
	members := scoring.AppendString([]byte(`"model":`), run.cfg.Model)
	members = strconv.AppendInt(append(members, `,"repeat":`...), int64(unit.repeat), 10)
	if asked.Finish != nil {
		members = scoring.AppendString(append(members, `,"finish_reason":`...), *asked.Finish)
	}
	if unit.arm.Format != "" {
		members = append(members, `,"format":"`+unit.arm.Format+`"`...)
	}
	if unit.arm.Input == ask.InputBlind {
		members = append(members, `,"blind":true`...)
	}
	if asked.Usage.Completion > 0 {
		members = strconv.AppendInt(append(members, `,"tokens":`...), asked.Usage.Completion, 10)
		members = strconv.AppendInt(append(members, `,"completion_tokens":`...), asked.Usage.Completion, 10)
	}
	out, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	members = append(append(members, `,"asked":`...), out...)
	return append(ask.AppendAnswer(nil, unit.task, answer, members), '\n'), nil
}

// add adds the tokens of one call, none where the call does not tell them.
func (usage *Usage) add(call *chat.Usage) {
	if call == nil {
		return
	}
	usage.Prompt += call.Prompt
	usage.Completion += call.Completion
	usage.Reasoning = addKnown(usage.Reasoning, call.Reasoning)
	usage.Cached = addKnown(usage.Cached, call.Cached)
}

// addKnown returns the sum of two numbers of tokens, of which nil is an unknown one. An unknown number counts
// as 0, but if both are unknown, the result is too. If sum is known, n is added to it in place.
func addKnown(sum, n *int64) *int64 {
	if n == nil {
		return sum
	}
	if sum == nil {
		sum = new(int64)
	}
	*sum += *n
	return sum
}

// add adds an answer to the totals. ok says that it has a response; last is the last of its calls. An
// answer that a filter of the endpoint withheld counts as filtered and as missing, without a reason.
func (totals *Totals) add(asked *Asked, ok bool, last *Done) {
	totals.Answers++
	totals.Seconds += asked.Seconds
	totals.Tokens.Prompt += asked.Usage.Prompt
	totals.Tokens.Completion += asked.Usage.Completion
	if asked.Cost == nil {
		totals.Priced = false
	} else {
		totals.Cost += *asked.Cost
	}
	switch {
	case last.Kind == chat.Filtered:
		totals.Filtered++
		totals.Missing++
	case !ok:
		totals.Missing++
		totals.countReason(last)
	case last.Cut():
		totals.Cut++
	}
}

// countReason counts why an answer is missing, by the outcome and the error of its last call. When there are
// maxReasons different reasons, new ones are counted together, because an endpoint may word each differently.
func (totals *Totals) countReason(last *Done) {
	if totals.Reasons == nil {
		totals.Reasons = map[string]int{}
	}
	reason := string(last.Kind)
	if last.Error != nil {
		reason += ": " + last.Error.Message
	}
	if _, ok := totals.Reasons[reason]; !ok && len(totals.Reasons) >= maxReasons {
		reason = "other reasons"
	}
	totals.Reasons[reason]++
}

// maxReasons bounds how many different reasons are told apart.
const maxReasons = 20

// orNil returns a pointer to a text, nil for "", so that JSON has null.
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Plan is what a run would do.
type Plan struct {
	Arm      string
	Turn     int
	Calls    int   // of this turn, at most where Turn is above 1
	Answered int   // of them, in the log
	Prompt   int64 // tokens of the prompts of the calls that are left, at most
	Most     int64 // tokens of their replies at most
}

// Plan counts the calls of the run by arm and turn, without making any. Later calls of a task depend on
// the answers before. An answer that is not there yet is taken for a good one with an empty text, so from
// the second turn on the numbers are the most there may be. eachCall, unless it is nil, gets each call with
// its number from 0; its error ends Plan and is returned with the counts so far.
func (run *Run) Plan(eachCall func(callNumber int, arm string, request *chat.Request) error) (plans []Plan, err error) {
	planIndex := map[[2]string]int{} // indices in plans by arm and turn
	callNumber := 0                  // calls so far
	for _, unit := range run.units {
		var replies []ask.Heard
		for turn := 1; ; turn++ {
			call, err := run.nextCall(unit, replies)
			if err != nil {
				return nil, err
			}
			if call == nil {
				break
			}
			key := [2]string{unit.arm.String(), strconv.Itoa(turn)}
			if _, ok := planIndex[key]; !ok {
				planIndex[key] = len(plans)
				plans = append(plans, Plan{Arm: unit.arm.String(), Turn: turn})
			}
			plan := &plans[planIndex[key]]
			plan.Calls++
			if eachCall != nil {
				if err := eachCall(callNumber, unit.arm.String(), call.request); err != nil {
					return plans, err
				}
			}
			callNumber++
			done, err := run.calls.Done(call.key)
			if err != nil {
				return nil, err
			}
			if done == nil {
				most := call.request.Most()
				plan.Prompt += most.Prompt
				plan.Most += most.Completion
				replies = append(replies, ask.Heard{Turn: call.step.Turn, Name: call.step.Name, Text: "", OK: true})
				continue
			}
			plan.Answered++
			replies = append(replies, run.heardOf(done))
		}
	}
	slices.SortStableFunc(plans, func(a, b Plan) int { return a.Turn - b.Turn })
	return plans, nil
}

// ErrEnough is for the function eachCall of Plan, to end Plan when no more calls are wanted.
var ErrEnough = errors.New("enough")
