package items

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
)

// Read reads a dump and sorts its lines into sets of items to measure, one for each suite and test. A line
// that cannot be read is an error.
func Read(path string, limits dump.Limits, cfg dump.ItemConfig) ([]Set, error) {
	reader, err := dump.Open(path, limits)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	reader.AcceptList(cfg) // a JSON list of items is read too
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
			return nil, fmt.Errorf("cannot measure %s, line %d: %s", path, line.Number, line.Fault)
		}
		name := nameOf(line.Bytes, cfg.DefaultSuite)
		i := slices.IndexFunc(sets, func(set Set) bool { return set.Name == name })
		if i < 0 {
			i = len(sets)
			sets = append(sets, Set{Name: name, Doc: "items of " + path})
		}
		sets[i].Lines = append(sets[i].Lines, slices.Clone(line.Bytes))
	}
}

// nameOf returns the name of the set to which a dump line belongs: SUITE/TEST, or SUITE for a line without a
// test. suite is that of a line that names none; if it is "" too, "items" stands for it.
func nameOf(line []byte, suite string) string {
	if own := fastjson.GetString(line, "suite"); own != "" {
		suite = own
	}
	if suite == "" {
		suite = "items"
	}
	if test := fastjson.GetString(line, "test"); test != "" {
		return suite + "/" + test
	}
	return suite
}
