package scene

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestParseNumber(t *testing.T) {
	for _, s := range []string{"0", "-0", "1", "-1.5", "355.49999999999994", "0.1", "123456789012345", "1234567890123456",
		"0.000000000000001", "9007199254740993", "1e22", "1.5E-7", "123456789.123456789", "5e-324", "1e-400"} {
		want, _ := strconv.ParseFloat(s, 64)
		got, ok := parseNumber([]byte(s))
		if !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("parseNumber(%s): got %v, %v; want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "-", ".", "nan", "NaN", "inf", "-inf", "1e999", "--1", "1..2", "0x10", "1_0", "1-2"} {
		if got, ok := parseNumber([]byte(s)); ok {
			t.Errorf("parseNumber(%s): got %v; want none", s, got)
		}
	}
}

// parseNumber reads every float64 back from its shortest text and from a longer one.
func TestParseNumberRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		for _, prec := range []int{-1, 17} {
			s := strconv.FormatFloat(v, 'g', prec, 64)
			if got, ok := parseNumber([]byte(s)); !ok || got != v {
				t.Fatalf("parseNumber(%s): got %v, %v; want %v", s, got, ok, v)
			}
		}
	})
}
