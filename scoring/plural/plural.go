// Package plural writes numbers with what they count. In: a number and a noun, which may have its verb.
// Out: text such as "1 line" and "2 lines". It finds no irregular plural by itself: the caller gives it.
package plural

import "fmt"

// Of returns n with a noun: one after 1 and the form for many after any other number. That is the noun
// with an s unless many gives it, as for "reply" and "replies", or "line repeats" and "lines repeat".
func Of[N int | int64 | uint64](n N, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, one)
}
