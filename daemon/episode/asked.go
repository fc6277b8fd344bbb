package episode

import (
	"fmt"
	"slices"
	"strconv"

	"plumb/daemon/ask"
	"plumb/daemon/chat"
	"plumb/daemon/jsoncut"
	"plumb/daemon/reward"
	"plumb/scoring"
)

// asked asks a model in episodes: the first question is that of the suite, the others follow
// from observations. It implements ask.Suite.
type asked struct {
	ask.Suite
	cfg    Config
	opt    Options
	reward scoring.RewardMode
	score  func(line []byte) (*scoring.Result, []byte, error)
}

// Ask returns a suite that asks the tasks of another one in episodes with the choices of options, whose
// task is not read. score scores a dump line and returns its result line too; rewards, which end an
// episode, are by mode. See docs/spec/episodes.md#r14.
func Ask(s ask.Suite, cfg Config, options Options, mode scoring.RewardMode, score func(line []byte) (*scoring.Result, []byte, error)) ask.Suite {
	return &asked{s, cfg, options, mode, score}
}

// newEpisode begins the episode of a task that a model is asked about.
func (asked *asked) newEpisode(task *ask.Task) (*Episode, error) {
	o := asked.opt
	o.Label = scoring.AppendString(nil, string(task.Line))
	episode, fault := New(asked.cfg, o)
	if fault != nil {
		return nil, fmt.Errorf("cannot ask %s: %w", task.ID, fault)
	}
	return episode, nil
}

// Next returns the next question of an episode. A suite keeps no state, so the episode is played again from
// its start with the answers so far (replies), each of which is scored. The question is the chat with all
// answers and observations. It is nil if the episode has ended or the last answer is missing. It implements
// ask.Suite.
func (asked *asked) Next(task *ask.Task, a ask.Arm, replies []ask.Heard) (*ask.Step, error) {
	step, err := asked.Suite.Next(task, a, nil)
	if err != nil || step == nil || len(replies) == 0 {
		return step, err
	}
	episode, err := asked.newEpisode(task)
	if err != nil {
		return nil, err
	}
	messages := step.Messages
	// Play each answer, and add it to the chat with the observation that follows it.
	for _, heard := range replies {
		if !heard.OK || episode.Done() {
			return nil, nil
		}
		turn := episode.Begin(scoring.AppendString(nil, heard.Text))
		result, line, err := asked.score(turn.Line)
		if err != nil {
			return nil, fmt.Errorf("cannot score turn %d of %s: %w", heard.Turn, task.ID, err)
		}
		if _, _, _, err := episode.End(turn, Result{Result: result, JSON: line, Outcome: reward.Of(result, asked.reward)}); err != nil {
			return nil, fmt.Errorf("cannot go on with %s: %w", task.ID, err)
		}
		text := heard.Text
		if text == "" {
			text = "(empty answer)" // an endpoint refuses a message without content
		}
		// Clip makes append copy the list, which is the suite's.
		messages = append(slices.Clip(messages),
			chat.Message{Role: "assistant", Parts: []chat.Part{chat.Text(text)}})
		var parts []chat.Part
		for i := range episode.shownPictures {
			if p := &episode.shownPictures[i]; p.Failed == "" {
				parts = append(parts, chat.Picture(p.Image()))
			}
		}
		messages = append(messages, chat.User(append(parts, chat.Text(episode.nextPrompt))...))
	}
	if episode.Done() {
		return nil, nil
	}
	return &ask.Step{Turn: len(replies) + 1, Messages: messages}, nil
}

// Answers returns an answer for each turn of an episode, with ID/TURN as its id. If the answers of an episode
// build on each other, the text is that of all answers up to this turn, merged into one. It implements
// ask.Suite.
func (asked *asked) Answers(t *ask.Task, _ ask.Arm, replies []ask.Heard) (all []ask.Answer) {
	episode, err := asked.newEpisode(t)
	for i, h := range replies {
		one := ask.Answer{ID: t.ID + "/" + strconv.Itoa(h.Turn), Turn: h.Turn, Text: h.Text, OK: h.OK, Last: i, From: i}
		if err == nil && h.OK {
			// Begin alone merges the answer into those before. End would only add the score, which nobody asks for here.
			response := episode.Begin(scoring.AppendString(nil, h.Text)).response
			if response[0] == '"' { // a text, not a JSON object
				one.Text = string(jsoncut.Text(response))
			}
		}
		all = append(all, one)
	}
	return all
}
