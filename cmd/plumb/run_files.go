package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plumb/daemon/ask"
	"plumb/daemon/atomicfile"
	"plumb/daemon/chat"
	"plumb/daemon/runs"
	"plumb/scoring/plural"
)

// runRecord is run.json: what a folder holds. See docs/spec/runs.md#r43.
type runRecord struct {
	Version string      `json:"version"`
	Commit  string      `json:"commit"`
	Command []string    `json:"command"`
	Suite   string      `json:"suite"`
	Model   string      `json:"model"`
	Tasks   string      `json:"tasks"` // SHA-256 of the task file
	Seed    string      `json:"seed"`
	Arms    []armRecord `json:"arms"` // of all commands
	Repeats int         `json:"repeats"`
	Choice  runs.Choice `json:"choice"` // of the last command
	Price   any         `json:"price"`
	// ReasoningAsAnswer: where an answer had no text, its reasoning was scored.
	ReasoningAsAnswer bool         `json:"reasoning_as_answer"`
	System            string       `json:"system,omitempty"` // the message before all others
	Started           time.Time    `json:"started"`          // of the first command
	Ended             *time.Time   `json:"ended"`            // of the last one; null while it runs
	Totals            *runs.Totals `json:"totals"`
}

// armRecord is an arm with what is sent in it.
type armRecord struct {
	runs.Arm
	Config      string          `json:"config"`
	Temperature *float64        `json:"temperature"`
	MaxTokens   *int64          `json:"max_tokens"`
	TopP        *float64        `json:"top_p"`
	Seed        *int64          `json:"sampling_seed"`
	Extra       json.RawMessage `json:"body,omitempty"`
}

func (cmd *runCmd) recordPath() string { return filepath.Join(cmd.Out, "run.json") }

// openRecord writes the record of a run, run.json, and the task file into the run's folder. If the folder has a
// record already, this command must be about the same suite, model and tasks; another is a usageError. The ways
// of asking (arms) of earlier commands stay in the record, and those of this command are added.
func (cmd *runCmd) openRecord(preparedRun *preparedRun) error {
	now := time.Now().UTC().Truncate(time.Second)
	record := runRecord{Version: version, Commit: commit, Command: os.Args, Suite: cmd.Suite, Model: cmd.Model,
		Tasks: hashOf(preparedRun.tasks), Seed: cmd.Seed, Repeats: cmd.Repeats, Choice: preparedRun.config.Choice,
		ReasoningAsAnswer: cmd.ReasoningAsAnswer, System: preparedRun.config.System, Started: now, Price: preparedRun.price}
	old, err := readRecord(cmd.recordPath())
	if err != nil {
		return err
	}
	// The folder must hold the same run.
	if old != nil {
		for _, same := range []struct{ what, before, now string }{
			{"suite", old.Suite, record.Suite},
			{"model", old.Model, record.Model},
			{"task file (its SHA-256; --tasks, --seed, --count and --level make it)", old.Tasks, record.Tasks},
		} {
			if same.before != same.now {
				return usage("cannot go on in %s: the %s is %s there and %s now; want the same, or another --out", cmd.Out, same.what, same.before, same.now)
			}
		}
		record.Started, record.Arms = old.Started, old.Arms
	}
	// Add the arms of this command, each once. Config is a hash of an arm and its settings.
	plan, err := runs.New(preparedRun.config, nil)
	if err != nil {
		return usageError{err}
	}
	for _, arm := range preparedRun.arms {
		settings := preparedRun.config.Settings(arm)
		added := armRecord{Arm: runs.ArmOf(arm), Config: plan.Config(arm), Temperature: settings.Temperature, MaxTokens: settings.MaxTokens,
			TopP: settings.TopP, Seed: settings.Seed, Extra: settings.Extra}
		if !slices.ContainsFunc(record.Arms, func(known armRecord) bool { return known.Config == added.Config }) {
			record.Arms = append(record.Arms, added)
		}
	}
	if err := writeWhole(filepath.Join(cmd.Out, cmd.tasksName()), preparedRun.tasks); err != nil {
		return err
	}
	return cmd.writeRecord(&record)
}

