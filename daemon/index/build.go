package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// maxID is how many bytes of an id an index keeps.
const maxID = 160

// maxMetrics is how many names of metrics an index keeps; further ones are left out.
const maxMetrics = 1000

// builder makes the index of a result file.
type builder struct {
	writer
	score, reward, test, series, status, notes, code, repeat, turn *columnFile
	time, cost, item, answer, at, length, idEnd, ids               *columnFile
	mEnd, mName, mValue                                            *columnFile

	tests, seriesOf, statuses, noteSets, codes, metrics words
	ends                                                struct{ id, metric uint32 }
	rows, badLines                                      int
	low, high                                           float64
	parser                                              fastjson.Parser
	observe                                             func(*scoring.Result)
	key, digits                                         []byte
	own                                                 scoring.Result // for observe
	set                                                 []string
}

// newBuilder returns a builder that keeps its columns in temporary files in a folder.
func newBuilder(dir string) (*builder, error) {
	b := &builder{writer: writer{dir: dir}, low: math.Inf(1), high: math.Inf(-1)}
	for _, c := range []struct {
		to   **columnFile
		name string
	}{{&b.score, "score"}, {&b.reward, "reward"}, {&b.test, "test"}, {&b.series, "series"}, {&b.status, "status"}, {&b.notes, "notes"},
		{&b.code, "code"}, {&b.repeat, "repeat"}, {&b.turn, "turn"}, {&b.time, "time"}, {&b.cost, "cost"}, {&b.item, "item"}, {&b.answer, "answer"}, {&b.at, "at"},
		{&b.length, "length"}, {&b.idEnd, "id_end"}, {&b.ids, "ids"}, {&b.mEnd, "metric_end"}, {&b.mName, "metric_name"}, {&b.mValue, "metric_value"}} {
		var err error
		if *c.to, err = b.column(c.name); err != nil {
			b.discard()
			return nil, err
		}
	}
	return b, nil
}

// buildResults reads all of a result file and writes its index.
func buildResults(ctx context.Context, src *os.File, s stamp, path string, o Options) error {
	b, err := newBuilder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer b.discard()
	b.observe = o.Observe
	err = eachLine(ctx, src, s.Size, cmp.Or(max(o.Line, 0), defaultLine), o.Progress, func(line []byte, n int, at int64, fault string) error {
		return b.add(line, n, at, fault)
	})
	if err != nil {
		return err
	}
	return b.end(path, s, &o)
}

// end writes the index of a result file with the stamp s to path. Without any score the
// range is 0 to 1, because JSON has no infinities.
func (b *builder) end(path string, s stamp, o *Options) error {
	h := &header{Kind: "results", Rows: b.rows, Source: s, Tag: o.Tag, Bad: b.badLines, Low: b.low, High: b.high,
		Words: map[string][]Word{"test": b.tests.list, "series": b.seriesOf.list, "status": b.statuses.list, "notes": b.noteSets.list, "code": b.codes.list}}
	if b.low > b.high { // no score
		h.Low, h.High = 0, 1
	}
	for _, w := range b.metrics.list {
		h.Metrics = append(h.Metrics, w[0])
	}
	if o.Extra != nil {
		h.Extra = o.Extra()
	}
	return b.finish(path, h)
}

// add adds line n of a result file to the index. fault says why the line could not be read,
// "" if it could. A line that is no result becomes a row with the code unreadable_line; as
// the first row it is an error.
func (b *builder) add(line []byte, n int, at int64, fault string) error {
	result := &scoring.Result{}
	value, err := b.parser.ParseBytes(line)
	if fault != "" {
		err = errors.New(fault)
	}
	if err == nil {
		result, err = scoring.CheckResult(value)
	}
	if err != nil {
		if b.rows == 0 {
			return fmt.Errorf("line %d: %w", n, err)
		}
		b.badLines++
		result = &scoring.Result{Err: &scoring.Error{Code: unreadable}}
		value = nil
	}
	if b.observe != nil && value != nil {
		b.observe(result)
	}
	return b.put(result, rewardOf(value), at, len(line))
}

// rewardOf returns the reward of a result line, NaN if it has none. v is nil for a line that
// cannot be read.
func rewardOf(v *fastjson.Value) float64 {
	if v == nil || v.Get("reward") == nil || v.Get("reward").Type() != fastjson.TypeNumber {
		return math.NaN()
	}
	return v.GetFloat64("reward")
}

