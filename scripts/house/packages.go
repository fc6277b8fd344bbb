package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// architecture is the document that says of every package what it does.
const architecture = "ARCHITECTURE.md"

// packages returns a fault for each package of production Go that the document
// architecture does not name by its path. A tree without the document has none.
func (t *tree) packages() (faults []string) {
	text, there := t.text[architecture]
	if !there {
		return nil
	}
	folders := map[string]bool{}
	for _, file := range t.paths {
		if production(file) {
			folders[path.Dir(file)] = true
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if !strings.Contains(text, "`"+folder+"`") {
			faults = append(faults, fmt.Sprintf("%s: no row for the package %s; want what it does", architecture,
				folder))
		}
	}
	return faults
}
