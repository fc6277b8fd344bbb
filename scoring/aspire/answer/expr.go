package answer

import (
	"math"
	"strconv"
	"strings"
)

// Eval evaluates a string in a numeric field of a model's answer as arithmetic (docs/spec/aspire.md#r13), such
// as "Math.PI/2". ok is false if the whole string is not an expression ("45 degrees") or if its value is not
// finite. extended allows the functions of the variant extended_math.
func Eval(s string, extended bool) (x float64, ok bool) {
	p := parser{src: s, end: len(s), extended: extended, noComments: true}
	if !p.skipBlank() {
		return 0, false
	}
	x, ok = p.expression()
	if !ok || p.pos != p.end || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, false
	}
	return x, true
}

// expression reads terms of a model's arithmetic joined by + and -. Like every reader of a part of
// an expression, it also reads the blanks after it; ok is false for other text.
func (parser *parser) expression() (float64, bool) {
	x, ok := parser.product()
	for ok && parser.pos < parser.end {
		op := parser.src[parser.pos]
		if op != '+' && op != '-' {
			break
		}
		parser.pos++
		var y float64
		ok = parser.skipBlank()
		if !ok {
			break
		}
		y, ok = parser.product()
		if op == '+' {
			x += y
		} else {
			x -= y
		}
	}
	return x, ok
}

// product reads factors of a model's arithmetic joined by *, / and %. As in JavaScript, the
// remainder has the sign of the dividend.
func (parser *parser) product() (float64, bool) {
	x, ok := parser.factor()
	for ok && parser.pos < parser.end {
		op := parser.src[parser.pos]
		if op != '*' && op != '/' && op != '%' {
			break
		}
		parser.pos++
		var y float64
		ok = parser.skipBlank()
		if !ok {
			break
		}
		y, ok = parser.factor()
		switch op { // not finite results are refused at the end
		case '*':
			x *= y
		case '/':
			x /= y
		case '%':
			x = math.Mod(x, y)
		}
	}
	return x, ok
}

// factor reads a signed number, constant, function call or parenthesis of a model's arithmetic.
// Signs are read in a loop, so that a million of them are not a million nested calls.
func (parser *parser) factor() (x float64, ok bool) {
	negative := false
	for parser.comesNext('-') || parser.comesNext('+') {
		if parser.comesNext('-') {
			negative = !negative
		}
		parser.pos++
		if !parser.skipBlank() {
			return 0, false
		}
	}
	if parser.pos >= parser.end {
		return 0, false
	}
	// The value after the signs.
	switch c := parser.src[parser.pos]; {
	case c >= '0' && c <= '9' || c == '.':
		x, ok = parser.readNumber()
	case c == '(':
		x, ok = parser.parenthesis()
	default:
		x, ok = parser.constantOrCall()
	}
	if !ok || !parser.skipBlank() {
		return 0, false
	}
	if negative {
		x = -x
	}
	return x, true
}

// parenthesis reads an expression in round brackets, as models write arithmetic in place of numbers.
// ok is false if it is not valid or nested too deeply.
func (parser *parser) parenthesis() (float64, bool) {
	if !parser.enterLevel() {
		return 0, false
	}
	parser.pos++
	if !parser.skipBlank() {
		return 0, false
	}
	x, ok := parser.expression()
	if !ok || !parser.comesNext(')') {
		return 0, false
	}
	parser.pos++
	parser.depth--
	return x, true
}

// readNumber reads a number with an optional point and exponent: "7", ".5", "5.", "1e-3". A number too large
// for a double becomes an infinity, which the callers refuse or turn into null.
func (parser *parser) readNumber() (float64, bool) {
	start := parser.pos
	digits := parser.skipDigits()
	if parser.comesNext('.') {
		parser.pos++
		digits += parser.skipDigits()
	}
	if digits == 0 {
		return 0, false
	}
	if parser.comesNext('e') || parser.comesNext('E') {
		parser.pos++
		if parser.comesNext('+') || parser.comesNext('-') {
			parser.pos++
		}
		if parser.skipDigits() == 0 {
			return 0, false
		}
	}
	x, _ := strconv.ParseFloat(parser.src[start:parser.pos], 64) // a range error still gives ±Inf
	return x, true
}