// put adds a row for a result to all columns. at is where its line begins in the file and length how long it
// is, both in bytes.
func (b *builder) put(r *scoring.Result, reward float64, at int64, length int) error {
	b.rows++
	put(b.at, uint64(at))
	put(b.length, uint32(length))
	b.addNumbers(r, reward)
	b.addWords(r)
	return b.addTexts(r)
}

// addNumbers writes the columns of numbers: score, reward, repeat, turn, time, cost, and the
// hashes of question and answer. A value that is missing is NaN. A result whose question is
// unknown gets a hash of its own.
func (b *builder) addNumbers(result *scoring.Result, reward float64) {
	score := math.NaN()
	if result.Scored {
		score = result.Score
		b.low, b.high = min(b.low, score), max(b.high, score)
	}
	put(b.score, score)
	put(b.reward, reward)
	put(b.repeat, uint16(min(result.Who.Repeat, math.MaxUint16)))
	put(b.turn, uint16(min(result.Who.Turn, math.MaxUint16)))
	seconds, cost := math.NaN(), math.NaN()
	if s, ok := result.Who.Settings().Seconds(); ok {
		seconds = s
	}
	if c, ok := result.Who.Settings().Cost(); ok {
		cost = c
	}
	put(b.time, float32(seconds))
	put(b.cost, float32(cost))
	var known bool
	b.key, known = result.Item(b.key[:0])
	if !known { // nothing is the same question
		b.key = strconv.AppendInt(append(b.key[:0], "row "...), int64(b.rows), 10)
	}
	put(b.item, xxhash.Sum64(b.key))
	b.key = appendAnswer(b.key[:0], result.ID, &result.Who)
	put(b.answer, xxhash.Sum64(b.key))
}

// maxNoteCodes is how many different notes of a result the index has.
const maxNoteCodes = 32

// addWords writes the columns of words: test, series, status, the sorted set of at most maxNoteCodes
// codes of notes, and error code.
func (b *builder) addWords(result *scoring.Result) {
	put(b.test, b.tests.code(result.Suite, result.Test))
	arm := result.Who.Arm()
	put(b.series, b.seriesOf.code(result.Who.Model, arm[0], arm[1], arm[2], arm[3], arm[4]))
	put(b.status, b.statuses.code(result.Status))
	b.set = b.set[:0]
	for _, n := range result.Notes {
		if !slices.Contains(b.set, n.Code) && len(b.set) < maxNoteCodes {
			b.set = append(b.set, n.Code)
		}
	}
	slices.Sort(b.set)
	put(b.notes, b.noteSets.code(b.set...))
	code := ""
	if result.Err != nil {
		code = result.Err.Code
	}
	put(b.code, b.codes.code(code))
}

// addTexts writes the id, cut to maxID bytes, and the metrics that are numbers or truth
// values. Beyond maxMetrics different names further metrics are left out. It returns an
// error when the columns are full, whose places are 32 bits wide.
func (b *builder) addTexts(r *scoring.Result) error {
	id := r.ID
	if len(id) > maxID {
		id = strings.ToValidUTF8(id[:maxID], "")
	}
	b.ids.text(strings.ReplaceAll(id, "\n", " "))
	put(b.ids, byte('\n'))
	b.ends.id += uint32(len(id))
	put(b.idEnd, b.ends.id)
	b.ends.id++
	for _, metric := range r.Metrics {
		x, ok := 0.0, true
		switch v := metric.Value.(type) {
		case float64:
			x = v
		case int: // as results in memory have it
			x = float64(v)
		case bool:
			if v {
				x = 1
			}
		default:
			ok = false
		}
		if !ok || len(b.metrics.list) >= maxMetrics && b.metrics.at[metric.Name+"\x00"] == 0 {
			continue
		}
		put(b.mName, b.metrics.code(metric.Name))
		put(b.mValue, float32(x))
		b.ends.metric++
	}
	put(b.mEnd, b.ends.metric)
	if b.ends.id > math.MaxUint32-2*maxID || b.ends.metric > math.MaxUint32-maxMetrics*10 {
		return fmt.Errorf("the file has more than the %d rows that an index holds; want it in parts", b.rows)
	}
	return nil
}
