package choice

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blank is what counts as white space in an answer, as a part of a class.
const blank = `\s\v\x1c-\x1f\x{85}\p{Z}`

// The expressions of the first four rules for the letter of an answer. Go's engine
// has no look-around, so neighbouring characters are tested in code. See
// docs/spec/tangram.md#r55.
var (
	field = pattern(`(?i)"(?:answer|choice|option|prediction)"[~]*:[~]*"[~]*\(?[~]*([A-Za-z])[~]*[\).]?[~]*"`)
	boxed = pattern(`\\boxed[~]*\{[~]*(?:\\(?:text|mathrm|mathbf)[~]*\{[~]*)?\(?([A-Za-z])\)?[~]*\}`)
	named = pattern(`(?i)\b(?:answer|option|choice)\b[~*_]*(?:is\b|:|=)?[~*_]*(?:option\b|choice\b)?[~*_]*[\(\["'` + "`" + `]?([A-Za-z])(?:[^A-Za-z]|\z)`)
	alone = pattern(`\A[~*_` + "`" + `"'\(\[]*([A-Da-d])[~*_` + "`" + `"'\)\].:]*\z`)
)

// pattern compiles an expression in which ~ stands for blank.
func pattern(s string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(s, "~", blank))
}

// Extract returns the letter that an answer gives, "A" to "D"; ok is false where the
// answer is invalid. It takes time linear in the length of the text. See
// docs/spec/tangram.md#r55.
func Extract(text string) (letter string, ok bool) {
	for _, rule := range [2]*regexp.Regexp{field, boxed} {
		if all := rule.FindAllStringSubmatchIndex(text, -1); all != nil {
			last := all[len(all)-1]
			return option(text[last[2]:last[3]])
		}
	}
	if letter := lastNamed(text); letter != "" {
		return letter, true
	}
	if m := alone.FindStringSubmatch(text); m != nil {
		return option(m[1])
	}
	return single(text)
}

// option is a letter in capitals, where it is one of the four.
func option(s string) (string, bool) {
	s = strings.ToUpper(s)
	return s, len(s) == 1 && s[0] >= 'A' && s[0] <= 'D'
}

// lastNamed returns the last capital that follows the word answer, option or
// choice, "" for none.
func lastNamed(text string) (letter string) {
	for at := 0; at < len(text); {
		m := named.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		start, from, to := at+m[0], at+m[2], at+m[3]
		if r, _ := utf8.DecodeLastRuneInString(text[:start]); start > 0 && word(r) {
			at = start + 1 // a word that only ends like ours
			continue
		}
		if s := text[from:to]; s >= "A" && s <= "D" && !article(text[from:]) {
			letter = s
		}
		at = to
	}
	return letter
}

// word reports whether a character is part of a word.
func word(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// article reports whether a text begins like "A bird".
func article(s string) bool {
	if len(s) < 3 || s[0] != 'A' || s[1] != ' ' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[2:])
	return unicode.IsLower(r)
}

// single returns the only letter that stands alone in the text, if there is
// exactly one.
func single(text string) (letter string, ok bool) {
	for i := range len(text) {
		c := text[i]
		if c < 'A' || c > 'D' || i > 0 && (alnum(text[i-1]) || text[i-1] == '\\') {
			continue
		}
		if i+1 < len(text) && (alnum(text[i+1]) || text[i+1] == '\'') || article(text[i:]) {
			continue
		}
		if letter != "" && letter != text[i:i+1] {
			return "", false
		}
		letter = text[i : i+1]
	}
	return letter, letter != ""
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
