package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// appended parses a text and writes it again.
func appended(t *testing.T, text []byte) []byte {
	t.Helper()
	var p fastjson.Parser
	v, err := p.ParseBytes(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return Append(nil, v)
}

// TestAppendEveryCharacter checks that each code point is unchanged after writing, in a value and
// in a key beside a quote, and that halves of surrogate pairs give valid JSON.
func TestAppendEveryCharacter(t *testing.T) {
	const block = 256
	for first := rune(0); first <= utf8.MaxRune; first += block {
		text := []byte("{")
		for r := first; r < first+block; r++ {
			one := fmt.Sprintf(`\u%04x`, r) // any half of a pair too
			if r > 0xffff {
				one = string(r)
			}
			text = fmt.Appendf(text, `"%s\"":"%s",`, one, one)
		}
		got := appended(t, append(text, `"":""}`...))
		var m map[string]string
		if err := json.Unmarshal(got, &m); err != nil {
			t.Fatalf("from U+%04X: got %s: %v", first, got, err)
		}
		for r := first; r < first+block; r++ {
			if v, ok := m[string(r)+`"`]; utf8.ValidRune(r) && (!ok || v != string(r)) {
				t.Errorf("U+%04X: got %q, %v", r, v, ok)
			}
		}
	}
}

func FuzzAppend(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,-3e9,true,false,null,{}],"b":"\u0007"}`, `"\ud800"`, `["\udc00\ud800","🏴󠁧󠁢󠁥󠁮󠁧󠁿"]`, `"\b\f\n\r\t\/\\\""`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) || !utf8.Valid(text) {
			return
		}
		got := appended(t, text)
		again := appended(t, got)
		if a, b := tree(t, got), tree(t, again); !reflect.DeepEqual(a, b) {
			t.Fatalf("%q: got %q, and %q of that", text, got, again)
		}
	})
}

// tree decodes JSON and keeps the text of numbers.
func tree(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}
