package aspire

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/scoring"
	"plumb/testdata"
)

// demo returns the lines of the sample dump: 25 tasks of each test, each answered three times.
func demo(t *testing.T) [][]byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(b), []byte("\n"))
}

// outcome describes everything that a job gives: its views, and its result for some tallies.
func outcome(t *testing.T, s *suite, raw []byte) string {
	t.Helper()
	j, err := s.prepare(itemOf(t, raw), nil)
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	tallies := make([]metric.Tally, len(j.Views()))
	for i, v := range j.Views() {
		fmt.Fprintf(&b, "%v %q %q %x\n", v.Bounds, v.FirstIDs, v.SecondIDs, v.Scene.AppendContent(nil))
		tallies[i].A = metric.Sums{Alpha: 100, AlphaX: uint64(100 * (300 + i)), AlphaY: 5000, Covered: 3}
	}
	r := j.Score(tallies)
	return b.String() + string(r.AppendJSON(nil, scoring.Raw, ""))
}

// TestInitialsAreShared compares jobs of a suite that keeps whiteboards with those of one that
// keeps none: all lines twice, with a cache that evicts, and one that does not.
func TestInitialsAreShared(t *testing.T) {
	lines := demo(t)
	none := newSuite(Config{})
	for _, budget := range []int{20_000, 16 << 20} {
		s := newSuite(Config{InitialBytes: budget})
		for i, raw := range append(lines, lines...) {
			if got, want := outcome(t, s, raw), outcome(t, none, raw); got != want {
				t.Fatalf("budget %d, line %d: got %s; want %s", budget, i, got, want)
			}
		}
		c := s.boards
		sum := 0
		for _, i := range c.byKey.Values() {
			sum += i.bytes
		}
		if c.bytes != sum || sum > budget || c.byKey.Len() == 0 {
			t.Errorf("budget %d: %d entries of %d bytes, counted as %d", budget, c.byKey.Len(), sum, c.bytes)
		}
	}
}

// TestInitialsKeepTheirContent checks that no answer changes a whiteboard that others share.
func TestInitialsKeepTheirContent(t *testing.T) {
	s := newSuite(Config{InitialBytes: 16 << 20})
	content := func(i *initialBoard) string {
		sc, err := scene.Resolve(i.shapes, nil, s.limits)
		if err != nil {
			t.Fatal(err)
		}
		return string(sc.AppendContent(nil))
	}
	was := map[*initialBoard]string{}
	for _, raw := range demo(t) {
		outcome(t, s, raw)
		for _, i := range s.boards.byKey.Values() {
			if was[i] == "" {
				was[i] = content(i)
			}
		}
	}
	if len(was) < 100 {
		t.Fatalf("got %d whiteboards; want one for each task", len(was))
	}
	for i, want := range was {
		if content(i) != want {
			t.Errorf("the whiteboard that begins with %s has changed", i.shapes[0].ID)
		}
	}
}

// TestInitialsDiffer checks that whiteboards which differ in a member, its type or its place are
// not taken for each other.
func TestInitialsDiffer(t *testing.T) {
	s := newSuite(Config{InitialBytes: 1 << 20})
	seen := map[*initialBoard]string{}
	for _, shapes := range []string{
		`[]`, `[{"id":"shape:a","type":"geo","x":1,"y":2}]`, `[{"id":"shape:a","type":"geo","x":1.0,"y":2}]`, `[{"id":"shape:a","type":"geo","y":1,"x":2}]`,
		`[{"id":"shape:a","type":"geo","x":12,"y":0}]`, `[{"id":"shape:a","type":"geo","x":1,"y":20}]`,
		`[{"id":"shape:a","type":"geo","x":1},{"id":"shape:b","type":"geo","y":2}]`, `[{"id":"shape:b","type":"geo","y":2},{"id":"shape:a","type":"geo","x":1}]`,
	} {
		w := &workspace{suite: s}
		i, err := w.initialBoardOf(fastjson.MustParse(`{"shapes":` + shapes + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[i]; ok {
			t.Errorf("%s is taken for %s", shapes, other)
		}
		seen[i] = shapes
	}
}
