package field

import "strings"

// parseShort reads a coordinate of up to 64 bytes that is a sum of terms n, n\sqrt{2},
// \frac{n}{d} and \frac{n\sqrt{2}}{d}, without blanks. ok is false for anything else, which
// the general parser then reads. Nearly all exact coordinates are short, and this is faster.
func parseShort(s string) (Number, bool) {
	var sum Number
	if len(s) > 64 {
		return sum, false
	}
	for first := true; first || s != ""; first = false {
		sign := int64(1)
		switch {
		case s == "":
			return sum, false
		case s[0] == '-':
			sign, s = -1, s[1:]
		case s[0] == '+' && !first:
			s = s[1:]
		case !first:
			return sum, false
		}
		term, rest, ok := parseShortTerm(s, sign)
		if !ok {
			return sum, false
		}
		switch s = rest; {
		case first:
			sum = term
		case sum.b.zero() && term.a.zero(): // a rational and a surd need no addition
			sum.b = term.b
		default:
			sum = sum.Add(term)
		}
	}
	return sum, true
}

// parseShortDecimal reads a decimal coordinate with digits on both sides of its point, such as
// -0.25. ok is false for anything else. It is the fast path of Parse for the usual form of
// decimals.
func parseShortDecimal(s string) (Number, bool) {
	minus := s != "" && s[0] == '-'
	if minus {
		s = s[1:]
	}
	if len(s) > 18 { // 17 digits and a power of 10 fit into an int64
		return Number{}, false
	}
	numerator, denominator, points := int64(0), int64(1), 0
	for i := range len(s) {
		c := s[i] - '0'
		switch {
		case c < 10:
			numerator = numerator*10 + int64(c)
			if points > 0 {
				denominator *= 10
			}
		case s[i] == '.' && i > 0 && i+1 < len(s):
			points++
		default:
			return Number{}, false
		}
	}
	if minus {
		numerator = -numerator
	}
	return Ratio(numerator, denominator), points == 1
}

// parseShortTerm reads one term of a short exact coordinate, such as \frac{3\sqrt{2}}{4},
// without its sign, which the caller gives. The term must be followed by the end of the text
// or the sign of another term. rest is the text after it.
func parseShortTerm(s string, sign int64) (term Number, rest string, ok bool) {
	denominator := int64(1)
	numeratorText := s
	fraction := strings.HasPrefix(s, `\frac{`)
	if fraction {
		numeratorText = s[len(`\frac{`):]
	}
	numerator, after, hasDigits := parseShortInt(numeratorText)
	hasRoot := strings.HasPrefix(after, `\sqrt{2}`)
	if hasRoot {
		after = after[len(`\sqrt{2}`):]
		if !hasDigits {
			numerator = 1
		}
	} else if !hasDigits {
		return term, s, false
	}
	if fraction {
		if !strings.HasPrefix(after, "}{") {
			return term, s, false
		}
		denominator, after, hasDigits = parseShortInt(after[2:])
		if !hasDigits || denominator == 0 || after == "" || after[0] != '}' {
			return term, s, false
		}
		after = after[1:]
	}
	if after != "" && after[0] != '+' && after[0] != '-' {
		return term, s, false
	}
	if hasRoot {
		return Surd(sign*numerator, denominator), after, true
	}
	return Ratio(sign*numerator, denominator), after, true
}

// parseShortInt reads up to nine digits at the start of s, a short coordinate. rest is what follows
// them; ok is false if there are none.
func parseShortInt(s string) (n int64, rest string, ok bool) {
	i := 0
	for ; i < len(s) && i < 9 && s[i]-'0' < 10; i++ {
		n = n*10 + int64(s[i]-'0')
	}
	return n, s[i:], i > 0
}
