package jsonwalk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestAppend checks what is kept of values, read in one piece and byte by byte.
func TestAppend(t *testing.T) {
	want := Want{"a": nil, "b": {"c": nil}}
	for _, c := range []struct {
		in, out string
		want    Want
	}{
		{`1`, `1`, nil},
		{` [1, 2 , {"x" : "a b"}] `, `[1,2,{"x":"a b"}]`, nil},
		{`{"z":[NaN,{"a":1}],"a":[NaN, -Infinity,Infinity ,"NaN"],"b":{"c":NaN,"d":2}}`, `{"a":[null,null,null,"NaN"],"b":{"c":null}}`, want},
		{`[{"a":1},{"d":[]},[{"b":{"c":{"k":true}}}],3,"s"]`, `[{"a":1},{},[{"b":{"c":{"k":true}}}],3,"s"]`, want},
		{`{"skip":"\\\"]}","a":"\"\\"}`, `{"a":"\"\\"}`, want},
		{`{"skip":[[[{}]]],"a":{}}`, `{"a":{}}`, want},
		{`{}`, `{}`, want},
		{`12345678901234567890123`, `12345678901234567890123`, nil},
		{`"` + strings.Repeat(`\n\"`, 50000) + `"`, `"` + strings.Repeat(`\n\"`, 50000) + `"`, nil},
	} {
		for _, src := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
			w := New(src)
			got, err := w.Append([]byte("|"), c.want, 1<<20)
			if err == nil {
				err = w.End()
			}
			if err != nil || string(got) != "|"+c.out {
				t.Errorf("%.80s: got %.200s, %v; want %.200s", c.in, got, err, c.out)
			}
		}
	}
}

// TestFaults checks the words of what cannot be read.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ in, words string }{
		{``, "breaks off at byte 0"},
		{`{"a":[1,2`, "breaks off at byte 9"},
		{`{"a":"x`, "breaks off at byte 7"},
		{`{"a":1]`, "byte 6: got ']'; want '}'"},
		{`{"a" 1}`, "byte 5: got '1'; want ':'"},
		{`[1,,2]`, "byte 3: got ','; want a value"}, {`[1,]`, "byte 3: got ']'; want a value"}, {`[,1]`, "byte 1: got ','; want a value or ']'"},
		{`[1:2]`, "byte 2: got ':'; want ',' or a closing bracket"}, {`["a":2]`, "byte 4: got ':'; want ',' or a closing bracket"},
		{`{"a":}`, "byte 5: got '}'; want a value"}, {`{"a",1:2}`, "byte 4: got ','; want ':'"}, {`{"a":1,}`, "byte 7: got '}'; want a name"},
		{`{1:2}`, "byte 1: got '1'; want a name or '}'"}, {`{"a":1,2}`, "byte 7: got '2'; want a name"}, {`{"a":"b":"c"}`, "byte 8: got ':'; want ',' or a closing bracket"},
		{`{{}:1}`, "byte 1: got '{'; want a name or '}'"}, {`[{"a":[]}{}]`, "byte 9: got '{'; want ',' or a closing bracket"},
		{`]`, "byte 0: got ']'; want a value"},
		{`1 2`, "byte 2: got '2'; want nothing"},
		{strings.Repeat("[", maxDepth+1), "nested more than 100000 deep"},
	} {
		w := New(strings.NewReader(c.in))
		err := w.Skip()
		if err == nil {
			err = w.End()
		}
		if err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%.60s: got %v; want %q", c.in, err, c.words)
		}
		if again := w.Skip(); again == nil {
			t.Errorf("%.60s: a call after the error succeeds", c.in)
		}
	}
}

// TestList checks that a long element costs only itself, and that elements before a break are read.
func TestList(t *testing.T) {
	read := func(in string) (got []string) {
		l := NewList(strings.NewReader(in), 8)
		for {
			b, i, err := l.Next()
			var long *LongError
			switch {
			case err == io.EOF:
				return got
			case errors.As(err, &long):
				got = append(got, fmt.Sprint(i, " ", long.Size))
			case err != nil:
				return append(got, err.Error())
			default:
				got = append(got, fmt.Sprint(i, " ", string(b)))
			}
		}
	}
	for in, want := range map[string]string{
		` [1, {"a":[]} ,"123456789" , 2] `: `0 1|1 {"a":[]}|2 11|3 2`,
		`[]`:                               ``,
		`[1,{"a"`:                          `0 1|the list breaks off at byte 7 in element 1; the elements before it are read`,
		`[1,]`:                             `0 1|cannot read the list: byte 3: got ']'; want a value after the comma (1 element is read)`,
		`[1] x`:                            `0 1|cannot read the list: byte 4: got 'x'; want nothing after the document (1 element is read)`,
		`{"a":[1,2]`:                       `cannot read the list: byte 0: got '{'; want a list (0 elements are read)`,
	} {
		if got := strings.Join(read(in), "|"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", in, got, want)
		}
	}
}

// TestSkipTime checks that escapes cost linear time: this takes hours when it is quadratic.
func TestSkipTime(t *testing.T) {
	for _, unit := range []string{`\\`, `\"`, `\"\n`, `x\`} {
		text := `"` + strings.Repeat(unit, 1<<23) + `n"`
		if err := New(strings.NewReader(text)).Skip(); err != nil && unit != `x\` {
			t.Errorf("%s: %v", unit, err)
		}
	}
}

// FuzzWalk checks, against the standard library, that valid documents come back with the same
// values, whatever the buffers, and that no document panics or takes more than it has.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\"",{"b":null}],"b":{"c":1.5e3}}`, `[NaN,-Infinity]`, `"\u00e9\\"`, `[[],{}]`, `{"a"`, "\x00", `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := New(bytes.NewReader(in)).Append(nil, nil, 1<<20)
		piece, err2 := New(iotest.OneByteReader(bytes.NewReader(in))).Append(nil, nil, 1<<20)
		if !bytes.Equal(whole, piece) || (err == nil) != (err2 == nil) {
			t.Fatalf("%q: in one piece %q, %v; byte by byte %q, %v", in, whole, err, piece, err2)
		}
		if skip := New(bytes.NewReader(in)).Skip(); (skip == nil) != (err == nil) {
			t.Fatalf("%q: skipped with %v, kept with %v", in, skip, err)
		}
		New(bytes.NewReader(in)).Append(nil, Want{"a": nil, "b": {"c": nil}}, 64)
		if !json.Valid(in) {
			return
		}
		if err != nil {
			t.Fatalf("%q is valid: %v", in, err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, in); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(whole, compact.Bytes()) {
			t.Fatalf("%q: got %q; want %q", in, whole, compact.Bytes())
		}
	})
}
