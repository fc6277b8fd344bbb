package diagram

import (
	"regexp"
	"strings"

	"plumb/scoring/tangram/field"
)

var fraction = regexp.MustCompile(`\\frac\{([^{}]*)\}\{([^{}]*)\}`)

// Plain formats a number without LaTeX: 1+√2, √2/2, -3/2.
func Plain(x field.Number) string {
	return fraction.ReplaceAllString(strings.ReplaceAll(x.LaTeX(), `\sqrt{2}`, "√2"), "$1/$2")
}
