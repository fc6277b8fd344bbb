package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/atomicfile"
	"plumb/daemon/jobs"
	"plumb/daemon/records/write"
	"plumb/scoring/plural"
	"plumb/scoring/table"
)

// formFlags choose the form of the results. See docs/spec/dumps-files.md#r18.
type formFlags struct {
	OutputFormat string   `placeholder:"NAME" help:"Format of FILE: jsonl, parquet (a row for each result), inspect (scores for inspect_ai's precomputed_scores; for several logs, FILE is a folder), csv or xlsx (the table: a row for each suite, test and model). Default: by the suffix of FILE, else jsonl."`
	Columns      []string `placeholder:"MEMBER" help:"Further columns of Parquet, with numbers from the results, such as metrics.iou."`
	Annotate     string   `placeholder:"DIR" help:"Folder for a copy of each dump with the scores in it: a member plumb in JSON; columns plumb_score, plumb_status and plumb_error in tables; a file of scores for a log of inspect_ai. The dumps themselves are never changed."`
}

// splitName is the file of all results in the folder that the scores of several logs are written to.
const splitName = "results.jsonl"

// prepareFormat returns the format of the output, such as csv: that of --output-format, else the one of the
// suffix of --output. It refuses a format that contradicts the suffix.
//
// The scores of several logs of the evaluation tool inspect_ai need a file for each log. For these it
// makes the folder that --output names, and changes the output to the file of all results in it. splitLogs
// makes the files of the logs from that one at the end. See docs/spec/dumps-files.md#r21.
func (cmd *scoreCmd) prepareFormat() (name string, err error) {
	if cmd.onlyShard != nil { // a process for one shard writes its part alone
		return write.JSONL, nil
	}
	if name, err = write.Format(cmd.OutputFormat, cmd.Output); err != nil {
		return "", usageError{err}
	}
	suffix := strings.ToLower(filepath.Ext(cmd.Output))
	formatOfSuffix, _ := write.Format("", cmd.Output)
	otherForm := formatOfSuffix != write.JSONL && formatOfSuffix != name           // such as csv to FILE.parquet
	notLines := suffix == ".jsonl" && name != write.JSONL && name != write.Inspect // such as csv to FILE.jsonl
	info, statErr := os.Stat(cmd.Output)
	isFolder := strings.HasSuffix(cmd.Output, "/") || statErr == nil && info.IsDir()
	switch {
	case otherForm || notLines:
		return "", usage("cannot write %s to %s: want a name that does not end in %s", name, cmd.Output, suffix)
	case len(cmd.Columns) > 0 && name != write.Parquet:
		return "", usage("cannot use --columns: the output is %s; want -o FILE.parquet", name)
	case name != write.Inspect:
		return name, nil
	// What follows are the scores for inspect_ai.
	case isFolder || len(cmd.Dumps) > 1 && suffix == "": // a folder that there is, or that will be made
		if err := os.MkdirAll(cmd.Output, 0o755); err != nil {
			return "", fmt.Errorf("cannot write output: %w", err)
		}
		cmd.logFiles, err = namesIn(cmd.Output, cmd.Dumps, inspectName)
		cmd.Output = filepath.Join(cmd.Output, splitName)
		return write.JSONL, err
	case len(cmd.Dumps) > 1:
		return "", usage("cannot write the scores of %d logs to %s: want a folder, with a file for each", len(cmd.Dumps), cmd.Output)
	case suffix != write.InspectSuffix && cmd.Output != "-":
		return "", usage("cannot write scores for inspect_ai to %s: want a name that ends in %s, by which inspect_ai finds them",
			cmd.Output, write.InspectSuffix)
	}
	return name, nil
}

// inspectName returns the name of the file with the scores of a log of that name.
func inspectName(base string) string {
	return strings.TrimSuffix(base, filepath.Ext(base)) + write.InspectSuffix
}

