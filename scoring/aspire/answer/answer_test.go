package answer

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

var ops = Rules{Keys: []string{"createShapes", "deleteShapes", "updateShapes"}}

// plain turns a Value into what encoding/json would have made of it.
func plain(v Value) any {
	switch v.Kind() {
	case Bool:
		b, _ := v.Bool()
		return b
	case Number:
		f, _ := v.Float()
		return f
	case String:
		s, _ := v.Text()
		return s
	case Array:
		a := []any{}
		for c := v.First(); c.Exists(); c = c.Next() {
			a = append(a, plain(c))
		}
		return a
	case Object:
		m := map[string]any{}
		for c := v.First(); c.Exists(); c = c.Next() {
			m[c.Key()] = plain(c)
		}
		return m
	}
	return nil
}

// show formats a value for comparison.
func show(v Value) string {
	if !v.Exists() {
		return "(absent)"
	}
	b, err := json.Marshal(plain(v))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestExtract(t *testing.T) {
	const one, two = `{"createShapes":[1]}`, `{"createShapes":[2]}`
	cases := []struct {
		name, text string
		status     Status
		want       string
	}{
		{"empty", "", NoJSON, "(absent)"},
		{"prose", "I cannot see {no json}", NoJSON, "(absent)"},
		{"bare", "Here: " + one + " done", Bare, one},
		{"last bare wins", one + " then " + two, Bare, two},
		{"never inside a value", `{"a":` + one + `}`, NoJSON, "(absent)"},
		{"inside a broken value", `{"a":` + one, Bare, one},
		{"inside a broken value, twice", `{"a":{"b":` + one + `,"c":` + two, Bare, two},
		{"brace in prose first", "use {x, y}: " + one, Bare, one},
		{"no known key", `{"shapes":[]}`, NoJSON, "(absent)"},
		{"later value without key", one + ` {"note":1}`, Bare, one},
		{"null key counts", `{"deleteShapes":null}`, Bare, `{"deleteShapes":null}`},
		{"list, bare", "[" + one + "]", Bare, one},
		{"fence", "```json\n" + one + "\n```", Fenced, one},
		{"fence without tag", "x\n```\n" + one + "\n```", Fenced, one},
		{"apostrophes", "'''json\n" + one + "\n'''", Fenced, one},
		{"CRLF", "```json\r\n" + one + "\r\n```\r\n", Fenced, one},
		{"blanks around the tag", "``` \t json \u00a0\n" + one + "```", Fenced, one},
		{"tag with a digit is text", "```json5\n" + one + "\n```", Bare, one},
		{"text on the opening line", "```" + one + "```", Bare, one},
		{"unclosed", "```json\n" + one, Fenced, one},
		{"list of one", "```\n[" + one + "]\n```", Fenced, one},
		{"list of two", "```\n[" + one + "," + two + "]\n```", Bare, two},
		{"last acceptable fence", "```\n" + one + "\n```\n```\n" + two + "\n```\n```\n{}\n```", Fenced, two},
		{"fence before bare", "```\n" + one + "\n```\n" + two, Fenced, one},
		{"trash behind the value", "```\n" + one + " ok\n```", Bare, one},
		{"four ticks", "````json\n" + one + "\n````", Fenced, one},
		{"other kind inside", "```\n{\"createShapes\":[\"'''\"]}\n```", Fenced, `{"createShapes":["'''"]}`},
		{"ticks in a string end the block", "```\n{\"createShapes\":[\"```\"]}\n```", Bare, "{\"createShapes\":[\"```\"]}"},
		{"opening at the end", "```json", NoJSON, "(absent)"},
		{"fence begun in mid line", "so: ```json\n" + one + "\n```", Fenced, one},
		{"comment before the value", "```\n// c\n" + one + "/* d */\n```", Fenced, one},
		{"duplicate name", `{"createShapes":[1],"b":0,"createShapes":[2]}`, Bare, `{"b":0,"createShapes":[2]}`},
	}
	var r Reader
	for _, c := range cases {
		f := r.Extract(c.text, ops)
		if f.Status != c.status || show(f.Value) != c.want || f.Cut {
			t.Errorf("%s: %q\n got %s %s\nwant %s %s", c.name, c.text, f.Status, show(f.Value), c.status, c.want)
		}
	}
}

func TestTolerantJSON(t *testing.T) {
	cases := []struct{ text, want string }{
		{`{"k":[1,2,],}`, `[1,2]`},
		{`{"k":[]}`, `[]`},
		{`{"k":[,]}`, ""},
		{`{"k":[1,,2]}`, ""},
		{`{"k":{,}}`, ""},
		{`{"k":1,,}`, ""},
		{`{,"k":1}`, ""},
		{"{\"k\":\"a\nb\tc\x01\"}", `"a\nb\tc\u0001"`},
		{`{"k":"\u00e9\ud83d\ude00\n\/"}`, `"é😀\n/"`},
		{`{"k":"\ud83d"}`, `"�"`},
		{`{"k":"\ud83dx"}`, `"�x"`},
		{`{"k":"\ud83d\u0041"}`, `"�A"`},
		{`{"k":"\x41"}`, ""},
		{`{"k":"\'"}`, ""},
		{`{"k":"\u12g4"}`, ""},
		{`{"k":"\u12"}`, ""},
		{`{"k":'a'}`, ""},
		{`{k:1}`, ""},
		{`{"k":undefined}`, ""},
		{`{"k":NaN}`, ""},
		{`{"k":True}`, ""},
		{`{"k":nullx}`, ""},
		{`{"k":null}`, "null"},
		{`{"k":true}`, "true"},
		{`{"k":false}`, "false"},
		{"{\"k\"\u00a0:\ufeff1}", "1"},
		{"{\"k\"\u2003:1}", ""},
		{`{"k" /* a */ : // b` + "\n" + `1 /* c */}`, "1"},
		{`{"k":1 /* open}`, ""},
		{`{"k":1 # no}`, ""},
		{`{"k" 1}`, ""},
		{`{"k":1 "l":2}`, ""},
		{`{"k":[1}`, ""},
		{`{"k":1]`, ""},
		{`{"k":1`, ""},
		{`{"k":"open}`, ""},
		{`{"k":007}`, "7"},
		{`{"k":.5}`, "0.5"},
		{`{"k":5.}`, "5"},
		{`{"k":.}`, ""},
		{`{"k":1e}`, ""},
		{`{"k":1e-2}`, "0.01"},
		{`{"k":1E+2}`, "100"},
		{`{"k":0x10}`, ""},
		{`{"k":1_000}`, ""},
		{`{"k":1e999}`, "null"},
		{`{"k":1/0}`, "null"},
		{`{"k":0/0}`, "null"},
		{`{"k":1/(1/0)}`, "0"},
		{`{"k":1 % 0}`, "null"},
		{`{"k":1 + 2*3 - 4/2}`, "5"},
		{`{"k":10 - 4 - 3}`, "3"},
		{`{"k":100/10/2}`, "5"},
		{`{"k":-7 % 3}`, "-1"},
		{`{"k":7 % -3}`, "1"},
		{`{"k":2*(3+(4))}`, "14"},
		{`{"k":2 - -3}`, "5"},
		{`{"k":- - +3}`, "3"},
		{`{"k":-2*-(3)}`, "6"},
		{`{"k":2**3}`, ""},
		{`{"k":2(3)}`, ""},
		{`{"k":()}`, ""},
		{`{"k":(1}`, ""},
		{`{"k":1+}`, ""},
		{`{"k":*1}`, ""},
		{`{"k":2π}`, ""},
		{`{"k":Math.sqrt(4)}`, ""},
		{`{"k":"1"+2}`, ""},
	}
	var r Reader
	rules := Rules{Keys: []string{"k"}}
	for _, c := range cases {
		f := r.Extract(c.text, rules)
		got := ""
		if f.Status == Bare {
			got = show(f.Value.Get("k"))
		}
		if got != c.want {
			t.Errorf("%q: got %s; want %s", c.text, got, c.want)
		}
	}
}

func TestEval(t *testing.T) {
	cases := []struct {
		text     string
		extended bool
		want     float64 // NaN: no expression
	}{
		{"400 + 183/2", false, 491.5},
		{" 12 ", false, 12},
		{"-π/3", false, -math.Pi / 3},
		{"Math.PI", false, math.Pi}, {"math.pi", false, math.Pi}, {"np.pi*2", false, 2 * math.Pi},
		{"PI", false, math.Pi}, {"pi", false, math.Pi},
		{"Pi", false, math.NaN()}, {"numpy.pi", false, math.NaN()}, {"pie", false, math.NaN()}, {"ππ", false, math.NaN()},
		{"", false, math.NaN()}, {" ", false, math.NaN()}, {"45 degrees", false, math.NaN()}, {"45°", false, math.NaN()},
		{"1/0", false, math.NaN()}, {"5 // five", false, math.NaN()}, {"5 /* five */", false, math.NaN()},
		{"true", false, math.NaN()}, {"1,5", false, math.NaN()}, {"12px", false, math.NaN()},
		{"Math.sin(0)", false, math.NaN()},
		{"Math.sin(Math.PI/2)", true, 1}, {"Math.atan2(1, 1)", true, math.Pi / 4}, {"Math.cos(0)", true, 1},
		{"Math.tan(0)", true, 0}, {"Math.atan(0)", true, 0}, {"Math.abs(-2)", true, 2},
		{"Math.hypot(3,4)", true, 5}, {"Math.hypot(-3)", true, 3}, {"Math.min(3,1,2)", true, 1}, {"Math.max(3,1,5)", true, 5},
		{"Math.round(2.5)", true, 3}, {"Math.round(-2.5)", true, -2}, {"Math.floor(-1.5)", true, -2}, {"Math.ceil(1.2)", true, 2},
		{"Math.pow(2, 10) + 1", true, 1025}, {"-Math.sqrt( 16 )", true, -4}, {"Math.max(Math.min(1,2),0)", true, 1},
		{"Math.sqrt(-1)", true, math.NaN()}, {"Math.sin()", true, math.NaN()}, {"Math.sin(1,2)", true, math.NaN()},
		{"Math.pow(2)", true, math.NaN()}, {"Math.log(1)", true, math.NaN()}, {"sin(1)", true, math.NaN()},
		{"Math.max(1,)", true, math.NaN()}, {"Math.sin", true, math.NaN()}, {"Math.sin(1", true, math.NaN()},
	}
	for _, c := range cases {
		got, ok := Eval(c.text, c.extended)
		if want := !math.IsNaN(c.want); ok != want || ok && math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%q (extended %v): got %v, %v; want %v", c.text, c.extended, got, ok, c.want)
		}
	}
}

