package pyjson

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// Expectations are what Python 3.11 prints for repr(json.loads(text)), or the
// class that it raises.
func TestRead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`[1, 2.5, -0, -0.0, 1e3, 1E-7, 1e16, 123456789012345678901234567890]`, `[1, 2.5, 0, -0.0, 1000.0, 1e-07, 1e+16, 123456789012345678901234567890]`},
		{`[NaN, Infinity, -Infinity, true, false, null]`, `[nan, inf, -inf, True, False, None]`},
		{` {"a": 1, "b": {"c": []}, "a": 2} `, `{'a': 2, 'b': {'c': []}}`},
		{`"it's \"so\" \u00e9\u20ac\ud83d\ude00 \/\b\f\n\r\t\u0001"`, `'it\'s "so" é€😀 /\x08\x0c\n\r\t\x01'`},
		{`"it's"`, `"it's"`},
		{`1e999`, `inf`},
		{`0.1`, `0.1`},
		{`100000.0`, `100000.0`},
		{`[]`, `[]`},
		{``, "!JSONDecodeError"},
		{`[1,]`, "!JSONDecodeError"},
		{`{"a":1,}`, "!JSONDecodeError"},
		{`[1 2]`, "!JSONDecodeError"},
		{`01`, "!JSONDecodeError"},
		{`1.`, "!JSONDecodeError"},
		{`.5`, "!JSONDecodeError"},
		{`+1`, "!JSONDecodeError"},
		{`-`, "!JSONDecodeError"},
		{`1e`, "!JSONDecodeError"},
		{`nan`, "!JSONDecodeError"},
		{`"a` + "\n" + `"`, "!JSONDecodeError"},
		{`"\x"`, "!JSONDecodeError"},
		{`{'a':1}`, "!JSONDecodeError"},
		{`{a:1}`, "!JSONDecodeError"},
		{"\ufeff[]", "!JSONDecodeError"},
		{`[] []`, "!JSONDecodeError"},
		{strings.Repeat("[", 301) + strings.Repeat("]", 301), "!RecursionError"},
		{strings.Repeat("9", 4301), "!ValueError"},
	} {
		var r Reader
		r.Reset(c.text)
		v, err := r.All()
		got := string(v.AppendRepr(nil))
		var e Exception
		if errors.As(err, &e) {
			got = "!" + string(e)
		}
		if got != c.want {
			t.Errorf("%.60q: got %s; want %s", c.text, got, c.want)
		}
	}
}

func TestManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `"k%d":%d,`, i%100, i)
	}
	var r Reader
	r.Reset("{" + strings.TrimSuffix(b.String(), ",") + "}")
	v, err := r.All()
	if err != nil || len(v.Keys()) != 100 {
		t.Fatalf("got %d keys, %v; want 100", len(v.Keys()), err)
	}
	for i := range 100 {
		if x := v.Get(fmt.Sprint("k", i)); x.F != float64(200+i) || v.Keys()[i] != fmt.Sprint("k", i) {
			t.Errorf("key k%d: got %v at place of %s; want %d", i, x.F, v.Keys()[i], 200+i)
		}
	}
}

