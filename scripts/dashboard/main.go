// Command dashboard reads dashboards of Grafana with Grafana's own types, which refuse members that
// they do not have, and prints the queries of their panels. scripts/deploy.sh runs it. It is a module
// of its own, so that plumb does not depend on these types.
//
//	dashboard FILE...
//
// On stdout it writes a file of Prometheus' recording rules with the queries, for promtool. Variables
// of Grafana that stand for a duration are five minutes there. Exit code 1 where a file is refused.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// main reads the Grafana dashboards that the arguments name and writes their queries as recording rules
// of Prometheus. A check of these rules shows whether each query can be parsed. It ends with exit code 1
// if a dashboard is faulty or there is no query.
func main() {
	failed := false
	var queries []string
	for _, path := range os.Args[1:] {
		found, err := read(path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			failed = true
		}
		queries = append(queries, found...)
	}
	if failed || len(queries) == 0 {
		os.Exit(1)
	}
	fmt.Println("groups:\n  - name: dashboard\n    rules:")
	for i, query := range queries {
		// Grafana puts a time for $__rate_interval; any will do here.
		text, _ := json.Marshal(strings.ReplaceAll(query, "$__rate_interval", "5m")) // no error for a string
		fmt.Printf("      - {record: \"query:%d\", expr: %s}\n", i, text)
	}
}

// read reads the file of a Grafana dashboard, checks it against Grafana's own types, and returns the
// Prometheus queries of its panels. The error names the members that the types refuse, or a panel without
// a query.
func read(path string) (queries []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var board dashboard.Dashboard
	if err := fault(board.UnmarshalJSONStrict(data), board.Validate()); err != nil {
		return nil, err
	}
	// Decoding a dashboard strictly loses the queries of its panels, so they are decoded one by one.
	var raw struct {
		Panels []struct {
			Title   string
			Targets []json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	for _, panel := range raw.Panels {
		if len(panel.Targets) == 0 {
			return nil, fmt.Errorf("panel %q has no query", panel.Title)
		}
		for _, target := range panel.Targets {
			var query prometheus.Dataquery
			if err := fault(query.UnmarshalJSONStrict(target), query.Validate()); err != nil {
				return nil, fmt.Errorf("panel %q: %w", panel.Title, err)
			}
			queries = append(queries, query.Expr)
		}
	}
	return queries, nil
}

// fault returns the first of several errors, or nil. Grafana's types return an empty list of errors where
// nothing is wrong, which is not nil; it counts as no error here.
func fault(all ...error) error {
	for _, err := range all {
		if list, ok := err.(cog.BuildErrors); err != nil && !(ok && len(list) == 0) {
			return err
		}
	}
	return nil
}