// TestHostile reads texts that would take hours in quadratic time, so it fails by its timeout. The
// rows have further expectations.
func TestHostile(t *testing.T) {
	const n = 1_000_000
	rep := strings.Repeat
	final := `{"createShapes":[1]}`
	cases := []struct {
		name, text string
		found, cut bool
	}{
		{"braces", rep("{", n) + final, true, false},
		{"open objects", rep(`{"a":`, n) + final, true, false},
		{"closed objects", rep(`{"a":`, n) + "1" + rep("}", n) + final, true, false},
		{"brackets", rep("[", n) + final, true, false},
		{"open lists in an object", `{"a":` + rep("[", n) + final, true, false},
		{"fences", rep("```\n", n) + final, true, false},
		{"unmatched fence marks", rep("```x y", n) + final, true, false},
		{"ticks", rep("`", n) + final, true, false},
		{"fence blanks", rep("```  ", n) + final, true, false},
		{"parentheses", `{"a":` + rep("(", n) + final, true, false},
		{"signs", `{"a":` + rep("-", n) + `1,"createShapes":[1]}`, true, false},
		{"open with long tails", rep(`{"a":1,"b":[0,`, 200) + rep("1,", n), false, false},
		{"objects in strings", rep(`{"{":"`, n), false, false},
		{"unclosed strings", rep(`{"`, n), false, false},
		{"unclosed comments", rep(`{/*`, n), false, true},
		{"line comments", rep(`{//`, n), false, true},
		{"comments with a shared tail", rep(`{"a":1,/*`, n/10) + "*/" + rep(`"b":1,`, n/10), false, true},
		{"one name very often", "{" + rep(`"a":1,`, n/5) + `"createShapes":[1]}`, true, false},
		{"more than MaxValues", "{" + rep(`"a":1,`, MaxValues) + `"createShapes":[1]}`, false, false},
		{"many values", `{"createShapes":[` + rep("1,", n/5) + "]}", true, false},
		{"long number", `{"createShapes":` + rep("9", n) + "}", true, false},
		{"long escape", `{"createShapes":"` + rep(`\u0041`, n) + `"}`, true, false},
	}
	var r Reader
	for _, c := range cases {
		f := r.Extract(c.text, ops)
		if (f.Status != NoJSON) != c.found || f.Cut != c.cut {
			t.Errorf("%s: got %s, cut %v; want found %v, cut %v", c.name, f.Status, f.Cut, c.found, c.cut)
		}
	}
}

