package convert

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"plumb/testdata"
)

// picture is a column of pictures as public data sets write it.
type picture struct {
	Bytes []byte `parquet:"bytes,optional"`
	Path  string `parquet:"path,optional"`
}

// question is a row of a public data set.
type question struct {
	ID          int64    `parquet:"id"`
	Image       picture  `parquet:"image"`
	Question    string   `parquet:"question"`
	Options     []string `parquet:"options,list"`
	Answer      string   `parquet:"answer"`
	Category    string   `parquet:"category"`
	Subcategory string   `parquet:"sub_category"`
}

func TestParquet(t *testing.T) {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[question](&file)
	w.Write([]question{{7, picture{dot.Bytes(), "a.png"}, "Which?", []string{"x", "y"}, "B", "c", "s"}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var kept [][]byte
	keep := func(b []byte, ext string) (string, error) {
		kept = append(kept, b)
		return "images/1." + ext, nil
	}
	records, err := Read(file.Bytes(), keep)
	if err != nil || len(records) != 1 {
		t.Fatalf("got %d records, %v; want one", len(records), err)
	}
	m, err := Map(records, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	line, err := m.Item(records[0], 1, "sl-")
	want := `{"id":"7","image":["images/1.png"],"question":"Which?","options":["x","y"],"answer":"B","category":"c","subcategory":"s"}`
	if err != nil || string(line) != want || len(kept) != 1 || !bytes.Equal(kept[0], dot.Bytes()) {
		t.Errorf("got %s, %v, %d pictures; want %s", line, err, len(kept), want)
	}
	if _, err := Read(file.Bytes(), nil); err == nil || !strings.Contains(err.Error(), "--images") {
		t.Errorf("without a folder: got %v; want --images", err)
	}
	for n := range 3 {
		if _, err := Read(file.Bytes()[:file.Len()-1-n*40], keep); err == nil {
			t.Errorf("a file that breaks off: got no error")
		}
	}
}

// Files of more rows than are read at a time are read to the end, and an error names the row.
func TestParquetRows(t *testing.T) {
	type row struct {
		Question []byte `parquet:"question"`
	}
	file := func(last []byte) []byte {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b)
		for i := range 149 {
			w.Write([]row{{fmt.Appendf(nil, "q%d", i+1)}})
		}
		w.Write([]row{{last}})
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	records, err := Read(file([]byte("q150")), nil)
	if err != nil || len(records) != 150 {
		t.Fatalf("got %d records, %v; want 150", len(records), err)
	}
	for i, r := range records {
		if got, want := string(r.Values["question"]), fmt.Sprintf(`"q%d"`, i+1); got != want {
			t.Errorf("record %d: got %s; want %s", i+1, got, want)
		}
	}
	if _, err := Read(file([]byte{0xff, 0xfe}), nil); err == nil || !strings.Contains(err.Error(), "record 150: column question: its bytes") {
		t.Errorf("bytes that are no text in the last row: got %v; want an error that names record 150", err)
	}
}

// TestParquetSample reads a file that another writer made.
func TestParquetSample(t *testing.T) {
	records, err := Read(testdata.Bytes(t, "formats/hf-parquet/rows.parquet"), nil)
	if err != nil || len(records) == 0 || len(records[0].Names) == 0 {
		t.Errorf("got %d records, %v", len(records), err)
	}
}

// Values of every kind, nested as the reader returns them, become JSON; bytes that are no text are
// refused wherever they stand.
func TestJSONValue(t *testing.T) {
	group := func(key string, v any) map[string]any { return map[string]any{key: v} }
	bad := []byte{0xff, 0xfe, 0}
	for _, c := range []struct {
		name string
		in   any
		want string // "" for an error
	}{
		{"text", "a", `"a"`}, {"number", 1.5, "1.5"}, {"no number", math.NaN(), "null"}, {"infinity", math.Inf(1), "null"}, {"whole number", int64(3), "3"},
		{"list", []any{"a", nil}, `["a",null]`}, {"bad bytes in a list", []any{bad}, ""}, {"bad bytes", bad, ""},
		{"list in groups", group("list", []any{group("element", "a"), group("element", "b")}), `["a","b"]`},
		{"list of objects", group("list", []any{map[string]any{"x": 1.0, "y": 2.0}}), `[{"x":1,"y":2}]`},
		{"an object with a list", map[string]any{"list": []any{"a"}, "n": 1.0}, `{"list":["a"],"n":1}`},
		{"an object with no list", group("list", "a"), `{"list":"a"}`},
		{"bad bytes in an object", group("x", bad), ""},
		{"text as bytes and path", map[string]any{"bytes": []byte("a"), "path": "p"}, `"a"`},
		{"a path alone", map[string]any{"bytes": nil, "path": "p"}, `{"bytes":null,"path":"p"}`},
	} {
		got, err := jsonValue(c.in, nil)
		if (err != nil) != (c.want == "") || string(got) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}
