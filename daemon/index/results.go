package index

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// Options say how files are opened.
type Options struct {
	Line     int                     // bytes of a line at most, default 64 MiB
	Progress func(done, total int64) // bytes of the source that were read while an index is made; may be nil
	Tell     func(string)            // says why an index is made, or where it is kept; may be nil
	// Observe is called for each result while an index is made, and Extra afterwards for a JSON
	// value that is kept in the index. Both may be nil.
	Observe func(*scoring.Result)
	Extra   func() json.RawMessage
	Tag     string // of what Extra depends on: an index with another tag is made again
	// Cache is the folder for copies, and for indexes of files in folders that cannot be written;
	// "" for the user's.
	Cache string
	// Copies returns how the lines of a file are copied, nil where its own lines serve. The copy
	// and its index last until Close. Without it, compressed files and those of other formats are
	// refused.
	Copies func(path string) (Copy, error)
}

// defaultLine is the longest line of a result file.
const defaultLine = 64 << 20

// unreadable is the error code of a row whose line could not be read or is no result. No scorer gives it.
const unreadable = "unreadable_line"

// File is a result file with its columns. Columns have one element per row; rows are its lines that
// are not blank, in order. It is safe for concurrent use until Close.
type File struct {
	Path         string
	Score        []float64 // NaN for null
	Reward       []float64 // NaN for null
	Test         []uint16  // number of a word of Tests; so are the next four
	Series       []uint16
	Status       []uint16
	Notes        []uint16
	Code         []uint16
	Repeat       []uint16 // from 1, 0 for unknown
	Turn         []uint16
	Time         []float32 // seconds that the answer took, NaN for unknown
	Cost         []float32 // in the currency of the run, NaN for unknown
	Item         []uint64  // hash of the question; equal for answers to the same one
	Answer       []uint64  // hash of id, model, repeat and turn, by which Dump finds the answer
	offsets      []uint64
	lengths      []uint32
	idEnd        []uint32 // end of each id in ids; each id is followed by a line break
	ids          []byte
	metricEnds   []uint32 // end of the metrics of each row
	metricNames  []uint16
	metricValues []float32

	Tests    []Word // suite, test
	SeriesOf []Word // model, mode, input, setting, format, method
	Statuses []Word
	NoteSets []Word // the codes of the notes of a result, sorted, each once
	Codes    []Word // of errors; "" for none
	Metrics  []string
	Low      float64 // of the scores; without any score Low is 0 and High 1
	High     float64
	Bad      int // lines that are no results
	Extra    json.RawMessage

	source *source
	index  *mapped
}

// Rows returns the number of rows.
func (file *File) Rows() int { return len(file.Score) }

// OpenResults opens a result file with its index, which it makes if there is none that can
// be trusted. A line that is no result becomes a row with the error code unreadable_line,
// but a file whose first line is no result is refused.
func OpenResults(ctx context.Context, path string, options Options) (*File, error) {
	src, err := openSource(ctx, path, &options)
	if err != nil {
		return nil, fmt.Errorf("cannot open results %s: %w", path, err)
	}
	mapped, err := openOrBuild(src.indexBase, "results", src.stamp, options, func(at string) error { return buildResults(ctx, src.File, src.stamp, at, options) })
	if err != nil {
		src.discard()
		return nil, fmt.Errorf("cannot open results %s: %w", path, err)
	}
	src.removeFolder(mapped)
	f := &File{Path: path, source: src, index: mapped}
	f.load(mapped)
	return f, nil
}

// Check returns the error with which OpenResults would refuse a file, or nil. It reads only the first
// line, so it is quick for a large file.
func Check(path string) error {
	src, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot open results: %w", err)
	}
	defer src.Close()
	info, err := src.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no plain file")
	}
	if err == nil {
		err = checkPlain(src)
	}
	checked := errors.New("checked") // ends the reading after the first line
	if err == nil {
		err = eachLine(context.Background(), src, info.Size(), defaultLine, nil, func(line []byte, n int, _ int64, fault string) error {
			value, err := fastjson.ParseBytes(line)
			if fault != "" {
				err = errors.New(fault)
			}
			if err == nil {
				_, err = scoring.CheckResult(value)
			}
			if err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
			return checked
		})
	}
	if err != nil && err != checked {
		return fmt.Errorf("cannot open results %s: %w", path, err)
	}
	return nil
}

