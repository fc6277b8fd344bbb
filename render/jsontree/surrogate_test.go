package jsontree

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// TestUnpairedSurrogates compares texts with unpaired surrogates with encoding/json.
func TestUnpairedSurrogates(t *testing.T) {
	for _, s := range []string{`"\ud800"`, `"\uD800 a"`, `"\udc00\ud800"`, `"\ud83d\ude00"`, `"\ud83d\ud83d\ude00"`, `"\\ud800"`, `"\\\ud800"`,
		`"\ud800\u0041"`, `"\ud800\n"`, `"\udfff"`, `"a\"\ud800\""`, `"plain"`, `"\u00e9 \ud7ff \ue000"`} {
		sameText(t, s)
	}
}

func sameText(t *testing.T, s string) {
	t.Helper()
	var want string
	if err := json.Unmarshal([]byte(s), &want); err != nil {
		t.Fatal(err)
	}
	b := []byte(s)
	v, err := Parse(new(fastjson.Parser), b)
	if err != nil || string(v.GetStringBytes()) != want || string(b) != s {
		t.Errorf("%s: got %q, %v; want %q", s, v, err, want)
	}
}

func FuzzUnpairedSurrogates(f *testing.F) {
	f.Add([]byte(`"\ud800\\\udc00\ud83d\ude00"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if json.Valid(b) && utf8.Valid(b) && b[0] == '"' {
			sameText(t, string(b))
		}
	})
}
