package field

import (
	"fmt"
	"strings"
	"testing"
)

// TestBounds reads texts at the limits of the grammar. want is the number as it prints, "" where the text
// is refused.
func TestBounds(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("(", n) + "1" + strings.Repeat(")", n) }
	roots := func(n int) string { return strings.Repeat(`\sqrt`, n) + "1" }
	for _, c := range []struct{ text, want string }{
		{strings.Repeat(" ", maxLength-1) + "1", "1"}, {strings.Repeat(" ", maxLength) + "1", ""},
		{strings.Repeat("\u00b7", 2) + "1", ""}, {"1" + strings.Repeat("\u00b71", (maxLength-1)/2), "1"}, {"1" + strings.Repeat("\u00b71", maxLength/2) + " ", ""},
		{nested(maxNesting), "1"}, {nested(maxNesting + 1), ""},
		{roots(maxNesting), "1"}, {roots(maxNesting + 1), "1"}, {roots(maxNesting + 2), ""}, // the first is no argument
		{"1" + strings.Repeat("\u00b71", maxLength/2-1) + " ", "1"},
		{strings.Repeat("(1)", maxNesting+10), "1"}, {strings.Repeat(`\sqrt\sqrt1`, 46), "1"},
		{"2^8", "256"}, {"2^9", ""}, {"2^{8}", "256"}, {"2^{9}", ""}, {"2^{-8}", `\frac{1}{256}`}, {"2^{-9}", ""}, {"2^{+3}", "8"}, {"2^{10}", ""}, {"2^{12}", ""},
		{"2^{08}", "256"}, {"2^{080}", ""}, {"2^{1.5}", ""}, {"2^{-}", ""}, {"2^{}", ""}, {"2^{3", ""}, {"2^0", "1"}, {"2^{0}", "1"}, {"2^{-0}", "1"}, {"0^{0}", "1"}, {"0^{-1}", ""},
		{"2^23", "12"}, {"2^", ""}, {"2^x", ""}, {`2^\pi`, ""}, {"2^{--1}", ""},
		{"1e30", "1" + strings.Repeat("0", 30)}, {"1e31", ""}, {"1e-30", `\frac{1}{1` + strings.Repeat("0", 30) + "}"}, {"1e-31", ""}, {"1e+2", "100"}, {"1E2", "100"},
		{"1e", ""}, {"1e+", ""}, {"1e99999999999999999999", ""}, {"e5", ""}, {"1.e2", "100"}, {".5e1", "5"}, {".", ""}, {"1.", "1"}, {"..", ""}, {"1..2", ""},
		{"0", "0"}, {"9", "9"}, {"/", ""}, {":", ""}, {"1:", ""}, {"09", "9"}, {"90", "90"}, {`\frac90`, ""}, {`\frac09`, "0"}, {`\frac9{9}`, "1"}, {`\frac:1`, ""}, {`\frac/1`, ""},
		{`\frac12`, `\frac{1}{2}`}, {`\frac123`, `\frac{3}{2}`}, {`\frac{1}23`, `\frac{3}{2}`}, {`\frac1`, ""}, {`\frac`, ""}, {`\frac1.5`, ""}, {`\frac.51`, ""}, {`\frac12.5`, `\frac{1}{4}`},
		{"sqrt2", `\sqrt{2}`}, {"sqrt", ""}, {"sqr2", ""}, {"sqrt 8", `2\sqrt{2}`}, {`\sqrt18`, "8"}, {`\sqrt(18)`, `3\sqrt{2}`}, {`\sqrt0`, "0"}, {`\sqrt{-1}`, ""}, {`\sqrt{1-\sqrt2}`, ""},
		{"$1$", "1"}, {"$$1$$", "1"}, {"$", ""}, {"$$", ""}, {"$$$", ""}, {"$$$$", ""}, {"$1", ""}, {"1$", ""}, {"$$1$", ""}, {"$1$$", ""}, {"$ $", ""},
		{`\(1\)`, "1"}, {`\[1\]`, "1"}, {`\(1\]`, ""}, {`\(\)`, ""}, {`\(`, ""}, {`\(1`, ""}, {`1\)`, ""}, {`\`, ""}, {`1\`, ""}, {`1\,`, "1"}, {`\unknown`, ""},
		{"é", ""}, {"\u007f", ""}, {"1\u2212\u221a2", `1-\sqrt{2}`}, {"3\u00f72", `\frac{3}{2}`}, {"2\u00d73", "6"}, {"1\u20442", `\frac{1}{2}`},
		{"((9^8)^8)^8", "9^512"}, {"((9^8)^8)^8(9^8)^8", "9^576"}, {"((((9^8)^8)^8)^8)^8", ""}, {"((9^8)^8)^8/((9^8)^8)^8", "1"},
		{"--1", "1"}, {"-+-+1", "1"}, {"1--1", "2"}, {"1-", ""}, {"", ""}, {"2 3", ""}, {"2(3)", "6"}, {"(2)3", "6"}, {"2/4(2)", "1"}, {"1/0", ""},
		{"{1}", "1"}, {"[1]", "1"}, {"(1]", ""}, {"1.50", `\frac{3}{2}`}, {"-0.25", `-\frac{1}{4}`}, {"+1.5", `\frac{3}{2}`}, {"1234567890.12345678", `\frac{61728394506172839}{50000000}`},
		{`123456789\sqrt{2}`, `123456789\sqrt{2}`}, {`1234567890\sqrt{2}`, `1234567890\sqrt{2}`}, {`9\sqrt{2}9`, `81\sqrt{2}`}, {`1+\sqrt{2}-\frac{1}{2}`, `\frac{1}{2}+\sqrt{2}`},
		{`+1`, "1"}, {`1+`, ""}, {`1:2`, ""}, {`1+2:`, ""}, {strings.TrimSuffix(strings.Repeat("1+", 40), "+"), "40"},
	} {
		x, _, err := Parse(c.text)
		got := ""
		if err == nil {
			got = x.LaTeX()
		}
		want := c.want
		var power int
		if n, _ := fmt.Sscanf(c.want, "9^%d", &power); n == 1 {
			product := Int(1)
			for range power {
				product = product.Mul(Int(9))
			}
			want = product.LaTeX()
		}
		if got != want {
			t.Errorf("%.60q: got %.60s; want %.60s", c.text, got, want)
		}
	}
}

// The fast path reads what is short and simple, and nothing else.
func TestFastPaths(t *testing.T) {
	long := strings.Repeat("1+", 31) + "1" // 63 bytes
	for text, want := range map[string]bool{long: true, long + "+": false, long + "0": true, long + "00": false, "+1": false, "1+2": true, "-1": true, "1-2": true,
		"123456789": true, "1234567890": false, "1/2": false, `\frac{1}{2}1`: false, `\frac{1}{2}-1`: true, `\frac{1}{2}+\sqrt{2}+\sqrt{2}`: true} {
		if _, ok := parseShort(text); ok != want {
			t.Errorf("%q: read %v; want %v", text, ok, want)
		}
	}
	for text, want := range map[string]bool{"1.5": true, "9.0": true, "0.9": true, ".5": false, "5.": false, "1.2.3": false, "1/5": false, "1:5": false, "1.:": false,
		"1234567890.1234567": true, "1234567890.12345678": false, "-1234567890.1234567": true, "15": false, "-.5": false, "-5.": false} {
		if x, ok := parseShortDecimal(text); ok != want {
			t.Errorf("%q: read %v as %v; want %v", text, ok, x, want)
		}
	}
}

// TestLargestValue reads products and sums of exactly as many bits as a value may have, and of one more.
func TestLargestValue(t *testing.T) {
	most := 0 // the largest power of two that is allowed
	for x := Int(1); x.Bits() < maxBits; x = x.Mul(Int(2)) {
		most++
	}
	for _, c := range []struct {
		exponent int
		more     string
		ok       bool
	}{{most, "", true}, {most, "+1", true}, {most + 1, "", false}, {most - 1, "+2^0", true}, {most - 1, "*2", true}, {most, "*2", false}} {
		text := powerOfTwo(c.exponent) + c.more
		if _, _, err := Parse(text); (err == nil) != c.ok {
			t.Errorf("2^%d%s: got error %v; want one: %v", c.exponent, c.more, err, !c.ok)
		}
	}
}

// powerOfTwo spells 2^n as a product of powers whose exponents are at most 8.
func powerOfTwo(n int) string {
	text := "1"
	base := "2"
	for ; n > 0 && len(base) < 30; n /= 8 {
		if n%8 > 0 {
			text += fmt.Sprintf("*(%s)^%d", base, n%8)
		}
		base = "(" + base + ")^8"
	}
	return text
}
