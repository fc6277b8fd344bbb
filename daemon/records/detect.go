package records

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/archive"
	"plumb/daemon/records/documents"
	"plumb/daemon/records/input"
	"plumb/daemon/records/lines"
	"plumb/daemon/records/record"
	"plumb/daemon/records/rows"
	"plumb/daemon/records/sheets"
)

// Own is the name of plumb's own format: dump lines.
const Own = "plumb"

// detectLines is how many lines are looked at for the first one that can be read.
const detectLines = 100

// errUndecided says that the bytes so far do not tell the format.
var errUndecided = errors.New("undecided")

// ErrAside marks files that belong to a dump and hold no answers: requests, inputs, and results
// of whole runs.
var ErrAside = errors.New("no answers")

// detect returns the name of the format of a dump, by its content. response is the column of the answers
// (--response), "" for none. It waits for no more bytes than it needs, because a pipe may deliver lines
// slowly. See docs/spec/dumps.md#r22.
func detect(in *input.Input, response string) (string, error) {
	d := detector{in, response}
	for isAllRead := false; ; isAllRead = !in.WaitForMore() {
		name, err := d.formatOfHead(in.Head(), isAllRead)
		if isAllRead || err != errUndecided {
			return name, err
		}
	}
}

// detector finds the format of an input.
type detector struct {
	in           *input.Input
	answerColumn string // the column of the answers in tables (--response), "" for those with known names
}

// formatOfHead returns the format of a dump that begins with head. If isAllRead is false, more bytes may
// follow, and the error is errUndecided if they are needed.
func (d *detector) formatOfHead(head []byte, isAllRead bool) (string, error) {
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(trimmed) == 0 && isAllRead: // an empty dump, which has no lines
		return Own, nil
	case len(trimmed) < 4 && !isAllRead:
		return "", errUndecided
	case isZip(head):
		return detectZip(d.in)
	case bytes.HasPrefix(head, parquetMagic):
		return "table", nil
	case trimmed[0] == '[':
		return d.formatOfList(trimmed, isAllRead)
	case trimmed[0] == '{':
		return d.formatOfObject(trimmed, isAllRead)
	}
	// The header of a table of separated values, or lines of another kind.
	line, _, hasLineEnd := bytes.Cut(trimmed, []byte("\n"))
	if !hasLineEnd && !isAllRead {
		return "", errUndecided
	}
	if name := d.formatOfHeader(line); name != "" {
		return name, nil
	}
	return d.formatOfLines(trimmed, isAllRead)
}

// formatOfObject returns the format of a dump that begins with a JSON object: a document of one tool, or
// the first of many lines. isAllRead is as for formatOfHead.
func (d *detector) formatOfObject(b []byte, isAllRead bool) (string, error) {
	names, isWhole := memberNames(b)
	has := func(name string) bool { return slices.Contains(names, name) }
	switch {
	case has("request_states"), has("adapter_spec"):
		return "helm", nil
	case has("eval") && (has("version") || has("status") || has("samples")):
		return "inspect", nil
	case isWhole && has("results") && has("configs"):
		return "", fmt.Errorf("%w: it is the document of results of a whole run; want the samples", ErrAside)
	case isWhole || isAllRead:
		return d.formatOfLines(b, isAllRead)
	}
	return "", errUndecided
}

// formatOfList returns the format of a dump that is a JSON list, b, by the member names of its first element.
// Rows of a table, plumb's own items, and elements of formats whose lines do not depend on each other can
// be read from a list; elements of other formats are an error. isAllRead is as for formatOfHead.
func (d *detector) formatOfList(b []byte, isAllRead bool) (string, error) {
	rest := bytes.TrimLeft(b[1:], " \t\r\n")
	if len(rest) == 0 && !isAllRead {
		return "", errUndecided
	}
	if len(rest) == 0 || rest[0] != '{' {
		return Own, nil // its reader says what is wrong
	}
	names, isWhole := memberNames(rest)
	if !isWhole && !isAllRead {
		return "", errUndecided
	}
	switch name, err := d.formatOfMembers(names, rest); {
	case err != nil || name == Own || name == "vlmevalkit":
		return name, err
	case name == "table" || lines.Rows(name):
		return "table", nil // its reader sees that the rows are of a format of JSON lines
	default:
		return "", &input.FormError{What: fmt.Sprintf("it is a JSON list of elements as of %s; want lines, one element each", name)}
	}
}

