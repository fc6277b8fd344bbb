package answer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

// A fence is three marks, blanks, letters, blanks and the end of a line.
func TestFences(t *testing.T) {
	const one, two = `{"createShapes":[1]}`, `{"createShapes":[2]}`
	for _, c := range []struct {
		name, text string
		status     Status
		want       string // bytes that the value was read from
	}{
		{"all letters", "```azAZ\n" + one + "\n```", Fenced, one + "\n"},
		{"a mark before the letters a", "```@\n" + one + "\n```", Bare, one},
		{"a mark behind the letter Z", "```[\n" + one + "\n```", Bare, one},
		{"a brace as a tag", "'''{\n" + one + "\n'''", Bare, one},
		{"the end of a line is CR", "```\r" + one + "\r```", Fenced, one + "\r"},
		{"the end of a line is CR and the text begins with LF", "```\r\n\n" + one + "```", Fenced, "\n" + one},
		{"CR at the end of the text", one + "```\r", Bare, one},
		{"marks at the end of the text", one + "```", Bare, one},
		{"two marks at the end of the text", one + "``", Bare, one},
		{"one mark at the end of the text", one + "`", Bare, one},
		{"two kinds of marks", "``'\n" + one + "\n``'", Bare, one},
		{"marks apart", "`` `\n" + one, Bare, one},
		{"an empty block before", "```\n```\n```\n" + one + "\n```", Fenced, one + "\n"},
		{"the last of two values in the text", one + " or " + two + ".", Bare, two},
	} {
		var r Reader
		f := r.Extract(c.text, ops)
		if got := c.text[f.From:f.To]; f.Status != c.status || got != c.want {
			t.Errorf("%s: got %s %q; want %s %q", c.name, f.Status, got, c.status, c.want)
		}
	}
}

// Texts that break off anywhere are not read beyond their end.
func TestBrokenOff(t *testing.T) {
	const whole = `{"k":["\n","\u00e9\ud83d\ude00",/**/1e+2,(3),{"l":true}],"m":"\tx","n":Math.max(1,2)}`
	var r Reader
	rules := Rules{Keys: []string{"k"}, ExtendedMath: true}
	for n := range len(whole) {
		if f := r.Extract(whole[:n], rules); f.Status != NoJSON || f.Cut {
			t.Errorf("%q: got %s, cut %v", whole[:n], f.Status, f.Cut)
		}
		Eval(whole[n:], true)
	}
	f := r.Extract(whole, rules)
	if got, want := show(f.Value), `{"k":["\n","é😀",100,3,{"l":true}],"m":"\tx","n":2}`; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	const sum = "(1.5e+2)*Math.max(1,-(2))"
	for n := range len(sum) {
		if x, ok := Eval(sum[:n], true); ok != (n == 8) && !strings.HasPrefix("(1.5e+2)", sum[:n]) && n != len("(1.5e+2)") {
			t.Errorf("%q: got %v", sum[:n], x)
		}
	}
	if x, ok := Eval("(1.5e+2)", false); !ok || x != 150 {
		t.Errorf("got %v, %v; want 150", x, ok)
	}
}

// What is closed does not count as nested.
func TestSiblings(t *testing.T) {
	var r Reader
	for _, one := range []string{"(1)", "Math.max(1)", "[]", "{}", `"\n"`} {
		text := `{"k":[` + strings.TrimSuffix(strings.Repeat(one+",", MaxDepth+10), ",") + `]}`
		f := r.Extract(text, Rules{Keys: []string{"k"}, ExtendedMath: true})
		if got := f.Value.Get("k").Len(); got != MaxDepth+10 {
			t.Errorf("%s: got a list of %d; want %d", one, got, MaxDepth+10)
		}
	}
}

// members returns an object with n members a0, a1, ... and then the member a0 and a1 again.
func members(n int) string {
	b := []byte{'{'}
	for i := range n {
		b = fmt.Appendf(b, `"a%d":%d,`, i, i)
	}
	return string(append(b, `"a0":-1,"\u00611":-2}`...))
}

