package scenario

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// The shares of levels among the first draws are those that the specification counted in
// 3,000 draws of another seed, within what 1,500 draws can tell.
func TestLevelShares(t *testing.T) {
	for test, want := range map[string][2]float64{
		"maze": {35, 17}, "graph": {37, 29}, "pattern": {42, 20}, "line": {25, 32}, "arrow": {35, 33}, "overlap": {64, 5}, "balance": {32, 35},
	} {
		const draws = 1500
		count := map[Level]float64{}
		for i := range draws {
			s, err := Make(7, test, i)
			if err != nil {
				t.Fatal(err)
			}
			_, level := s.Measured()
			count[level] += 100. / draws
		}
		if math.Abs(count[Easy]-want[0]) > 4 || math.Abs(count[Hard]-want[1]) > 4 {
			t.Errorf("%s: got %.1f %% easy and %.1f %% hard; want %v", test, count[Easy], count[Hard], want)
		}
	}
}

func TestMakeLevel(t *testing.T) {
	for _, test := range Tests() {
		for i := range 9 {
			plain, _ := Make(3, test, i)
			mixed, err := MakeLevel(3, test, i, Mixed)
			a, _ := plain.AppendTask(nil, 3)
			b, _ := mixed.AppendTask(nil, 3)
			if err != nil || string(a) != string(b) {
				t.Fatalf("%s %d: mixed differs from the plain scenario, %v", test, i, err)
			}
			for _, level := range []Level{Easy, Medium, Hard, Graded} {
				s, err := MakeLevel(3, test, i, level)
				if err != nil {
					t.Fatal(err)
				}
				want := level
				if level == Graded {
					want = []Level{Easy, Medium, Hard}[i%3]
				}
				if _, got := s.Measured(); got != want {
					t.Errorf("%s %d: got level %s; want %s", test, i, got, want)
				}
			}
		}
	}
	if _, err := MakeLevel(0, "maze", 0, "brutal"); err == nil || !strings.Contains(err.Error(), `"brutal"`) {
		t.Errorf("got %v; want an error that names the level", err)
	}
}

func TestAppendTask(t *testing.T) {
	s, _ := Make(0, "arrow", 7)
	b, err := s.AppendTask(nil, 0)
	var line map[string]any
	if err == nil {
		err = json.Unmarshal(b, &line)
	}
	if err != nil || line["id"] != "arrow-s0-07" || line["seed"] != 0. || line["index"] != 7. || line["level"] == "" || line["measures"].(map[string]any)["ti"] == nil {
		t.Errorf("got %s, %v", b, err)
	}
	for _, member := range []string{"model", "response"} {
		if _, has := line[member]; has {
			t.Errorf("a task has the member %s", member)
		}
	}
}

// Boxes that only touch the reference are apart from it, on each of its sides; the measures say how many.
func TestTouchingBoxesAreApart(t *testing.T) {
	s := Scenario{Test: "overlap", Shapes: []Shape{
		solidGeo("shape:r", "rectangle", "red", 100, 100, 50, 40),
		solidGeo("shape:left", "rectangle", "blue", 70, 100, 30, 40), solidGeo("shape:right", "rectangle", "blue", 150, 100, 30, 40),
		solidGeo("shape:above", "rectangle", "blue", 100, 60, 50, 40), solidGeo("shape:below", "rectangle", "blue", 100, 140, 50, 40),
		solidGeo("shape:on", "rectangle", "blue", 149, 139, 50, 40),
	}}
	for n, want := range []Level{Easy, Medium, Hard, Hard, Hard, Hard} {
		task := &OverlapTask{Reference: "shape:r"}
		for _, one := range s.Shapes[1 : 1+n] {
			task.Expected = append(task.Expected, one.ID)
		}
		s.Task = task
		measures, level := s.Measured()
		if apart := min(n, 4); measures[0] != (Measure{"apart", apart}) || level != want {
			t.Errorf("%d boxes: got %v, %s; want %d apart, %s", n, measures, level, apart, want)
		}
	}
}
