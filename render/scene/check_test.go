package scene

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestCheckAccepts(t *testing.T) {
	for _, in := range []string{
		`{}`, `[]`, `0`, `-0`, `-0.5e-7`, `1E+2`, `""`, `null`, ` true `, "\t[1 ,\r\n2 ]\n",
		`{"a":{"a":{"a":[{"a":1},{"a":1}]}},"b":1}`,
		`"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"`, `"ü€😀"`, `"\ud800"`,
		`{"\ud800":1,"\ud801":2}`, // two keys, though no text can hold either
		`1e-400`,                  // rounds to zero, which is finite
		`1.7976931348623157e308`, "1" + strings.Repeat("0", 308),
		`{"":0}`, strings.Repeat("[", 300) + strings.Repeat("]", 300),
	} {
		if err := Check([]byte(in), 300); err != nil {
			t.Errorf("Check(%.60q): got %v; want no error", in, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + "1" + strings.Repeat("]", n) }
	for _, c := range []struct {
		in     string
		offset int
		path   string
		kind   error
	}{
		{``, 0, "", ErrInvalid},
		{`{`, 1, "", ErrInvalid},
		{`[1`, 2, "/0", ErrInvalid},
		{`[1,`, 3, "/1", ErrInvalid},
		{`[1,]`, 3, "/1", ErrInvalid},
		{`{"a":1,}`, 7, "", ErrInvalid},
		{`{"a":1 "b":2}`, 7, "/a", ErrInvalid},
		{`{"a" 1}`, 5, "/a", ErrInvalid},
		{`{a:1}`, 1, "", ErrInvalid},
		{`{"a":[0,{"b":nul}]}`, 13, "/a/1/b", ErrInvalid},
		{`1 2`, 2, "", ErrInvalid},
		{`}`, 0, "", ErrInvalid},
		{`[1}`, 2, "/0", ErrInvalid},
		{`{"a":1]`, 6, "/a", ErrInvalid},
		{`[NaN]`, 1, "/0", ErrInvalid},
		{`[Infinity]`, 1, "/0", ErrInvalid},
		{`[-Infinity]`, 1, "/0", ErrInvalid},
		{`{"x":1e999}`, 5, "/x", ErrInvalid},
		{`{"x":-1e309}`, 5, "/x", ErrInvalid},
		{`[1` + strings.Repeat("0", 309) + `]`, 1, "/0", ErrInvalid},
		{`01`, 0, "", ErrInvalid},
		{`1.`, 0, "", ErrInvalid},
		{`.5`, 0, "", ErrInvalid},
		{`+1`, 0, "", ErrInvalid},
		{`1e`, 0, "", ErrInvalid},
		{`-`, 0, "", ErrInvalid},
		{`"a`, 2, "", ErrInvalid},
		{"\"a\nb\"", 2, "", ErrInvalid},
		{`"\x"`, 1, "", ErrInvalid},
		{`"\u12g4"`, 1, "", ErrInvalid},
		{"[\"a\xff\"]", 3, "/0", ErrInvalid},
		{"[\"\xed\xa0\x80\"]", 2, "/0", ErrInvalid}, // a surrogate in UTF-8
		{"[\"\xc0\xaf\"]", 2, "/0", ErrInvalid},     // overlong
		{"\xef\xbb\xbf{}", 0, "", ErrInvalid},
		{`{"a":1,"a":2}`, 7, "/a", ErrInvalid},
		{`{"s":{"a":1,"\u0061":2}}`, 12, "/s/a", ErrInvalid},
		{`{"a/b~":[tru]}`, 9, "/a~1b~0/0", ErrInvalid},
		{nested(300), 300, strings.Repeat("/0", 300), ErrLimit},
	} {
		err := Check([]byte(c.in), 300)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Check(%.60q): got %v; want an *Error", c.in, err)
			continue
		}
		wantPath := c.path
		if len(wantPath) > 240 {
			wantPath = e.Path // shortened
		}
		if e.Offset != c.offset || e.Path != wantPath || !errors.Is(err, c.kind) || !errors.Is(err, ErrInvalid) {
			t.Errorf("Check(%.60q): got byte %d, path %q, %v; want byte %d, path %q, %v", c.in, e.Offset, e.Path, err, c.offset, c.path, c.kind)
		}
		if len(err.Error()) > 600 {
			t.Errorf("Check(%.60q): got a message of %d bytes; want at most 600", c.in, len(err.Error()))
		}
	}
}

// Check finds duplicate keys in objects of any size, at any distance, with nested objects between
// them, and with escapes.
func TestCheckDuplicates(t *testing.T) {
	for _, n := range []int{1, 2, fewKeys, fewKeys + 1, fewKeys + 2, 100, 5000} {
		for _, twin := range []int{0, n / 2, n - 1} {
			var b bytes.Buffer
			b.WriteString(`{"outer":{`)
			for i := range n {
				fmt.Fprintf(&b, `"k%d":{"k%d":0,"o":[{"k0":1,"k1":2}]},`, i, i)
			}
			unique := b.String() + `"last":0}, "k0":1}`
			if err := Check([]byte(unique), 300); err != nil {
				t.Errorf("%d unique keys: got %v; want no error", n, err)
			}
			at := b.Len()
			double := b.String() + fmt.Sprintf(`"\u006b%d":0}}`, twin)
			var e *Error
			if err := Check([]byte(double), 300); !errors.As(err, &e) || e.Offset != at {
				t.Errorf("%d keys, key %d twice: got %v; want a fault at byte %d", n, twin, err, at)
			}
		}
	}
}

// Three nested large objects share one hash table, which grows while all of them are open.
func TestCheckNestedLargeObjects(t *testing.T) {
	var b strings.Builder
	const n = 300
	for level := range 3 {
		for i := range n {
			if i == 0 {
				b.WriteString("{")
			}
			fmt.Fprintf(&b, `"k%d":%d,`, i, level)
		}
		b.WriteString(`"down":`)
	}
	b.WriteString(`0`)
	for range 3 {
		for i := n; i < 2*n; i++ {
			fmt.Fprintf(&b, `,"k%d":0`, i)
		}
		b.WriteString(`}`)
	}
	if err := Check([]byte(b.String()), 300); err != nil {
		t.Fatalf("got %v; want no error", err)
	}
	double := strings.TrimSuffix(b.String(), "}") + `,"k7":0}`
	if Check([]byte(double), 300) == nil {
		t.Fatal("a key of the outermost object comes twice: got no error")
	}
}

func TestCheckLimits(t *testing.T) {
	for _, c := range []struct {
		lim  Limits
		in   string
		flag string
	}{
		{Limits{Line: 10}, `[1,2,3,4,5,6]`, FlagLine},
		{Limits{Depth: 3}, `[[[1]]]`, FlagDepth},
		{Limits{Values: 4}, `[1,2,3,4]`, FlagValues},
	} {
		err := c.lim.Check([]byte(c.in))
		if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), c.flag) {
			t.Errorf("%+v.Check(%s): got %v; want a limit that names %s", c.lim, c.in, err, c.flag)
		}
		roomy := Limits{Line: 13, Depth: 4, Values: 7}
		if err := roomy.Check([]byte(c.in)); err != nil {
			t.Errorf("%+v.Check(%s): got %v; want no error", roomy, c.in, err)
		}
	}
}

