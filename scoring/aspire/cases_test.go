package aspire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/metric"
	"plumb/render/scene"
	"plumb/scoring"
	"plumb/testdata"
)

// reference is one line of the reference cases (docs/spec/aspire.md#r2).
type reference struct {
	ID, Test, Tag string
	Expected      map[string]any
	Applied       map[string]any
	OrderAfter    []string `json:"order_after"`
	Images        map[string]string
	raw           []byte
	folder        string
}

// references reads the reference cases.
func references(t testing.TB) []reference {
	t.Helper()
	path := testdata.Path(t, "aspire/cases.jsonl")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []reference
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		c := reference{raw: bytes.Clone(lines.Bytes()), folder: filepath.Dir(path)}
		if err := json.Unmarshal(c.raw, &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("cannot read cases: %d lines, %v", len(all), err)
	}
	return all
}

// itemOf parses an item.
func itemOf(t testing.TB, raw []byte) *scoring.Item {
	t.Helper()
	v, err := fastjson.ParseBytes(raw)
	if err != nil {
		t.Fatal(err)
	}
	return &scoring.Item{ID: string(v.GetStringBytes("id")), Suite: "aspire", Test: string(v.GetStringBytes("test")), Fields: v}
}

// prepare makes the job of a case and returns it with the operations that were
// applied.
func prepare(t testing.TB, raw []byte, v scoring.Variants) *job {
	t.Helper()
	j, err := New(Config{}).Prepare(itemOf(t, raw), v)
	if err != nil {
		t.Fatal(err)
	}
	return j.(*job)
}

// alpha reads a grey PNG that holds alpha; nil for a case without a picture.
func (c *reference) alpha(t testing.TB, name string) *image.Gray {
	t.Helper()
	if c.Images[name] == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(c.folder, c.Images[name]))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img.(*image.Gray)
}

// sums counts a picture. The unit of alpha is 1/255, which cancels in a centre.
func sums(img *image.Gray) (s metric.Sums) {
	if img == nil {
		return s
	}
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			a := uint64(img.GrayAt(x, y).Y)
			s.Alpha += a
			s.AlphaX += a * uint64(x)
			s.AlphaY += a * uint64(y)
			if a > 0 {
				s.Covered++
			}
		}
	}
	return s
}

// tallies are what an engine would have measured, taken from the editor's
// pictures.
func (c *reference) tallies(t testing.TB, j *job) []metric.Tally {
	t.Helper()
	if c.Test == "balance" {
		before, after := metric.Tally{A: sums(c.alpha(t, "before"))}, metric.Tally{A: sums(c.alpha(t, "after"))}
		return []metric.Tally{before, after}[:len(j.views)]
	}
	if len(j.views) == 0 {
		return nil
	}
	label, shape := c.alpha(t, "label"), c.alpha(t, "shape")
	m := metric.Tally{A: sums(label), B: sums(shape)}
	if label != nil && shape != nil {
		for i, a := range label.Pix {
			if a > 0 && shape.Pix[i] > 0 {
				m.Both++
			}
		}
	}
	return []metric.Tally{m}
}

