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

// Parse reads a coordinate expression of the grammar of docs/spec/tangram.md#r22. inexact reports
// whether the text has a decimal point or an exponent, or an intermediate value outside of Q(sqrt
// 2). See docs/spec/tangram.md#r26.
func Parse(text string) (x Number, inexact bool, err error) {
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
)

// token is a lexical token of an expression.
type token struct {
	kind tokenKind
	text string // of a number
}

// parserPool keeps parsers with their token buffers for reuse.
var parserPool = sync.Pool{New: func() any { return &parser{buffer: make([]token, 0, maxLength)} }}

// parser is a recursive-descent parser of coordinate expressions. Its methods return ok = false
// for text outside of the grammar.
type parser struct {
	tokens      []token
	buffer      []token
	next        int
	depth       int
	afterNumber bool // the last factor was a plain number
	inexact     bool
}

// commands are the known LaTeX control words; the tokenizer skips those of kind 0.
var commands = map[string]tokenKind{
	"frac": frac, "dfrac": frac, "tfrac": frac, "cfrac": frac, "sqrt": sqrtCommand, "pi": pi, "cdot": '*', "times": '*', "div": '/',
	"left": 0, "right": 0, "quad": 0, "qquad": 0, "displaystyle": 0,
}

// tokenize splits a coordinate expression in LaTeX into tokens.
func (p *parser) tokenize(s string) bool {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '~':
			i++
		case c-'0' < 10 || c == '.':
			n := literalLength(s[i:])
			if n == 0 {
				return false
			}
			p.tokens = append(p.tokens, token{numeral, s[i : i+n]})
			i += n
		case c == '\\':
			k, n, ok := readCommand(s[i:])
			if !ok {
				return false
			}
			if k != 0 {
				p.tokens = append(p.tokens, token{kind: k})
			}
			i += n
		case c < 0x80:
			n, ok := p.asciiToken(s[i:])
			if !ok {
				return false
			}
			i += n
		default:
			n, ok := p.unicodeToken(s[i:])
			if !ok {
				return false
			}
			i += n
		}
	}
	return true
}

// asciiToken reads a character of the grammar, or the word sqrt. n is its length in bytes.
func (p *parser) asciiToken(s string) (n int, ok bool) {
	switch c := s[0]; c {
	case '+', '-', '*', '/', '^', '(', ')', '{', '}', '[', ']', '$':
		p.tokens = append(p.tokens, token{kind: tokenKind(c)})
		return 1, true
	case 's':
		if len(s) >= 4 && s[:4] == "sqrt" {
			p.tokens = append(p.tokens, token{kind: sqrtSign})
			return 4, true
		}
	}
	return 0, false
}

// unicodeTokens are the characters of the grammar beyond ASCII.
var unicodeTokens = map[rune]tokenKind{'\u2212': '-', '\u00b7': '*', '\u22c5': '*', '\u00d7': '*', '\u00f7': '/', '\u2044': '/', '\u221a': sqrtSign}

// unicodeToken reads a character beyond ASCII. n is its length in bytes.
func (p *parser) unicodeToken(s string) (n int, ok bool) {
	for _, c := range s {
		k, known := unicodeTokens[c]
		p.tokens = append(p.tokens, token{kind: k})
		return len(string(c)), known
	}
	return 0, false
}

// readCommand reads a LaTeX control word or control symbol. n is its length in bytes.
func readCommand(s string) (k tokenKind, n int, ok bool) {
	for n = 1; n < len(s) && (s[n]|0x20)-'a' < 26; n++ {
	}
	if n > 1 {
		k, ok = commands[s[1:n]]
		return k, n, ok
	}
	if len(s) < 2 {
		return 0, 0, false
	}
	switch s[1] {
	case ',', ';', ':', '!', ' ':
		return 0, 2, true
	case '(', ')', '[', ']': // valid only around the whole expression: see stripDelimiters
		return tokenKind(s[1] | 0x80), 2, true
	}
	return 0, 0, false
}

// literalLength returns the length of the number at the start of s, or 0 if there is none.
func literalLength(s string) int {
	digits := func(i int) int {
		for i < len(s) && s[i]-'0' < 10 {
			i++
		}
		return i
	}
	i := digits(0)
	whole := i
	if i < len(s) && s[i] == '.' {
		i = digits(i + 1)
		if whole == 0 && i == 1 {
			return 0
		}
	}
	if i == 0 {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if end := digits(j); end > j {
			return end
		}
	}
	return i
}

// stripDelimiters removes one pair of math delimiters around the whole expression.
func (p *parser) stripDelimiters() bool {
	t := p.tokens
	n := len(t)
	if n == 0 {
		return false
	}
	switch {
	case t[0].kind == '$':
		k := 1
		if n > 1 && t[1].kind == '$' {
			k = 2
		}
		if n < 2*k || t[n-1].kind != '$' || t[n-k].kind != '$' {
			return false
		}
		t = t[k : n-k]
	case t[0].kind == '('|0x80 && t[n-1].kind == ')'|0x80, t[0].kind == '['|0x80 && t[n-1].kind == ']'|0x80:
		t = t[1 : n-1]
	}
	p.tokens = t
	return len(t) > 0
}