// Of members with one name the last value counts, at the place of the first.
func TestRepeatedMembers(t *testing.T) {
	var r Reader
	for _, n := range []int{2, mapThreshold - 2, mapThreshold - 1, mapThreshold, 3 * mapThreshold} {
		text := members(n)
		v, err := fastjson.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		rules := Rules{Keys: []string{"a0"}}
		for i, f := range []Found{r.Extract(text, rules), new(Reader).Convert(v, rules)} {
			first, second := f.Value.First(), f.Value.First().Next()
			x, _ := first.Float()
			y, _ := second.Float()
			if f.Value.Len() != n || first.Key() != "a0" || second.Key() != "a1" || x != -1 || y != -2 {
				t.Errorf("%d members, way %d: got %d, %s first; want %d with a0 = -1, a1 = -2", n, i, f.Value.Len(), show(f.Value), n)
			}
		}
	}
	one, _ := fastjson.Parse(`{"a":1,"a":2}`)
	for i, f := range []Found{r.Extract(`{"a":1,"a":2}`, Rules{Keys: []string{"a"}}), new(Reader).Convert(one, Rules{Keys: []string{"a"}})} {
		if x, _ := f.Value.Get("a").Float(); x != 2 || f.Value.Len() != 1 {
			t.Errorf("way %d: got %s with %d members; want one, 2", i, show(f.Value), f.Value.Len())
		}
	}
}

// Values and depth are bounded alike in text and in objects that came parsed.
func TestBounds(t *testing.T) {
	list := func(n int) string { return `{"k":[` + strings.TrimSuffix(strings.Repeat("1,", n), ",") + `]}` }
	nested := func(open, end string, n int) string {
		return `{"k":` + strings.Repeat(open, n) + "1" + strings.Repeat(end, n) + "}"
	}
	rules := Rules{Keys: []string{"k"}}
	for _, c := range []struct {
		name, text string
		found      bool
	}{
		{"as many values as may be", list(MaxValues - 2), true},
		{"a value too many", list(MaxValues - 1), false},
		{"lists as deep as may be", nested("[", "]", MaxDepth-2), true},
		{"objects as deep as may be", nested(`{"a":`, "}", MaxDepth-2), true},
	} {
		v, err := fastjson.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range []Found{new(Reader).Extract(c.text, rules), new(Reader).Convert(v, rules)} {
			if got := f.Value.Exists(); got != c.found {
				t.Errorf("%s, way %d: found %v; want %v", c.name, i, got, c.found)
			}
		}
	}
	// The JSON parser behind Convert nests to 300 itself, so build the deeper values by hand.
	for _, key := range []string{"", "a"} {
		var a fastjson.Arena
		v := a.NewNumberInt(1)
		for range MaxDepth {
			outer := a.NewArray()
			if key != "" {
				outer = a.NewObject()
				outer.Set(key, v)
			} else {
				outer.SetArrayItem(0, v)
			}
			v = outer
		}
		root := a.NewObject()
		root.Set("k", v)
		if f := new(Reader).Convert(root, rules); f.Value.Exists() {
			t.Errorf("%q, deeper than may be: found it", key)
		}
	}
}

// The memory of an unusually large answer is given up, that of others is kept.
func TestForget(t *testing.T) {
	var r Reader
	r.Extract(strings.Repeat("```\nx\n```\n", 10)+`{"a":{"k":["\n"]}`+"\n"+nestedTooDeep(MaxDepth+10), Rules{Keys: []string{"k"}})
	r.Forget()
	if cap(r.current.nodes) == 0 || cap(r.best.nodes) == 0 || cap(r.best.decoded) == 0 || r.unparseable == nil || cap(r.fences) == 0 || cap(r.brackets) == 0 {
		t.Errorf("small: got %d and %d nodes, %d bytes, %d fences, %d brackets; want all kept",
			cap(r.current.nodes), cap(r.best.nodes), cap(r.best.decoded), cap(r.fences), cap(r.brackets))
	}
	large := keepNodes + 10
	r.Extract(strings.Repeat("```\nx\n```\n", large)+`{"k":["`+strings.Repeat(`\n`, keepBytes+10)+`"]}`, Rules{Keys: []string{"k"}})
	r.Forget()
	if cap(r.fences) > keepNodes || cap(r.current.decoded) > keepBytes || cap(r.best.decoded) > keepBytes {
		t.Errorf("large: got %d fences, %d and %d bytes; want none kept", cap(r.fences), cap(r.current.decoded), cap(r.best.decoded))
	}
	r.Extract(`{"k":[`+strings.Repeat("1,", large)+`]}`, Rules{Keys: []string{"k"}})
	r.Extract(strings.Repeat(`{"a":`, large), Rules{Keys: []string{"k"}})
	r.Forget()
	if cap(r.current.nodes) > keepNodes || cap(r.best.nodes) > keepNodes || r.unparseable != nil || cap(r.brackets) > keepNodes {
		t.Errorf("large: got %d and %d nodes, %d brackets; want none kept", cap(r.current.nodes), cap(r.best.nodes), cap(r.brackets))
	}
}

