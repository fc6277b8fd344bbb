package items

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
)

// Read sorts the lines of a dump into a set for each suite and test. A line that is no JSON object
// is an error.
func Read(path string, limits dump.Limits, cfg dump.ItemConfig) ([]Set, error) {
	reader, err := dump.Open(path, limits)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	reader.Lists(cfg)
	var sets []Set
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return sets, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", path, err)
		}
		if line.Fault != "" {
			return nil, fmt.Errorf("cannot measure %s, line %d: %s", path, line.N, line.Fault)
		}
		name := nameOf(line.Bytes, cfg.Suite)
		i := slices.IndexFunc(sets, func(s Set) bool { return s.Name == name })
		if i < 0 {
			i = len(sets)
			sets = append(sets, Set{Name: name, Doc: "items of " + path})
		}
		sets[i].Lines = append(sets[i].Lines, slices.Clone(line.Bytes))
	}
}

// nameOf returns the name of the set to which a dump line belongs, SUITE/TEST. suite is that of lines
// without one. Members that are missing everywhere leave "items", or the suite alone.
func nameOf(line []byte, suite string) string {
	if s := fastjson.GetString(line, "suite"); s != "" {
		suite = s
	}
	if suite == "" {
		suite = "items"
	}
	if test := fastjson.GetString(line, "test"); test != "" {
		return suite + "/" + test
	}
	return suite
}