// skipDigits skips the digits of a number in a model's answer and returns how many there are.
func (parser *parser) skipDigits() int {
	start := parser.pos
	for parser.pos < parser.end && parser.src[parser.pos] >= '0' && parser.src[parser.pos] <= '9' {
		parser.pos++
	}
	return parser.pos - start
}

// readWord reads a name with its dots in a model's answer, such as Math.PI, or the sign for pi; ""
// if there is none.
func (parser *parser) readWord() string {
	start := parser.pos
	if strings.HasPrefix(parser.src[parser.pos:parser.end], "π") {
		parser.pos += len("π")
		return "π"
	}
	for parser.pos < parser.end {
		c := parser.src[parser.pos]
		mayBegin := isLetter(c) || c == '_'
		mayFollow := mayBegin || c == '.' || c >= '0' && c <= '9'
		if !mayFollow || parser.pos == start && !mayBegin {
			break
		}
		parser.pos++
	}
	return parser.src[start:parser.pos]
}

// constantOrCall reads the constant pi of a model's arithmetic or, with extended math, a function
// call; ok is false for any other name.
func (parser *parser) constantOrCall() (float64, bool) {
	switch name := parser.readWord(); name {
	case "Math.PI", "math.pi", "np.pi", "PI", "pi", "π":
		return math.Pi, true
	default:
		if fn, ok := functions[name]; ok && parser.extended {
			return parser.call(fn)
		}
		return 0, false
	}
}

const anyNumber = -1 // of arguments

// function is a function of the variant extended_math.
type function struct {
	minArguments, maxArguments int
	apply                      func(a []float64) float64
}

// unary makes a function of one argument.
func unary(apply func(float64) float64) function {
	return function{1, 1, func(a []float64) float64 { return apply(a[0]) }}
}

// binary makes a function of two arguments.
func binary(apply func(x, y float64) float64) function {
	return function{2, 2, func(a []float64) float64 { return apply(a[0], a[1]) }}
}

// fold makes a function of one or more arguments for a model's arithmetic, such as max, from a function of two.
func fold(combine func(x, y float64) float64) function {
	return function{1, anyNumber, func(a []float64) float64 {
		x := a[0]
		for _, y := range a[1:] {
			x = combine(x, y)
		}
		return x
	}}
}

// functions are the functions of docs/spec/aspire.md#r13. Halves round up, as in JavaScript.
var functions = map[string]function{
	"Math.sin": unary(math.Sin), "Math.cos": unary(math.Cos), "Math.tan": unary(math.Tan),
	"Math.atan": unary(math.Atan), "Math.sqrt": unary(math.Sqrt), "Math.abs": unary(math.Abs),
	"Math.round": unary(func(x float64) float64 { return math.Floor(x + 0.5) }),
	"Math.floor": unary(math.Floor), "Math.ceil": unary(math.Ceil),
	"Math.atan2": binary(math.Atan2), "Math.pow": binary(math.Pow),
	"Math.hypot": {1, anyNumber, hypot}, "Math.min": fold(math.Min), "Math.max": fold(math.Max),
}

// hypot returns the Euclidean norm of the arguments of Math.hypot in a model's arithmetic.
func hypot(a []float64) float64 {
	x := 0.0
	for _, y := range a {
		x = math.Hypot(x, y)
	}
	return x
}

// call reads the arguments of a function in a model's arithmetic, after its name, and applies it.
// It refuses a wrong number of arguments.
func (parser *parser) call(function function) (float64, bool) {
	if !parser.skipBlank() || !parser.comesNext('(') || !parser.enterLevel() {
		return 0, false
	}
	var args []float64
	for more := true; more; {
		parser.pos++ // the parenthesis or the comma
		if !parser.skipBlank() {
			return 0, false
		}
		x, ok := parser.expression()
		if !ok || parser.pos >= parser.end {
			return 0, false
		}
		args = append(args, x)
		switch parser.src[parser.pos] {
		case ',':
		case ')':
			more = false
		default:
			return 0, false
		}
	}
	parser.pos++ // the closing parenthesis
	parser.depth--
	tooMany := function.maxArguments != anyNumber && len(args) > function.maxArguments
	if tooMany || len(args) < function.minArguments {
		return 0, false
	}
	return function.apply(args), true
}

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool {
	lower := c | 0x20 // the bit in which small letters differ from capitals
	return lower >= 'a' && lower <= 'z'
}