// nestedTooDeep returns n lists in each other, in an object.
func nestedTooDeep(n int) string {
	return `{"b":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}"
}

func TestNull(t *testing.T) {
	var r Reader
	f := r.Extract(`{"k":null,"l":0,"m":1/0}`, Rules{Keys: []string{"k"}})
	for name, want := range map[string]bool{"k": true, "l": false, "m": true, "other": true} {
		if got := f.Value.Get(name).Null(); got != want {
			t.Errorf("%s: got %v; want %v", name, got, want)
		}
	}
}

// What a look at a value nested too deep has read counts from its brace on: a search near the end of a
// long text is not cut, whatever way the values end.
func TestDeepValuesAfterLongProse(t *testing.T) {
	const deep = MaxDepth + 10
	for name, one := range map[string]string{
		"closed":          nestedTooDeep(deep),
		"mismatched":      `{"b":` + strings.Repeat("[", deep) + "}",
		"never closed":    `{"b":` + strings.Repeat("[", deep) + "//", // the rest of the line is a comment
		"after a comment": `{"b":/**/` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}",
	} {
		text := strings.Repeat("a word ", 30_000) + strings.Repeat(one, 10)
		if f := new(Reader).Extract(text, ops); f.Cut || f.Status != NoJSON {
			t.Errorf("%s: got %s, cut %v; want nothing found, and all of the text read", name, f.Status, f.Cut)
		}
	}
}

// A value inside one that is nested too deep is found, whatever its strings and comments look like.
func TestInsideDeepValues(t *testing.T) {
	for _, inner := range []string{`{"createShapes":[1/**/]}`, `{"createShapes":["]"]}`, `{"createShapes":["]}\"]"]}`,
		"{\"createShapes\":[1//\n]}", `{"createShapes":[8/4]}`} {
		text := `{"b":` + strings.Repeat("[", MaxDepth+10) + inner + strings.Repeat("]", MaxDepth+10) + "}"
		f := new(Reader).Extract(text, ops)
		if got := text[f.From:f.To]; f.Status != Bare || got != inner {
			t.Errorf("%s: got %s %q", inner, f.Status, got)
		}
	}
	for _, end := range []string{`"`, `"text`, `"\`} { // a string that breaks off
		text := `{"b":` + strings.Repeat("[", MaxDepth+10) + end
		if f := new(Reader).Extract(text, ops); f.Status != NoJSON {
			t.Errorf("%q: got %s", end, f.Status)
		}
	}
}

// The search ends when failed attempts have read more than eight times the text and 64 KiB, not when they
// have read exactly as much.
func TestBoundOfSearch(t *testing.T) {
	const attempts = 224 // each reads up to the end of the line: 3 * 224 * 225 / 2 = 75,600 bytes in all
	for prose, cut := range map[int]bool{585: true, 586: false} {
		text := strings.Repeat("a", prose) + strings.Repeat("{//", attempts)
		if bound := workFactor*len(text) + workFloor; (75_600 > bound) != cut {
			t.Fatalf("%d bytes of prose: the bound is %d; want it beside 75,600", prose, bound)
		}
		if f := new(Reader).Extract(text, ops); f.Cut != cut {
			t.Errorf("%d bytes of prose: got cut %v; want %v", prose, f.Cut, cut)
		}
	}
}
