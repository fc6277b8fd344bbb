package jsoncut

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`""`: "", `"a"`: "a", `"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u00e9\u20AC"`: "é€", `"\ud83d\ude00"`: "😀",
		`"\ud83d"`: "\ufffd", `"\ude00\ud83d"`: "\ufffd\ufffd", `"\ud83d\u0041"`: "\ufffdA", `"\ud83dx"`: "\ufffdx", `"\u0000"`: "\x00",
	} {
		if got := string(Text([]byte(in))); got != want {
			t.Errorf("%s: got %q; want %q", in, got, want)
		}
	}
	for _, torn := range []string{``, `"`, `"\`, `"\"`, `"\u"`, `"\u12"`, `"\ud83d\u"`, `"\uzzzz"`} {
		Text([]byte(torn)) // means nothing, but ends
	}
}

func TestElements(t *testing.T) {
	for in, want := range map[string]string{
		`[]`: "", ` [ ] `[1:]: "", `[1]`: "1", `[ 1 , "a,]" , [2,[3]] , {"x":"}"} ]`: `1|"a,]"|[2,[3]]|{"x":"}"}`,
	} {
		got, err := Elements([]byte(in), 10)
		var parts []string
		for _, e := range got {
			parts = append(parts, string(e))
		}
		if err != nil || strings.Join(parts, "|") != want {
			t.Errorf("%s: got %q, %v; want %s", in, parts, err, want)
		}
	}
	if _, err := Elements([]byte(`[1,2,3]`), 2); !errors.Is(err, ErrTooMany) {
		t.Errorf("got %v; want too many", err)
	}
	for _, torn := range []string{`[`, `[1`, `[1,`, `[1] x`, `["a`} {
		if got, err := Elements([]byte(torn), 10); err == nil {
			t.Errorf("%s: got %q and no error", torn, got)
		}
	}
}

func TestMembers(t *testing.T) {
	var got []string
	err := Members([]byte(`{ "a" : 1 , "\u0062":{"c":[ 2 ]}, "":"x" }`), func(k, v []byte) error {
		got = append(got, Name(k)+"="+string(v))
		return nil
	})
	if want := `a=1 b={"c":[ 2 ]} ="x"`; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %v, %v; want %s", got, err, want)
	}
	for _, noValue := range []string{`{"a":}`, `{"a": ,"b":1}`, `{"b":1,"a":]}`} {
		err := Members([]byte(noValue), func(_, v []byte) error {
			if len(v) == 0 {
				t.Errorf("%s: got a member without a value", noValue)
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "want a value") {
			t.Errorf("%s: got %v; want an error that asks for a value", noValue, err)
		}
	}
	stop := errors.New("enough")
	if err := Members([]byte(`{"a":1,"b":2}`), func(_, _ []byte) error { return stop }); err != stop {
		t.Errorf("got %v; want the function's", err)
	}
}

// TestNamed checks that names come with their escapes undone, once, and values as they stand.
func TestNamed(t *testing.T) {
	var got []string
	err := Named([]byte(`{"\u0061":1,"b\\\\n":{"\u0063":2},"d":3}`), func(name, value []byte) error {
		got = append(got, string(name)+"="+string(value))
		return nil
	})
	if want := `a=1 b\\n={"\u0063":2} d=3`; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %v, %v; want %s", got, err, want)
	}
}

func TestKind(t *testing.T) {
	for in, want := range map[string]string{``: "nothing", `{}`: "an object", `[]`: "a list", `""`: "a string", `true`: "a boolean", `null`: "null", `-1`: "a number"} {
		if got := Kind([]byte(in)); got != want || Null([]byte(in)) != (want == "null" || want == "nothing") {
			t.Errorf("%s: got %s; want %s", in, got, want)
		}
	}
}

// FuzzTextOf: the text of a string is what the standard library reads.
func FuzzTextOf(f *testing.F) {
	f.Add(`"a\u00e9\ud83d\ude00\ud83d\n"`)
	f.Fuzz(func(t *testing.T, s string) {
		got := string(Text([]byte(s)))
		var want string
		if json.Unmarshal([]byte(s), &want) != nil || !utf8.ValidString(s) || s[0] != '"' || s[len(s)-1] != '"' {
			return
		}
		if got != want {
			t.Errorf("%q: got %q; want %q", s, got, want)
		}
	})
}
