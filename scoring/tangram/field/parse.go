package field

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// The limits of expressions. See docs/spec/tangram.md#r24.
const (
	maxLength   = 512
	maxNesting  = 64
	maxPower    = 8
	maxExponent = 30
	// maxBits bounds intermediate results, because powers of powers grow fast.
	maxBits = 1 << 14
)

// ErrMalformed marks a text that is not an expression.
var ErrMalformed = errors.New("cannot read expression: want integers, decimals, fractions and square roots in LaTeX")

// Parse reads an exact coordinate, an expression of the grammar of docs/spec/tangram.md#r22.
// inexact says that the text has a decimal point or an exponent, or an intermediate value outside
// of Q(sqrt 2). See docs/spec/tangram.md#r26.
func Parse(text string) (x Number, inexact bool, err error) {
	// The usual forms of coordinates have fast paths; the parser below reads all others.
	if n, ok := parseShort(text); ok {
		return n, false, nil
	}
	if n, ok := parseShortDecimal(text); ok {
		return n, true, nil
	}
	if len(text) > maxLength && utf8.RuneCountInString(text) > maxLength {
		return x, false, ErrMalformed
	}
	p := parserPool.Get().(*parser)
	defer parserPool.Put(p)
	*p = parser{tokens: p.buffer[:0], buffer: p.buffer}
	if !p.tokenize(text) || !p.stripDelimiters() {
		return x, false, ErrMalformed
	}
	x, ok := p.expression()
	if !ok || p.next != len(p.tokens) {
		return x, false, ErrMalformed
	}
	return x, p.inexact, nil
}

// tokenKind is the kind of a token of an expression. A character of the grammar is its own kind.
type tokenKind byte

const (
	numeral     tokenKind = 'n'
	frac        tokenKind = 'f'
	sqrtCommand tokenKind = 'r' // \sqrt
	sqrtSign    tokenKind = 's' // sqrt or the sign for it
	pi          tokenKind = 'p'

	// delimiter is set in the kind of a bracket with a backslash, such as \(, which delimits an expression.
	delimiter tokenKind = 0x80
)

// token is a lexical token of an expression.
type token struct {
	kind tokenKind
	text string // of a number
}

// parserPool keeps parsers with their token buffers for reuse.
var parserPool = sync.Pool{New: func() any { return &parser{buffer: make([]token, 0, maxLength)} }}

// parser is a recursive-descent parser of coordinate expressions. Its methods return ok =
// false for text outside the grammar.
type parser struct {
	tokens      []token
	buffer      []token
	next        int
	depth       int  // of nested groups
	afterNumber bool // the last factor was a plain number
	inexact     bool // see Parse
}

// commands are the known LaTeX control words; the tokenizer skips those of kind 0.
var commands = map[string]tokenKind{
	"frac": frac, "dfrac": frac, "tfrac": frac, "cfrac": frac, "sqrt": sqrtCommand, "pi": pi, "cdot": '*',
	"times": '*', "div": '/',
	"left": 0, "right": 0, "quad": 0, "qquad": 0, "displaystyle": 0,
}

// tokenize appends the tokens of a coordinate's expression to p.tokens. It returns false at a
// character outside the grammar.
func (p *parser) tokenize(text string) bool {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '~':
			i++
		case c-'0' < 10 || c == '.': // unsigned, so bytes below '0' are large
			length := literalLength(text[i:])
			if length == 0 {
				return false
			}
			p.tokens = append(p.tokens, token{numeral, text[i : i+length]})
			i += length
		case c == '\\':
			commandKind, length, ok := readCommand(text[i:])
			if !ok {
				return false
			}
			if commandKind != 0 { // 0: spacing and \left, \right
				p.tokens = append(p.tokens, token{kind: commandKind})
			}
			i += length
		case c < 0x80:
			length, ok := p.asciiToken(text[i:])
			if !ok {
				return false
			}
			i += length
		default:
			length, ok := p.unicodeToken(text[i:])
			if !ok {
				return false
			}
			i += length
		}
	}
	return true
}

