// Package write writes results for other tools: as Parquet, as scores that inspect_ai adds to its logs, and as
// tables of a run. In: result lines, which are one result as JSON each, or the rows of the table of a run,
// called its summary: mean scores by suite, test and model. Out, in the same order: Parquet, the scores that
// inspect_ai adds to the samples of its log, CSV and spreadsheets. It writes to an io.Writer only. Callers give
// a new file, and rename it when it is complete. See docs/spec/dumps-files.md#r18.
package write

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// Results writes result lines. A line is one result as JSON, and is not kept.
type Results interface {
	Write(line []byte) error
	Close() error // ends the file; what was written before is not valid without it
}

// The names of formats (--output-format).
const (
	JSONL   = "jsonl"
	Parquet = "parquet"
	Inspect = "inspect"
	CSV     = "csv"
	XLSX    = "xlsx"
)

// Formats lists the names of formats.
func Formats() []string { return []string{JSONL, Parquet, Inspect, CSV, XLSX} }

// Format returns the format of a file of results: the named one, else by the suffix of the path,
// else JSON lines.
func Format(name, path string) (string, error) {
	for _, f := range Formats() {
		if name == f {
			return f, nil
		}
	}
	if name != "" {
		return "", fmt.Errorf("cannot use output format %q: want one of %s", name, strings.Join(Formats(), ", "))
	}
	switch path = strings.ToLower(path); {
	case strings.HasSuffix(path, ".parquet"):
		return Parquet, nil
	case strings.HasSuffix(path, ".csv"):
		return CSV, nil
	case strings.HasSuffix(path, ".xlsx"):
		return XLSX, nil
	}
	return JSONL, nil
}

// result parses result lines.
type result struct {
	parser fastjson.Parser
	value  *fastjson.Value
}

// parse reads a result line, whose members are valid until the next call.
func (r *result) parse(line []byte) (err error) {
	jsontree.Trim(&r.parser) // frees the memory of a large line before
	if r.value, err = jsontree.Parse(&r.parser, line); err != nil {
		return fmt.Errorf("cannot read a result: %w", err)
	}
	if r.value.Type() != fastjson.TypeObject {
		return fmt.Errorf("cannot read a result: got %.40q; want an object", line)
	}
	return nil
}

// text returns a member as text: "" for an absent one and for null.
func (r *result) text(keys ...string) string { return jsontree.Text(r.value.Get(keys...)) }

// number returns a member of the result line as a number; ok is false for an absent one, null and other values.
func (r *result) number(keys ...string) (f float64, ok bool) {
	v := r.value.Get(keys...)
	if v == nil || v.Type() != fastjson.TypeNumber {
		return 0, false
	}
	f, err := v.Float64()
	return f, err == nil
}
