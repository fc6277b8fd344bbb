package tangram

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/plane"
)

// TestTargetBounds has both sides of the limits of a target's outline (docs/spec/tangram.md#r12).
func TestTargetBounds(t *testing.T) {
	convex := func(n int) string { // points of a parabola
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("[%d,%d]", i, i*i))
		}
		return strings.Join(list, ",")
	}
	for text, want := range map[string]bool{convex(2): false, convex(3): true, convex(maxOutline): true, convex(maxOutline + 1): false, `[0,0],[1000000,0],[0,1]`: true, `[0,0],[1000001,0],[0,1]`: false,
		`[0,0],[-1000000,0],[0,1]`: true, `[0,0],[-1000001,0],[0,1]`: false, `[0,0],[1,0,0],[0,1]`: false, `[0,0],["\\sqrt{2}",0],[0,"1"]`: true, `[0,0],[true,0],[0,1]`: false} {
		if _, err := newTarget(fastjson.MustParse("[" + text + "]").GetArray()); (err == nil) != want {
			t.Errorf("%.60s: got %v; want it taken: %v", text, err, want)
		}
	}
	s := &suite{}
	s.buffers.New = func() any { return new([]byte) }
	s.targets = map[string]*plane.Target{}
	for i := range maxTargets {
		s.targets[fmt.Sprint(i)] = nil
	}
	item := fastjson.MustParse(`{"target_outline":{"vertices":[[0,0],[1,0],[0,1]]}}`)
	first, err := s.target(item)
	if err != nil || len(s.targets) != 1 {
		t.Fatalf("a full cache: got %d targets, %v; want the new one alone", len(s.targets), err)
	}
	if again, err := s.target(item); again != first || err != nil {
		t.Errorf("got another target for the same outline, %v", err)
	}
	if _, err := s.target(fastjson.MustParse(`{"target_outline":{"vertices":[[0,0],[2,0],[0,1]]}}`)); err != nil || len(s.targets) != 2 {
		t.Errorf("another outline: got %d targets, %v; want 2", len(s.targets), err)
	}
}

// TestItemMembers checks which values are an answer object, how instances are named, and what an item
// must have.
func TestItemMembers(t *testing.T) {
	for _, c := range []struct {
		test, value string
		want        bool
	}{{"", `{"final_state":1}`, true}, {Solution, `{"tce":{"final_state":1}}`, true}, {Solution, `{"TCE":{"final_state":1}}`, true}, {Solution, `{"tce":1}`, false}, {Outline, `{"final_state":1}`, false}} {
		if got := New().OwnAnswer(&scoring.Item{Test: c.test}, "response", fastjson.MustParse(c.value)); got != c.want {
			t.Errorf("%s %s: got %v", c.test, c.value, got)
		}
	}
	if keys, err := instanceKeys(fastjson.MustParse(`{"instance_id":"a"}`), 0); err != nil || len(keys) != 1 || keys[0] != "a" {
		t.Errorf("got the keys %q, %v", keys, err)
	}
	if _, err := instanceKeys(fastjson.MustParse(`{}`), 0); err == nil {
		t.Error("an instance without a name is taken")
	}
	for text, want := range map[string]string{`{"instance_id":"a"}`: "a", `{"instance_id":""}`: "i", `{}`: "i"} {
		if got := instanceName(fastjson.MustParse(text), "i"); got != want {
			t.Errorf("%s: got %s; want %s", text, got, want)
		}
	}
	for _, c := range []struct {
		test, fields string
		want         bool
	}{{"", `{"target_outline":{"vertices":[]},"response":""}`, true}, {Solution, `{"target_outline":{"vertices":null},"response":""}`, false}, {Solution, `{"target_outline":{},"response":""}`, false}, {Solution, `{"response":""}`, false},
		{Outline, `{"answer":"A","response":""}`, true}, {Outline, `{"response":""}`, false}} {
		it := scoring.Item{ID: "i", Test: c.test, Fields: fastjson.MustParse(c.fields)}
		if err := missingFields(&it); (err == nil) != c.want {
			t.Errorf("%s %s: got %v; want it complete: %v", c.test, c.fields, err, c.want)
		}
	}
}

// TestPlacedPieces checks how pieces are placed, replaced and taken away, and how many may lie there.
func TestPlacedPieces(t *testing.T) {
	c := &placedPieces{pieces: map[string][]byte{}}
	apply := func(members string) string {
		t.Helper()
		_, notes, err := c.Apply(&scoring.Item{Fields: fastjson.MustParse(`{"response":{"final_state":{` + members + `}}}`)})
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, n := range notes {
			codes = append(codes, n.Code)
		}
		return strings.Join(codes, " ")
	}
	for _, s := range []struct{ members, notes, placed string }{
		{`"a":{"id":"a","type":"x"}`, "", "a"}, {`"b":null`, "unknown_id", "a"}, {`"b":{"id":"b"},"a":{"id":"a"}`, "", "a b"}, {`"a":null`, "", "b"}, {`"a":null`, "unknown_id", "b"},
	} {
		if got := apply(s.members); got != s.notes || strings.Join(c.Placed(), " ") != s.placed {
			t.Errorf("%s: got the notes %q and %q placed; want %q and %q", s.members, got, c.Placed(), s.notes, s.placed)
		}
	}
	for i := len(c.pieces); i < maxPlaced; i++ {
		if got := apply(fmt.Sprintf(`"p%d":{"id":"p%[1]d"}`, i)); got != "" {
			t.Fatalf("piece %d: got the notes %q", i, got)
		}
	}
	if got := apply(`"one":{"id":"one"}`); got != scoring.NoteLimit || len(c.pieces) != maxPlaced {
		t.Errorf("one more: got the notes %q and %d pieces", got, len(c.pieces))
	}
	if got := apply(`"b":{"id":"b","type":"y"}`); got != "" || len(c.pieces) != maxPlaced {
		t.Errorf("one of them anew: got the notes %q and %d pieces", got, len(c.pieces))
	}
}

// TestUnnamed checks that an answer whose line has no id is an item of its own.
func TestUnnamed(t *testing.T) {
	g := &group{}
	for range 2 {
		r := scoring.Result{}
		r.Who.Repeat = 1
		g.addItem(&r, &itemTallies{})
	}
	named := scoring.Result{ID: "a"}
	for k, want := range []int{0, 1, 2} {
		named.Who.Repeat = k
		g.addItem(&named, &itemTallies{})
		if g.repeats != want || len(g.items) != min(want, 1) {
			t.Errorf("repeat %d: got %d repeats of %d items; want %d", k, g.repeats, len(g.items), want)
		}
	}
	if g.answers != 5 {
		t.Errorf("got %d answers; want 5", g.answers)
	}
	var m compensatedMean
	for _, x := range []float64{1e16, 1, -1e16} {
		m.add(x)
	}
	if got := m.percent(); got != "33.33" {
		t.Errorf("got %s; want 33.33: the sum is not compensated", got)
	}
}
