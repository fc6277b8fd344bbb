package main

import (
	"context"
	"encoding/json"
	"fmt"

	"plumb/daemon"
	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/daemon/episode"
	"plumb/daemon/queue"
	"plumb/scoring"
)

// episodeFlags are the flags of episodes of several turns.
type episodeFlags struct {
	Episodes bool   `group:"episodes" help:"Ask in episodes of several turns: each answer is scored, then the model gets feedback and a picture of the result, and answers again, as in the daemon's OpenEnv sessions."`
	Turns    int    `placeholder:"N" group:"episodes" help:"Maximum number of turns of an episode. Default: 2 (retry), 3 (canvas) or 8 (place)."`
	Play     string `placeholder:"MODE" group:"episodes" help:"How the turns of an episode build on each other: retry or canvas (ASPIRE, DrawingBench), place (TangramPuzzle). Default: the first that the suite has."`
	Feedback string `placeholder:"LEVEL" group:"episodes" help:"What the model is told about its answer: none, status, score or full. Default: score."`
}

// checkEpisodes refuses flags of episodes without --episodes, and suites and batches that have no
// episodes.
func (cmd *runCmd) checkEpisodes() error {
	switch {
	case !cmd.Episodes && (cmd.Turns != 0 || cmd.Play != "" || cmd.Feedback != ""):
		return usage("cannot use --turns, --play or --feedback without --episodes")
	case cmd.Episodes && (cmd.Suite == "spatialab" || cmd.Suite == "spaceeval"):
		return usage("cannot ask %s in episodes: with feedback, a second try would only eliminate an option; "+
			"want aspire, drawingbench or tangram", cmd.Suite)
	case cmd.Episodes && cmd.Batch:
		return usage("cannot use --batch with --episodes: each turn follows from the one before")
	}
	return nil
}

// episodes returns the source of the calls of `plumb run`. With --episodes it asks each task of the
// given source in several turns; otherwise it is the given source itself.
func (cmd *runCmd) episodes(preparedRun *preparedRun, source ask.Suite) (ask.Suite, error) {
	if !cmd.Episodes {
		return source, nil
	}
	choice := map[string]any{}
	for name, v := range map[string]string{"mode": cmd.Play, "feedback": cmd.Feedback} {
		if v != "" {
			choice[name] = v
		}
	}
	if cmd.Turns != 0 {
		choice["turns"] = cmd.Turns
	}
	b, _ := json.Marshal(choice)                   // cannot fail: strings and a number
	options, fault := episode.ReadOptions(b, "--") // "--": errors then name flags
	if fault != nil {
		return nil, usageError{fault}
	}
	return cmd.episodeSource(preparedRun, source, options)
}

// episodeSource returns a source that asks the tasks of another one in episodes with the options opts,
// and sets preparedRun.scorer, which scores the turns without Chromium. Options that the suite does not have
// are a usageError, before the first call.
func (cmd *runCmd) episodeSource(preparedRun *preparedRun, source ask.Suite, opts episode.Options) (ask.Suite, error) {
	d := defaultScore()
	d.Suite, d.Variant, d.Backend, d.Fidelity = cmd.Suite, cmd.Variant, "cpu", "native"
	if cmd.Suite != "aspire" {
		d.Tasks = []string{cmd.Suite + "=" + cmd.Tasks}
	}
	config, err := core(&d.engineFlags, &d.limitFlags, &d.scoreFlags)
	if err != nil {
		return nil, err
	}
	config.Whole = true
	items, err := daemon.Items(config)
	if err != nil {
		return nil, err
	}
	variants, err := d.variants(config.Suites)
	if err != nil {
		return nil, err
	}
	mode, err := scoring.ParseReward(cmd.Reward)
	if err != nil {
		return nil, usageError{err}
	}
	if preparedRun.scorer == nil {
		preparedRun.scorer = &turnScorer{config: config, options: queue.Options{Suite: cmd.Suite, Variants: variants}}
	}
	preparedRun.scorer.options.Reward = mode
	boards := preparedRun.boards
	cfg := episode.Config{Items: items, Variants: variants, Suite: cmd.Suite,
		Prompts: &ask.Prompter{Suites: items.Suites, Tasks: items.Tasks, Boards: func() (*ask.Boards, error) {
			if boards == nil {
				return nil, fmt.Errorf("BUG: %s has no boards", cmd.Suite)
			}
			return boards, nil
		}}}
	if len(source.Tasks()) > 0 { // an episode of the first task shows whether the options are allowed
		trial := opts
		trial.Label = scoring.AppendString(nil, string(source.Tasks()[0].Line))
		if _, fault := episode.New(cfg, trial); fault != nil {
			return nil, usageError{fault}
		}
	}
	return episode.Ask(source, cfg, opts, mode, preparedRun.scorer.line), nil
}

// line scores a dump line of a turn and returns the result with its JSON line. The first call opens
// the engine.
func (scorer *turnScorer) line(line []byte) (*scoring.Result, []byte, error) {
	scorer.once.Do(func() { scorer.core, scorer.err = daemon.Open(scorer.config) })
	if scorer.err != nil {
		return nil, nil, scorer.err
	}
	o := scorer.options
	a, err := scorer.core.Queue.Score(context.Background(), dump.Line{N: 1, Bytes: line}, &o)
	return &a.Result, a.JSON, err
}
