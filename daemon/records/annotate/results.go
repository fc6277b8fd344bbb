// Package annotate copies dumps with their scores. In: a dump of any format and the results of
// scoring it. Out: a copy in the same format, with a member plumb in each object or with columns
// plumb_score, plumb_status and plumb_error. It refuses logs of inspect_ai, which get a file of
// scores of their own. See docs/spec/dumps-files.md#r20.
package annotate

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"plumb/daemon/records/sheets"
	"plumb/render/jsontree"
)

// Results finds the results of one dump by their places. It holds 24 bytes for each.
type Results struct {
	src    io.ReaderAt
	places []resultPlace
	parser fastjson.Parser
	line   []byte
}

// resultPlace is a result in the file of results. It keeps a hash instead of the text of its unit, to take
// little memory; each compares the texts.
type resultPlace struct {
	hash   uint64 // of the unit of the dump that the result is of
	offset int64  // of the result in the file of results, in bytes
	size   int32  // of the result in bytes
}

// unitOf returns the part of the dump that gets one annotation, a line, row or element, of the place of a
// record such as "line 4 traces[1]". A line may hold several records, for each of its traces one.
func unitOf(at string) string {
	at, _, _ = strings.Cut(at, " traces[")
	return at
}

// NewResults reads a file of result lines, src with size bytes, and keeps the place of each result. It
// leaves out results that name another dump than file. A line of more than limit bytes, or one that is
// not JSON, is an error.
func NewResults(src io.ReaderAt, size int64, file string, limit int) (*Results, error) {
	r := &Results{src: src}
	in := bufio.NewReaderSize(io.NewSectionReader(src, 0, size), 1<<20)
	for off := int64(0); ; {
		line, err := readLine(in, limit)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("cannot read results at byte %d: %w", off, err)
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			v, err := jsontree.Parse(&r.parser, text)
			if err != nil {
				return nil, fmt.Errorf("cannot read results at byte %d: %w", off, err)
			}
			if name := v.Get("file"); name == nil || string(name.GetStringBytes()) == file {
				r.places = append(r.places, resultPlace{xxhash.Sum64String(unitOf(string(v.GetStringBytes("at")))), off,
					int32(len(line))})
			}
			jsontree.Trim(&r.parser)
		}
		off += int64(len(line))
		if err == io.EOF {
			break
		}
	}
	// Sort for the binary search of each; results of one unit stay in the order of the file.
	slices.SortFunc(r.places, func(a, b resultPlace) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.offset, b.offset))
	})
	return r, nil
}

// readLine returns the next line with its line end, valid until the next call. At the end of
// the file the error is io.EOF, with the last line if it has no line end.
func readLine(in *bufio.Reader, limit int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		whole := part // without a copy if the buffer holds all of the line
		if len(line) > 0 || err == bufio.ErrBufferFull {
			line = append(line, part...)
			whole = line
		}
		if lengthOf(whole) > limit {
			return nil, fmt.Errorf("a line has more than %d bytes (--max-line)", limit)
		}
		if err != bufio.ErrBufferFull {
			return whole, err
		}
	}
}

// lengthOf returns the bytes of a line without its line end, which is how the reader of dumps counts them.
func lengthOf(line []byte) int {
	return len(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")))
}

// each calls f with each result of one unit of the dump, such as "line 4", in the order of the file of
// results. It reads the results from that file again. f must not keep the values.
func (r *Results) each(at string, f func(*fastjson.Value)) error {
	hash := xxhash.Sum64String(at)
	i, _ := slices.BinarySearchFunc(r.places, hash, func(p resultPlace, h uint64) int { return cmp.Compare(p.hash, h) })
	for ; i < len(r.places) && r.places[i].hash == hash; i++ {
		p := r.places[i]
		r.line = slices.Grow(r.line[:0], int(p.size))[:p.size]
		if _, err := r.src.ReadAt(r.line, p.offset); err != nil && err != io.EOF {
			return fmt.Errorf("cannot read results at byte %d: %w", p.offset, err)
		}
		v, err := jsontree.Parse(&r.parser, r.line)
		if err != nil {
			return fmt.Errorf("cannot read results at byte %d: %w", p.offset, err)
		}
		if unitOf(string(v.GetStringBytes("at"))) == at { // another unit may have the same hash
			f(v)
		}
	}
	return nil
}

// resultMembers are the members of a result that an annotation has.
var resultMembers = []string{"score", "reward", "status", "metrics", "error"}

// appendValue appends the annotation of a unit of the dump as JSON: an object with some members of its
// result, or a list of these if the unit has several records. It appends nothing if there is no result.
func (r *Results) appendValue(dst []byte, at string) ([]byte, error) {
	begin, results := len(dst), 0
	err := r.each(at, func(v *fastjson.Value) {
		if results++; results > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		for i, name := range resultMembers {
			m := v.Get(name)
			if m == nil && name != "score" && name != "reward" { // these two are null if missing
				continue
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(append(dst, '"'), name...), '"', ':')
			if m == nil {
				dst = append(dst, "null"...)
			} else {
				dst = jsontree.Append(dst, m)
			}
		}
		dst = append(dst, '}')
	})
	if results > 1 { // a list of objects
		dst = append(slices.Insert(dst, begin, '['), ']')
	}
	return dst, err
}

// Mark returns the score, status and error of the first result of a table's row, for the columns that a
// copy adds. m.Known is false for a row without results. It implements sheets.Marks.
func (r *Results) Mark(at string) (m sheets.Mark, err error) {
	err = r.each(at, func(v *fastjson.Value) {
		if m.Known {
			return
		}
		m.Known = true
		if s := v.Get("score"); s != nil && s.Type() == fastjson.TypeNumber {
			f, _ := s.Float64()
			m.Score = &f
		}
		m.Status = string(v.GetStringBytes("status"))
		if e := v.Get("error"); e != nil && e.Type() == fastjson.TypeObject {
			m.Error = string(e.GetStringBytes("code")) + ": " + string(e.GetStringBytes("message"))
		}
	})
	return m, err
}

// ErrInspect marks a log of inspect_ai, for which a file of scores is written instead of a copy.
var ErrInspect = errors.New("a log of inspect_ai is not copied")