// same compares a metric with what a case expects, numbers to 1e-6.
func same(got, want any) bool {
	switch w := want.(type) {
	case float64:
		switch g := got.(type) {
		case float64:
			return math.Abs(g-w) <= 1e-6*math.Max(1, math.Abs(w))
		case int:
			return float64(g) == w
		}
		return false
	case []any:
		g := reflect.ValueOf(got)
		if got == nil || g.Kind() != reflect.Slice || g.Len() != len(w) {
			return false
		}
		for i := range w {
			if !same(g.Index(i).Interface(), w[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, want)
}

// metricOf returns a metric of a result.
func metricOf(r *scoring.Result, name string) (any, bool) {
	for _, m := range r.Metrics {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// TestCases checks everything that the reference cases expect: how the answer
// was read, what was done, the intermediate values and the score.
func TestCases(t *testing.T) {
	for _, c := range references(t) {
		t.Run(c.ID, func(t *testing.T) {
			j := prepare(t, c.raw, nil)
			r := j.Score(c.tallies(t, j))
			if r.Err != nil || !r.Scored {
				t.Fatalf("%s: no score: %v", c.Tag, r.Err)
			}
			for name, want := range c.Expected {
				switch name {
				case "score":
					if !same(r.Score, want) {
						t.Errorf("%s: score is %v; want %v", c.Tag, r.Score, want)
					}
				case "status":
					if r.Status != want {
						t.Errorf("%s: status is %s; want %s", c.Tag, r.Status, want)
					}
				default:
					got, ok := metricOf(&r, strings.ToLower(name))
					if !ok || !same(got, want) {
						t.Errorf("%s: %s is %v (%v); want %v", c.Tag, name, got, ok, want)
					}
				}
			}
			order := []string{}
			for i := range j.final {
				order = append(order, j.final[i].ID)
			}
			if !reflect.DeepEqual(order, c.OrderAfter) {
				t.Errorf("%s: order is %v; want %v", c.Tag, order, c.OrderAfter)
			}
		})
	}
}

// TestApplied checks the operations after clean-up, field by field.
func TestApplied(t *testing.T) {
	for _, c := range references(t) {
		if c.Test == "arrow" {
			continue // TestCases checks its rotation
		}
		got := map[string]any{}
		w, err := ran(newSuite(Config{}), string(c.raw), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(operationsOf(w))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, c.Applied) {
			want, _ := json.Marshal(c.Applied)
			t.Errorf("%s (%s): applied\n got %s\nwant %s", c.ID, c.Tag, b, want)
		}
	}
}

// TestVariantScores checks the named variants that the reference cases expect: the
// score of the variant is the metric of the same name.
func TestVariantScores(t *testing.T) {
	variants := map[string]string{
		"score_cell": MazeCell, "score_ordered": LineOrdered,
		"score_contains": PatternContains, "score_printed": BalancePrinted,
	}
	n := 0
	for _, c := range references(t) {
		for field, name := range variants {
			want, ok := c.Expected[field]
			if !ok {
				continue
			}
			n++
			j := prepare(t, c.raw, scoring.Variants{name: ""})
			if r := j.Score(c.tallies(t, j)); !r.Scored || !same(r.Score, want) {
				t.Errorf("%s (%s): score with %s is %v (%v); want %v", c.ID, c.Tag, name, r.Score, r.Err, want)
			}
		}
	}
	if n < 80 {
		t.Errorf("only %d cases name a variant", n)
	}
}

// operationsOf returns the operations that were applied as the cases write them.
func operationsOf(w *workspace) any {
	list := func(records []scene.Record) []any {
		out := []any{}
		for i := range records {
			out = append(out, written(&records[i]))
		}
		return out
	}
	return map[string]any{
		"create": list(w.operations.creates), "update": list(w.operations.updates),
		"delete": append([]string{}, w.operations.deletes...),
	}
}

// written turns a record back into a simple shape.
func written(r *scene.Record) map[string]any {
	m, props := map[string]any{"id": r.ID, "type": r.Kind.String()}, map[string]any{}
	put := func(to map[string]any, f scene.Fields, name string, v any) {
		if r.Has&f != 0 {
			to[name] = v
		}
	}
	put(m, scene.HasX, "x", r.X)
	put(m, scene.HasY, "y", r.Y)
	put(m, scene.HasRotation, "rotation", r.Rotation)
	put(m, scene.HasOpacity, "opacity", r.Opacity)
	put(props, scene.HasGeo, "geo", r.Geo.String())
	put(props, scene.HasColor, "color", r.Color.String())
	put(props, scene.HasSize, "size", r.Size.String())
	put(props, scene.HasDash, "dash", r.Dash.String())
	put(props, scene.HasFill, "fill", r.Fill.String())
	put(props, scene.HasFont, "font", r.Font.String())
	put(props, scene.HasW, "w", r.W)
	put(props, scene.HasH, "h", r.H)
	put(props, scene.HasScale, "scale", r.Scale)
	put(props, scene.HasAuto, "autoSize", r.Auto)
	put(props, scene.HasComplete, "isComplete", r.Complete)
	align := "align"
	if r.Kind == scene.Text {
		align = "textAlign"
	}
	put(props, scene.HasAlign, align, r.Align.String())
	put(props, scene.HasVertical, "verticalAlign", r.Vertical.String())
	if r.Has&scene.HasHeadEnd != 0 {
		props["arrowheadEnd"] = r.Arrow.HeadEnd.String()
	}
	xy := func(p scene.Point) map[string]any { return map[string]any{"x": p.X, "y": p.Y} }
	if r.Has&scene.HasStart != 0 {
		props["start"] = xy(r.Points[0])
	}
	if r.Has&scene.HasEnd != 0 {
		props["end"] = xy(r.Points[1])
	}
	if r.Has&scene.HasPoints != 0 {
		points := map[string]any{}
		for i, p := range r.Points {
			name := fmt.Sprintf("a%d", i+1)
			points[name] = map[string]any{"id": name, "index": name, "x": p.X, "y": p.Y}
		}
		props["points"] = points
	}
	if r.Has&scene.HasSegments != 0 {
		props["segments"] = writtenSegments(r.Segments)
	}
	if r.Has&scene.HasRich != 0 {
		props["richText"] = writtenText(r.Rich)
	}
	m["props"] = props
	return m
}

func writtenSegments(list []scene.Segment) []any {
	out := []any{}
	for _, s := range list {
		kind, points := "free", []any{}
		if s.Straight {
			kind = "straight"
		}
		for _, p := range s.Points {
			points = append(points, map[string]any{"x": p.X, "y": p.Y, "z": p.Z})
		}
		out = append(out, map[string]any{"type": kind, "points": points})
	}
	return out
}

func writtenText(t *scene.RichText) map[string]any {
	blocks := []any{}
	if t == nil {
		blocks = append(blocks, map[string]any{"type": "paragraph"})
	} else {
		for _, b := range t.Blocks {
			p := map[string]any{"type": "paragraph"}
			spans := []any{}
			for _, s := range b.Spans {
				spans = append(spans, map[string]any{"type": "text", "text": s.Text})
			}
			if len(spans) > 0 {
				p["content"] = spans
			}
			blocks = append(blocks, p)
		}
	}
	return map[string]any{"type": "doc", "content": blocks}
}
