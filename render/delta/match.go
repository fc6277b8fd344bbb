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

// run pairs the layers of two views. It returns for each new layer the position of the old one with
// the same stamp, -1 for none, in the memory of dst, which must be empty. The positions rise, and as many
// layers as possible have one: it is a longest rising subsequence.
func (matcher *matcher) run(dst []int32, layers []paint.Layer, old []Layer) []int32 {
	n := 0 // most edits leave the beginning as it was
	for n < len(layers) && n < len(old) && layers[n].Stamp == old[n].Stamp {
		dst = append(dst, int32(n))
		n++
	}
	for range layers[n:] {
		dst = append(dst, -1)
	}
	if n == len(layers) || n == len(old) {
		return dst
	}
	if matcher.places == nil {
		matcher.places = map[paint.Stamp]int32{}
	}
	clear(matcher.places)
	for i := n; i < len(old); i++ {
		matcher.places[old[i].Stamp] = int32(i)
	}
	for i := n; i < len(layers); i++ {
		if at, ok := matcher.places[layers[i].Stamp]; ok {
			dst[i] = at
		}
	}
	if broken != ForgetOrder { // only tests break rules
		matcher.keepRising(dst, n)
	}
	return dst
}

// keepRising keeps a longest rising subsequence of the positions at[n:] and sets the others to -1.
// It goes through them with, for each length, the sequence so far that ends lowest, and then back
// along the longest.
func (matcher *matcher) keepRising(at []int32, n int) {
	matcher.tails = matcher.tails[:0]
	matcher.before = append(matcher.before[:0], make([]int32, len(at))...)
	for i := n; i < len(at); i++ {
		if at[i] < 0 {
			continue
		}
		// The longest sequence so far that at[i] can follow.
		k := sort.Search(len(matcher.tails), func(k int) bool { return at[matcher.tails[k]] >= at[i] })
		matcher.before[i] = -1
		if k > 0 {
			matcher.before[i] = matcher.tails[k-1]
		}
		if k == len(matcher.tails) {
			matcher.tails = append(matcher.tails, 0)
		}
		matcher.tails[k] = int32(i)
	}
	// Walk back along the longest one.
	last := int32(-1)
	if len(matcher.tails) > 0 {
		last = matcher.tails[len(matcher.tails)-1]
	}
	for i := int32(len(at) - 1); i >= int32(n); i-- {
		if i == last {
			last = matcher.before[i]
		} else {
			at[i] = -1
		}
	}
}
