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

// main reads the dashboards that are named and writes their queries as recording rules of Prometheus,
// with which a check can test that each query parses.
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
	for i, q := range queries {
		text, _ := json.Marshal(strings.ReplaceAll(q, "$__rate_interval", "5m")) // a string is always written
		fmt.Printf("      - {record: \"query:%d\", expr: %s}\n", i, text)
	}
}

// read returns the queries of a dashboard. The error names the members that Grafana's types refuse, or
// a panel without a query.
func read(path string) (queries []string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var board dashboard.Dashboard
	if err := fault(board.UnmarshalJSONStrict(b), board.Validate()); err != nil {
		return nil, err
	}
	// Decoding a dashboard strictly loses the queries of its panels: they are decoded one by one.
	var raw struct {
		Panels []struct {
			Title   string
			Targets []json.RawMessage
		}
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return nil, err
	}
	for _, p := range raw.Panels {
		if len(p.Targets) == 0 {
			return nil, fmt.Errorf("panel %q has no query", p.Title)
		}
		for _, target := range p.Targets {
			var q prometheus.Dataquery
			if err := fault(q.UnmarshalJSONStrict(target), q.Validate()); err != nil {
				return nil, fmt.Errorf("panel %q: %w", p.Title, err)
			}
			queries = append(queries, q.Expr)
		}
	}
	return queries, nil
}

// fault returns the first error. Grafana's types return an empty list for none.
func fault(all ...error) error {
	for _, err := range all {
		if list, ok := err.(cog.BuildErrors); err != nil && !(ok && len(list) == 0) {
			return err
		}
	}
	return nil
}