// namesIn returns for each dump the path of a file in the folder dir, to be written for that dump. The
// file has the name of the dump, changed by rename. If two dumps have the same name, all files are put
// into subfolders, as their dumps are in the deepest folder that holds all dumps. It refuses standard
// input, which has no name, and two dumps for one file.
func namesIn(dir string, dumps []string, rename func(string) string) (map[string]string, error) {
	names := map[string]string{}                                     // of files, by dump
	taken := map[string]string{splitName: "the file of all results"} // what a name is used for, by name
	for _, d := range dumps {
		if d == "-" {
			return nil, usage("cannot write a file for standard input to %s: want dumps that are files", dir)
		}
		names[d] = rename(filepath.Base(d))
	}
	unique := map[string]bool{}
	for _, n := range names {
		unique[n] = true
	}
	if len(unique) < len(names) {
		folders := make([]string, len(dumps)) // absolute, so that none lies outside of the one that holds all
		for i, d := range dumps {
			folder, err := filepath.Abs(filepath.Dir(d))
			if err != nil {
				return nil, fmt.Errorf("cannot name the files in %s: %w", dir, err)
			}
			folders[i] = folder
		}
		parent := commonFolder(folders)
		for i, d := range dumps {
			rel, err := filepath.Rel(parent, folders[i])
			if err != nil {
				return nil, fmt.Errorf("cannot name the files in %s: %w", dir, err)
			}
			names[d] = filepath.Join(rel, names[d])
		}
	}
	files := map[string]string{}
	for _, d := range dumps {
		if other := taken[names[d]]; other != "" {
			return nil, usage("cannot write files for %s and %s to %s: both would be %s", other, d, dir, names[d])
		}
		taken[names[d]] = d
		files[d] = filepath.Join(dir, names[d])
	}
	return files, nil
}

// commonFolder returns the deepest folder that is one of the absolute folders or holds them, and does so
// for all of them.
func commonFolder(folders []string) string {
	const separator = string(filepath.Separator)
	parent := folders[0]
	for _, folder := range folders[1:] {
		for parent != separator && folder != parent && !strings.HasPrefix(folder, parent+separator) {
			parent = filepath.Dir(parent)
		}
	}
	return parent
}

// convertOutput makes the output turn the result lines that are written to it into the chosen format: Parquet,
// scores for inspect_ai, or the table of the run as CSV or XLSX. JSON lines stay as they are. Parquet
// files get the version and the settings of the run as metadata. See docs/spec/dumps-files.md#r18.
func (j *job) convertOutput() error {
	switch j.outputFormat {
	case write.Parquet:
		settings, err := j.settings()
		if err != nil {
			return err
		}
		text, err := json.Marshal(settings)
		if err != nil {
			return err
		}
		options := write.ParquetOptions{Columns: j.cmd.Columns,
			Metadata: map[string]string{"plumb": version + " " + commit, "plumb.settings": string(text)}}
		return j.out.convertBy(func(w io.Writer) (write.Results, error) {
			results, err := write.NewParquet(w, options)
			if err != nil { // a column of --columns
				err = usageError{err}
			}
			return results, err
		})
	case write.Inspect:
		return j.out.convertBy(func(w io.Writer) (write.Results, error) { return &scores{write.NewInspect(w), j.std.err}, nil })
	case write.CSV:
		return j.out.convertBy(func(w io.Writer) (write.Results, error) { return &tableWriter{w, j.table, write.SummaryCSV}, nil })
	case write.XLSX:
		return j.out.convertBy(func(w io.Writer) (write.Results, error) { return &tableWriter{w, j.table, write.SummaryXLSX}, nil })
	}
	return nil
}

// lineBuffer is how many bytes of result lines are collected before they are converted.
const lineBuffer = 64 << 10

// convertBy makes an output convert the result lines that are written to it. open returns the converter:
// it takes result lines and writes another format, such as Parquet, to the writer that it is given, which
// is the output's file. sink.writeEnd, called when the run has ended well, closes the converter.
func (sink *sink) convertBy(open func(io.Writer) (write.Results, error)) error {
	file := sink.Writer
	converter, err := open(file)
	if err != nil {
		return err
	}
	sink.Writer = bufio.NewWriterSize(&lineWriter{results: converter}, lineBuffer)
	sink.writeEnd = func() error {
		if err := converter.Close(); err != nil {
			return err
		}
		return file.Flush()
	}
	return nil
}

// lineWriter passes what is written to it on in whole lines.
type lineWriter struct {
	results        write.Results
	unfinishedLine []byte // the beginning of a line whose end has not been written yet
}

// Write gives each whole line in p, without its line end, to writer.results. What follows the last line end is
// kept until the next call brings the rest of that line.
func (writer *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, ok := bytes.Cut(p, []byte("\n"))
		if !ok {
			writer.unfinishedLine = append(writer.unfinishedLine, p...)
			return n, nil
		}
		if len(writer.unfinishedLine) > 0 { // the line began in an earlier call
			line = append(writer.unfinishedLine, line...)
			writer.unfinishedLine = writer.unfinishedLine[:0]
		}
		if err := writer.results.Write(line); err != nil {
			return 0, err
		}
		p = rest
	}
}

// scores writes the scores of one log, and says in the end what they leave out.
type scores struct {
	*write.InspectResults
	log io.Writer
}

