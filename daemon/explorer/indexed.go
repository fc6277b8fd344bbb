package explorer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	"plumb/daemon/index"
	"plumb/scoring"
	"plumb/scoring/table"
)

// IndexOptions returns how the index of one result file is made for the explorer. The
// suites' own tables are stored in the index, because they need all results. The tag is a
// hash of the variants and papers, which change these tables. papers are those of Config.
func IndexOptions(suites scoring.Suites, variants scoring.Variants, papers [][]byte) index.Options {
	t := table.New(table.Options{Suites: suites, Variants: variants, Clamp: variants.On(table.Clamp), Papers: papers})
	hash := xxhash.New()
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		fmt.Fprintf(hash, "%q=%q ", name, variants[name])
	}
	fmt.Fprint(hash, papers == nil)
	for _, doc := range papers {
		fmt.Fprintf(hash, "%q ", doc)
	}
	return index.Options{Observe: func(r *scoring.Result) { t.Add(r) }, Extra: func() json.RawMessage { return TablesOf(t) }, Tag: fmt.Sprintf("%016x", hash.Sum64())}
}

// TablesOf returns the tables of the suites as JSON, as IndexOptions has them.
func TablesOf(t *table.Table) json.RawMessage {
	data, err := json.Marshal(textTables(t.MoreTables()))
	if err != nil {
		panic("BUG: tables: " + err.Error())
	}
	return data
}

// textTables converts tables of package scoring to those that the explorer's API answers with.
func textTables(all []scoring.TextTable) []TextTable {
	list := []TextTable{}
	for _, x := range all {
		list = append(list, TextTable{Title: x.Title, Columns: x.Columns, Text: x.TextColumns, Rows: x.Rows, Note: x.Note})
	}
	return list
}
