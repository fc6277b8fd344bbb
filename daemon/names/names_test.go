package names

import (
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"
)

// The first unknown name is refused in the same words in a query, an object and elsewhere.
func TestUnknown(t *testing.T) {
	known := []string{"split", "index"}
	for _, c := range []struct {
		query, object string
		known         []string
		want          string // after "cannot use PART: ", "" for no message
	}{
		{"", `{}`, known, ""},
		{"split=a&index=1", `{"split":"a","index":1}`, known, ""},
		{"split=a&splits=b&x=1", `{"split":"a","splits":"b","x":1}`, known, `got "splits"; want split, index`},
		{"Split=a", `{"Split":"a"}`, known, `got "Split"; want split, index`},
		{"=a", `{"":"a"}`, known, `got ""; want split, index`},
		{"%00=", `{"\u0000":1}`, known, `got "\x00"; want split, index`},
		{strings.Repeat("é", 41) + "=", `{"` + strings.Repeat("é", 41) + `":1}`, known, `got "` + strings.Repeat("é", 40) + `"; want split, index`},
	} {
		var args fasthttp.Args
		args.Parse(c.query)
		wanted := func(part, more string) string {
			if c.want == "" {
				return ""
			}
			return "cannot use " + part + ": " + c.want + more
		}
		if got := UnknownInQuery(&args, c.known); got != wanted("query", ", token") {
			t.Errorf("query %q: got %q; want %q", c.query, got, wanted("query", ", token"))
		}
		if got := UnknownMember("body", fastjson.MustParse(c.object).GetObject(), c.known); got != wanted("body", "") {
			t.Errorf("object %s: got %q; want %q", c.object, got, wanted("body", ""))
		}
	}
	var args fasthttp.Args
	args.Parse("token=secret")
	if got := UnknownInQuery(&args, nil); got != "" {
		t.Errorf("token: got %q; want no message", got)
	}
	if got, want := Unknown("body", "a", nil), `cannot use body: got "a"; want no name`; got != want {
		t.Errorf("nothing known: got %q; want %q", got, want)
	}
}
