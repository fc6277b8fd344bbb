package record

import (
	"testing"

	"github.com/valyala/fastjson"
)

// TestTokenCount checks the bounds of numbers of tokens.
func TestTokenCount(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "-0": 0, "100": 100, "100.0": 100, "1e2": 100, "9007199254740991": 1<<53 - 1,
		"-1": -1, "-5": -1, "-0.5": -1, "9007199254740992": -1, "1e300": -1, "1e400": -1, `"100"`: -1, "true": -1, "null": -1, "[1]": -1, "{}": -1,
	} {
		if got := TokenCount(fastjson.MustParse(text)); got != want {
			t.Errorf("%s: got %d; want %d", text, got, want)
		}
	}
	if got := TokenCount(nil); got != -1 {
		t.Errorf("absent: got %d; want -1", got)
	}
}
