// Package names refuses names in requests that nothing reads. In: the name of a part of a request, such
// as its query or its body, the names in it, and those that are known. Out: the message for the first
// unknown name. A mistyped name would otherwise choose nothing, and the answer would follow from the
// defaults without notice. It checks no values.
package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"
)

// Unknown returns the message for a name in a part of a request that is not among known, "" if it is.
// It quotes at most 40 characters of the name.
func Unknown(part, name string, known []string) (message string) {
	if slices.Contains(known, name) {
		return ""
	}
	want := strings.Join(known, ", ")
	if want == "" {
		want = "no name"
	}
	return fmt.Sprintf("cannot use %s: got %.40q; want %s", part, name, want)
}

// UnknownInQuery returns the message for the first name in a query that is not among known, "" if there
// is none. Every query may have a token beside them.
func UnknownInQuery(args *fasthttp.Args, known []string) (message string) {
	known = append(slices.Clone(known), "token")
	for name := range args.All() {
		if message = Unknown("query", string(name), known); message != "" {
			return message
		}
	}
	return ""
}

// UnknownMember returns the message for the first member of a JSON object, which is a part of a request,
// that is not among known, "" if there is none.
func UnknownMember(part string, object *fastjson.Object, known []string) (message string) {
	object.Visit(func(name []byte, _ *fastjson.Value) {
		if message == "" {
			message = Unknown(part, string(name), known)
		}
	})
	return message
}
