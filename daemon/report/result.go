package report

import (
	"errors"
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/scoring"
)

// readResult reads a result line. The result keeps nothing of b or the parser. It
// returns an error for a line that is not a result, such as the line of a dump.
func readResult(p *fastjson.Parser, b []byte) (*scoring.Result, error) {
	v, err := jsontree.Parse(p, b)
	if err != nil {
		return nil, fmt.Errorf("cannot read result line: %w; want a line that plumb score wrote", err)
	}
	if v.Type() != fastjson.TypeObject {
		return nil, fmt.Errorf("cannot read result line: got %s; want an object that plumb score wrote", v.Type())
	}
	for _, answer := range []string{"response", "actions"} {
		if v.Exists(answer) {
			return nil, fmt.Errorf("cannot read result line: it has the member %s, so it is a line of a dump; score it first: plumb score -o RESULTS DUMP", answer)
		}
	}
	switch score := v.Get("score"); {
	case score == nil:
		return nil, errors.New("cannot read result line: it has no member score; want a line that plumb score wrote (score a dump first: plumb score -o RESULTS DUMP)")
	case score.Type() != fastjson.TypeNumber && score.Type() != fastjson.TypeNull:
		return nil, fmt.Errorf("cannot read result line: cannot use score: got %.40s; want a number or null", score)
	}
	for _, name := range []string{"id", "suite", "test", "status"} {
		if f := v.Get(name); f != nil && f.Type() != fastjson.TypeString && f.Type() != fastjson.TypeNull {
			return nil, fmt.Errorf("cannot read result line: cannot use %s: got %.40s; want a string", name, f)
		}
	}
	r, err := scoring.ReadResult(v)
	if err != nil {
		return nil, fmt.Errorf("cannot read result line: %w", err)
	}
	return r, nil
}