// asciiToken appends the token that text, a part of a coordinate's expression, begins with: a
// character of the grammar, or the word sqrt. n is its length in bytes; ok is false for another
// character.
func (p *parser) asciiToken(text string) (n int, ok bool) {
	switch c := text[0]; c {
	case '+', '-', '*', '/', '^', '(', ')', '{', '}', '[', ']', '$':
		p.tokens = append(p.tokens, token{kind: tokenKind(c)})
		return 1, true
	case 's':
		if len(text) >= 4 && text[:4] == "sqrt" {
			p.tokens = append(p.tokens, token{kind: sqrtSign})
			return 4, true
		}
	}
	return 0, false
}

// unicodeTokens are the characters of the grammar beyond ASCII.
var unicodeTokens = map[rune]tokenKind{'\u2212': '-', '\u00b7': '*', '\u22c5': '*', '\u00d7': '*', '\u00f7': '/',
	'\u2044': '/', '\u221a': sqrtSign}

// unicodeToken appends the token for the first character of text, a part of a coordinate's expression,
// which is beyond ASCII. n is its length in bytes; ok is false for a character outside the grammar.
func (p *parser) unicodeToken(text string) (n int, ok bool) {
	character, n := utf8.DecodeRuneInString(text)
	kind, known := unicodeTokens[character]
	p.tokens = append(p.tokens, token{kind: kind})
	return n, known
}

// readCommand reads the LaTeX command at the beginning of text, which is the rest of a coordinate's
// expression and begins with a backslash. kind is its token, 0 for a command that is skipped, such as
// the space "\,". n is the command's length in bytes. ok is false if it is unknown.
func readCommand(text string) (kind tokenKind, n int, ok bool) {
	for n = 1; n < len(text) && (text[n]|0x20)-'a' < 26; n++ { // while it is a letter; other bytes give 26 or more
	}
	if n > 1 { // a word, such as \frac
		kind, ok = commands[text[1:n]]
		return kind, n, ok
	}
	if len(text) < 2 {
		return 0, 0, false
	}
	switch text[1] {
	case ',', ';', ':', '!', ' ':
		return 0, 2, true
	case '(', ')', '[', ']': // valid only around the whole expression: see stripDelimiters
		return tokenKind(text[1]) | delimiter, 2, true
	}
	return 0, 0, false
}

// literalLength returns the length of the number that text, a part of a coordinate's expression,
// begins with, which may have a point and an exponent; 0 if there is none.
func literalLength(text string) int {
	skipDigits := func(i int) int {
		for i < len(text) && text[i]-'0' < 10 {
			i++
		}
		return i
	}
	i := skipDigits(0)
	whole := i
	if i < len(text) && text[i] == '.' {
		i = skipDigits(i + 1)
		if whole == 0 && i == 1 {
			return 0
		}
	}
	if i == 0 {
		return 0
	}
	// An exponent belongs to the number only if it has digits.
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		j := i + 1
		if j < len(text) && (text[j] == '+' || text[j] == '-') {
			j++
		}
		if end := skipDigits(j); end > j {
			return end
		}
	}
	return i
}

// stripDelimiters removes one pair of math delimiters around the whole expression: $, $$, \(
// \) or \[ \]. It returns false if a $ is unmatched or nothing is left; other unmatched ones
// stay, and the parser refuses them.
func (p *parser) stripDelimiters() bool {
	tokens := p.tokens
	n := len(tokens)
	if n == 0 {
		return false
	}
	switch {
	case tokens[0].kind == '$':
		dollars := 1
		if n > 1 && tokens[1].kind == '$' {
			dollars = 2
		}
		if n < 2*dollars || tokens[n-1].kind != '$' || tokens[n-dollars].kind != '$' {
			return false
		}
		tokens = tokens[dollars : n-dollars]
	case tokens[0].kind == '('|delimiter && tokens[n-1].kind == ')'|delimiter,
		tokens[0].kind == '['|delimiter && tokens[n-1].kind == ']'|delimiter:
		tokens = tokens[1 : n-1]
	}
	p.tokens = tokens
	return len(tokens) > 0
}