// The cost of hostile input is proportional to its size; a quadratic search through a million keys
// would not end.
func TestCheckBombs(t *testing.T) {
	var keys bytes.Buffer
	keys.WriteByte('{')
	for i := range 1_000_000 {
		keys.WriteString(`"` + strconv.Itoa(i) + `":0,`)
	}
	keys.WriteString(`"x":0}`)
	if err := Check(keys.Bytes(), 300); err != nil {
		t.Errorf("10^6 keys: got %v; want no error", err)
	}
	deep := bytes.Repeat([]byte(`{"a":[`), 1_000_000)
	if err := Check(deep, 300); !errors.Is(err, ErrLimit) {
		t.Errorf("nesting 2*10^6: got %v; want a limit", err)
	}
	if err := Check(deep, math.MaxInt); err == nil || len(err.Error()) > 1000 {
		t.Errorf("nesting 2*10^6 without a limit: got %.100v; want a short error", err)
	}
}

// FuzzCheck compares Check with encoding/json, which accepts duplicate keys and invalid UTF-8.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\u00e9\n",{"b":null}],"c":-0}`, `[1e999]`, "\"\xff\"", `{"a":1,"a":2}`,
		`{"aaaaaaaaaaaaaaaaaaaaaaaa":"bbbbbbbb\"bbbbbbbbbbb\\bbbb"}`, `[[[[{}]]],[]]`, `01`, `"\ud83d\ude00"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		err := Check(b, 300)
		if err == nil {
			var v any
			if e := json.Unmarshal(b, &v); e != nil {
				t.Fatalf("Check accepts %q, encoding/json says %v", b, e)
			}
			if !json.Valid(b) {
				t.Fatalf("Check accepts %q", b)
			}
			return
		}
		var e *Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(b) {
			t.Fatalf("Check(%q): got %#v; want an offset inside the input", b, err)
		}
		if json.Valid(b) && !excused(e) {
			t.Fatalf("Check refuses %q, which is valid JSON: %v", b, err)
		}
	})
}

// excused reports whether an error is for input that encoding/json accepts.
func excused(e *Error) bool {
	return errors.Is(e, ErrLimit) || strings.Contains(e.Got, "a second time") ||
		e.Want == "valid UTF-8" || e.Want == "a number that fits a float64"
}

// The path in an error is short even for a deeply nested value.
func TestDepthPath(t *testing.T) {
	text := `{"shapes":[` + strings.Repeat(`{"a":`, 400)
	err := Limits{}.Check([]byte(text))
	var e *Error
	if !errors.As(err, &e) || e.Kind != ErrLimit || len(e.Path) > 80 || !strings.HasPrefix(e.Path, "/shapes/0/a/") || strings.Count(e.Path, "...") != 1 {
		t.Errorf("got %v; want a limit at a short path", err)
	}
}