// formatOfLines returns the format of a dump of JSON lines, by the first of detectLines lines that is a
// whole JSON object. A single object over several lines is refused. A dump that begins with { but
// has no whole object in a line has plumb's own format, whose reader reports torn lines.
func (d *detector) formatOfLines(head []byte, isAllRead bool) (string, error) {
	for n, rest := 0, head; n < detectLines && len(rest) > 0; n++ {
		line, after, hasLineEnd := bytes.Cut(rest, []byte("\n"))
		object := bytes.TrimSpace(line)
		if len(object) > 0 && object[0] == '{' {
			names, closed := memberNames(object)
			if closed || !hasLineEnd && len(head) >= input.HeadSize { // whole, or longer than what is looked at
				return d.formatOfMembers(names, object)
			}
			// An object that begins in the first line and ends in a later one.
			if all, closed := memberNames(rest); closed && len(all) > 0 && hasLineEnd && n == 0 {
				return "", &input.FormError{What: fmt.Sprintf("it begins with a JSON object of several lines (members %s); want JSON lines, with one object in each", oneOf(all[:min(len(all), 4)]))}
			}
		}
		if !hasLineEnd && !isAllRead {
			return "", errUndecided
		}
		rest = after
	}
	if bytes.HasPrefix(head, []byte("{")) {
		return Own, nil // torn lines, which become bad lines
	}
	if !isAllRead {
		return "", errUndecided
	}
	return "", errUnknown(head)
}

// errUnknown says what an input of an unknown format begins with.
func errUnknown(head []byte) error {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return &input.FormError{What: fmt.Sprintf("no known format: it begins with %.60q; want JSON lines, JSON, CSV, TSV, xlsx, Parquet or an inspect log, or --format of %s", bytes.TrimSpace(line), oneOf(Names()))}
}

// formatOfMembers returns the format of the JSON object with which b begins, by the names of its members. If
// --response names a column, an object with that member is a row of a table. An object of a format of
// lines without that member is then an error.
func (d *detector) formatOfMembers(names []string, b []byte) (string, error) {
	name, err := formatByMembers(names, func() bool { return isSpec(b) })
	switch {
	case d.answerColumn == "" || err != nil:
		return name, err
	case slices.Contains(names, d.answerColumn) || !lines.Has(name):
		return "table", nil
	}
	return "", &input.FormError{What: fmt.Sprintf("it holds lines of %s, which have no member %q (--response); want it without --response", name, d.answerColumn)}
}

// isSpec reports whether the JSON object with which b begins is the first event of OpenAI evals.
func isSpec(b []byte) bool {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return bytes.Contains(line, []byte(`"completion_fns"`)) // quotes within texts are escaped
}

// formatByMembers returns the format of a JSON object by the names of its members. An error that wraps
// ErrAside says that such a file has no answers. The order of the rules is that of
// docs/spec/dumps.md#r22. spec reports whether the member spec is that of OpenAI evals.
func formatByMembers(names []string, spec func() bool) (string, error) {
	has := func(name string) bool { return slices.Contains(names, name) }
	switch {
	case has("custom_id") && has("result"):
		return "anthropic-batch", nil
	case has("custom_id") && (has("method") && has("url") || has("params")):
		return "", fmt.Errorf("%w: these are requests, not answers (custom_id, method, url, body): want the output file; a file of requests goes to --requests", ErrAside)
	case has("custom_id") && (has("response") || has("error")):
		return "openai-batch", nil
	case has("responses_create_params") && (has("response") || has("_ng_failure_class")):
		return "nemo-gym", nil
	case has("responses_create_params"):
		return "", fmt.Errorf("%w: these are inputs of NeMo Gym, not answers: want the rollouts; a file of inputs goes to --requests", ErrAside)
	case has("traces") && has("task"), has("nodes") && has("calls") && has("task"):
		return "verifiers", nil
	case has("doc_id") && has("resps") && has("filter"):
		return "lm-eval", nil
	case has("doc_id") && has("filtered_resps") && !has("filter"):
		return "lmms-eval", nil
	case has("spec") && spec():
		return "openai-evals", nil
	case has("index") && has("prediction"):
		return "vlmevalkit", nil
	case ownNames(names):
		return Own, nil
	case slices.ContainsFunc(rows.AnswerColumns, has):
		return "table", nil
	}
	return Own, nil
}

// ownNames reports whether the names of an object's members are those of a line of plumb's own
// dumps, or of a task with results as DrawingBench publishes them.
func ownNames(names []string) bool {
	for _, name := range []string{"response", "actions", "results", "shapes"} {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// memberNames returns the names of the members of the JSON object with which b, the beginning of a dump,
// begins. b may end within the object; then isWhole is false and the names are those so far. Values are
// not checked.
func memberNames(b []byte) (names []string, isWhole bool) {
	const maxBlanks = 63        // between a name and its colon; programs write none or one
	depth, stringStart := 0, -1 // stringStart: of the string that is being read, -1 outside of strings
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case stringStart >= 0 && c == '\\':
			i++
		case c == '"' && stringStart < 0:
			stringStart = i + 1
		case c == '"':
			// A string of the object itself, and not of a value within it, is a name if a colon follows.
			after := bytes.TrimLeft(b[i+1:min(len(b), i+1+maxBlanks)], " \t\r\n")
			if depth == 1 && len(after) > 0 && after[0] == ':' {
				names = append(names, string(b[stringStart:i]))
			}
			stringStart = -1
		case stringStart >= 0:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return names, true
			}
		}
	}
	return names, false
}

