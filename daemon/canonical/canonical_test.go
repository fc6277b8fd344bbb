package canonical_test

import (
	"encoding/json"
	"testing"

	"plumb/daemon/canonical"
)

// Values have one form only. See docs/spec/runs.md#r2.
func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		` { "b" : [ 1 , true , null ] , "a" : {} } `:         `{"a":{},"b":[1,true,null]}`,
		`{"é":1,"z":2,"\ud83d\ude00":3,"\uffee":4}`:          `{"z":2,"é":1,"￮":4,"😀":3}`,
		`"<&>\u2028\u0041\/\n\u001f\u007f\""`:                "\"<&>\u2028A/\\n\\u001f\u007f\\\"\"",
		`[1.0,1e3,-0,-0.0,0.70,1E-7,1.5e-10,1e21,12e20]`:     `[1,1000,0,0,0.7,1e-7,1.5e-10,1e+21,1.2e+21]`,
		`[123456789012345678901234567890,1e-6,123456.75e-2]`: `[123456789012345678901234567890,0.000001,1234.5675]`,
		`{"a":1,"a":2}`: `{"a":2}`,
		"\"\xff\"":      "\"\uFFFD\"",
	} {
		if got, err := canonical.JSON([]byte(in)); err != nil || string(got) != want || !json.Valid(got) {
			t.Errorf("%s: got %s, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "{", "1 2", "[1e999]", "nul"} {
		if got, err := canonical.JSON([]byte(in)); err == nil {
			t.Errorf("%q: got %s; want an error", in, got)
		}
	}
	if got := string(canonical.AppendString(nil, "a\xffb\x00")); got != "\"a\uFFFDb\\u0000\"" {
		t.Errorf("got %s", got)
	}
}

// The key of a value is its hash. See docs/spec/runs.md#r3.
func TestKey(t *testing.T) {
	a, err := canonical.Key(map[string]any{"b": 1, "a": 2.0})
	b, err2 := canonical.Key(json.RawMessage(`{"a":2,"b":1}`))
	if err != nil || err2 != nil || a != b || len(a) != 32 {
		t.Errorf("got %s, %s, %v, %v", a, b, err, err2)
	}
}
