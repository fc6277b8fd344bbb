package choice

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blank is the white space of answers, as part of a character class.
const blank = `\s\v\x1c-\x1f\x{85}\p{Z}`

// The expressions of the first four rules for the letter of an answer. Go's engine
// has no look-around, so neighbouring characters are tested in code. See
// docs/spec/tangram.md#r55.
var (
	answerField = compile(`(?i)"(?:answer|choice|option|prediction)"[~]*:[~]*"[~]*\(?[~]*([A-Za-z])[~]*[\).]?[~]*"`)
	boxedLetter = compile(`\\boxed[~]*\{[~]*(?:\\(?:text|mathrm|mathbf)[~]*\{[~]*)?\(?([A-Za-z])\)?[~]*\}`)
	answerWord  = compile(`(?i)\b(?:answer|option|choice)\b[~*_]*(?:is\b|:|=)?[~*_]*(?:option\b|choice\b)?[~*_]*[\(\["'` + "`" + `]?([A-Za-z])(?:[^A-Za-z]|\z)`)
	loneLetter  = compile(`\A[~*_` + "`" + `"'\(\[]*([A-Da-d])[~*_` + "`" + `"'\)\].:]*\z`)
)

// compile compiles an expression in which ~ stands for blank.
func compile(s string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(s, "~", blank))
}

// Extract returns the letter "A" to "D" that a model's answer to Task 1 of TangramPuzzle gives. It
// tries these rules in order: an answer field, \boxed, the word answer, a lone letter, the only
// letter in the text. ok is false if the answer gives none of the four. Its time is linear in the
// length of the text. See docs/spec/tangram.md#r55.
func Extract(text string) (letter string, ok bool) {
	for _, rule := range [2]*regexp.Regexp{answerField, boxedLetter} {
		if all := rule.FindAllStringSubmatchIndex(text, -1); all != nil {
			last := all[len(all)-1] // 2 and 3 are the ends of the letter
			return optionLetter(text[last[2]:last[3]])
		}
	}
	if letter := lastNamed(text); letter != "" {
		return letter, true
	}
	if m := loneLetter.FindStringSubmatch(text); m != nil {
		return optionLetter(m[1])
	}
	return onlyLetter(text)
}

// optionLetter returns a letter in upper case, and whether it is one of the four.
func optionLetter(s string) (string, bool) {
	s = strings.ToUpper(s)
	return s, len(s) == 1 && s[0] >= 'A' && s[0] <= 'D'
}

// lastNamed returns the last upper-case letter, A to D, that follows the word answer, option or choice
// in a model's answer, or "". Words that only end in one of these do not count, nor does the article A.
func lastNamed(text string) (letter string) {
	for pos := 0; pos < len(text); {
		match := answerWord.FindStringSubmatchIndex(text[pos:])
		if match == nil {
			break
		}
		start, from, to := pos+match[0], pos+match[2], pos+match[3] // of the word; from and to are of the letter
		if r, _ := utf8.DecodeLastRuneInString(text[:start]); start > 0 && isWordRune(r) {
			pos = start + 1 // the end of a longer word
			continue
		}
		if s := text[from:to]; s >= "A" && s <= "D" && !isArticle(text[from:]) {
			letter = s
		}
		pos = to
	}
	return letter
}

// isWordRune reports whether a character is part of a word.
func isWordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// isArticle reports whether text, a part of a model's answer, begins with the article A, as in "A
// bird", which is not the option A.
func isArticle(text string) bool {
	if len(text) < 3 || text[0] != 'A' || text[1] != ' ' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[2:])
	return unicode.IsLower(r)
}

// onlyLetter returns the only letter A to D that stands alone in a model's answer. ok is false if
// there is none, or if there are several different ones.
func onlyLetter(text string) (letter string, ok bool) {
	for i := range len(text) {
		c := text[i]
		if c < 'A' || c > 'D' {
			continue
		}
		endsWord := i > 0 && (isAlphanumeric(text[i-1]) || text[i-1] == '\\') // or a LaTeX command
		beginsWord := i+1 < len(text) && (isAlphanumeric(text[i+1]) || text[i+1] == '\'')
		if endsWord || beginsWord || isArticle(text[i:]) {
			continue
		}
		if letter != "" && letter != text[i:i+1] {
			return "", false
		}
		letter = text[i : i+1]
	}
	return letter, letter != ""
}

// isAlphanumeric reports whether c is an ASCII letter or digit.
func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
