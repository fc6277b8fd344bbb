package field

import (
	"errors"
	"math"
	"sync"
)

// The limits of expressions. See docs/spec/tangram.md#r24.
const (
	maxLength   = 512
	maxNesting  = 64
	maxPower    = 8
	maxExponent = 30
	// maxBits bounds numbers on the way: powers of powers grow fast.
	maxBits = 1 << 14
)

// ErrMalformed marks a text that is no expression.
var ErrMalformed = errors.New("cannot read expression: want integers, decimals, fractions and square roots in LaTeX")

// Parse reads a coordinate expression of the grammar of docs/spec/tangram.md#r22.
// inexact reports whether the text has a decimal point or an exponent, or a value
// outside of K occurred in it. See docs/spec/tangram.md#r26.
func Parse(text string) (x Number, inexact bool, err error) {
	if n, ok := short(text); ok {
		return n, false, nil
	}
	if n, ok := shortDecimal(text); ok {
		return n, true, nil
	}
	if characters(text) > maxLength {
		return x, false, ErrMalformed
	}
	p := parsers.Get().(*parser)
	defer parsers.Put(p)
	*p = parser{tokens: p.memory[:0], memory: p.memory}
	if !p.scan(text) || !p.unwrap() {
		return x, false, ErrMalformed
	}
	x, ok := p.expr()
	if !ok || p.at != len(p.tokens) {
		return x, false, ErrMalformed
	}
	return x, p.inexact, nil
}

func characters(s string) (n int) {
	if len(s) <= maxLength {
		return len(s)
	}
	for range s {
		n++
	}
	return n
}

// kind of a token. Characters of the grammar stand for themselves.
type kind byte

const (
	number kind = 'n'
	frac   kind = 'f'
	root   kind = 'r' // \sqrt
	plain  kind = 's' // sqrt or the sign for it
	pi     kind = 'p'
)

// token is a piece of the text.
type token struct {
	kind kind
	text string // of a number
}

// parsers keep memory from expression to expression.
var parsers = sync.Pool{New: func() any { return &parser{memory: make([]token, 0, maxLength)} }}

// parser holds the tokens of one expression.
type parser struct {
	tokens  []token
	memory  []token
	at      int
	depth   int
	bare    bool // the last factor was a number and nothing else
	inexact bool
}

// commands are the known control words; 0 is skipped.
var commands = map[string]kind{
	"frac": frac, "dfrac": frac, "tfrac": frac, "cfrac": frac, "sqrt": root, "pi": pi, "cdot": '*', "times": '*', "div": '/',
	"left": 0, "right": 0, "quad": 0, "qquad": 0, "displaystyle": 0,
}

// scan cuts the text into tokens.
func (p *parser) scan(s string) bool {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '~':
			i++
		case c-'0' < 10 || c == '.':
			n := literal(s[i:])
			if n == 0 {
				return false
			}
			p.tokens = append(p.tokens, token{number, s[i : i+n]})
			i += n
		case c == '\\':
			k, n, ok := command(s[i:])
			if !ok {
				return false
			}
			if k != 0 {
				p.tokens = append(p.tokens, token{kind: k})
			}
			i += n
		case c < 0x80:
			n, ok := p.sign(s[i:])
			if !ok {
				return false
			}
			i += n
		default:
			n, ok := p.symbol(s[i:])
			if !ok {
				return false
			}
			i += n
		}
	}
	return true
}

// sign takes a character of the grammar, or the word sqrt.
func (p *parser) sign(s string) (n int, ok bool) {
	switch c := s[0]; c {
	case '+', '-', '*', '/', '^', '(', ')', '{', '}', '[', ']', '$':
		p.tokens = append(p.tokens, token{kind: kind(c)})
		return 1, true
	case 's':
		if len(s) >= 4 && s[:4] == "sqrt" {
			p.tokens = append(p.tokens, token{kind: plain})
			return 4, true
		}
	}
	return 0, false
}

// symbols are the characters beyond ASCII.
var symbols = map[rune]kind{'\u2212': '-', '\u00b7': '*', '\u22c5': '*', '\u00d7': '*', '\u00f7': '/', '\u2044': '/', '\u221a': plain}

func (p *parser) symbol(s string) (n int, ok bool) {
	for _, c := range s {
		k, known := symbols[c]
		p.tokens = append(p.tokens, token{kind: k})
		return len(string(c)), known
	}
	return 0, false
}

// command reads a control word or control symbol.
func command(s string) (k kind, n int, ok bool) {
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
	case '(', ')', '[', ']': // only around the whole: unwrap looks for them
		return kind(s[1] | 0x80), 2, true
	}
	return 0, 0, false
}

