package runs

import (
	"slices"
	"strings"
	"testing"

	"plumb/daemon/ask"
	"plumb/testdata"
)

// The draw of a sample is that of the reference data.
func TestSubset(t *testing.T) {
	var v struct {
		Subset struct {
			Seed   int64
			IDs    []string
			First5 []string
			Seed1  []string `json:"seed1_first5"`
		}
	}
	testdata.JSON(t, "runs/vectors.json", &v)
	s := v.Subset
	if got := Subset(s.IDs, 5, s.Seed); !slices.Equal(got, s.First5) || len(got) != 5 {
		t.Errorf("got %v; want %v", got, s.First5)
	}
	if got := Subset(s.IDs, 5, 1); !slices.Equal(got, s.Seed1) {
		t.Errorf("seed 1: got %v; want %v", got, s.Seed1)
	}
	if got := Subset(s.IDs, 100, 1); len(got) != len(s.IDs) {
		t.Errorf("got %d of %d", len(got), len(s.IDs))
	}
}

// The key of a call is that of the reference data.
func TestKey(t *testing.T) {
	var v struct {
		Keys struct {
			Key      string
			Identity struct {
				Suite, Task, Test, Step, Request string
				Repeat, Turn                     int
			}
		}
	}
	testdata.JSON(t, "runs/vectors.json", &v)
	i := v.Keys.Identity
	c := &call{unit: unit{task: &ask.Task{ID: i.Task, Test: i.Test}, repeat: i.Repeat}, step: &ask.Step{Turn: i.Turn, Name: i.Step}, hash: i.Request}
	if got, err := keyOf(i.Suite, c); err != nil || got != v.Keys.Key || len(got) != 32 {
		t.Errorf("got %s, %v; want %s", got, err, v.Keys.Key)
	}
}

// Only, sample and limit choose tasks by their groups, in the order of the file.
func TestChoice(t *testing.T) {
	var all []*ask.Task
	for _, id := range strings.Fields("a1 a2 a3 b1 b2 b3") {
		all = append(all, &ask.Task{ID: id, Group: id[:1]})
	}
	for _, c := range []struct {
		choice Choice
		want   string // ids; after a ! what the error names
	}{
		{Choice{}, "a1 a2 a3 b1 b2 b3"},
		{Choice{Limit: 2}, "a1 a2 b1 b2"},
		{Choice{Only: []string{"b2", "a1"}}, "a1 b2"},
		{Choice{Only: []string{"c9"}}, "!c9"},
		{Choice{Sample: 3, Seed: 5}, "a1 a2 a3 b1 b2 b3"},
	} {
		got, err := c.choice.Tasks(all)
		var ids []string
		for _, t := range got {
			ids = append(ids, t.ID)
		}
		if want, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: got %v; want an error that names %s", c.choice, err, want)
			}
		} else if strings.Join(ids, " ") != c.want || err != nil {
			t.Errorf("%+v: got %v, %v; want %s", c.choice, ids, err, c.want)
		}
	}
	one, _ := Choice{Sample: 1, Seed: 5}.Tasks(all)
	two, _ := Choice{Sample: 2, Seed: 5}.Tasks(all)
	if len(one) != 2 || len(two) != 4 || !slices.Contains(two, one[0]) || !slices.Contains(two, one[1]) {
		t.Errorf("got samples of %d and %d; want the larger one to hold the smaller", len(one), len(two))
	}
}