// Values stay as they are while more is read, until Reset.
func TestKept(t *testing.T) {
	var r Reader
	text := `[[1,2,3],{"a":[4]}]`
	r.Reset(strings.Repeat(text, 500))
	var all []Value
	for at := 0; at < len(r.text); {
		v, end, err := r.At(at)
		if err != nil {
			t.Fatal(err)
		}
		all, at = append(all, v), end
	}
	for i := range all {
		if got := string(all[i].AppendRepr(nil)); got != "[[1, 2, 3], {'a': [4]}]" {
			t.Fatalf("value %d: got %s", i, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	var r Reader
	r.Reset(`[1e400, ` + "1" + strings.Repeat("0", 400) + `, 9007199254740993]`)
	v, err := r.All()
	if err != nil {
		t.Fatal(err)
	}
	if v.Items()[0].TooLarge() || !v.Items()[1].TooLarge() || v.Items()[2].TooLarge() {
		t.Errorf("too large: got %v %v %v; want false true false", v.Items()[0].TooLarge(), v.Items()[1].TooLarge(), v.Items()[2].TooLarge())
	}
	if v.Items()[2].F != 9007199254740992 {
		t.Errorf("got %v; want the nearest double, half to even", v.Items()[2].F)
	}
}

// TestParseFloat has what float() of Python 3.12 returns for a text, or that it raises ValueError.
// ParseASCIIFloat differs only in texts with a signed nan or digits of other scripts, and refuses those.
func TestParseFloat(t *testing.T) {
	infinity, nan := math.Inf(1), math.NaN()
	const python, both, neither = 1, 2, 0 // which of the two functions take a text
	for _, c := range []struct {
		s     string
		want  float64
		taken int
	}{
		{"765", 765, both}, {".5", 0.5, both}, {"5.", 5, both}, {"1e5", 1e5, both}, {"0x10", 0, neither}, {"0x1", 0, neither}, {"", 0, neither},
		{".", 0, neither}, {"12px", 0, neither}, {"1f", 0, neither}, {"1e", 0, neither}, {"++1", 0, neither}, {"- 1", 0, neither}, {"1 2", 0, neither},
		{"1\x00", 0, neither}, {"1e999", infinity, both}, {"-1e400", -infinity, both},
		// Underscores stand between digits.
		{"1_000", 1000, both}, {"1_0", 10, both}, {"1_000.5_5", 1000.55, both}, {"1e1_0", 1e10, both}, {"1__0", 0, neither}, {"_1", 0, neither},
		{"1_", 0, neither}, {"1_.5", 0, neither}, {"1._5", 0, neither}, {"1_e1", 0, neither}, {"1e_1", 0, neither},
		// White space around the number.
		{" 1.5\n", 1.5, both}, {"\v1\f", 1, both}, {"\u2003\u00a01\u0085", 1, both}, {" ", 0, neither}, {"\x1c1", 0, neither}, {"\u200b1", 0, neither},
		{"\ufeff1", 0, neither},
		// Names of numbers.
		{"-inf", -infinity, both}, {"+iNF", infinity, both}, {"Infinity", infinity, both}, {"-infinity", -infinity, both}, {"infin", 0, neither},
		{"i_nf", 0, neither}, {"\u0131nf", 0, neither}, {"NaN", nan, both}, {"nan", nan, both}, {"-nan", nan, python}, {"+NaN", nan, python},
		{" -nan\t", nan, python}, {"--nan", 0, neither}, {"+-nan", 0, neither}, {"- nan", 0, neither}, {"nan(1)", 0, neither}, {"sNaN", 0, neither},
		// Digits of other scripts: Arabic, Devanagari, full width, and mathematical ones, whose runs adjoin.
		{"\u0661\u0662", 12, python}, {"\u0660", 0, python}, {"-\u0969", -3, python}, {"1\u06695", 195, python}, {"\u0661.\u0665e\u0661", 15, python},
		{"\u0661_\u0662", 12, python}, {"\u0661__\u0662", 0, neither}, {"\u0661_", 0, neither}, {"\u3000\uff11\uff10 ", 10, python},
		{"\U0001d7d7\U0001d7d8\U0001d7ff", 909, python}, {"\U0001e4f5", 5, python},
		{"\u00b2", 0, neither}, {"\u2460", 0, neither}, {"\u2167", 0, neither}, {"\uff0d1", 0, neither}, {"1\uff0e5", 0, neither}, {"\u22121", 0, neither},
	} {
		equal := func(x float64, ok, wantOK bool) bool {
			return ok == wantOK && (!ok || x == c.want || math.IsNaN(x) && math.IsNaN(c.want))
		}
		if got, ok := ParseFloat(c.s); !equal(got, ok, c.taken != neither) {
			t.Errorf("ParseFloat(%q): got %v, %v; want %v, %v", c.s, got, ok, c.want, c.taken != neither)
		}
		if got, ok := ParseASCIIFloat(c.s); !equal(got, ok, c.taken == both) {
			t.Errorf("ParseASCIIFloat(%q): got %v, %v; want %v, %v", c.s, got, ok, c.want, c.taken == both)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`[{"action":"moveTo","x":1,"y":NaN}]`)
	f.Add(`"\ud83d\ude00"`)
	f.Fuzz(func(t *testing.T, text string) {
		var r Reader
		r.Reset(text)
		if v, err := r.All(); err == nil {
			v.AppendRepr(nil)
		}
	})
}