// Close prints how many results the file of scores for inspect_ai leaves out and why, and ends the file.
// It implements write.Results.
func (s *scores) Close() error {
	if s.Unscored > 0 || s.Twice > 0 {
		fmt.Fprintf(s.log, "plumb: left out: %s without a score, %s of a sample and epoch; "+
			"inspect_ai refuses both and counts samples that are not there as unscored\n",
			plural.Of(s.Unscored, "result"), plural.Of(s.Twice, "second one"))
	}
	return s.InspectResults.Close()
}

// tableWriter writes the table of a run in the end.
type tableWriter struct {
	out   io.Writer
	table *table.Table
	put   func(io.Writer, []write.Summary) error
}

// Write implements write.Results; the table counts the results by itself.
func (s *tableWriter) Write([]byte) error { return nil }

// Close writes the table of the run, which is complete now. It implements write.Results.
func (s *tableWriter) Close() error { return s.put(s.out, summaryOf(s.table)) }

// summaryOf returns a row for each test and series of a table, where the series has results of the
// test. Averages over tests are left out.
func summaryOf(t *table.Table) (all []write.Summary) {
	series := t.Series()
	for _, line := range t.Lines() {
		if line.Kind != table.Test {
			continue
		}
		for i, row := range line.Cells {
			if row.N == 0 {
				continue
			}
			all = append(all, write.Summary{Suite: line.Suite, Test: line.Name, Model: series[i].String(), N: row.N, Scored: row.Scored,
				Missing: row.Missing, Cut: row.Cut, Mean: row.Mean, StandardError: row.SE})
		}
	}
	return all
}

// splitLogs writes a file of scores for each log of inspect_ai. It reads the file of all results, in
// which the results of one log follow each other. Results that are of no log, such as those of requests
// without an answer, are only counted: the file of all results has them, and their number is printed.
func (cmd *scoreCmd) splitLogs(std streams) error {
	f, err := os.Open(cmd.Output)
	if err != nil {
		return fmt.Errorf("cannot read results: %w", err)
	}
	defer f.Close()
	var (
		in      = bufio.NewReaderSize(f, 1<<20)
		parser  fastjson.Parser
		line    []byte // the next result, which is not written yet
		lineLog string // the log that it is of
		missing int    // results that are of no log
	)
	readNext := func() { // reads the next result into line and lineLog, or sets err of splitLogs
		if line, err = in.ReadBytes('\n'); err != nil {
			return
		}
		value, parseErr := parser.ParseBytes(line)
		if parseErr != nil {
			err = fmt.Errorf("cannot read results: %w", parseErr)
			return
		}
		lineLog = string(value.GetStringBytes("file"))
		if len(cmd.Dumps) == 1 {
			lineLog = cmd.Dumps[0] // results of a single dump do not name it
		}
	}
	// Each turn takes all results of one log, or one result that is of no log.
	for readNext(); err == nil; {
		path, log := cmd.logFiles[lineLog], lineLog
		if path == "" {
			missing++
			readNext()
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("cannot write the scores of %s: %w", log, err)
		}
		writeErr := atomicfile.WriteFile(path, func(out *atomicfile.File) error {
			writer := bufio.NewWriterSize(out, 64<<10)
			s := &scores{write.NewInspect(writer), std.err}
			for err == nil && lineLog == log {
				if e := s.Write(bytes.TrimSuffix(line, []byte("\n"))); e != nil {
					return e
				}
				readNext()
			}
			if e := s.Close(); e != nil {
				return e
			}
			return writer.Flush()
		})
		if writeErr != nil {
			return fmt.Errorf("cannot write the scores of %s: %w", log, writeErr)
		}
	}
	if missing > 0 {
		fmt.Fprintf(std.err, "plumb: %s in %s alone\n", plural.Of(missing, "result is of no log and stands", "results are of no log and stand"), cmd.Output)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// leaveParts ends a run with --no-join: the parts stay in the store, which also gets the table as
// summary.json and then the mark of success. See docs/spec/jobs.md#r10.
func (j *job) leaveParts() error {
	j.out.discard()
	j.shards.removeFolder = false // so that closeJob keeps the parts
	var buffer bytes.Buffer
	if err := write.SummaryJSON(&buffer, summaryOf(j.table)); err != nil {
		return err
	}
	if err := j.shards.Put(jobs.SummaryName, buffer.Bytes()); err != nil {
		return err
	}
	if err := j.shards.Put(jobs.SuccessName, nil); err != nil {
		return err
	}
	fmt.Fprintf(j.std.err, "plumb: the results are in the parts of %s\n", j.shards.Store.Path(""))
	return nil
}
