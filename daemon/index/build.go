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
	time, cost, question, answer, offset, length, idEnd, ids       *columnFile
	metricEnds, metricNames, metricValues                          *columnFile

	tests, seriesOf, statuses, noteSets, codes, metrics words // the different values of the columns of words
	columnEnds                                          struct{ id, metric uint32 }
	rows, badLines                                      int
	lowScore, highScore                                 float64
	parser                                              fastjson.Parser
	observe                                             func(*scoring.Result)
	keyBytes, digits                                    []byte
	resultOfLine                                        scoring.Result // for observe
	noteCodes                                           []string
}

// newBuilder returns a builder of an index, which keeps each column of the index in a temporary file
// in a folder until the index is written.
func newBuilder(dir string) (*builder, error) {
	b := &builder{writer: writer{dir: dir}, lowScore: math.Inf(1), highScore: math.Inf(-1)}
	for _, c := range []struct {
		to   **columnFile
		name string
	}{{&b.score, "score"}, {&b.reward, "reward"}, {&b.test, "test"}, {&b.series, "series"}, {&b.status, "status"}, {&b.notes, "notes"},
		{&b.code, "code"}, {&b.repeat, "repeat"}, {&b.turn, "turn"}, {&b.time, "time"}, {&b.cost, "cost"}, {&b.question, "item"}, {&b.answer, "answer"}, {&b.offset, "at"},
		{&b.length, "length"}, {&b.idEnd, "id_end"}, {&b.ids, "ids"}, {&b.metricEnds, "metric_end"}, {&b.metricNames, "metric_name"}, {&b.metricValues, "metric_value"}} {
		var err error
		if *c.to, err = b.column(c.name); err != nil {
			b.discard()
			return nil, err
		}
	}
	return b, nil
}

// buildResults reads a result file from its beginning to its end and writes its index to path. stamp
// says which state of the file the index belongs to.
func buildResults(ctx context.Context, src *os.File, stamp stamp, path string, options Options) error {
	builder, err := newBuilder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer builder.discard()
	builder.observe = options.Observe
	err = eachLine(ctx, src, stamp.Size, cmp.Or(max(options.Line, 0), defaultLine), options.Progress, func(line []byte, n int, at int64, fault string) error {
		return builder.addLine(line, n, at, fault)
	})
	if err != nil {
		return err
	}
	return builder.writeIndex(path, stamp, &options)
}

// writeIndex writes the index of a result file to path, with the words of the columns and the range of the scores
// in its header. s says which state of the file the index belongs to. Without any score the range is 0 to
// 1, because JSON has no infinities.
func (builder *builder) writeIndex(path string, s stamp, options *Options) error {
	header := &header{Kind: "results", Rows: builder.rows, Source: s, Tag: options.Tag, Bad: builder.badLines, Low: builder.lowScore, High: builder.highScore,
		Words: map[string][]Word{"test": builder.tests.list, "series": builder.seriesOf.list, "status": builder.statuses.list, "notes": builder.noteSets.list, "code": builder.codes.list}}
	if builder.lowScore > builder.highScore { // no score
		header.Low, header.High = 0, 1
	}
	for _, word := range builder.metrics.list {
		header.Metrics = append(header.Metrics, word[0])
	}
	if options.Extra != nil {
		header.Extra = options.Extra()
	}
	return builder.writeFile(path, header)
}

// addLine adds line n of a result file, which begins at byte pos, to the index. fault says why the line could
// not be read, "" if it could. A line that is no result becomes a row with the code unreadable_line. If it
// is the first row that is an error, because the file then hardly holds results.
func (builder *builder) addLine(line []byte, n int, pos int64, fault string) error {
	result := &scoring.Result{}
	value, err := builder.parser.ParseBytes(line)
	if fault != "" {
		err = errors.New(fault)
	}
	if err == nil {
		result, err = scoring.CheckResult(value)
	}
	if err != nil {
		if builder.rows == 0 {
			return fmt.Errorf("line %d: %w", n, err)
		}
		builder.badLines++
		result = &scoring.Result{Err: &scoring.Error{Code: unreadable}}
		value = nil
	}
	if builder.observe != nil && value != nil {
		builder.observe(result)
	}
	return builder.putRow(result, rewardOf(value), pos, len(line))
}

// rewardOf returns the reward of a result line, NaN if it has none. value is nil for a line that
// cannot be read.
func rewardOf(value *fastjson.Value) float64 {
	if value == nil || value.Get("reward") == nil || value.Get("reward").Type() != fastjson.TypeNumber {
		return math.NaN()
	}
	return value.GetFloat64("reward")
}

