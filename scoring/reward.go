package scoring

import (
	"fmt"
	"math"
	"slices"
)

// RewardMode says how a score becomes a trainer's reward. The zero value is the default. See
// docs/spec/cli.md#r22.
type RewardMode uint8

// The modes of rewards.
const (
	Clamp01 RewardMode = iota // limited to [0, 1]
	Clamp11                   // limited to [-1, 1]
	Raw                       // the score itself
)

var rewardNames = [...]string{Clamp01: "clamp01", Clamp11: "clamp11", Raw: "raw"}

// ParseReward reads the value of --reward: how a reward follows from a score.
func ParseReward(s string) (RewardMode, error) {
	m := slices.Index(rewardNames[:], s)
	if m < 0 {
		return 0, fmt.Errorf("cannot use reward %q: want raw, clamp01 or clamp11", s)
	}
	return RewardMode(m), nil
}

// String returns the name that ParseReward reads.
func (mode RewardMode) String() string { return rewardNames[mode] }

// Of returns the reward for a finite score: the score limited to the mode's range. It is finite and
// never -0.
func (mode RewardMode) Of(score float64) float64 {
	switch mode {
	case Clamp01:
		score = math.Min(math.Max(score, 0), 1)
	case Clamp11:
		score = math.Min(math.Max(score, -1), 1)
	}
	return score + 0 // -0 becomes 0
}
