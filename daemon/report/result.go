package report

import (
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
	return scoring.CheckResult(v)
}
