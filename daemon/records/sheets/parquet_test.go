package sheets

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/record/recordtest"
	"plumb/daemon/records/rows"
	"plumb/render/jsontree"
)

// writeParquet writes rows with options of the writer.
func writeParquet[T any](t testing.TB, all []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, options...)
	if _, err := w.Write(all); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// chatMessage is a chat message.
type chatMessage struct {
	Role    string `parquet:"role"`
	Content string `parquet:"content,optional"`
}

// answerRow is a row with the forms that trainers write.
type answerRow struct {
	ID       int64             `parquet:"id"`
	Model    string            `parquet:"model,dict"`
	Response []byte            `parquet:"response"`
	Task     *map[string]int64 `parquet:"task,optional"`
	Shapes   [][]float64       `parquet:"shapes,list"`
	Messages []chatMessage     `parquet:"messages,list"`
	Options  []string          `parquet:"options"`
	When     time.Time         `parquet:"when,timestamp(millisecond)"`
	Price    int64             `parquet:"price,decimal(2:9)"`
	Flag     *bool             `parquet:"flag,optional"`
	Half     float32           `parquet:"half"`
	Pixels   []byte            `parquet:"pixels"`
}

// TestParquetForms reads the types, codecs and page versions that must work, with rows that go
// across pages. See docs/spec/dumps-files.md#r16.
func TestParquetForms(t *testing.T) {
	var in []answerRow
	for i := range 300 {
		r := answerRow{ID: int64(i), Model: "m", Response: []byte(strings.Repeat(fmt.Sprint("é", i), i)), When: time.UnixMilli(1500).UTC(), Price: -12345, Half: 0.1, Pixels: []byte{255}}
		if i%3 == 0 {
			r.Task = &map[string]int64{"k": int64(i)}
			flag := true
			r.Flag = &flag
		}
		for j := range i % 40 {
			r.Shapes = append(r.Shapes, make([]float64, j%3))
			r.Messages = append(r.Messages, chatMessage{"user", strings.Repeat("x", j%5)})
			r.Options = append(r.Options, fmt.Sprint("option ", i, j))
		}
		in = append(in, r)
	}
	want := func(i int) string {
		r := in[i]
		var b strings.Builder
		task, flag := "", ""
		if r.Task != nil {
			task, flag = fmt.Sprintf(`,"task":{"k":%d}`, i), `,"flag":true`
		}
		shapes, messages, options := []string{}, []string{}, []string{}
		for j := range r.Shapes {
			shapes = append(shapes, []string{"[]", "[0]", "[0,0]"}[j%3])
			content := ""
			if j%5 > 0 {
				content = fmt.Sprintf(`,"content":"%s"`, r.Messages[j].Content)
			}
			messages = append(messages, `{"role":"user"`+content+`}`)
			options = append(options, `"`+r.Options[j]+`"`)
		}
		fmt.Fprintf(&b, `{"id":%d,"model":"m","response":"%s"%s,"shapes":[%s],"messages":[%s],"options":[%s],"when":"1970-01-01T00:00:01.5Z","price":-12345e-2%s,"half":0.1}`,
			i, r.Response, task, strings.Join(shapes, ","), strings.Join(messages, ","), strings.Join(options, ","), flag)
		return b.String()
	}
	for _, version := range []int{1, 2} {
		for _, codec := range []parquet.WriterOption{parquet.Compression(&parquet.Uncompressed), parquet.Compression(&parquet.Snappy), parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Zstd), parquet.Compression(&parquet.Lz4Raw)} {
			file := writeParquet(t, in, codec, parquet.DataPageVersion(version), parquet.PageBufferSize(512), parquet.MaxRowsPerRowGroup(70))
			n := 0
			path := temporary(t, file)
			src, done, err := recordtest.Via(input.Limits{}, func(in *input.Input) (record.Source, error) { return Parquet(in, rows.Options{}) })(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			for ; ; n++ {
				r, err := src.Next()
				if err != nil {
					break
				}
				if r.Fault != "" {
					t.Fatalf("version %d: %s", version, r.Fault)
				}
				if got := string(jsontree.Append(nil, r.Fields)); got != want(n) || r.Key != fmt.Sprint(n) || r.At != fmt.Sprint("row ", n) {
					t.Fatalf("version %d, key %s:\ngot  %.400s\nwant %.400s", version, r.Key, got, want(n))
				}
			}
			src.Close()
			done()
			if n != len(in) {
				t.Errorf("version %d: %d records; want %d", version, n, len(in))
			}
		}
	}
}

