package scene

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// Each limit refuses the first value over it, accepts the last one under it and names its flag.
func TestLimits(t *testing.T) {
	list := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	text := func(n int) string { return `[{"type":"text","props":{"text":"` + strings.Repeat("a", n) + `"}}]` }
	rich := func(n int) string {
		return `[{"type":"text","props":{"richText":{"type":"doc","content":` + list(n, `{"type":"paragraph"}`) + `}}}]`
	}
	nested := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"id":"shape:%d","type":"group","parentId":"shape:%d"}`, i, i-1)
		}
		return "[" + b.String()[1:] + "]"
	}
	records := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"typeName":"shape","id":"shape:%d","type":"geo"}`, i)
		}
		return `{"records":[` + b.String()[1:] + `]}`
	}
	for _, c := range []struct {
		name        string
		lim         Limits
		under, over string
		flag        string
	}{
		{"line", Limits{Line: 12}, `[          ]`, `[           ]`, FlagLine},
		{"depth", Limits{Depth: 5}, `[{"type":"geo","props":{"meta":[[]]}}]`, `[{"type":"geo","props":{"meta":[[[]]]}}]`, FlagDepth},
		{"values", Limits{Values: 3}, `[{"type":"geo"}]`, `[{"type":"geo","x":1}]`, FlagValues},
		{"shapes", Limits{Shapes: 3}, list(3, `{"type":"geo"}`), list(4, `{"type":"geo"}`), FlagShapes},
		{"records", Limits{Shapes: 3}, records(3), records(4), FlagShapes},
		{"text", Limits{Text: 30}, text(30), text(31), FlagText},
		{"paragraphs", Limits{Text: 30}, rich(30), rich(31), FlagText},
		{"id", Limits{Text: 8}, `[{"id":"shape:12","type":"geo"}]`, `[{"id":"shape:123","type":"geo"}]`, FlagText},
		{"type", Limits{Text: 11}, `[{"type":"12345678901"}]`, `[{"type":"123456789012"}]`, FlagText},
		{"nesting", Limits{Depth: 20}, nested(20), nested(21), FlagDepth},
		{"x", Limits{Coordinate: 10}, `[{"type":"geo","x":-10}]`, `[{"type":"geo","x":-10.1}]`, FlagCoordinate},
		{"w", Limits{Coordinate: 10}, `[{"type":"geo","props":{"w":10}}]`, `[{"type":"geo","props":{"w":11}}]`, FlagCoordinate},
		{"end", Limits{Coordinate: 10}, `[{"type":"arrow","props":{"end":{"x":0,"y":10}}}]`, `[{"type":"arrow","props":{"end":{"x":0,"y":11}}}]`, FlagCoordinate},
	} {
		if _, err := Decode([]byte(c.under), c.lim); err != nil {
			t.Errorf("%s: %s: got %v; want no error", c.name, c.under, err)
		}
		_, err := Decode([]byte(c.over), c.lim)
		if !errors.Is(err, ErrLimit) || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.flag) {
			t.Errorf("%s: %s: got %v; want ErrLimit and %s", c.name, c.over, err, c.flag)
		}
	}
}

// Hostile inputs at the default limits. See docs/spec/cli.md#r33.
func TestHostile(t *testing.T) {
	shapes := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"type":"geo"},`, n), ",") + "]"
	}
	ring := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"id":"shape:%d","type":"group","parentId":"shape:%d"}`, i, (i+1)%n)
		}
		return "[" + b.String()[1:] + "]"
	}
	deepList := strings.Repeat(`{"type":"bulletList","content":[{"type":"listItem","content":[`, 100) + strings.Repeat(`]}]}`, 100)
	for name, in := range map[string]string{
		"10^6 shapes":        shapes(1_000_000),
		"text of 1 MB":       `[{"type":"geo","props":{"text":"` + strings.Repeat("x", 1<<20) + `"}}]`,
		"lines of text":      `[{"type":"geo","props":{"text":"` + strings.Repeat(`\n`, 1<<20) + `"}}]`,
		"id of 1 MB":         `[{"id":"shape:` + strings.Repeat("x", 1<<20) + `","type":"geo"}]`,
		"self-nesting group": `[{"id":"shape:a","type":"group","parentId":"shape:a"}]`,
		"ring of parents":    ring(50_000),
		"rho of parents":     ring(10)[:len(ring(10))-1] + `,{"id":"shape:x","type":"geo","parentId":"shape:3"}]`,
		"1e308":              `[{"type":"line","props":{"points":{"a":{"index":"a","x":1e308,"y":-1e308}}}}]`,
		"deep lists":         `[{"type":"geo","props":{"richText":{"type":"doc","content":[` + deepList + `]}}}]`,
		"arrow to arrow": `{"shapes":[{"id":"shape:a","type":"arrow"},{"id":"shape:b","type":"arrow"}],"bindings":[
			{"type":"arrow","fromId":"shape:a","toId":"shape:b","props":{"terminal":"end"}},
			{"type":"arrow","fromId":"shape:b","toId":"shape:a","props":{"terminal":"end"}}]}`,
	} {
		_, err := Decode([]byte(in), Limits{})
		if !errors.Is(err, ErrInvalid) || len(err.Error()) > 1000 {
			t.Errorf("%s: got %.300v; want a short error that wraps ErrInvalid", name, err)
		}
	}
}

// Scenes at the limit on shapes are resolved in any order and nesting.
func TestManyShapes(t *testing.T) {
	const n = 100_000
	records := make([]Record, n)
	for i := range records {
		records[i] = NewRecord(fmt.Sprintf("shape:%d", i), Geo)
		records[i].ParentID, records[i].Has = fmt.Sprintf("shape:%d", (i-1)/10), HasParent
		if i == 0 {
			records[i].ParentID = "page:page"
		}
		if i%3 > 0 {
			records[i].Index, records[i].Has = IndexKey(n-i), records[i].Has|HasIndex
		}
	}
	s, err := Resolve(records, nil, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		seen[sh.ID] = true
		var k int
		fmt.Sscanf(sh.ID, "shape:%d", &k)
		if sh.Parent >= int32(i) || k > 0 && s.Shapes[sh.Parent].ID != records[k].ParentID || s.Find(sh.ID) != int32(i) {
			t.Fatalf("shape %d is %s with parent %d; want the parent before it", i, sh.ID, sh.Parent)
		}
	}
	if len(seen) != n {
		t.Errorf("got %d different shapes; want %d", len(seen), n)
	}
}

func TestCheckCanvas(t *testing.T) {
	for _, c := range []struct {
		w, h float64
		kind error
	}{
		{1, 1, nil}, {32768, 2048, nil}, {32768.9, 1, nil}, {8192, 8192, nil},
		{32769, 1, ErrLimit}, {1, 1e9, ErrLimit}, {8193, 8192, ErrLimit},
		{0.99, 5, ErrInvalid}, {-1, 5, ErrInvalid}, {math.NaN(), 5, ErrInvalid}, {5, math.Inf(1), ErrInvalid},
	} {
		err := DefaultLimits().CheckCanvas(c.w, c.h)
		if (err == nil) != (c.kind == nil) || c.kind != nil && !errors.Is(err, c.kind) {
			t.Errorf("CheckCanvas(%g, %g): got %v; want %v", c.w, c.h, err, c.kind)
		}
	}
}