// openOrBuild maps the index of a file, beside the file or in the cache folder. If neither
// can be trusted it calls build with the path of a new one: beside the file, or in the cache
// folder if the file's folder cannot be written.
func openOrBuild(path, kind string, stamp stamp, opts Options, build func(at string) error) (*mapped, error) {
	tell := opts.Tell
	if tell == nil {
		tell = func(string) {}
	}
	// Where the index may be: beside the file, or in the cache folder.
	places := []string{path + Suffix}
	if dir := opts.cache(); dir != "" {
		full, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		places = append(places, filepath.Join(dir, fmt.Sprintf("%s-%016x%s", filepath.Base(path), xxhash.Sum64String(full), Suffix)))
	}
	// Use one that is there, if it fits.
	for _, at := range places {
		mapped, err := openIndex(at, kind, stamp)
		if err == nil && mapped.Tag != opts.Tag {
			mapped.close()
			err = errors.New("it was made with other variants or paper tables")
		}
		if err == nil {
			return mapped, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			tell(fmt.Sprintf("%s is made again: %v", at, err))
		}
	}
	// Make one in the first place that can be written.
	var lastError error
	for i, at := range places {
		if i > 0 {
			os.MkdirAll(filepath.Dir(at), 0o755)
		}
		err := build(at)
		if err == nil {
			if i > 0 {
				tell(fmt.Sprintf("the index is kept in %s: %v", at, lastError))
			}
			return openIndex(at, kind, stamp)
		}
		if lastError = err; !errors.Is(err, os.ErrPermission) && !strings.Contains(err.Error(), "read-only file system") {
			break
		}
	}
	return nil, lastError
}

// cache returns the folder for indexes that cannot be beside their files, "" if there is
// none.
func (options *Options) cache() string {
	if options.Cache != "" {
		return options.Cache
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "plumb")
}

// checkPlain returns an error for compressed files, spreadsheets and Parquet files, by their first
// bytes. The index reads single lines at their offsets in the file, which these do not have.
func checkPlain(src io.ReaderAt) error {
	var b [4]byte
	n, _ := src.ReadAt(b[:], 0)
	for _, p := range []struct{ magic, what, how string }{
		{"\x1f\x8b", "gzip", "gunzip -k"}, {"\x28\xb5\x2f\xfd", "zstd", "zstd -dk"}, {"BZh", "bzip2", "bunzip2 -k"},
		{"PAR1", "Parquet", ""}, {"PK\x03\x04", "a spreadsheet or archive", ""}} {
		if !strings.HasPrefix(string(b[:n]), p.magic) {
			continue
		}
		if p.how == "" {
			return fmt.Errorf("it is %s; want JSON lines (plumb score -o results.jsonl)", p.what)
		}
		return fmt.Errorf("it is compressed with %s, and lines are read at their places; unpack it first: %s FILE", p.what, p.how)
	}
	return nil
}

// Plain reports whether lines of the file at a path can be read by their offsets: it is a regular file and not
// compressed.
func Plain(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	return err == nil && info.Mode().IsRegular() && checkPlain(file) == nil
}

// load sets the columns of a result file from its mapped index. A column holds a value for each row;
// columns of words hold positions in lists of words, such as Tests. The columns metric_name and
// metric_value hold the metrics of all rows one after the other, and metric_end where those of each
// row end; ids and id_end are likewise.
func (file *File) load(mapped *mapped) {
	file.Score, file.Reward = column[float64](mapped, "score"), column[float64](mapped, "reward")
	file.Test = column[uint16](mapped, "test")
	file.Series = column[uint16](mapped, "series")
	file.Status = column[uint16](mapped, "status")
	file.Notes, file.Code = column[uint16](mapped, "notes"), column[uint16](mapped, "code")
	file.Repeat, file.Turn = column[uint16](mapped, "repeat"), column[uint16](mapped, "turn")
	file.Time = column[float32](mapped, "time")
	file.Cost = column[float32](mapped, "cost")
	file.Item = column[uint64](mapped, "item")
	file.Answer = column[uint64](mapped, "answer")
	file.offsets, file.lengths = column[uint64](mapped, "at"), column[uint32](mapped, "length")
	file.idEnd, file.ids = column[uint32](mapped, "id_end"), column[byte](mapped, "ids")
	file.metricEnds = column[uint32](mapped, "metric_end")
	file.metricNames = column[uint16](mapped, "metric_name")
	file.metricValues = column[float32](mapped, "metric_value")
	file.Tests, file.SeriesOf, file.Statuses = mapped.Words["test"], mapped.Words["series"], mapped.Words["status"]
	file.NoteSets, file.Codes, file.Metrics = mapped.Words["notes"], mapped.Words["code"], mapped.header.Metrics
	file.Low, file.High, file.Bad, file.Extra = mapped.Low, mapped.High, mapped.Bad, mapped.header.Extra
}