// TestParquetColumns checks flags and rows of other formats.
func TestParquetColumns(t *testing.T) {
	type line struct {
		CustomID string `parquet:"custom_id"`
		Result   string `parquet:"result"`
	}
	file := writeParquet(t, []line{{"a", "x"}, {"b", "y"}})
	foreign := rows.Options{Foreign: func(columns []string) func(*fastjson.Value, string) []record.Record {
		if strings.Join(columns, ",") != "custom_id,result" {
			t.Errorf("columns %v", columns)
		}
		return func(v *fastjson.Value, at string) []record.Record {
			return []record.Record{{At: at, Key: string(v.GetStringBytes("custom_id"))}, {At: at + " again"}}
		}
	}}
	all, err := readText(t, string(file), input.Limits{}, foreign, Parquet)
	if err != nil || len(all) != 4 || all[2].Key != "b" || all[3].At != "row 1 again" {
		t.Errorf("foreign rows: got %d records, %v", len(all), err)
	}
	all, err = readText(t, string(file), input.Limits{}, rows.Options{AnswerColumn: "result"}, Parquet)
	if err != nil || len(all) != 2 || all[1].Response != "y" {
		t.Errorf("--response: got %d records, %v", len(all), err)
	}
}

// footer returns a Parquet file that is only this footer.
func footer(b []byte) []byte {
	file := append([]byte("PAR1"), b...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(b))), "PAR1"...)
}

// TestHostileParquet checks footers and pages that ask for more memory than they are worth.
func TestHostileParquet(t *testing.T) {
	deep := func(n int) []byte {
		meta := format.FileMetaData{Schema: thrift.Slice[format.SchemaElement]{}}
		for i := range n {
			e := format.SchemaElement{Name: "response", NumChildren: thrift.New[int32](1)}
			if i == n-1 {
				e = format.SchemaElement{Name: "leaf", Type: thrift.New(format.Boolean)}
			}
			meta.Schema = append(meta.Schema, e)
		}
		b, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
		if err != nil {
			t.Fatal(err)
		}
		return footer(b)
	}
	type text struct {
		Response string `parquet:"response"`
	}
	same := make([]text, 70)
	for i := range same {
		same[i].Response = strings.Repeat("0", 1<<20)
	}
	zeros := writeParquet(t, same, parquet.Compression(&parquet.Gzip), parquet.DataPageStatistics(false), parquet.ColumnIndexSizeLimit(func([]string) int { return 16 }))
	for _, c := range []struct {
		file []byte
		want recordtest.Fault
	}{
		{deep(1000), recordtest.Fault{File: "deep", Ends: true, Words: []string{"columns are nested 999 deep; want at most 300"}}},
		{deep(290), recordtest.Fault{File: "deeper than the library", Ends: true}},
		{footer([]byte{0x29, 0xfc, 0xff, 0xff, 0xff, 0x07}), recordtest.Fault{File: "long list", Ends: true, Words: []string{"a list of 16777215 elements in 0 bytes"}}},
		{footer([]byte{0x18, 0xff, 0xff, 0xff, 0xff, 0x07}), recordtest.Fault{File: "long text", Ends: true, Words: []string{"the footer is damaged: it breaks off"}}},
		{footer(bytes.Repeat([]byte{0x1c}, 1000)), recordtest.Fault{File: "deep footer", Ends: true, Words: []string{"more than 50 deep"}}},
		{append([]byte("PAR1"), "\xff\xff\xff\x7fPAR1"...), recordtest.Fault{File: "size", Ends: true, Words: []string{"the footer has 2147483647 bytes"}}},
		{[]byte("PAR1PARE"), recordtest.Fault{File: "short", Ends: true, Words: []string{"no footer"}}},
		{[]byte("PAR1\x00\x00\x00\x00\x00PARE"), recordtest.Fault{File: "encrypted", Ends: true, Words: []string{"encrypted"}}},
		{zeros, recordtest.Fault{File: "bomb", Faults: 1, Words: []string{"row group 0 (rows 0 to 69), column response: ", "--max-ratio"}}},
	} {
		all, err := readText(t, string(c.file), input.Limits{}, rows.Options{}, Parquet)
		recordtest.CheckFault(t, c.want, all, err)
	}
	limits := input.Limits{Limits: dump.Limits{Line: 1 << 20, Ratio: 1_000_000}}
	all, err := readText(t, string(zeros), limits, rows.Options{}, Parquet)
	recordtest.CheckFault(t, recordtest.Fault{File: "long rows", Faults: 70, Words: []string{"row 0: it has 1048", "--max-line"}}, all, err)
}

