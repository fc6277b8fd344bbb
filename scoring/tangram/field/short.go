package field

import "strings"

// parseShort reads a coordinate that is a sum of terms n, n\sqrt{2}, \frac{n}{d},
// \frac{n\sqrt{2}}{d}, without blanks. It returns ok = false for anything else, which the general
// parser then reads: nearly all exact coordinates are short, and this is faster.
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
		t, rest, ok := parseShortTerm(s, sign)
		if !ok {
			return sum, false
		}
		switch s = rest; {
		case first:
			sum = t
		case sum.b.zero() && t.a.zero():
			sum.b = t.b
		default:
			sum = sum.Add(t)
		}
	}
	return sum, true
}

// parseShortDecimal is the fast path of Parse for a number with digits on both sides of its point.
func parseShortDecimal(s string) (Number, bool) {
	minus := s != "" && s[0] == '-'
	if minus {
		s = s[1:]
	}
	if len(s) > 18 { // 17 digits and a power of 10 fit into an int64
		return Number{}, false
	}
	n, d, points := int64(0), int64(1), 0
	for i := range len(s) {
		c := s[i] - '0'
		switch {
		case c < 10:
			n = n*10 + int64(c)
			if points > 0 {
				d *= 10
			}
		case s[i] == '.' && i > 0 && i+1 < len(s):
			points++
		default:
			return Number{}, false
		}
	}
	if minus {
		n = -n
	}
	return Ratio(n, d), points == 1
}

// parseShortTerm reads one term of a short exact coordinate, such as -\frac{3\sqrt{2}}{4} without
// its sign, which the end of the text or another sign must follow. It returns the text after the
// term.
func parseShortTerm(s string, sign int64) (t Number, rest string, ok bool) {
	d := int64(1)
	in := s
	fraction := strings.HasPrefix(s, `\frac{`)
	if fraction {
		in = s[len(`\frac{`):]
	}
	n, after, digits := parseShortInt(in)
	surd := strings.HasPrefix(after, `\sqrt{2}`)
	if surd {
		after = after[len(`\sqrt{2}`):]
		if !digits {
			n = 1
		}
	} else if !digits {
		return t, s, false
	}
	if fraction {
		if !strings.HasPrefix(after, "}{") {
			return t, s, false
		}
		d, after, digits = parseShortInt(after[2:])
		if !digits || d == 0 || after == "" || after[0] != '}' {
			return t, s, false
		}
		after = after[1:]
	}
	if after != "" && after[0] != '+' && after[0] != '-' {
		return t, s, false
	}
	if surd {
		return Surd(sign*n, d), after, true
	}
	return Ratio(sign*n, d), after, true
}

// parseShortInt reads up to nine digits of a coordinate.
func parseShortInt(s string) (n int64, rest string, ok bool) {
	i := 0
	for ; i < len(s) && i < 9 && s[i]-'0' < 10; i++ {
		n = n*10 + int64(s[i]-'0')
	}
	return n, s[i:], i > 0
}