// An object inside of one that is nested too deep, or holds too many values, is
// tried by itself: only what cannot succeed is not.
func TestInsideOfTooMuch(t *testing.T) {
	const want = `{"k":["a"],"z":`
	nest := func(open, close string, n int) string {
		return strings.Repeat(open, n) + "1" + strings.Repeat(close, n)
	}
	for _, c := range []struct {
		name, text string
		found      bool
	}{
		{"its own depth fits", `{"x":` + want + nest("[", "]", 299) + `}}`, true},
		{"its own depth does not", `{"x":` + want + nest("[", "]", 300) + `}}`, false},
		{"parentheses", `{"x":` + want + nest("(", ")", 299) + `}}`, true},
		{"braces", nest(`{"a":`, `}`, 400) + want + `1}`, true},
		{"inside of many braces", strings.Repeat(`{"a":`, 5000) + want + nest("[", "]", 299) + `}` + strings.Repeat("}", 5000), true},
		{"behind many braces", strings.Repeat(`{"a":`, 5000) + `1` + strings.Repeat("}", 5000) + want + `1}`, true},
		{"brackets in strings and comments", `{"x":` + want + nest(`["]}\"", /* ]}" */`, `// ]}"`+"\n]", 299) + `}}`, true},
		{"broken off", `{"x":` + want + strings.Repeat("[", 400), false},
		{"closed by another bracket", `{"x":` + want + nest("[", "]", 299) + `]}`, false},
		{"its own values fit", `{"x":[` + want + `1},` + strings.Repeat("1,", MaxValues) + `1]}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r Reader
			found := r.Extract(c.text, Rules{Keys: []string{"k"}})
			if got := found.Value.Get("k").Exists(); got != c.found || found.Cut {
				t.Errorf("got %v, cut %v; want %v", got, found.Cut, c.found)
			}
		})
	}
}

func TestConvert(t *testing.T) {
	cases := []struct {
		text   string
		status Status
		want   string
	}{
		{`{"createShapes":[{"x":0.1,"y":"1+1","ok":true,"no":null,"s":"é\n"}]}`, Parsed, `{"createShapes":[{"no":null,"ok":true,"s":"é\n","x":0.1,"y":"1+1"}]}`},
		{`[{"createShapes":[]}]`, Parsed, `{"createShapes":[]}`},
		{`[{"createShapes":[]},{}]`, NoJSON, "(absent)"},
		{`{"shapes":[]}`, NoJSON, "(absent)"},
		{`[]`, NoJSON, "(absent)"},
		{`7`, NoJSON, "(absent)"},
		{`{"createShapes":1e999}`, Parsed, `{"createShapes":null}`},
		{`{"createShapes":1,"createShapes":2}`, Parsed, `{"createShapes":2}`},
		{`{"createShapes":0.29999999999999998889776975}`, Parsed, `{"createShapes":0.3}`},
	}
	var r Reader
	for _, c := range cases {
		v, err := fastjson.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		f := r.Convert(v, ops)
		if f.Status != c.status || show(f.Value) != c.want {
			t.Errorf("%s: got %s %s; want %s %s", c.text, f.Status, show(f.Value), c.status, c.want)
		}
	}
}

// FuzzExtract: no text makes it panic, readings repeat, and what is JSON reads as
// the standard library reads it.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		"", "{}", "```json\n{\"createShapes\":[1]}\n```", `{"createShapes":[{"x":1+2/3,"t":"\u00e9\ud83d\ude00"}],}`,
		"{\"a\":{\"b\":/*c*/[1,2,{\"createShapes\":0}", "'''\n{\"deleteShapes\":\"x\"//y\n}'''", `{"createShapes":Math.max(1,(2)%3)}`,
	} {
		f.Add(s)
	}
	var r Reader
	f.Fuzz(func(t *testing.T, text string) {
		rules := Rules{Keys: ops.Keys, ExtendedMath: len(text)%2 == 0}
		got := r.Extract(text, rules)
		if (got.Status == NoJSON) != !got.Value.Exists() {
			t.Fatalf("status %s, value %s", got.Status, show(got.Value))
		}
		first := show(got.Value)
		if again := show(r.Extract(text, rules).Value); again != first {
			t.Fatalf("the second reading differs: %s; %s", first, again)
		}
		var want map[string]any
		if json.Unmarshal([]byte(text), &want) != nil || !strings.HasPrefix(text, "{") || strings.Contains(text, "```") || strings.Contains(text, "'''") {
			return
		}
		for _, k := range ops.Keys {
			if _, ok := want[k]; !ok {
				continue
			}
			if b, _ := json.Marshal(want); string(b) != first && !strings.ContainsAny(text, "-\\\x80") {
				t.Fatalf("JSON reads as %s; want %s", first, b)
			}
			break
		}
	})
}

func BenchmarkExtract(b *testing.B) {
	text := "I will work out the positions first.\n\n```json\n{\n  \"createShapes\": [\n    {\n      \"type\": \"geo\",\n      \"x\": 297.8,\n      \"y\": 400 + 183/2,\n" +
		"      \"props\": {\"geo\": \"star\", \"color\": \"red\", \"w\": 90, \"h\": 90, \"fill\": \"solid\"}\n    }\n  ],\n  \"deleteShapes\": [],\n  \"updateShapes\": []\n}\n```\n\nDone."
	var r Reader
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if r.Extract(text, ops).Status != Fenced {
			b.Fatal("not found")
		}
	}
}
