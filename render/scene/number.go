package scene

import (
	"strconv"
	"unsafe"
)

// asString views bytes that do not change as a string.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// powers are the powers of ten that a float64 holds exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseNumber reads a JSON number of a whiteboard, rounded correctly as in JavaScript, which the
// JSON library's fast parser does not always do. ok is false if data is not a number or does not fit a
// float64. It reads short numbers without exponent itself and passes all others to parseSlowly.
func parseNumber(data []byte) (value float64, ok bool) {
	i, digits, point := 0, 0, -1 // place in data; digits so far; digits before the point, -1 without one
	if len(data) > 0 && data[0] == '-' {
		i = 1
	}
	var mantissa uint64
	for ; i < len(data); i++ {
		switch ch := data[i]; {
		case ch-'0' <= 9:
			mantissa = mantissa*10 + uint64(ch-'0')
			digits++
		case ch == '.' && point < 0 && digits > 0:
			point = digits
		default:
			return parseSlowly(data)
		}
	}
	// Up to 15 digits are exact in a float64, and dividing two exact numbers rounds once.
	const mostExact = 15
	if digits == 0 || digits > mostExact || point == digits {
		return parseSlowly(data)
	}
	value = float64(mantissa)
	if point >= 0 {
		value /= powers[digits-point]
	}
	if data[0] == '-' {
		value = -value
	}
	return value, true
}

// parseSlowly reads exponents and long numbers. It refuses the other notations of
// strconv.ParseFloat, such as NaN and hexadecimal.
func parseSlowly(data []byte) (float64, bool) {
	for _, ch := range data {
		if ch-'0' > 9 && ch != '.' && ch != '-' && ch != '+' && ch|0x20 != 'e' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(asString(data), 64)
	return v, err == nil
}
