package field

import "strings"

// parseShort reads a coordinate of up to 64 bytes that is a sum of terms n, n\sqrt{2}, \frac{n}{d} and
// \frac{n\sqrt{2}}{d}, without blanks. It returns false for anything else, which the general parser
// then reads. Nearly all exact coordinates are of this form, and this is faster.
func parseShort(text string) (Number, bool) {
	var sum Number
	if len(text) > 64 {
		return sum, false
	}
	for first := true; first || text != ""; first = false { // each round reads a term; an empty text has none
		sign := int64(1)
		switch {
		case text == "":
			return sum, false
		case text[0] == '-':
			sign, text = -1, text[1:]
		case text[0] == '+' && !first:
			text = text[1:]
		case !first:
			return sum, false
		}
		term, rest, ok := parseShortTerm(text, sign)
		if !ok {
			return sum, false
		}
		switch text = rest; {
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

// parseShortDecimal reads a decimal coordinate with digits on both sides of its point, such as -0.25.
// It returns false for anything else. It is the fast path of Parse for the usual form of decimals.
func parseShortDecimal(text string) (Number, bool) {
	minus := text != "" && text[0] == '-'
	if minus {
		text = text[1:]
	}
	if len(text) > 18 { // 17 digits and a power of 10 fit into an int64
		return Number{}, false
	}
	numerator, denominator, points := int64(0), int64(1), 0
	for i := range len(text) {
		c := text[i] - '0'
		switch {
		case c < 10:
			numerator = numerator*10 + int64(c)
			if points > 0 {
				denominator *= 10
			}
		case text[i] == '.' && i > 0 && i+1 < len(text):
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
func parseShortTerm(text string, sign int64) (term Number, rest string, ok bool) {
	denominator := int64(1)
	numeratorText := text
	fraction := strings.HasPrefix(text, `\frac{`)
	if fraction {
		numeratorText = text[len(`\frac{`):]
	}
	// The numerator: an integer, a root, or both.
	numerator, after, hasDigits := parseShortInt(numeratorText)
	hasRoot := strings.HasPrefix(after, `\sqrt{2}`)
	if hasRoot {
		after = after[len(`\sqrt{2}`):]
		if !hasDigits {
			numerator = 1
		}
	} else if !hasDigits {
		return term, text, false
	}
	// The denominator.
	if fraction {
		if !strings.HasPrefix(after, "}{") {
			return term, text, false
		}
		denominator, after, hasDigits = parseShortInt(after[2:])
		if !hasDigits || denominator == 0 || after == "" || after[0] != '}' {
			return term, text, false
		}
		after = after[1:]
	}
	// The end of the term.
	if after != "" && after[0] != '+' && after[0] != '-' {
		return term, text, false
	}
	if hasRoot {
		return Surd(sign*numerator, denominator), after, true
	}
	return Ratio(sign*numerator, denominator), after, true
}

// parseShortInt reads up to nine digits at the start of text, a short coordinate. rest is what follows
// them; ok is false if there are none.
func parseShortInt(text string) (n int64, rest string, ok bool) {
	i := 0
	for ; i < len(text) && i < 9 && text[i]-'0' < 10; i++ {
		n = n*10 + int64(text[i]-'0')
	}
	return n, text[i:], i > 0
}