// opener opens a dump of one format.
type opener func(in *input.Input, o *Options) (record.Source, error)

// openers has a row for each format but Own and those of package lines.
var openers = map[string]opener{
	"vlmevalkit": openTable,
	"table":      openTable,
	"inspect":    openInspect,
	"helm":       openHELM,
}

// openInspect opens a log of inspect_ai, as an archive or as a document.
func openInspect(in *input.Input, o *Options) (record.Source, error) {
	if isZip(in.Head()) {
		return documents.Inspect(in, o.documents())
	}
	return documents.InspectJSON(in, o.documents())
}

// openHELM opens the states of a run of HELM.
func openHELM(in *input.Input, o *Options) (record.Source, error) {
	return documents.HELM(in, o.documents())
}

// documents returns the options of formats that are one document.
func (o *Options) documents() documents.Options { return documents.Options{Errored: o.Errored} }

// isZip reports whether a file begins as a zip archive, which may be empty.
func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// openTable opens a dump that is a table, in the form that its first bytes show: JSON, spreadsheet,
// CSV or lines.
func openTable(in *input.Input, o *Options) (record.Source, error) {
	switch head := bytes.TrimLeft(in.Head(), " \t\r\n"); {
	case bytes.HasPrefix(head, []byte("[")):
		return openerOf(sheets.JSON)(in, o)
	case bytes.HasPrefix(head, []byte("{")):
		return openRows(in, o)
	case isZip(head):
		return openerOf(sheets.XLSX)(in, o)
	case bytes.HasPrefix(head, parquetMagic):
		return openerOf(sheets.Parquet)(in, o)
	}
	return openerOf(sheets.CSV)(in, o)
}

// openerOf returns an opener of dumps that are tables of one kind, from the function that opens that kind.
// If a table has the columns of a format of JSON lines, its rows are read as such lines.
func openerOf(open func(*input.Input, rows.Options) (record.Source, error)) opener {
	return func(in *input.Input, o *Options) (record.Source, error) {
		return open(in, rows.Options{AnswerColumn: o.AnswerColumn, Foreign: func(columns []string) func(*fastjson.Value, string) []record.Record {
			if name, err := formatByMembers(columns, never); err == nil && lines.Has(name) {
				return lines.Row(name, in, o.lines())
			}
			return nil
		}})
	}
}

// never says that rows of a table are no events of OpenAI evals, which depend on each other.
func never() bool { return false }

// Names returns the names of all formats of dumps that can be read, in alphabetical order, for
// --format and for messages.
func Names() []string {
	names := append([]string{Own}, lines.Names()...)
	for name := range openers {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// CheckFormat returns an error that lists all formats of dumps if name is not one of them. "" is
// accepted and means that the format is to be found.
func CheckFormat(name string) error {
	if name == "" || slices.Contains(Names(), name) {
		return nil
	}
	return fmt.Errorf("cannot use --format %q: want one of %s", name, oneOf(Names()))
}

// openSource opens the source of records of a dump that another tool wrote, by the dump's format. A dump of a
// format of JSON lines may also be one JSON list of such lines, which is read as a table.
func (r *Reader) openSource() (record.Source, error) {
	isList := bytes.HasPrefix(bytes.TrimLeft(r.in.Head(), " \t\r\n"), []byte("["))
	if isList && lines.Rows(r.Format) {
		return openTable(r.in, &r.options)
	}
	if lines.Has(r.Format) {
		return lines.Open(r.Format, r.in, r.options.lines())
	}
	if open := openers[r.Format]; open != nil {
		return open(r.in, &r.options)
	}
	return nil, fmt.Errorf("got the format %q; want one of %s", r.Format, oneOf(Names()))
}

// parquetMagic begins and ends a Parquet file.
var parquetMagic = []byte("PAR1")

// detectZip finds the format of a dump that is a zip archive: a spreadsheet, or a log of
// inspect_ai.
func detectZip(in *input.Input) (string, error) {
	switch kind, err := archive.Kind(in); {
	case err != nil:
		return "", err
	case kind == archive.XLSX:
		return "vlmevalkit", nil
	default:
		return "inspect", nil
	}
}

// formatOfHeader returns the format of a dump whose first line, head, is the header of a table of separated
// values. It returns "" if no column has a name under which answers stand.
func (d *detector) formatOfHeader(head []byte) string {
	columns, _ := sheets.Header(head)
	switch {
	case d.answerColumn != "" && slices.Contains(columns, d.answerColumn):
		return "table"
	case rows.IsVLMEvalKit(columns):
		return "vlmevalkit"
	case slices.ContainsFunc(rows.AnswerColumns, func(name string) bool { return slices.Contains(columns, name) }):
		return "table"
	}
	return ""
}

// lines returns the options of formats with a JSON object per line.
func (o *Options) lines() lines.Options {
	return lines.Options{Limits: o.JSON, Requests: o.Requests, Errored: o.Errored}
}
