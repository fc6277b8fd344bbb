// Package choice implements Task 1 of TangramPuzzle, Outline Prediction, except its pictures: it
// picks the four options at random and reads the letter of an answer. In: instances, or the answer of a
// model. Out: multiple-choice items with four options each, or the letter that the answer gives.
// It refuses sets of instances with fewer than four outlines.
package choice

import (
	"fmt"
	"slices"
	"strings"

	"plumb/scoring/tangram/splitmix"
)

// Letters name the options in their order.
const Letters = "ABCD"

// Candidate is an instance that can be an option.
type Candidate struct {
	ID string
	// Outline is the outline's list of vertices as text. It is only compared: equal texts are
	// equal silhouettes.
	Outline string
}

// Item asks for the silhouette of one instance among four.
type Item struct {
	ID      string    // of the instance
	Options [4]string // instance ids, in the order of Letters
	Answer  string    // the letter of ID
}

// Items makes an item of Task 1 of each tangram instance: it picks three other outlines as wrong
// options at random. The items are sorted by id. The result depends only on the set and the seed.
// See docs/spec/tangram.md#r52.
func Items(set []Candidate, seed int64) ([]Item, error) {
	sorted := slices.Clone(set)
	slices.SortFunc(sorted, func(a, b Candidate) int { return strings.Compare(a.ID, b.ID) })
	const wrongOptions = 3
	if err := CheckOutlines(sorted, 1+wrongOptions); err != nil {
		return nil, err
	}
	items := make([]Item, len(sorted))
	for index := range sorted {
		text := fmt.Sprintf("%d:%s", seed, sorted[index].ID)
		drawn := Draw(sorted, index, text, wrongOptions)
		entries := append([]int{index}, drawn.Others...)
		drawn.random.Shuffle(entries) // with the generator that drew, which goes on
		items[index].ID = sorted[index].ID
		for i, entry := range entries {
			items[index].Options[i] = sorted[entry].ID
			if entry == index {
				items[index].Answer = Letters[i : i+1]
			}
		}
	}
	return items, nil
}

// CheckOutlines returns an error if two tangram instances have the same id, or if the set has fewer
// than want different outlines, because Draw would then never end. The set must be sorted by id,
// because only neighbours are compared.
func CheckOutlines(sorted []Candidate, want int) error {
	outlines := map[string]bool{}
	for i, candidate := range sorted {
		if i > 0 && candidate.ID == sorted[i-1].ID {
			return fmt.Errorf("cannot draw options: two instances have the id %q; want each once", candidate.ID)
		}
		outlines[candidate.Outline] = true
	}
	if len(outlines) < want {
		return fmt.Errorf("cannot draw options: %d different outlines; want at least %d", len(outlines), want)
	}
	return nil
}

// Drawn is the result of picking other instances for one instance at random.
type Drawn struct {
	Others []int // indices in the set, in the order of drawing
	random *splitmix.Stream
}

// Draw picks n tangram instances of the set at random as wrong options for instance k. None is k,
// and their outlines differ from one another and from that of k. The random generator is seeded by
// a text. The set must pass CheckOutlines for n+1. See docs/spec/tangram.md#r52.
func Draw(set []Candidate, k int, seed string, n int) Drawn {
	drawn := Drawn{random: splitmix.New(seed)}
	for len(drawn.Others) < n {
		next := drawn.random.Below(len(set))
		looksLikeNext := func(other int) bool { return other == next || set[other].Outline == set[next].Outline }
		if !looksLikeNext(k) && !slices.ContainsFunc(drawn.Others, looksLikeNext) {
			drawn.Others = append(drawn.Others, next)
		}
	}
	return drawn
}
