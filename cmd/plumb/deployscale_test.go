package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/goccy/go-yaml"

	"plumb/testdata"
)

// metricNames are the names of the metrics that a daemon shows after one answered sample.
func metricNames(t *testing.T) []string {
	t.Helper()
	d := startDaemon(t, "--backend", "cpu", "--tasks", "tangram="+testdata.Root()+"/testdata/tangram/instances.jsonl")
	d.post("/v1/score", `{"suite":"aspire","test":"maze","shapes":[],"task":{"target":[1,2]},"response":"x"}`)
	d.post("/v1/score", `{"suite":"aspire"}`)
	resp, err := http.Get("http://" + d.addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^(plumb_[a-z_]+)`).FindAllStringSubmatch(string(b), -1) {
		names = append(names, m[1])
	}
	return names
}

// metricName finds the names of metrics in a query.
var metricName = regexp.MustCompile(`plumb_[a-z_]+`)

// The dashboard, the scaling and the alerts ask for metrics that the daemon has.
func TestDashboard(t *testing.T) {
	names := metricNames(t)
	var board struct {
		Panels []struct {
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(deployed(t, "deploy", "grafana", "plumb.json")), &board); err != nil {
		t.Fatal(err)
	}
	queries := []string{}
	places := map[string]bool{}
	for _, p := range board.Panels {
		place := fmt.Sprint(p.GridPos)
		if p.Title == "" || len(p.Targets) == 0 || places[place] || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %q at %s: want a title, a query and a place of its own", p.Title, place)
		}
		places[place] = true
		for _, target := range p.Targets {
			queries = append(queries, target.Expr)
		}
	}
	for _, file := range []string{deployed(t, "deploy", "kubernetes", "keda.yaml"), rendered(t, true)["ScaledObject"]} {
		q := regexp.MustCompile(`(?m)^\s+query: (.*)$`).FindStringSubmatch(file)
		if q == nil {
			t.Fatalf("no query in %s", file)
		}
		queries = append(queries, q[1])
	}
	var alerts struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal([]byte(deployed(t, "deploy", "prometheus", "rules.yaml")), &alerts); err != nil {
		t.Fatal(err)
	}
	page := deployed(t, "docs", "monitoring.md")
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			queries = append(queries, r.Expr)
			if !strings.Contains(page, "`"+r.Alert+"`") {
				t.Errorf("docs/monitoring.md lacks %s", r.Alert)
			}
		}
	}
	for _, q := range queries {
		found := metricName.FindAllString(q, -1)
		if found == nil || strings.Count(q, "(") != strings.Count(q, ")") {
			t.Errorf("query %s: want a metric and closed brackets", q)
		}
		for _, name := range found {
			if !slices.Contains(names, name) {
				t.Errorf("query %s: the daemon has no %s", q, name)
			}
		}
	}
}

// rendered are the manifests of the chart by their kinds, as YAML.
func rendered(t *testing.T, scaling bool) map[string]string {
	t.Helper()
	var values map[string]any
	if err := yaml.Unmarshal([]byte(deployed(t, "deploy", "helm", "plumb", "values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	values["autoscaling"].(map[string]any)["enabled"] = scaling
	values["args"] = []any{"--max-turns=4"}
	all := map[string]string{}
	for _, name := range []string{"plumb.yaml", "keda.yaml"} {
		tpl, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"quote": func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) }}).
			Parse(deployed(t, "deploy", "helm", "plumb", "templates", name))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := tpl.Execute(&out, map[string]any{"Values": values, "Release": map[string]any{"Name": "r1"}}); err != nil {
			t.Fatal(err)
		}
		for doc := range strings.SplitSeq(out.String(), "\n---\n") {
			var m map[string]any
			if err := yaml.NewDecoder(strings.NewReader(doc), yaml.Strict()).Decode(&m); err == io.EOF {
				continue
			} else if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, doc)
			}
			all[m["kind"].(string)] = doc
		}
	}
	return all
}

// The chart makes what plumb.yaml has, with flags that the daemon has; scaling replaces the number
// of pods.
func TestChart(t *testing.T) {
	read := func(text string) (m map[string]any) {
		if err := yaml.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	plain, scaled := rendered(t, false), rendered(t, true)
	if plain["ScaledObject"] != "" || scaled["ScaledObject"] == "" {
		t.Errorf("got %v and %v; want a ScaledObject with autoscaling alone", plain, scaled)
	}
	if fmt.Sprint(at(t, read(plain["Deployment"]), "spec", "replicas")) != "2" || strings.Contains(scaled["Deployment"], "replicas:") {
		t.Error("want a number of pods without autoscaling alone")
	}
	want := manifests(t)["Deployment"]
	got := read(plain["Deployment"])
	var args []string
	for _, a := range at(t, got, "spec", "template", "spec", "containers", 0, "args").([]any) {
		args = append(args, a.(string))
	}
	c := parsed(t, "the chart", args)
	if c.MaxTurns != 4 || c.DrainGrace == 0 {
		t.Errorf("got %v; want the flags of the values", args)
	}
	for _, path := range [][]any{{"args"}, {"ports"}, {"startupProbe"}, {"readinessProbe"}, {"livenessProbe"}, {"securityContext"}, {"volumeMounts"}, {"resources"}, {"env"}} {
		a := at(t, got, append([]any{"spec", "template", "spec", "containers", 0}, path...)...)
		b := at(t, want, append([]any{"spec", "template", "spec", "containers", 0}, path...)...)
		if path[0] == "args" {
			a = a.([]any)[:len(b.([]any))] // further ones of the values follow
		}
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%v: got %v; want as in plumb.yaml, %v", path, a, b)
		}
	}
	if a, b := at(t, got, "spec", "template", "spec", "volumes"), at(t, want, "spec", "template", "spec", "volumes"); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("volumes: got %v; want %v", a, b)
	}
}
