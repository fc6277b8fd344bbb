package pyjson

import (
	"strings"
	"testing"
)

// value reads one JSON value.
func value(t *testing.T, text string) Value {
	t.Helper()
	var r Reader
	r.Reset(text)
	v, err := r.All()
	if err != nil {
		t.Fatalf("%.60s: %v", text, err)
	}
	return v
}

// TestAppendJSON: a value is written as it was read, numbers in their digits and of repeated keys
// the last.
func TestAppendJSON(t *testing.T) {
	for in, want := range map[string]string{
		`[null, true, false, 1, -2.50, 1e3, "a\n\"b"]`: `[null,true,false,1,-2.50,1e3,"a\n\"b"]`,
		`{"a": [], "b": {}, "a": {"c": [1, [2]]}}`:     `{"a":{"c":[1,[2]]},"b":{}}`, `[NaN, Infinity, -Infinity]`: `[NaN,Infinity,-Infinity]`,
	} {
		v := value(t, in)
		if got := string(v.AppendJSON(nil)); got != want {
			t.Errorf("%s: got %s; want %s", in, got, want)
		}
	}
}

// TestTruth has what Python's bool() says of values, which of them are numbers, and their str().
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		text         string
		truth, count bool
		str          string
	}{
		{`null`, false, false, "None"}, {`true`, true, true, "True"}, {`false`, false, true, "False"}, {`0`, false, true, "0"}, {`-0.0`, false, true, "-0.0"},
		{`2`, true, true, "2"}, {`0.5`, true, true, "0.5"}, {`NaN`, true, true, "nan"}, {`""`, false, false, ""}, {`"a'b"`, true, false, "a'b"},
		{`[]`, false, false, "[]"}, {`[0]`, true, false, "[0]"}, {`{}`, false, false, "{}"}, {`{"a":0}`, true, false, "{'a': 0}"},
	} {
		v := value(t, c.text)
		if got := string(v.AppendText(nil)); v.True() != c.truth || v.Number() != c.count || got != c.str {
			t.Errorf("%s: got %v, number %v, %q; want %v, %v, %q", c.text, v.True(), v.Number(), got, c.truth, c.count, c.str)
		}
	}
}

// TestPrintBounds has the numbers at which Python changes to exponents, and the characters at
// which its escapes grow.
func TestPrintBounds(t *testing.T) {
	for text, want := range map[string]string{
		`0.0001`: "0.0001", `0.00009999`: "9.999e-05", `9999999999999998.0`: "9999999999999998.0", `1e16`: "1e+16", `-0.0001`: "-0.0001",
		`12345678.125`: "12345678.125", `-Infinity`: "-inf", `Infinity`: "inf",
		`"\u00ff\u0080"`: `'ÿ\x80'`, `"\u200b\u0100"`: `'\u200bĀ'`, `"\ufeff"`: `'\ufeff'`, `"\udb40\udc01"`: `'\U000e0001'`, `"\uffff"`: `'\uffff'`,
	} {
		v := value(t, text)
		if got := string(v.AppendRepr(nil)); got != want {
			t.Errorf("%s: got %s; want %s", text, got, want)
		}
	}
	for s, want := range map[string]bool{"1_0": true, "1_": false, "1_a": false, "9_9": true, "0_0": true, "1_:": false, "1_/": false, "_": false, "0_:": false, ":_0": false} {
		if _, ok := ParseFloat(s); ok != want {
			t.Errorf("%q: got %v; want %v", s, ok, want)
		}
	}
}

// TestReadBounds has the largest numbers, nestings and strings that are read, and texts that end
// too early.
func TestReadBounds(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		text string
		want error
	}{
		{nested(maxDepth), nil}, {nested(maxDepth + 1), RecursionError}, {"[" + nested(maxDepth-1) + "," + nested(maxDepth-1) + "]", nil},
		{strings.Repeat("9", maxDigits), nil}, {strings.Repeat("9", maxDigits+1), ValueError}, {"-" + strings.Repeat("9", maxDigits), nil},
		{`"\u00e9"`, nil}, {`"\u00e`, DecodeError}, {`"\u00e9`, DecodeError}, {`"\`, DecodeError}, {`"a\n`, DecodeError}, {`"`, DecodeError}, {`"\n`, DecodeError}, {`"\u00g9"`, DecodeError}, {`"\x"`, DecodeError},
		{`"\u12`, DecodeError}, {`"\u1234`, DecodeError}, {"\"\\n\x1f\"", DecodeError}, {"\"\\n \"", nil},
	} {
		var r Reader
		r.Reset(c.text)
		if _, err := r.All(); err != c.want {
			t.Errorf("%.20q of %d bytes: got %v; want %v", c.text, len(c.text), err, c.want)
		}
	}
	for text, want := range map[string]float64{"-7": -7, "999999999999999": 999999999999999, "-999999999999999": -999999999999999, "1234567890123456": 1234567890123456,
		"9007199254740993": 9007199254740992, "9.5": 9.5, "-12e2": -1200} {
		if v := value(t, text); v.F != want {
			t.Errorf("%s: got %v; want %v", text, v.F, want)
		}
	}
	long := strings.Repeat("x", 3000)
	if v := value(t, `["a\n`+long+`","\n`+long+`","`+long+`\n"]`); v.Items()[0].S != "a\n"+long || v.Items()[1].S != "\n"+long || v.Items()[2].S != long+"\n" {
		t.Error("long strings with escapes are not read as they stand")
	}
}