// literal returns the length of the number that s begins with, 0 for none.
func literal(s string) int {
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

// unwrap removes one pair of math delimiters around the whole.
func (p *parser) unwrap() bool {
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

func (p *parser) peek() kind {
	if p.at < len(p.tokens) {
		return p.tokens[p.at].kind
	}
	return 0
}

func (p *parser) take(k kind) bool {
	if p.peek() != k {
		return false
	}
	p.at++
	return true
}

func (p *parser) expr() (Number, bool) {
	x, ok := p.term()
	for ok {
		k := p.peek()
		if k != '+' && k != '-' {
			return x, true
		}
		p.at++
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

// term reads products and quotients from left to right; factors side by side are
// multiplied. See docs/spec/tangram.md#r23.
func (p *parser) term() (Number, bool) {
	x, ok := p.unary()
	for ok {
		bare := p.bare
		k := p.peek()
		var y Number
		switch k {
		case '*', '/':
			p.at++
			y, ok = p.unary()
		case number, frac, root, plain, pi, '(', '{', '[':
			if k == number && bare {
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

func (p *parser) unary() (Number, bool) {
	minus := false
	for p.peek() == '+' || p.peek() == '-' {
		minus = minus != (p.peek() == '-')
		p.at++
	}
	x, ok := p.power()
	if ok && minus {
		x = x.Neg()
	}
	return x, ok
}

func (p *parser) power() (Number, bool) {
	k := p.peek()
	x, ok := p.atom()
	if p.bare = k == number; !ok || !p.take('^') {
		return x, ok
	}
	p.bare = false
	n, ok := p.exponent()
	if !ok {
		return x, false
	}
	y := Int(1)
	for range max(n, -n) {
		if y = y.Mul(x); y.Bits() > maxBits {
			return x, false
		}
	}
	if n < 0 {
		return Int(1).Quo(y)
	}
	return y, true
}

// exponent reads a digit or {integer}.
func (p *parser) exponent() (int, bool) {
	if p.peek() == number {
		t := &p.tokens[p.at]
		c := t.text[0]
		if c-'0' >= 10 {
			return 0, false
		}
		if len(t.text) == 1 {
			p.at++
		} else { // the TeX rule: the rest of the number stands by itself
			t.text = t.text[1:]
			if literal(t.text) != len(t.text) {
				return 0, false
			}
		}
		return int(c - '0'), c-'0' <= maxPower
	}
	if !p.take('{') {
		return 0, false
	}
	minus := false
	if k := p.peek(); k == '-' || k == '+' {
		minus = k == '-'
		p.at++
	}
	if p.peek() != number {
		return 0, false
	}
	n := 0
	for _, c := range []byte(p.tokens[p.at].text) {
		if c-'0' >= 10 || n > maxPower {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	p.at++
	if minus {
		n = -n
	}
	return n, p.take('}') && n <= maxPower && n >= -maxPower
}

func (p *parser) atom() (Number, bool) {
	k := p.peek()
	if k == 0 {
		return Number{}, false
	}
	p.at++
	switch k {
	case number:
		return p.literal(p.tokens[p.at-1].text)
	case '(':
		return p.inside(')')
	case '{':
		return p.inside('}')
	case '[':
		return p.inside(']')
	case frac:
		return p.fraction()
	case root:
		return p.root(true)
	case plain:
		return p.root(false)
	case pi:
		p.inexact = true
		return FromFloat(math.Pi), true
	}
	return Number{}, false
}

// inside reads the rest of a group. Groups, and commands that are arguments
// without one, are what nests.
func (p *parser) inside(end kind) (Number, bool) {
	if p.depth++; p.depth > maxNesting {
		return Number{}, false
	}
	x, ok := p.expr()
	p.depth--
	return x, ok && p.take(end)
}

func (p *parser) literal(text string) (Number, bool) {
	for i := range len(text) {
		switch c := text[i]; {
		case c == 'e' || c == 'E':
			n := 0
			for _, c := range []byte(text[i+1:]) {
				if c-'0' < 10 && n <= maxExponent {
					n = n*10 + int(c-'0')
				}
			}
			if n > maxExponent {
				return Number{}, false
			}
			p.inexact = true
		case c == '.':
			p.inexact = true
		}
	}
	r, ok := decimal([]byte(text))
	return Number{r, whole(0)}, ok
}

func (p *parser) fraction() (Number, bool) {
	x, ok := p.arg()
	if !ok {
		return x, false
	}
	y, ok := p.arg()
	if !ok {
		return x, false
	}
	return x.Quo(y)
}

// arg reads the argument of a command: a group, one digit, or a command.
func (p *parser) arg() (Number, bool) {
	switch p.peek() {
	case '{':
		p.at++
		return p.inside('}')
	case number:
		t := &p.tokens[p.at]
		c := t.text[0]
		if c-'0' >= 10 {
			return Number{}, false
		}
		if t.text = t.text[1:]; t.text == "" {
			p.at++
		} else if literal(t.text) != len(t.text) {
			return Number{}, false
		}
		return Int(int64(c - '0')), true
	case root, frac, pi:
		if p.depth++; p.depth > maxNesting {
			return Number{}, false
		}
		x, ok := p.atom()
		p.depth--
		return x, ok
	}
	return Number{}, false
}

// root reads what stands under a root: of \sqrt a group in round brackets or an
// argument; of the plain word and sign a whole number too.
func (p *parser) root(command bool) (Number, bool) {
	var x Number
	ok := false
	switch k := p.peek(); {
	case k == '(':
		p.at++
		x, ok = p.inside(')')
	case k == number && !command:
		p.at++
		x, ok = p.literal(p.tokens[p.at-1].text)
	default:
		x, ok = p.arg()
	}
	if !ok || x.Sign() < 0 {
		return x, false
	}
	if r, ok := x.Root(); ok {
		return r, true
	}
	f := x.rootFloat()
	if math.IsInf(f, 0) {
		return x, false
	}
	p.inexact = true
	return FromFloat(f), true
}