// peek returns the kind of the next token of the coordinate's expression, or 0 at the end.
func (p *parser) peek() tokenKind {
	if p.next < len(p.tokens) {
		return p.tokens[p.next].kind
	}
	return 0
}

// accept reports whether the next token of the coordinate's expression is of kind k, and consumes
// it if so.
func (p *parser) accept(k tokenKind) bool {
	if p.peek() != k {
		return false
	}
	p.next++
	return true
}

// expression reads a sum of terms of a coordinate's expression. It returns false for a syntax
// error, and where a value becomes larger than maxBits.
func (p *parser) expression() (Number, bool) {
	x, ok := p.term()
	for ok {
		operator := p.peek()
		if operator != '+' && operator != '-' {
			return x, true
		}
		p.next++
		y, found := p.term()
		if !found {
			return x, false
		}
		if operator == '+' {
			x = x.Add(y)
		} else {
			x = x.Sub(y)
		}
		ok = x.Bits() <= maxBits
	}
	return x, false
}

// term reads products and quotients of a coordinate's expression, from left to right. Adjacent
// factors are multiplied, except two plain numbers, which are refused. Values larger than maxBits
// are refused too. See docs/spec/tangram.md#r23.
func (p *parser) term() (Number, bool) {
	x, ok := p.unary()
	for ok {
		afterNumber := p.afterNumber // x ended with a plain number
		kind := p.peek()
		var y Number
		switch kind {
		case '*', '/':
			p.next++
			y, ok = p.unary()
		case numeral, frac, sqrtCommand, sqrtSign, pi, '(', '{', '[':
			if kind == numeral && afterNumber {
				return x, false // two numbers side by side
			}
			y, ok = p.power()
		default:
			return x, true
		}
		if !ok {
			return x, false
		}
		if kind == '/' {
			x, ok = x.Quo(y)
		} else {
			x = x.Mul(y)
		}
		ok = ok && x.Bits() <= maxBits
	}
	return x, false
}

// unary reads any number of signs of a coordinate's expression and the power after them.
func (p *parser) unary() (Number, bool) {
	minus := false
	for p.peek() == '+' || p.peek() == '-' {
		minus = minus != (p.peek() == '-')
		p.next++
	}
	x, ok := p.power()
	if ok && minus {
		x = x.Neg()
	}
	return x, ok
}

// power reads an atom of a coordinate's expression with an optional integer exponent of at most
// maxPower. It refuses values larger than maxBits. It sets p.afterNumber if the atom is a plain
// number without an exponent, because no other number may follow such a one without a sign between them.
func (p *parser) power() (Number, bool) {
	kind := p.peek()
	x, ok := p.atom()
	p.afterNumber = kind == numeral
	if !ok || !p.accept('^') {
		return x, ok
	}
	p.afterNumber = false
	exponent, ok := p.exponent()
	if !ok {
		return x, false
	}
	product := Int(1)
	for range max(exponent, -exponent) {
		product = product.Mul(x)
		if product.Bits() > maxBits {
			return x, false
		}
	}
	if exponent < 0 {
		return Int(1).Quo(product)
	}
	return product, true
}

