package scoring

import (
	"fmt"
	"math"
)

// RewardMode says how a score becomes a reward. The zero value is the default. See
// docs/spec/cli.md#r22.
type RewardMode uint8

// The shapes of rewards.
const (
	Clamp01 RewardMode = iota // limited to [0, 1]
	Clamp11                   // limited to [-1, 1]
	Raw                       // the score itself
)

var rewardNames = [...]string{Clamp01: "clamp01", Clamp11: "clamp11", Raw: "raw"}

// ParseReward reads the value of --reward.
func ParseReward(s string) (RewardMode, error) {
	for m, name := range rewardNames {
		if s == name {
			return RewardMode(m), nil
		}
	}
	return 0, fmt.Errorf("cannot use reward %q: want raw, clamp01 or clamp11", s)
}

// String returns the name that ParseReward reads.
func (m RewardMode) String() string { return rewardNames[m] }

// Of shapes a finite score. The result is finite and never -0.
func (m RewardMode) Of(score float64) float64 {
	switch m {
	case Clamp01:
		score = math.Min(math.Max(score, 0), 1)
	case Clamp11:
		score = math.Min(math.Max(score, -1), 1)
	}
	return score + 0 // -0 becomes 0
}
