// Package choice implements Task 1 of TangramPuzzle, Outline Prediction, except its pictures. In:
// instances, or the answer of a model. Out: multiple-choice items with four options each, or the
// letter that the answer gives. It refuses sets of instances with fewer than four outlines.
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
	// Outline is the outline's list of vertices as text: equal texts are equal
	// silhouettes.
	Outline string
}

// Item asks for the silhouette of one instance among four.
type Item struct {
	ID      string    // of the instance
	Options [4]string // instance ids, in the order of Letters
	Answer  string    // the letter of ID
}

// Items draws the options of every instance. The items are sorted by id; the result depends only
// on the set and the seed. See docs/spec/tangram.md#r52.
func Items(set []Candidate, seed int64) ([]Item, error) {
	sorted := slices.Clone(set)
	slices.SortFunc(sorted, func(a, b Candidate) int { return strings.Compare(a.ID, b.ID) })
	if err := CheckOutlines(sorted, 4); err != nil {
		return nil, err
	}
	items := make([]Item, len(sorted))
	for k := range sorted {
		text := fmt.Sprintf("%d:%s", seed, sorted[k].ID)
		list := Draw(sorted, k, text, 3)
		entries := append([]int{k}, list.Others...)
		list.random.Shuffle(entries)
		items[k].ID = sorted[k].ID
		for i, e := range entries {
			items[k].Options[i] = sorted[e].ID
			if e == k {
				items[k].Answer = Letters[i : i+1]
			}
		}
	}
	return items, nil
}

// CheckOutlines returns an error if the set has fewer than n different outlines, so that drawing
// would not end, or an id twice. The set is sorted by id.
func CheckOutlines(sorted []Candidate, n int) error {
	outlines := map[string]bool{}
	for i, c := range sorted {
		if i > 0 && c.ID == sorted[i-1].ID {
			return fmt.Errorf("cannot draw options: two instances have the id %q; want each once", c.ID)
		}
		outlines[c.Outline] = true
	}
	if len(outlines) < n {
		return fmt.Errorf("cannot draw options: %d different outlines; want at least %d", len(outlines), n)
	}
	return nil
}

// Drawn is the result of drawing other instances for one instance.
type Drawn struct {
	Others []int // indices in the set, in the order of drawing
	random *splitmix.Stream
}

// Draw draws n instances of the set for instance k with a random generator seeded by a text: none
// is k, and all outlines differ. The set must pass CheckOutlines for n+1. See
// docs/spec/tangram.md#r52.
func Draw(set []Candidate, k int, seed string, n int) Drawn {
	d := Drawn{random: splitmix.New(seed)}
	for len(d.Others) < n {
		j := d.random.Below(len(set))
		same := func(e int) bool { return e == j || set[e].Outline == set[j].Outline }
		if !same(k) && !slices.ContainsFunc(d.Others, same) {
			d.Others = append(d.Others, j)
		}
	}
	return d
}
