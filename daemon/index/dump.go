package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// Dump is a dump of plumb's own lines with the places of its answers. It is safe for concurrent use
// until Close.
type Dump struct {
	Path        string
	keys        []uint64 // hashes of who answered what, in ascending order
	offsets     []uint64
	lengths     []uint32
	lineNumbers []uint32 // number of the line, from 1; blank lines count

	Copied bool // lines are those of a copy: the dump is compressed or another tool's

	source *source
	index  *mapped
}

// OpenDump opens a dump with its index, which it makes where there is none that can be trusted. A
// dump of another tool needs Options.Copies.
func OpenDump(ctx context.Context, path string, options Options) (*Dump, error) {
	src, err := openSource(ctx, path, &options)
	if err != nil {
		return nil, fmt.Errorf("cannot open dump %s: %w", path, err)
	}
	mapped, err := openOrBuild(src.indexBase, "dump", src.stamp, options, func(at string) error { return buildDump(ctx, src.File, src.stamp, at, options) })
	if err != nil {
		src.discard()
		return nil, fmt.Errorf("cannot open dump %s: %w", path, err)
	}
	src.removeFolder(mapped)
	return &Dump{Path: path, Copied: src.copyFolder != "", source: src, index: mapped, keys: column[uint64](mapped, "key"), offsets: column[uint64](mapped, "at"),
		lengths: column[uint32](mapped, "length"), lineNumbers: column[uint32](mapped, "line")}, nil
}

// Lines returns the number of places in the index: one for each line that is JSON, two for one found under two
// keys (see buildDump).
func (dump *Dump) Lines() int { return len(dump.keys) }

// Close releases the index.
func (dump *Dump) Close() error { return errors.Join(dump.source.Close(), dump.index.close()) }

// maxFound is how many lines Find returns; more than one is rare.
const maxFound = 64

// Find returns the dump lines of an answer and their line numbers, at most maxFound. key is
// File.Answer of the result, a hash of id, model, repeat and turn. The lines may be of
// different tests, which the key leaves out, so the caller picks the one of the result's
// test.
func (dump *Dump) Find(key uint64) (lines [][]byte, numbers []int, err error) {
	i, _ := slices.BinarySearch(dump.keys, key)
	for ; i < len(dump.keys) && dump.keys[i] == key && len(lines) < maxFound; i++ {
		out := make([]byte, dump.lengths[i])
		if _, err := dump.source.ReadAt(out, int64(dump.offsets[i])); err != nil {
			return nil, nil, fmt.Errorf("cannot read line %d of %s: %w", dump.lineNumbers[i], dump.Path, err)
		}
		lines = append(lines, out)
		numbers = append(numbers, int(dump.lineNumbers[i]))
	}
	return lines, numbers, nil
}

// Scan calls f for each line of the dump with the key of its answer, in the order of the
// file, until f returns false or ctx ends; neither is an error. A line with two keys is
// given twice. done and total are bytes of the file.
func (dump *Dump) Scan(ctx context.Context, f func(key uint64, line []byte, done, total int64) bool) error {
	order := make([]int32, len(dump.offsets)) // answers by their place; the columns are in the order of keys
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(dump.offsets[a], dump.offsets[b]) })
	info, err := dump.source.Stat()
	if err != nil {
		return err
	}
	next, stopped := 0, errors.New("stopped")
	err = eachLine(ctx, dump.source, info.Size(), defaultLine, nil, func(line []byte, _ int, at int64, fault string) error {
		for ; next < len(order) && int64(dump.offsets[order[next]]) <= at; next++ {
			answer := order[next]
			if int64(dump.offsets[answer]) != at || fault != "" {
				continue
			}
			if goOn := f(dump.keys[answer], line, at+int64(len(line)), info.Size()); !goOn {
				return stopped
			}
		}
		return nil
	})
	if err == stopped || ctx.Err() != nil {
		return nil
	}
	return err
}

// answerKey returns the hash by which an answer is found.
func answerKey(id string, who *scoring.Identity) uint64 {
	return xxhash.Sum64(appendAnswer(nil, id, who))
}

// appendAnswer appends what identifies one answer: the item's id, the model, the repeat and the turn,
// with zero bytes between them. answerKey is the hash of these bytes.
func appendAnswer(dst []byte, id string, who *scoring.Identity) []byte {
	dst = append(dst, id...)
	dst = append(dst, 0)
	dst = append(dst, who.Model...)
	dst = strconv.AppendInt(append(dst, 0), int64(max(1, who.Repeat)), 10)
	return strconv.AppendInt(append(dst, 0), int64(max(1, who.Turn)), 10)
}

// place is where one answer of a dump stands.
type place struct {
	key, offset  uint64
	length, line uint32
}

// buildDump writes the index of a dump to path: for each line a place, which is the key of its answer
// with the line's offset, length and number, sorted by key. So the line of a result is found without
// reading the dump. It holds 24 bytes a line in memory. Lines that cannot be parsed are left out, but a
// file whose first line is no JSON object is refused.
func buildDump(ctx context.Context, src *os.File, stamp stamp, path string, options Options) error {
	var list []place
	var parser fastjson.Parser
	first := true
	err := eachLine(ctx, src, stamp.Size, cmp.Or(max(options.Line, 0), defaultLine), options.Progress, func(line []byte, n int, pos int64, fault string) error {
		isFirst := first
		first = false
		if fault != "" || len(line) > math.MaxUint32 {
			return nil
		}
		value, err := parser.ParseBytes(line)
		if err == nil && value.Type() != fastjson.TypeObject {
			err = fmt.Errorf("got %s; want an object", value.Type())
		}
		if err != nil && isFirst {
			return fmt.Errorf("line %d: %w; want lines of plumb's own format", n, err)
		}
		if err != nil {
			return nil // left out: its result carries the error
		}
		id := lineID(value, n)
		who, _ := scoring.ReadIdentity(value, "") // with a fault, no result has this identity, and the place is never looked up
		list = append(list, place{answerKey(id, &who), uint64(pos), uint32(len(line)), uint32(n)})
		if value.Exists("run") && who.Repeat == 0 { // some suites call repeat run: the line is found under both
			who, _ = scoring.ReadIdentity(value, "run")
			list = append(list, place{answerKey(id, &who), uint64(pos), uint32(len(line)), uint32(n)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b place) int { return cmp.Compare(a.key, b.key) })
	w := &writer{dir: filepath.Dir(path)}
	defer w.discard()
	for _, c := range []struct { // the columns of the index
		name string
		put  func(*columnFile, *place)
	}{
		{"key", func(c *columnFile, x *place) { put(c, x.key) }},
		{"at", func(c *columnFile, x *place) { put(c, x.offset) }},
		{"length", func(c *columnFile, x *place) { put(c, x.length) }},
		{"line", func(c *columnFile, x *place) { put(c, x.line) }},
	} {
		file, err := w.column(c.name)
		if err != nil {
			return err
		}
		for i := range list {
			c.put(file, &list[i])
		}
	}
	return w.writeFile(path, &header{Kind: "dump", Rows: len(list), Source: stamp})
}

// lineID returns the id of a dump line as results have it (docs/spec/cli.md#r24).
func lineID(line *fastjson.Value, number int) string {
	switch id := line.Get("id"); {
	case id == nil || id.Type() == fastjson.TypeNull:
		return "line:" + strconv.Itoa(number)
	case id.Type() == fastjson.TypeString:
		return string(bytes.ToValidUTF8(id.GetStringBytes(), []byte("\ufffd")))
	default:
		return id.String()
	}
}