// readRecord reads the run.json of a folder of plumb run, which holds its settings and totals. It
// returns nil without an error if there is none.
func readRecord(path string) (*runRecord, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read run: %w", err)
	}
	record := new(runRecord)
	if err := json.Unmarshal(data, record); err != nil {
		return nil, fmt.Errorf("cannot read run %s: %w", path, err)
	}
	return record, nil
}

// writeRecord writes the settings and the state of a run to run.json in its folder.
func (cmd *runCmd) writeRecord(r *runRecord) error {
	out, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return writeWhole(cmd.recordPath(), append(out, '\n'))
}

// writeWhole writes a file so that it is never there in part: it is written beside a former file and then
// takes its place. A file that holds the same bytes is left as it is.
func writeWhole(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	err := atomicfile.WriteFile(path, func(f *atomicfile.File) error {
		_, err := f.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// scoreAnswers makes everything in the run's folder that follows from the log of calls to the model. It writes
// the answers as a dump, completes the record run.json, and scores the dump as plumb score does, with
// results and a report. It is an error if there is no answer yet.
func (cmd *runCmd) scoreAnswers(std streams, preparedRun *preparedRun) error {
	path := filepath.Join(cmd.Out, "dump.jsonl")
	var totals runs.Totals
	err := atomicfile.WriteFile(path, func(f *atomicfile.File) (err error) {
		totals, err = preparedRun.run.Dump(f)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot write dump: %w", err)
	}
	// Complete the record of the run.
	runRecord, err := readRecord(cmd.recordPath())
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	runRecord.Ended, runRecord.Totals = &now, &totals
	if err := cmd.writeRecord(runRecord); err != nil {
		return err
	}
	cmd.tellTotals(std, preparedRun, totals)
	if totals.Answers == 0 {
		return fmt.Errorf("nothing to score: %s holds no answers yet", cmd.Out)
	}
	// Score the dump, with the flags that plumb run has in common with plumb score.
	score := defaultScore()
	score.Dumps, score.Suite = []string{path}, cmd.Suite
	score.Output, score.Report = filepath.Join(cmd.Out, "results.jsonl"), filepath.Join(cmd.Out, "report")
	score.Tasks = []string{cmd.Suite + "=" + filepath.Join(cmd.Out, cmd.tasksName())}
	score.Variant, score.Reward = cmd.Variant, cmd.Reward
	score.paperFlags, score.judgeFlags, score.successFlag = cmd.paperFlags, cmd.judgeFlags, cmd.successFlag
	score.remark = runRecord.remark()
	if score.JudgeURL != "" && score.JudgeCache == "" { // verdicts that are kept are not asked for again
		score.JudgeCache = filepath.Join(cmd.Out, "judge")
	}
	return score.Run(std)
}

// tellTotals prints how many answers the run's folder holds, how many tokens and USD all its calls to the
// model took, the most frequent reasons for missing answers, and what to do about them.
func (cmd *runCmd) tellTotals(std streams, run *preparedRun, totals runs.Totals) {
	spent := run.spent
	fmt.Fprintf(std.err, "%s: %s (%d missing, %d of them filtered; %d cut), %s not done; %s, %s tokens in, %s out",
		cmd.Suite, plural.Of(totals.Answers, "answer"), totals.Missing, totals.Filtered, totals.Cut, plural.Of(totals.Pending, "task"),
		plural.Of(spent.Calls, "call"), grouped(spent.PromptTokens), grouped(spent.CompletionTokens))
	if spent.Priced {
		fmt.Fprintf(std.err, ", %.4f USD", spent.Cost)
	}
	if spent.Lost > 0 {
		fmt.Fprintf(std.err, "; %s lost (at most %s tokens)", plural.Of(spent.Lost, "call was", "calls were"), grouped(spent.LostTokens))
	}
	fmt.Fprintln(std.err)
	// What is wrong with the log of calls.
	if n := run.calls.Torn(); n > 0 {
		fmt.Fprintf(std.err, "plumb: %s\n", plural.Of(n, "line of calls.jsonl is not whole and was skipped", "lines of calls.jsonl are not whole and were skipped"))
	}
	if n := run.calls.Duplicates(); n > 0 {
		fmt.Fprintf(std.err, "plumb: %s an outcome twice; the first counts\n", plural.Of(n, "call of calls.jsonl has", "calls of calls.jsonl have"))
	}
	// Why answers are missing, the most frequent reasons first.
	const printed = 3
	reasons := slices.SortedFunc(maps.Keys(totals.Reasons), func(a, b string) int {
		return cmp.Or(totals.Reasons[b]-totals.Reasons[a], strings.Compare(a, b))
	})
	for i, reason := range reasons {
		if i == printed {
			fmt.Fprintf(std.err, "plumb: %s in run.json\n", plural.Of(len(reasons)-i, "more reason is", "more reasons are"))
			break
		}
		fmt.Fprintf(std.err, "plumb: %s missing: %.200s\n", plural.Of(totals.Reasons[reason], "answer is", "answers are"), reason)
	}
	if len(reasons) > 0 {
		fmt.Fprintln(std.err, "plumb: --retry-failed asks again for what was refused or failed")
	}
	if totals.Other > 0 {
		fmt.Fprintf(std.err, "plumb: %s in the results too\n", plural.Of(totals.Other,
			"answer was asked for with other settings than those of this command; it is", "answers were asked for with other settings than those of this command; they are"))
	}
	if totals.Answers > 0 && totals.Cut*20 > totals.Answers { // more than 5 % are worth a hint
		fmt.Fprintf(std.err, "plumb: %d of %s cut by the limit of tokens; raise --max-tokens\n", totals.Cut, plural.Of(totals.Answers, "answer was", "answers were"))
	}
}

// grouped writes a count with a space between groups of three digits, such as 12 345 678.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}

// printPlan prints what `plumb run` would ask a model, without a call: with --print the first requests, else
// the number of calls, an upper bound of their tokens, and a range of the cost. It writes no file. Calls
// that the run's folder holds already are counted as answered.
func (cmd *runCmd) printPlan(std streams, preparedRun *preparedRun) error {
	if _, err := os.Stat(cmd.recordPath()); err == nil {
		calls, err := runs.ReadCalls(filepath.Join(cmd.Out, "calls.jsonl"))
		if err != nil {
			return err
		}
		preparedRun.calls = calls
	} else if preparedRun.boards != nil && cmd.Print == nil {
		// Pictures take long to draw. They are needed to find a request in the log of calls by its hash, but
		// there is no log yet, so empty pictures of the right sizes do for the plan.
		preparedRun.boards.Blank()
	}
	run, err := runs.New(preparedRun.config, preparedRun.calls)
	if err != nil {
		return usageError{err}
	}
	if cmd.Print != nil {
		return printRequests(std.out, run, *cmd.Print)
	}
	plans, err := run.Plan(nil)
	if err != nil {
		return err
	}
	// Add up the calls of each way of asking and turn.
	var calls, left int
	var maxPromptTokens, maxReplyTokens int64 // upper bounds of tokens
	for _, plan := range plans {
		atMost := ""
		if plan.Turn > 1 && (cmd.Suite == "drawingbench" || cmd.Episodes) { // whether there is a later turn depends on the answer
			atMost = "at most "
		}
		fmt.Fprintf(std.out, "%s turn or step %d: %s%s, %d answered already\n", plan.Arm, plan.Turn, atMost, plural.Of(plan.Calls, "call"), plan.Answered)
		calls += plan.Calls
		left += plan.Calls - plan.Answered
		maxPromptTokens += plan.Prompt
		maxReplyTokens += plan.Most
	}
	fmt.Fprintf(std.out, "%s in all, %d left: at most %s tokens in, %s out", plural.Of(calls, "call"), left, grouped(maxPromptTokens), grouped(maxReplyTokens))
	if preparedRun.price != nil {
		const million = 1e6                                                                  // prices are per million tokens
		const bytesPerToken = 4                                                              // of text, about
		low := preparedRun.price.Prompt * float64(maxPromptTokens) / bytesPerToken / million // the upper bound takes each byte for a token
		high := preparedRun.price.Prompt*float64(maxPromptTokens)/million + preparedRun.price.Completion*float64(maxReplyTokens)/million
		fmt.Fprintf(std.out, "; between %.4f and %.4f USD", low, high)
	}
	fmt.Fprintln(std.out)
	return nil
}

// printRequests prints the first n requests that a run would send, one JSON line each. Hashes stand for
// the bytes of pictures.
func printRequests(w io.Writer, run *runs.Run, n int) error {
	// Plan calls the function with each request in turn, until it returns an error.
	_, err := run.Plan(func(index int, _ string, request *chat.Request) error {
		if index == n {
			return runs.ErrEnough
		}
		line, err := request.Canonical()
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\n", line)
		}
		return err
	})
	if errors.Is(err, runs.ErrEnough) {
		err = nil
	}
	return err
}

// armsName returns the ways of asking of a run (its arms) as one word, such as "default,cot/full": the
// modes of all arms separated by commas, a slash, their inputs, and so on for setting, format and method.
// Members that no arm has are left out.
func armsName(arms []ask.Arm) string {
	var parts []string
	for _, member := range []func(ask.Arm) string{
		func(a ask.Arm) string { return a.Mode },
		func(a ask.Arm) string { return a.Input },
		func(a ask.Arm) string { return a.Setting },
		func(a ask.Arm) string { return a.Format },
		func(a ask.Arm) string { return a.Method },
	} {
		var values []string
		for _, a := range arms {
			if v := member(a); v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			parts = append(parts, strings.Join(values, ","))
		}
	}
	return strings.Join(parts, "/")
}

// showProgress prints how far the run is: on a terminal each second, in place of the line before, and
// else a new line every 30 seconds. It does so in the background until the returned function is called.
func (cmd *runCmd) showProgress(std streams, preparedRun *preparedRun, client *chat.Client) (stop func()) {
	const clearLine = "\r\x1b[K"
	end := make(chan struct{})
	ended := make(chan struct{})
	start, doneBefore := time.Now(), preparedRun.run.Progress().Done
	onTerminal := isTerminal(std.err)
	every := 30 * time.Second
	if onTerminal {
		every = time.Second
	}
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-end:
				if onTerminal {
					fmt.Fprint(std.err, clearLine)
				}
				return
			case <-tick.C:
				line := cmd.progressLine(preparedRun, client, time.Since(start), doneBefore)
				if onTerminal {
					fmt.Fprint(std.err, clearLine+line)
				} else {
					fmt.Fprintln(std.err, line)
				}
			}
		}
	}()
	// The caller may write to standard error again once the goroutine has ended.
	return func() { close(end); <-ended }
}