// exponent reads the exponent of a power in the expression of a coordinate, as LaTeX writes it: one
// digit, or an integer in braces. It returns false for anything else, and for an exponent above maxPower
// in magnitude.
func (p *parser) exponent() (int, bool) {
	if p.peek() == numeral {
		n, ok := p.digit()
		return n, ok && n <= maxPower
	}
	if !p.accept('{') {
		return 0, false
	}
	// An integer in braces.
	minus := false
	if sign := p.peek(); sign == '-' || sign == '+' {
		minus = sign == '-'
		p.next++
	}
	if p.peek() != numeral {
		return 0, false
	}
	n := 0
	for _, c := range []byte(p.tokens[p.next].text) {
		if c-'0' >= 10 || n > maxPower {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	p.next++
	if minus {
		n = -n
	}
	return n, p.accept('}') && n <= maxPower && n >= -maxPower
}

// digit takes the first digit of the number at the next token, an argument in a coordinate's
// expression. The rest stays as a number of its own, as in TeX, where \frac12 is 1/2. The next token
// must be a number. It returns false where that begins with no digit or the rest is not a number.
func (p *parser) digit() (int, bool) {
	number := &p.tokens[p.next]
	c := number.text[0]
	if c-'0' >= 10 {
		return 0, false
	}
	number.text = number.text[1:]
	if number.text == "" {
		p.next++
	}
	return int(c - '0'), literalLength(number.text) == len(number.text)
}

// atom reads an atom of the expression of a coordinate: a number, a bracketed group, a fraction, a
// root or pi. pi makes the coordinate inexact.
func (p *parser) atom() (Number, bool) {
	kind := p.peek()
	if kind == 0 {
		return Number{}, false
	}
	p.next++
	switch kind {
	case numeral:
		return p.literal(p.tokens[p.next-1].text)
	case '(':
		return p.group(')')
	case '{':
		return p.group('}')
	case '[':
		return p.group(']')
	case frac:
		return p.fraction()
	case sqrtCommand:
		return p.squareRoot(true)
	case sqrtSign:
		return p.squareRoot(false)
	case pi:
		p.inexact = true
		return FromFloat(math.Pi), true
	}
	return Number{}, false
}

// group reads a bracketed group of a coordinate's expression after its opening bracket, up to the
// closing bracket end. It refuses groups nested deeper than maxNesting.
func (p *parser) group(end tokenKind) (Number, bool) {
	p.depth++
	if p.depth > maxNesting {
		return Number{}, false
	}
	x, ok := p.expression()
	p.depth--
	return x, ok && p.accept(end)
}

// literal returns the exact value of a number in a coordinate. It refuses large exponents,
// and sets p.inexact for a number with a point or an exponent.
func (p *parser) literal(text string) (Number, bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if n, err := strconv.Atoi(text[i+1:]); err != nil || n > maxExponent || n < -maxExponent {
			return Number{}, false
		}
	}
	p.inexact = p.inexact || strings.ContainsAny(text, ".eE")
	return Number{decimal(text), integer(0)}, true
}

// fraction reads the two arguments of the LaTeX command \frac in a coordinate's expression and
// returns their quotient.
func (p *parser) fraction() (Number, bool) {
	x, ok := p.argument()
	if !ok {
		return x, false
	}
	y, ok := p.argument()
	if !ok {
		return x, false
	}
	return x.Quo(y)
}

// argument reads the argument of a LaTeX command in a coordinate's expression: a group in braces,
// one digit, or another command. A command in a command counts as nested here; group counts braces itself.
func (p *parser) argument() (Number, bool) {
	switch p.peek() {
	case '{':
		p.next++
		return p.group('}')
	case numeral:
		n, ok := p.digit()
		return Int(int64(n)), ok
	case sqrtCommand, frac, pi:
		p.depth++
		if p.depth > maxNesting {
			return Number{}, false
		}
		x, ok := p.atom()
		p.depth--
		return x, ok
	}
	return Number{}, false
}

// squareRoot reads the radicand of a root in a coordinate's expression and returns the root. The
// radicand is a group in round brackets or an argument; after the plain word or sign (command is
// false) it may also be a whole number. A root outside of Q(sqrt 2) becomes the nearest double and
// sets p.inexact. A negative radicand is refused.
func (p *parser) squareRoot(command bool) (Number, bool) {
	var x Number
	ok := false
	switch kind := p.peek(); {
	case kind == '(':
		p.next++
		x, ok = p.group(')')
	case kind == numeral && !command:
		p.next++
		x, ok = p.literal(p.tokens[p.next-1].text)
	default:
		x, ok = p.argument()
	}
	if !ok || x.Sign() < 0 {
		return x, false
	}
	if root, ok := x.Sqrt(); ok {
		return root, true
	}
	nearest := x.sqrtFloat()
	if math.IsInf(nearest, 0) {
		return x, false
	}
	p.inexact = true
	return FromFloat(nearest), true
}
