package sheets

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"plumb/daemon/dump"
	"plumb/daemon/records/archive"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/record/recordtest"
	"plumb/daemon/records/rows"
)

// workbook returns a spreadsheet with the cells of rows; nil leaves a cell out.
func workbook(t *testing.T, table ...[]any) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i, row := range table {
		for j, v := range row {
			name, _ := excelize.CoordinatesToCellName(j+1, i+1)
			if v != nil {
				if err := f.SetCellValue("Sheet1", name, v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	b, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// replaced returns an archive with the contents of entries changed; one that edit returns nil for
// is left out. An entry that is new is added with the name "new".
func replaced(t *testing.T, archive []byte, edit func(name string, b []byte) []byte) []byte {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	put := func(name string, b []byte) {
		if b == nil {
			return
		}
		method := zip.Deflate
		if len(b) > 32<<20 { // noise, which is slow to compress
			method = zip.Store
		}
		e, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = e.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range zr.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(r)
		put(f.Name, edit(f.Name, b))
	}
	put("xl/media/new.bin", edit("new", nil))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// in changes the text of one entry.
func in(entry, old, new string) func(string, []byte) []byte {
	return func(name string, b []byte) []byte {
		if name == entry {
			return []byte(strings.Replace(string(b), old, new, 1))
		}
		return b
	}
}

const (
	sheetPart = "xl/worksheets/sheet1.xml"
	textsPart = "xl/sharedStrings.xml"
)

// TestMadeUpSheets reads spreadsheets that other programs than VLMEvalKit could write, and
// damaged ones. See docs/spec/dumps-files.md#r11.
func TestMadeUpSheets(t *testing.T) {
	small := workbook(t, []any{"index", "prediction"}, []any{1, "A"}, []any{2, "B"})
	escapes := replaced(t, small, in(textsPart, "<si><t>A</t></si>", "<si><t>"+strings.Repeat("_x0041_", 60000)+"</t></si>"))
	for _, c := range []struct {
		name string
		file []byte
		want recordtest.Fault
	}{
		{"gaps", workbook(t, []any{"index", "prediction", "thinking"}, []any{1, "A"}, nil, []any{nil, nil, "h"}, []any{4, "B"}),
			recordtest.Fault{Records: 3, Words: []string{"sheet Sheet1 row 4 empty_cell"}}},
		{"texts below the numbers", replaced(t, small, in(textsPart, "<si><t>A</t></si>", "")),
			recordtest.Fault{Ends: true, Words: []string{"sharedStrings.xml", "states 4 and has 3; the file is damaged"}}},
		{"a missing text", replaced(t, small, in(sheetPart, `<v>3</v>`, `<v>9</v>`)),
			recordtest.Fault{Records: 1, Ends: true, Words: []string{"sheet1.xml", "in the table of texts; the file is damaged"}}},
		{"rows out of order", replaced(t, small, in(sheetPart, `<row r="3"`, `<row r="2"`)),
			recordtest.Fault{Records: 1, Ends: true, Words: []string{"stands behind row 2"}}},
		{"torn sheet", replaced(t, small, in(sheetPart, "</sheetData>", "<row")), recordtest.Fault{Records: 2, Ends: true, Words: []string{"sheet1.xml", "XML syntax error"}}},
		{"no texts", replaced(t, small, func(name string, b []byte) []byte {
			if name == textsPart {
				return nil
			}
			return b
		}), recordtest.Fault{Ends: true, Words: []string{"row 1", "in the table of texts"}}},
		{"equals sign", replaced(t, small, in(sheetPart, `<c r="B2" t="s"><v>2</v></c>`, `<c r="B2"><f></f><v>0</v></c>`)),
			recordtest.Fault{Records: 2, Words: []string{"formula_cell"}}},
		{"shared formula", replaced(t, small, in(sheetPart, `<c r="B2" t="s"><v>2</v></c>`, `<c r="B2"><f t="shared" si="0"/><v>0</v></c>`)),
			recordtest.Fault{Records: 1, Faults: 1, Words: []string{"Sheet1!B2: the cell shares the formula of another one"}}},
		{"double column", workbook(t, []any{"index", "prediction", "prediction"}, []any{1, "A", "B"}),
			recordtest.Fault{Ends: true, Words: []string{"more than once"}}},
		{"large picture", replaced(t, small, func(name string, b []byte) []byte {
			if name == "new" {
				return noise(65 << 20)
			}
			return b
		}), recordtest.Fault{Ends: true, Words: []string{"new.bin", "want the sheet alone"}}},
		{"bomb", replaced(t, small, func(name string, b []byte) []byte {
			if name == "new" {
				return make([]byte, 30<<20)
			}
			return b
		}), recordtest.Fault{Ends: true, Words: []string{"--max-ratio"}}},
		{"escapes", escapes, recordtest.Fault{Records: 2, Words: []string{"cut_cell"}}},
		{"torn", small[:len(small)-100], recordtest.Fault{Ends: true, Words: []string{"without a central directory"}}},
	} {
		all, err := readText(t, string(c.file), input.Limits{}, rows.Options{}, XLSX)
		c.want.File = c.name
		recordtest.CheckFault(t, c.want, all, err)
	}
}

// A copy with scores is refused where the library would take hours to undo escapes.
func TestManyEscapes(t *testing.T) {
	small := workbook(t, []any{"index", "prediction"}, []any{1, "A"}, []any{2, "B"})
	file := replaced(t, small, in(textsPart, "<si><t>A</t></si>", "<si><t>"+strings.Repeat("_x0041_", 60000)+"</t></si>"))
	file = replaced(t, file, in(sheetPart, "</sheetData>", strings.Repeat(`<row><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>`, 500)+"</sheetData>"))
	if all, err := readText(t, string(file), input.Limits{}, rows.Options{}, XLSX); err != nil || len(all) != 502 {
		t.Errorf("got %d records, %v; want 502", len(all), err)
	}
	in, err := input.Open("-", bytes.NewReader(file), input.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := AnnotateXLSX(in, io.Discard, nil); err == nil || !strings.Contains(err.Error(), "too many escapes") {
		t.Errorf("got %v; want that there are too many escapes", err)
	}
}

// Cells are those that the library for spreadsheets reads.
func TestCellsAsTheLibrary(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	table := [][]any{{"index", "prediction", "x"}, {1, "a & b < c > \"d\"", true}, {2.5, "two\r\nlines\n\ttab ", "_x000D_ _x005F_x0041_ _x00e9_"},
		{-3, "\u00e9 \u4e2d \U0001f600", nil}, {nil, nil, "z"}, {1e20, "  blanks  ", false}, nil, {7, "]]> <![CDATA[x]]>", ""}}
	for i, row := range table {
		for j, v := range row {
			name, _ := excelize.CoordinatesToCellName(j+1, i+1)
			if err := f.SetCellValue("Sheet1", name, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.SetCellRichText("Sheet1", "D2", []excelize.RichTextRun{{Text: "rich "}, {Text: "text & more", Font: &excelize.Font{Bold: true}}})
	f.SetCellFormula("Sheet1", "D3", "1+1")
	b, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	file := replaced(t, b.Bytes(), in(sheetPart, `<c r="A4">`, `<c r="E4" t="inlineStr"><is><r><t>in</t></r><r><t xml:space="preserve"> line_x0041_</t></r><rPh><t>no</t></rPh></is></c><c r="A4">`))
	file = replaced(t, file, in(textsPart, "<sst ", "<!-- a comment --><sst "))
	g, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, most := range []uint64{maxInMemory, 0} { // texts in memory, and in a file
		src, err := input.Open("-", bytes.NewReader(file), input.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := archive.Open(src)
		if err != nil {
			t.Fatal(err)
		}
		_, part, err := firstSheet(a)
		texts, e := readSharedTexts(a, most)
		if err != nil || e != nil {
			t.Fatal(err, e)
		}
		c, err := openCells(a, part, texts)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for err = c.next(); err == nil; err = c.next() {
			n++
			for j := range 6 {
				name, _ := excelize.CoordinatesToCellName(j+1, c.row)
				want, _ := g.GetCellValue("Sheet1", name)
				got := ""
				if j < len(c.values) {
					got = c.values[j]
				}
				if got != want {
					t.Errorf("%s: got %q; want %q", name, got, want)
				}
			}
		}
		if err != io.EOF || n != 7 {
			t.Errorf("got %d rows, %v; want 7", n, err)
		}
		c.Close()
		texts.Close()
		src.Close()
	}
}

// XML that is not well formed is refused.
func TestMarkup(t *testing.T) {
	for text, want := range map[string]string{
		"<a><b/>x</a>": "", "<a>&lt;&#65;</a>": "", "<?xml version=\"1.0\" encoding='UTF-8'?><!-- c --><a/>\n": "", "\ufeff<a/>": "", "<p:a></p:a>": "",
		"": "breaks off", "<a>": "breaks off", "<a": "breaks off", "<": "", "<a><b></a>": "want the end", "</a>": "want no end", "<a/><b/>": "breaks off", "x<a/>": "outside",
		"<a>&nbsp;</a>": "invalid escape", "<a>&</a>": "invalid escape", "<a>\x01</a>": "character", "<a>\xff</a>": "character", "<a>&#1;</a>": "character",
		"<?xml version='1.0' encoding=\"latin1\"?><a/>": "encoding", "<a>" + strings.Repeat("x", maxText+200<<10) + "</a>": "a text of more than",
	} {
		m := newMarkup(strings.NewReader(text))
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil { // readers of spreadsheets recover too
					err = fmt.Errorf("%v", p)
				}
			}()
			for err == nil {
				_, err = m.next()
			}
			return err
		}()
		if want == "" && text != "<" && err != io.EOF || want != "" && (err == io.EOF || !strings.Contains(err.Error(), want)) || text == "<" && err == io.EOF {
			t.Errorf("%.60q: got %v; want %q", text, err, want)
		}
	}
}

// noise returns bytes that do not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// TestLargeSheet reads a table of cells that the library keeps in a temporary file, and the name of
// the column from a flag.
func TestLargeSheet(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f := excelize.NewFile()
	defer f.Close()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	const n = 800
	w.SetRow("A1", []any{"id", "said"})
	text := func(i int) string { return "_x000D_ " + strings.Repeat(fmt.Sprintf("line %d\n", i), 2600) }
	for i := range n {
		w.SetRow(fmt.Sprintf("A%d", i+2), []any{i, text(i)})
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	b, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	temporaries := func() int {
		all, _ := os.ReadDir(dir)
		return len(all)
	}
	before := temporaries()
	limits := input.Limits{Limits: dump.Limits{Ratio: 1000}}
	all, err := readText(t, b.String(), limits, rows.Options{AnswerColumn: "said"}, XLSX)
	if err != nil || len(all) != n {
		t.Fatalf("got %d records, %v; want %d", len(all), err, n)
	}
	if after := temporaries(); after > before {
		t.Errorf("%d temporary files are left", after-before)
	}
	for i, g := range all {
		if g.Key != fmt.Sprint(i) || g.Response != text(i) {
			t.Fatalf("record %d: key %s, response %.40q", i, g.Key, g.Response)
		}
	}
}

// FuzzXLSX checks that no damage to a spreadsheet panics or gives other answers than those in it.
func FuzzXLSX(f *testing.F) {
	f.Add(10, byte(0))
	f.Add(500, byte('<'))
	book := func(t *testing.T) []byte {
		return workbook(t, []any{"index", "prediction"}, []any{1, "first answer"}, []any{2, "second answer"})
	}
	f.Fuzz(func(t *testing.T, at int, c byte) {
		parts := 0
		file := replaced(t, book(t), func(name string, b []byte) []byte {
			if at >= parts && at < parts+len(b) {
				b = bytes.Clone(b)
				b[at-parts] = c
			}
			parts += len(b)
			return b
		})
		all, _ := readText(t, string(file), input.Limits{}, rows.Options{}, func(in *input.Input, o rows.Options) (record.Source, error) { return XLSX(in, o) })
		if len(all) > 3 {
			t.Fatalf("byte %d as %q: %d records", at, c, len(all))
		}
	})
}