// putRow adds a row for a result to all columns. at is where its line begins in the file and length how long it
// is, both in bytes.
func (builder *builder) putRow(result *scoring.Result, reward float64, at int64, length int) error {
	builder.rows++
	put(builder.offset, uint64(at))
	put(builder.length, uint32(length))
	builder.addNumbers(result, reward)
	builder.addWords(result)
	return builder.addTexts(result)
}

// addNumbers writes the columns of numbers: score, reward, repeat, turn, time, cost, and the
// hashes of question and answer. A value that is missing is NaN. A result whose question is
// unknown gets a hash of its own.
func (builder *builder) addNumbers(result *scoring.Result, reward float64) {
	score := math.NaN()
	if result.Scored {
		score = result.Score
		builder.lowScore, builder.highScore = min(builder.lowScore, score), max(builder.highScore, score)
	}
	put(builder.score, score)
	put(builder.reward, reward)
	put(builder.repeat, uint16(min(result.Who.Repeat, math.MaxUint16)))
	put(builder.turn, uint16(min(result.Who.Turn, math.MaxUint16)))
	seconds, cost := math.NaN(), math.NaN()
	if s, ok := result.Who.Settings().Seconds(); ok {
		seconds = s
	}
	if c, ok := result.Who.Settings().Cost(); ok {
		cost = c
	}
	put(builder.time, float32(seconds))
	put(builder.cost, float32(cost))
	var known bool
	builder.keyBytes, known = result.Item(builder.keyBytes[:0])
	if !known { // nothing is the same question
		builder.keyBytes = strconv.AppendInt(append(builder.keyBytes[:0], "row "...), int64(builder.rows), 10)
	}
	put(builder.question, xxhash.Sum64(builder.keyBytes))
	builder.keyBytes = appendAnswer(builder.keyBytes[:0], result.ID, &result.Who)
	put(builder.answer, xxhash.Sum64(builder.keyBytes))
}

// maxNoteCodes is how many different notes of a result the index has.
const maxNoteCodes = 32

// addWords writes the columns of words: test, series, status, the sorted set of at most maxNoteCodes
// codes of notes, and error code.
func (builder *builder) addWords(result *scoring.Result) {
	put(builder.test, builder.tests.numberOf(result.Suite, result.Test))
	arm := result.Who.Arm()
	put(builder.series, builder.seriesOf.numberOf(result.Who.Model, arm[0], arm[1], arm[2], arm[3], arm[4]))
	put(builder.status, builder.statuses.numberOf(result.Status))
	builder.noteCodes = builder.noteCodes[:0]
	for _, n := range result.Notes {
		if !slices.Contains(builder.noteCodes, n.Code) && len(builder.noteCodes) < maxNoteCodes {
			builder.noteCodes = append(builder.noteCodes, n.Code)
		}
	}
	slices.Sort(builder.noteCodes)
	put(builder.notes, builder.noteSets.numberOf(builder.noteCodes...))
	code := ""
	if result.Err != nil {
		code = result.Err.Code
	}
	put(builder.code, builder.codes.numberOf(code))
}

// addTexts writes the id, cut to maxID bytes, and the metrics that are numbers or truth values. Once there
// are maxMetrics different names, metrics of further names are left out. Places in these columns are
// numbers of 32 bits, so it returns an error before the next row might not fit.
func (builder *builder) addTexts(result *scoring.Result) error {
	id := result.ID
	if len(id) > maxID {
		id = strings.ToValidUTF8(id[:maxID], "")
	}
	builder.ids.text(strings.ReplaceAll(id, "\n", " ")) // the column has a line break after each id
	put(builder.ids, byte('\n'))
	builder.columnEnds.id += uint32(len(id))
	put(builder.idEnd, builder.columnEnds.id)
	builder.columnEnds.id++ // the line break
	for _, metric := range result.Metrics {
		x, isNumber := 0.0, true
		switch value := metric.Value.(type) {
		case float64:
			x = value
		case int: // as results in memory have it
			x = float64(value)
		case bool:
			if value {
				x = 1
			}
		default:
			isNumber = false
		}
		if !isNumber || len(builder.metrics.list) >= maxMetrics && !builder.metrics.has(metric.Name) {
			continue
		}
		put(builder.metricNames, builder.metrics.numberOf(metric.Name))
		put(builder.metricValues, float32(x))
		builder.columnEnds.metric++
	}
	put(builder.metricEnds, builder.columnEnds.metric)
	if builder.columnEnds.id > math.MaxUint32-2*maxID || builder.columnEnds.metric > math.MaxUint32-maxMetrics*10 {
		return fmt.Errorf("the file has more than the %d rows that an index holds; want it in parts", builder.rows)
	}
	return nil
}