// peek returns the kind of the next token, or 0 at the end.
func (p *parser) peek() tokenKind {
	if p.next < len(p.tokens) {
		return p.tokens[p.next].kind
	}
	return 0
}

// accept consumes the next token if it is of kind k.
func (p *parser) accept(k tokenKind) bool {
	if p.peek() != k {
		return false
	}
	p.next++
	return true
}

// expression reads a sum of terms in a coordinate expression.
func (p *parser) expression() (Number, bool) {
	x, ok := p.term()
	for ok {
		k := p.peek()
		if k != '+' && k != '-' {
			return x, true
		}
		p.next++
		y, found := p.term()
		if !found {
			return x, false
		}
		if k == '+' {
			x = x.Add(y)
		} else {
			x = x.Sub(y)
		}
		ok = x.Bits() < maxBits
	}
	return x, false
}

// term reads products and quotients from left to right. Adjacent factors are multiplied. See
// docs/spec/tangram.md#r23.
func (p *parser) term() (Number, bool) {
	x, ok := p.unary()
	for ok {
		bare := p.afterNumber
		k := p.peek()
		var y Number
		switch k {
		case '*', '/':
			p.next++
			y, ok = p.unary()
		case numeral, frac, sqrtCommand, sqrtSign, pi, '(', '{', '[':
			if k == numeral && bare {
				return x, false // two numbers side by side
			}
			y, ok = p.power()
		default:
			return x, true
		}
		if !ok {
			return x, false
		}
		if k == '/' {
			x, ok = x.Quo(y)
		} else {
			x = x.Mul(y)
		}
		ok = ok && x.Bits() < maxBits
	}
	return x, false
}

// unary reads the signs and the power of a coordinate expression.
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

// power reads an atom with an optional integer exponent.
func (p *parser) power() (Number, bool) {
	k := p.peek()
	x, ok := p.atom()
	p.afterNumber = k == numeral
	if !ok || !p.accept('^') {
		return x, ok
	}
	p.afterNumber = false
	n, ok := p.exponent()
	if !ok {
		return x, false
	}
	y := Int(1)
	for range max(n, -n) {
		y = y.Mul(x)
		if y.Bits() > maxBits {
			return x, false
		}
	}
	if n < 0 {
		return Int(1).Quo(y)
	}
	return y, true
}

// exponent reads the exponent of a power: a digit or {integer}.
func (p *parser) exponent() (int, bool) {
	if p.peek() == numeral {
		n, ok := p.digit()
		return n, ok && n <= maxPower
	}
	if !p.accept('{') {
		return 0, false
	}
	minus := false
	if k := p.peek(); k == '-' || k == '+' {
		minus = k == '-'
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

// digit reads the first digit of a number. As in TeX, it is an argument by itself, and the rest
// of the number is a number of its own.
func (p *parser) digit() (int, bool) {
	t := &p.tokens[p.next]
	c := t.text[0]
	if c-'0' >= 10 {
		return 0, false
	}
	t.text = t.text[1:]
	if t.text == "" {
		p.next++
	}
	return int(c - '0'), literalLength(t.text) == len(t.text)
}

// atom reads a number, a group or a LaTeX command of a coordinate expression.
func (p *parser) atom() (Number, bool) {
	k := p.peek()
	if k == 0 {
		return Number{}, false
	}
	p.next++
	switch k {
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

// group reads the rest of a bracketed group up to its closing bracket. It bounds the nesting
// depth.
func (p *parser) group(end tokenKind) (Number, bool) {
	p.depth++
	if p.depth > maxNesting {
		return Number{}, false
	}
	x, ok := p.expression()
	p.depth--
	return x, ok && p.accept(end)
}

// literal converts a number and limits its exponent.
func (p *parser) literal(text string) (Number, bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if n, err := strconv.Atoi(text[i+1:]); err != nil || n > maxExponent || n < -maxExponent {
			return Number{}, false
		}
	}
	p.inexact = p.inexact || strings.ContainsAny(text, ".eE")
	return Number{decimal(text), integer(0)}, true
}

// fraction reads the two arguments of the LaTeX command \frac.
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

// argument reads the argument of a LaTeX command: a group, one digit, or a command.
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

// squareRoot reads a radicand and returns its root. The radicand is a group in round brackets or
// an argument; after the plain word or sign, also a whole number. A root outside of Q(sqrt 2)
// becomes the nearest double.
func (p *parser) squareRoot(command bool) (Number, bool) {
	var x Number
	ok := false
	switch k := p.peek(); {
	case k == '(':
		p.next++
		x, ok = p.group(')')
	case k == numeral && !command:
		p.next++
		x, ok = p.literal(p.tokens[p.next-1].text)
	default:
		x, ok = p.argument()
	}
	if !ok || x.Sign() < 0 {
		return x, false
	}
	if r, ok := x.Sqrt(); ok {
		return r, true
	}
	f := x.sqrtFloat()
	if math.IsInf(f, 0) {
		return x, false
	}
	p.inexact = true
	return FromFloat(f), true
}