// TestAt checks where reading ends, also after an error, and how many bytes it counts, by which
// callers bound what they read.
func TestAt(t *testing.T) {
	for _, c := range []struct {
		text      string
		from, end int
		want      error
	}{
		{`[1] x`, 0, 3, nil}, {`x [1] x`, 1, 5, nil}, {`12:30`, 0, 2, nil}, {`1/2`, 0, 1, nil}, {`1.x`, 0, 1, nil}, {`1.5e+x`, 0, 3, nil}, {`"a":1`, 0, 3, nil},
		{"\"ab\nc\"", 0, 3, DecodeError}, {"x\"ab\nc\"", 1, 4, DecodeError}, {`"abc`, 0, 4, DecodeError}, {`[1 2]`, 0, 3, DecodeError},
	} {
		var r Reader
		r.Reset(c.text)
		for i := range 2 {
			if _, end, err := r.At(c.from); end != c.end || err != c.want {
				t.Errorf("%q from %d: ends at %d, %v; want %d, %v", c.text, c.from, end, err, c.end, c.want)
			}
			if want := (i + 1) * (c.end - c.from + 1); r.Steps() != want {
				t.Errorf("%q from %d: counts %d bytes; want %d", c.text, c.from, r.Steps(), want)
			}
		}
		r.Reset("")
		if r.Steps() != 0 {
			t.Errorf("got %d bytes after Reset; want none", r.Steps())
		}
	}
}

// TestRepeatedKeys checks that the last value of a key stands at the place of the first one, within
// other values too.
func TestRepeatedKeys(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":2,"c":3,"b":4,"a":5}`:              `{'a': 5, 'b': 4, 'c': 3}`,
		`[0,{"a":1,"b":2,"b":[3]},{"a":1,"b":2}]`:      `[0, {'a': 1, 'b': [3]}, {'a': 1, 'b': 2}]`,
		`{"x":{"a":1,"b":2,"b":3},"b":4,"x":1,"y":{}}`: `{'x': 1, 'b': 4, 'y': {}}`,
	} {
		if v := value(t, text); string(v.AppendRepr(nil)) != want {
			t.Errorf("%s: got %s; want %s", text, v.AppendRepr(nil), want)
		}
	}
}

// TestBlocks checks that lists and unescaped strings are written one behind the other while there is
// room in a block, and that the memory of large texts is not kept.
func TestBlocks(t *testing.T) {
	var a arena[int]
	first := a.keep(make([]int, minBlock-1))
	last := a.keep([]int{7})
	if &a.block[0] != &first[0] || &a.block[minBlock-1] != &last[0] || len(a.block) != minBlock {
		t.Error("a list that just fits is not behind the other ones")
	}
	if a.keep([]int{8}); len(a.block) != 1 || cap(a.block) != 2*minBlock || first[0] != 0 || last[0] != 7 {
		t.Errorf("a list that does not fit: got a block of %d of %d; want 1 of %d", len(a.block), cap(a.block), 2*minBlock)
	}
	a.keep(make([]int, minBlock))
	if len(a.block) != minBlock+1 {
		t.Errorf("got %d elements in the second block; want %d", len(a.block), minBlock+1)
	}
	if got := emptied(make([]int, 3, mostKept)); cap(got) != mostKept || len(got) != 0 {
		t.Error("memory of the largest size that is kept is gone")
	}
	if got := emptied(make([]int, 3, mostKept+1)); got != nil {
		t.Error("memory of more than the largest size is kept")
	}
	// A block has room for 64 bytes beside what precedes the escape, or a new one is begun.
	var r Reader
	read := func(text string) {
		t.Helper()
		r.text, r.at = text, 0
		if _, _, err := r.At(0); err != nil {
			t.Fatal(err)
		}
	}
	read(`"\n` + strings.Repeat("x", stringBlock-64-1) + `"`)
	if r.unescaped.Len() != stringBlock-64 || r.unescaped.Cap() != stringBlock {
		t.Fatalf("got %d bytes of %d; want all but 64 of %d", r.unescaped.Len(), r.unescaped.Cap(), stringBlock)
	}
	read(`"\n"`)
	if r.unescaped.Len() != stringBlock-64+1 {
		t.Errorf("got %d bytes; want the second string behind the first", r.unescaped.Len())
	}
	read(`"\n"`)
	if r.unescaped.Len() != 1 {
		t.Errorf("got %d bytes; want the third string in a new block", r.unescaped.Len())
	}
	read(`"` + strings.Repeat("x", stringBlock-1-64) + `\n"`)
	if r.unescaped.Len() != 1+stringBlock-64 {
		t.Errorf("got %d bytes; want a string whose first part fits behind the other", r.unescaped.Len())
	}
}