// paceAfter is the time from which a run has a pace; sooner it would be a guess.
const paceAfter = 3 * time.Second

// progressLine returns how far the run is as one line of text: counts, the pace since the start and
// the time left, tokens and cost, and how long the endpoint has asked to wait. took is the time since the
// start of this command, and doneBefore the number of units that were done at its start: the pace counts
// only the units since then. A unit is a task in one way of asking, once for each repeat.
func (cmd *runCmd) progressLine(prepared *preparedRun, client *chat.Client, took time.Duration, doneBefore int) string {
	progress, status, spent := prepared.run.Progress(), client.Status(), client.Spent()
	text := fmt.Sprintf("%s %s %d/%d · %d ok %d failed %d cut · %d at once",
		cmd.Suite, armsName(prepared.arms), progress.Done, progress.Units, progress.Answered, progress.Failed, progress.Cut, status.Calls)
	if took > paceAfter && progress.Done > doneBefore {
		each := took / time.Duration(progress.Done-doneBefore)
		left := (each * time.Duration(progress.Units-progress.Done)).Round(time.Second)
		text += fmt.Sprintf(" · %.0f/min · %s left", float64(time.Minute)/float64(each), left)
	}
	text += fmt.Sprintf(" · %dk in %dk out", spent.PromptTokens/1000, spent.CompletionTokens/1000)
	if spent.Priced {
		text += fmt.Sprintf(" · %.2f", spent.Cost)
		if cmd.MaxCost != nil {
			text += fmt.Sprintf(" of %.2f", float64(*cmd.MaxCost))
		}
		text += " USD"
	}
	if status.Hold > 0 { // the endpoint has asked to wait, by this HTTP status
		text += fmt.Sprintf(" · waiting %s (%d)", status.Hold.Round(time.Second), status.HTTP)
	}
	return text
}
