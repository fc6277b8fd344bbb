package delta

import (
	"sort"

	"plumb/render/paint"
)

// matcher pairs the layers of two views. It keeps its memory.
type matcher struct {
	places map[paint.Stamp]int32 // positions of old layers by stamp, the last one of equal stamps
	tails  []int32               // tails[n]: the new layer that ends the best sequence of n+1 pairs so far
	before []int32               // per new layer the one before it in its sequence
}

// pairUp pairs the layers of two views by their stamps: layers with equal stamps are equal. For each new layer
// it returns the position of its partner among the old ones, -1 for none, in the memory of positions, which
// must be empty. Partners are in the same order in both views, and as many layers as possible have one: the
// positions are a longest rising subsequence.
func (matcher *matcher) pairUp(positions []int32, layers []paint.Layer, old []Layer) []int32 {
	unchanged := 0 // how many layers at the beginning are equal: most edits leave these as they were
	for unchanged < len(layers) && unchanged < len(old) && layers[unchanged].Stamp == old[unchanged].Stamp {
		positions = append(positions, int32(unchanged))
		unchanged++
	}
	for range layers[unchanged:] {
		positions = append(positions, -1)
	}
	if unchanged == len(layers) || unchanged == len(old) {
		return positions
	}
	if matcher.places == nil {
		matcher.places = map[paint.Stamp]int32{}
	}
	clear(matcher.places)
	for i := unchanged; i < len(old); i++ {
		matcher.places[old[i].Stamp] = int32(i)
	}
	for i := unchanged; i < len(layers); i++ {
		if position, ok := matcher.places[layers[i].Stamp]; ok {
			positions[i] = position
		}
	}
	if !breaks(ForgetOrder) {
		matcher.keepRising(positions, unchanged)
	}
	return positions
}

// keepRising keeps a longest rising subsequence of oldPositions[unchanged:] and sets the others to -1.
// matcher.tails holds, for each length, the rising sequence so far of which the last position is lowest, so that
// most later ones can follow it. The longest is then walked back from its end.
func (matcher *matcher) keepRising(oldPositions []int32, unchanged int) {
	matcher.tails = matcher.tails[:0]
	matcher.before = append(matcher.before[:0], make([]int32, len(oldPositions))...)
	for i := unchanged; i < len(oldPositions); i++ {
		if oldPositions[i] < 0 {
			continue
		}
		// The longest sequence so far that oldPositions[i] can follow.
		length := sort.Search(len(matcher.tails), func(length int) bool { return oldPositions[matcher.tails[length]] >= oldPositions[i] })
		matcher.before[i] = -1
		if length > 0 {
			matcher.before[i] = matcher.tails[length-1]
		}
		if length == len(matcher.tails) {
			matcher.tails = append(matcher.tails, 0)
		}
		matcher.tails[length] = int32(i)
	}
	// Walk back along the longest one.
	last := int32(-1)
	if len(matcher.tails) > 0 {
		last = matcher.tails[len(matcher.tails)-1]
	}
	for i := int32(len(oldPositions) - 1); i >= int32(unchanged); i-- {
		if i == last {
			last = matcher.before[i]
		} else {
			oldPositions[i] = -1
		}
	}
}
