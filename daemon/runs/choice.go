package runs

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"plumb/daemon/ask"
)

// Choice says which tasks are asked. See docs/spec/runs.md#r39.
type Choice struct {
	Only   []string `json:"only"`   // ids; nil for all
	Limit  int      `json:"limit"`  // the first tasks of each group; 0 for all
	Sample int      `json:"sample"` // tasks of each group in the order of Seed; 0 for all
	Seed   int64    `json:"seed"`
}

// Tasks returns the chosen tasks in the order of all. The limits apply one after the other: the ids of
// Only, then Sample tasks at random from each group, then the first Limit tasks of each group. The error
// names an id of Only that no task has.
func (choice Choice) Tasks(all []*ask.Task) ([]*ask.Task, error) {
	tasks, err := choice.named(all)
	if err != nil {
		return nil, err
	}
	if choice.Sample > 0 {
		tasks = choice.sampled(tasks)
	}
	if choice.Limit > 0 {
		count := map[string]int{} // of tasks by group
		tasks = slices.DeleteFunc(slices.Clone(tasks), func(t *ask.Task) bool {
			count[t.Group]++
			return count[t.Group] > choice.Limit
		})
	}
	return tasks, nil
}

// named returns the tasks whose ids --only names, in the order of all, or all tasks if Only is nil. An
// id without a task is an error.
func (choice Choice) named(all []*ask.Task) (tasks []*ask.Task, err error) {
	if choice.Only == nil {
		return all, nil
	}
	for _, t := range all {
		if slices.Contains(choice.Only, t.ID) {
			tasks = append(tasks, t)
		}
	}
	for _, id := range choice.Only {
		if !slices.ContainsFunc(tasks, func(t *ask.Task) bool { return t.ID == id }) {
			return nil, fmt.Errorf("cannot use --only %q: no task has this id", id)
		}
	}
	return tasks, nil
}

// sampled returns Sample tasks of each group, or the whole group if it has no more. The seed decides which.
func (choice Choice) sampled(tasks []*ask.Task) []*ask.Task {
	groups := map[string][]string{} // ids of tasks
	for _, t := range tasks {
		groups[t.Group] = append(groups[t.Group], t.ID)
	}
	chosen := map[string]bool{}
	for _, ids := range groups {
		for _, id := range Subset(ids, choice.Sample, choice.Seed) {
			chosen[id] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(tasks), func(t *ask.Task) bool { return !chosen[t.ID] })
}

// Subset returns n of the ids, or all if there are fewer: the first in the order of a hash of seed and
// id. So a larger subset holds every smaller one, and no id depends on which others there are.
func Subset(ids []string, n int, seed int64) []string {
	type ranked struct {
		hash [sha256.Size]byte
		id   string
	}
	list := make([]ranked, len(ids))
	for i, id := range ids {
		list[i] = ranked{sha256.Sum256(fmt.Appendf(nil, "plumb-subset/1|%d|%s", seed, id)), id}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		if c := slices.Compare(a.hash[:], b.hash[:]); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	out := make([]string, 0, n)
	for _, r := range list[:min(n, len(list))] {
		out = append(out, r.id)
	}
	return out
}