// TestPageSizes checks pages whose headers lie. See docs/spec/dumps-files.md#r16.
func TestPageSizes(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(make([]byte, 10_000))
	w.Close()
	page := func(unpacked, size, values int32) []byte {
		h := format.PageHeader{Type: format.DataPage, UncompressedPageSize: unpacked, CompressedPageSize: size}
		h.DataPageHeader = thrift.New(format.DataPageHeader{NumValues: values})
		b, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
		if err != nil {
			t.Fatal(err)
		}
		return append(append([]byte("PAR1"), b...), packed.Bytes()...)
	}
	n := int32(packed.Len())
	for _, c := range []struct {
		unpacked, size, values int32
		want                   string
	}{
		{10_000, n, 5, ""},
		{9_999, n, 5, "it expands to more than the 9999 bytes that its header states"},
		{10_000, n + 1, 5, "goes beyond the column"},
		{2_000_000_000, n, 5, "it expands to more than 1073741824 bytes"},
		{10_000, n, 2_000_000_000, "it expands to more than 1073741824 bytes"},
		{-1, n, 5, "a size is negative"},
	} {
		b := page(c.unpacked, c.size, c.values)
		meta := &format.ColumnMetaData{Codec: format.Gzip, NumValues: 5, DataPageOffset: 4, TotalCompressedSize: int64(len(b) - 4)}
		_, _, err := checkPages(bytes.NewReader(b), meta, maxGroupBytes, input.Limits{})
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: got %s; want %q", c, got, c.want)
		}
	}
}

// FuzzParquet checks that damage to a file neither panics nor hangs, whatever byte it hits.
func FuzzParquet(f *testing.F) {
	in := []answerRow{{ID: 1, Response: []byte("A"), Options: []string{"x", "y"}, Shapes: [][]float64{{1}, nil}}, {ID: 2, Response: []byte("B")}}
	file := writeParquet(f, in, parquet.Compression(&parquet.Snappy))
	f.Add(10, byte(0), 20, byte(255))
	f.Fuzz(func(t *testing.T, i int, a byte, j int, b byte) {
		damaged := bytes.Clone(file)
		damaged[uint(i)%uint(len(file))] = a
		damaged[uint(j)%uint(len(file))] = b
		src, done, err := recordtest.Via(input.Limits{}, func(in *input.Input) (record.Source, error) { return Parquet(in, rows.Options{}) })(temporary(t, damaged), nil)
		defer done()
		if err != nil {
			return
		}
		for range 1000 {
			if _, err := src.Next(); err != nil {
				break
			}
		}
		src.Close()
	})
}

// TestArrowPages reads a file that pyarrow wrote with pages of version 2, which end with a page
// without values and keep truth values in runs: the library fails on the first and reads the
// second wrongly.
func TestArrowPages(t *testing.T) {
	src, done, err := recordtest.Via(input.Limits{}, func(in *input.Input) (record.Source, error) { return Parquet(in, rows.Options{}) })("testdata/arrow-v2.parquet", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	defer src.Close()
	for i := range 40 {
		r, err := src.Next()
		if err != nil || r.Fault != "" {
			t.Fatalf("row %d: %v %s", i, err, r.Fault)
		}
		shapes := []string{"", `{"id":"s0"}`, `{"id":"s0"},{"id":"s1"}`, `{"id":"s0"},{"id":"s1"},{"id":"s2"}`}[i%4]
		want := fmt.Sprintf(`{"id":"q%d","response":"a%d","task":{"flip":%t,"kind":"x"},"shapes":[%s]}`, i, i, i >= 20 || i%3 != 1, shapes)
		if i%2 == 0 {
			want = strings.Replace(want, `,"kind":"x"`, "", 1)
		}
		if i%5 == 0 {
			want = strings.Replace(want, fmt.Sprintf(`"response":"a%d",`, i), "", 1)
		}
		if got := string(jsontree.Append(nil, r.Fields)); got != want || (r.Missing != nil) != (i%5 == 0) {
			t.Errorf("row %d: got %s; want %s", i, got, want)
		}
	}
	if _, err := src.Next(); err == nil {
		t.Error("there are more than 40 rows")
	}
}

// TestUnpackBits checks runs of truth values, whole and damaged.
func TestUnpackBits(t *testing.T) {
	for _, c := range []struct {
		b    []byte
		n    int
		want string
	}{
		{[]byte{2, 0, 0, 0, 20, 1}, 10, "[255 3]"},
		{[]byte{4, 0, 0, 0, 6, 1, 3, 0b101}, 6, "[47]"},
		{[]byte{2, 0, 0, 0, 20, 1}, 11, "it has 10 truth values; want 11"},
		{[]byte{2, 0, 0, 0, 9, 1}, 8, "it has 0 truth values; want 8"},
		{[]byte{9, 0, 0, 0, 20, 1}, 8, "the length of its runs is wrong"},
		{[]byte{2, 0, 0, 0, 0, 1}, 1, "it has 0 truth values; want 1"},
		{nil, 0, "the length of its runs is wrong"},
	} {
		bits, err := unpackBits(c.b, c.n)
		got := fmt.Sprint(bits)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v, %d: got %s; want %s", c.b, c.n, got, c.want)
		}
	}
}
