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

// checkEpisodes refuses flags of episodes, in which a task is asked in several turns, without --episodes.
// It also refuses episodes of suites with options to choose from, and episodes in batches.
func (cmd *runCmd) checkEpisodes() error {
	suite := builtInSuites().Find(cmd.Suite)
	switch {
	case !cmd.Episodes && (cmd.Turns != 0 || cmd.Play != "" || cmd.Feedback != ""):
		return usage("cannot use --turns, --play or --feedback without --episodes")
	case cmd.Episodes && suite != nil && suite.Questions:
		return usage("cannot ask %s in episodes: with feedback, a second try would only eliminate an option; "+
			"want %s", cmd.Suite, listed(inTurns(builtInSuites()).Names(), "or"))
	case cmd.Episodes && cmd.Batch:
		return usage("cannot use --batch with --episodes: each turn follows from the one before")
	}
	return nil
}

// withEpisodes returns the source of the calls to the model of `plumb run`. With --episodes that is a source
// that asks each task of the given source in several turns, by the options of --turns, --play and
// --feedback. Otherwise it is the given source itself. Options that cannot be used are a usageError.
func (cmd *runCmd) withEpisodes(preparedRun *preparedRun, source ask.Suite) (ask.Suite, error) {
	if !cmd.Episodes {
		return source, nil
	}
	members := map[string]any{} // the options as clients of the daemon would send them
	for name, value := range map[string]string{"mode": cmd.Play, "feedback": cmd.Feedback} {
		if value != "" {
			members[name] = value
		}
	}
	if cmd.Turns != 0 {
		members["turns"] = cmd.Turns
	}
	object, _ := json.Marshal(members)                  // cannot fail: strings and a number
	options, fault := episode.ReadOptions(object, "--") // "--": errors then name flags
	if fault != nil {
		return nil, usageError{fault}
	}
	return cmd.episodeSource(preparedRun, source, options)
}

// episodeSource returns a source that asks the tasks of another source in episodes, that is in several turns.
// It sets preparedRun.scorer, which scores the answer of each turn without Chromium, because the feedback of
// the next turn needs the score. Options that the suite does not have are a usageError, before the first call.
func (cmd *runCmd) episodeSource(preparedRun *preparedRun, source ask.Suite, options episode.Options) (ask.Suite, error) {
	// Read the tasks as plumb score would.
	scoreCmd := defaultScore()
	scoreCmd.Suite, scoreCmd.Variant, scoreCmd.Backend, scoreCmd.Fidelity = cmd.Suite, cmd.Variant, "cpu", "native"
	if cmd.Suite != "aspire" {
		scoreCmd.Tasks = []string{cmd.Suite + "=" + cmd.Tasks}
	}
	config, err := coreConfig(&scoreCmd.engineFlags, &scoreCmd.limitFlags, &scoreCmd.scoreFlags)
	if err != nil {
		return nil, err
	}
	config.Whole = true // prompts need members of tasks that scoring does not read
	items, err := daemon.Items(config)
	if err != nil {
		return nil, err
	}
	variants, err := scoreCmd.variants(config.Suites)
	if err != nil {
		return nil, err
	}
	reward, err := scoring.ParseReward(cmd.Reward)
	if err != nil {
		return nil, usageError{err}
	}
	if preparedRun.scorer == nil { // DrawingBench has one already
		preparedRun.scorer = &turnScorer{config: config, options: queue.Options{Suite: cmd.Suite, Variants: variants}}
	}
	preparedRun.scorer.options.Reward = reward
	// What makes the prompts of turns.
	boards := preparedRun.boards
	cfg := episode.Config{Items: items, Variants: variants, Suite: cmd.Suite,
		Prompts: &ask.Prompter{Suites: items.Suites, Tasks: items.Tasks, Boards: func() (*ask.Boards, error) {
			if boards == nil {
				return nil, fmt.Errorf("BUG: %s has no boards", cmd.Suite)
			}
			return boards, nil
		}}}
	// Begin an episode of the first task, which shows whether the options are allowed.
	if len(source.Tasks()) > 0 {
		trial := options
		trial.Label = scoring.AppendString(nil, string(source.Tasks()[0].Line))
		if _, fault := episode.New(cfg, trial); fault != nil {
			return nil, usageError{fault}
		}
	}
	return episode.Ask(source, cfg, options, reward, preparedRun.scorer.scoreLine), nil
}

// scoreLine scores the answer of a turn, given as a dump line, and returns the result and its JSON line. The
// first call opens the engine that scores; where that fails, all calls return its error.
func (scorer *turnScorer) scoreLine(line []byte) (*scoring.Result, []byte, error) {
	scorer.once.Do(func() { scorer.core, scorer.err = daemon.Open(scorer.config) })
	if scorer.err != nil {
		return nil, nil, scorer.err
	}
	options := scorer.options // a copy for the queue
	answer, err := scorer.core.Queue.Score(context.Background(), dump.Line{Number: 1, Bytes: line}, &options)
	return &answer.Result, answer.JSON, err
}