// Close releases the columns, which must not be used any more.
func (file *File) Close() error {
	err := file.index.close()
	if file.source != nil {
		err = errors.Join(err, file.source.Close())
	}
	return err
}

// Changed reports whether the file or its index is no longer the one that was opened.
func (file *File) Changed() bool {
	if file.source == nil {
		return false
	}
	return file.index.changed() || file.source.changed(file.Path)
}

// Line reads the result line of a row from the result file, without its line end.
func (file *File) Line(row int) ([]byte, error) {
	if file.source == nil {
		return nil, fmt.Errorf("cannot read row %d: its line was not kept", row)
	}
	data := make([]byte, file.lengths[row])
	if _, err := file.source.ReadAt(data, int64(file.offsets[row])); err != nil {
		return nil, fmt.Errorf("cannot read row %d of %s: %w", row, file.Path, err)
	}
	return data, nil
}

// At returns the byte of the file at which the line of a row begins.
func (file *File) At(row int) int64 { return int64(file.offsets[row]) }

// ID returns the id of a row, cut after maxID bytes.
func (file *File) ID(row int) string {
	begin := uint32(0)
	if row > 0 {
		begin = file.idEnd[row-1] + 1
	}
	return string(file.ids[begin:file.idEnd[row]])
}

// Metric returns a metric of a row by the number of its name in Metrics; ok is false where the
// row has none.
func (file *File) Metric(row int, name uint16) (x float32, ok bool) {
	begin := uint32(0)
	if row > 0 {
		begin = file.metricEnds[row-1]
	}
	for i := begin; i < file.metricEnds[row]; i++ {
		if file.metricNames[i] == name {
			return file.metricValues[i], true
		}
	}
	return 0, false
}

// progressStep is how many bytes are read between two calls of Options.Progress.
const progressStep = 4 << 20

// eachLine calls f for each line that is not blank, without its line end, with its number
// from 1 and the offset of its first byte, and returns the first error of f. A line of more
// than maxBytes comes with a fault and its first maxBytes bytes. A byte order mark is
// skipped. progress, which may be nil, is called now and then and at the end. It returns
// ctx's error when ctx ends.
func eachLine(ctx context.Context, src io.ReaderAt, size int64, maxBytes int, progress func(done, total int64),
	f func(line []byte, n int, at int64, fault string) error) error {
	lines := lineReader{in: bufio.NewReaderSize(io.NewSectionReader(src, 0, size), 1<<20), maxBytes: maxBytes}
	end, reported := int64(0), int64(0)
	for n := 1; ; n++ {
		begin := end
		line, length, fault, err := lines.next()
		end += length
		if err != nil && err != io.EOF {
			return err
		}
		// A byte order mark is no part of the first line.
		if begin == 0 && bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
			line, begin = line[3:], 3
		}
		if trimmed := bytes.TrimRight(line, " \t\r\n"); len(trimmed) > 0 {
			if e := f(trimmed, n, begin, fault); e != nil {
				return e
			}
		}
		if progress != nil && (end-reported >= progressStep || err == io.EOF) {
			reported = end
			progress(end, size)
		}
		if err == io.EOF {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// lineReader reads lines and keeps at most maxBytes of each.
type lineReader struct {
	in       *bufio.Reader
	maxBytes int
	long     []byte // a line that does not fit in's buffer
}

// next returns the next line, with its line end if it has one, which is valid until the next
// call, and its length in the file. A line of more than maxBytes without its line end is cut
// to its first maxBytes bytes and comes with a fault. With the last line err is io.EOF.
func (reader *lineReader) next() (line []byte, length int64, fault string, err error) {
	line, err = reader.in.ReadSlice('\n')
	length = int64(len(line))
	if err == bufio.ErrBufferFull {
		reader.long = append(reader.long[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = reader.in.ReadSlice('\n')
			length += int64(len(line))
			room := max(0, reader.maxBytes+1-len(reader.long)) // one more, for a line end
			reader.long = append(reader.long, line[:min(len(line), room)]...)
		}
		line = reader.long
	}
	content := length
	if err == nil {
		content-- // the line end
	}
	if content > int64(reader.maxBytes) {
		fault = fmt.Sprintf("it has more than %d bytes (--max-line)", reader.maxBytes)
		line = line[:reader.maxBytes]
	}
	return line, length, fault, err
}
