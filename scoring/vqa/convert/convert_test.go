package convert

import (
	"strings"
	"testing"
)

// converted returns the item lines of the records in text, or the error of the first step that fails.
func converted(text string, given map[string]string, choices bool) (string, error) {
	records, err := Read([]byte(text), nil)
	if err != nil {
		return "", err
	}
	m, err := Map(records, given, choices)
	if err != nil {
		return "", err
	}
	var lines []string
	for i, r := range records {
		line, err := m.Item(r, i+1, "q")
		if err != nil {
			return "", err
		}
		lines = append(lines, string(line))
	}
	return strings.Join(lines, "\n"), nil
}

func TestItems(t *testing.T) {
	const tail = `,"category":"c","subcategory":"s"}`
	for _, c := range []struct{ name, in, want string }{
		{"JSON list", `[{"question":"w","options":["x","y"],"answer":"B","category":"c","sub_category":"s"}]`,
			`{"id":"q0001","question":"w","options":["x","y"],"answer":"B"` + tail},
		{"JSON lines with a byte order mark", "\ufeff" + `{"id":5,"question":"w","choices":["x","y"],"answer":"y","category":"c","task":"s"}` + "\n" +
			`{"id":-6,"question":"v","choices":["x","z"],"answer":"z","category":"c","task":"s"}`,
			`{"id":"5","question":"w","options":["x","y"],"answer":"y"` + tail + "\n" + `{"id":"-6","question":"v","options":["x","z"],"answer":"z"` + tail},
		{"CSV with a column for each option, the last ones empty", "question,A,B,C,D,Answer Index,category,subtask\nw,x,y,z,,2,c,s\nv,x,,,,0,c,s\n",
			`{"id":"q0001","question":"w","options":["x","y","z"],"answer_index":2` + tail + "\n" + `{"id":"q0002","question":"v","options":["x",""],"answer_index":0` + tail},
		{"option columns that are null", `{"question":"w","option1":"x","option2":"y","option3":null,"answer":0,"category":"c","subcategory":"s"}`,
			`{"id":"q0001","question":"w","options":["x","y"],"answer":"0"` + tail},
		{"a first letter before the digits and one after", `{"question":"/","options":["x","y"],"answer":":","category":"c","subcategory":"s"}`,
			`{"id":"q0001","question":"/","options":["x","y"],"answer":":"` + tail},
		{"numbers as options and answer", `{"question":"w","option_a":0,"option_b":9,"answer":9,"category":"c","subcategory":"s"}`,
			`{"id":"q0001","question":"w","options":["0","9"],"answer":"9"` + tail},
		{"options by label", `{"question":"w","options":{"B":"y","A":"x"},"answer":"B","category":"c","subcategory":"s"}`,
			`{"id":"q0001","question":"w","options":["x","y"],"answer":"B"` + tail},
		{"options as JSON text", `{"question":"w","options":"[\"x\", \"y\"]","answer":"B","category":"c","subcategory":"s"}`,
			`{"id":"q0001","question":"w","options":["x", "y"],"answer":"B"` + tail},
		{"options as Python text", `{"question":"w","options":"['x', 'y']","answer":"B","category":"c","subcategory":"s"}`,
			`{"id":"q0001","question":"w","options":["x","y"],"answer":"B"` + tail},
		{"pictures: one, a number, lists as JSON, as JSON text and as Python text",
			`{"image":"a.png","question":"w","options":["x","y"],"answer":"B","category":"c","subcategory":"s"}` +
				`{"image":7,"question":"w","options":["x","y"],"answer":"B","category":"c","subcategory":"s"}` +
				`{"image":["a","b"],"question":"w","options":["x","y"],"answer":"B","category":"c","subcategory":"s"}` +
				`{"image":"[\"a\"]","question":"w","options":["x","y"],"answer":"B","category":"c","subcategory":"s"}` +
				`{"image":"['a']","question":"w","options":["x","y"],"answer":"B","category":"c","subcategory":"s"}`,
			`{"id":"q0001","image":["a.png"],"question":"w","options":["x","y"],"answer":"B"` + tail + "\n" +
				`{"id":"q0002","image":["7"],"question":"w","options":["x","y"],"answer":"B"` + tail + "\n" +
				`{"id":"q0003","image":["a","b"],"question":"w","options":["x","y"],"answer":"B"` + tail + "\n" +
				`{"id":"q0004","image":["a"],"question":"w","options":["x","y"],"answer":"B"` + tail + "\n" +
				`{"id":"q0005","image":["a"],"question":"w","options":["x","y"],"answer":"B"` + tail},
		{"an index as text, and one that is no number", `{"question":"w","options":["x","y"],"answer_index":"1","category":"c","subcategory":"s"}` +
			`{"question":"w","options":["x","y"],"answer_index":"one","category":"c","subcategory":"s"}`,
			`{"id":"q0001","question":"w","options":["x","y"],"answer_index":1` + tail + "\n" +
				`{"id":"q0002","question":"w","options":["x","y"],"answer_index":"one"` + tail},
	} {
		if got, err := converted(c.in, nil, true); err != nil || got != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.name, got, err, c.want)
		}
	}
}

func TestMap(t *testing.T) {
	records, err := Read([]byte(`{"z":1,"Main Category":"c","sub-task":"s","Question":"w","a":"x","b":"y","c":"v","ground_truth":"g","own":"B","z":2}`), nil)
	if err != nil || strings.Join(records[0].Names, " ") != "z Main Category sub-task Question a b c ground_truth own" {
		t.Fatalf("got the columns %q, %v", records[0].Names, err)
	}
	m, err := Map(records, map[string]string{"answer": "own"}, true)
	if err != nil || strings.Join(m.options, " ") != "a b c" || strings.Join(m.Unused, " ") != "z" || m.columns["answer"] != "own" {
		t.Errorf("got %+v, %v", m, err)
	}
	// One column is no list of options, and an open question needs none.
	one, err := Read([]byte(`{"question":"w","a":"x","category":"c","subcategory":"s","answer":"B"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := Map(one, nil, false); err != nil || m.options != nil || strings.Join(m.Unused, " ") != "a" {
		t.Errorf("an open question: got %+v, %v", m, err)
	}
	two, err := Read([]byte(`{"question":"w","a":"x","b":"y","category":"c","subcategory":"s","answer":"B"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := Map(two, nil, true); err != nil || len(m.options) != 2 {
		t.Errorf("two columns of options: got %+v, %v", m, err)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, in string
		given    map[string]string
		want     string
	}{
		{"nothing", " \n", nil, "it is empty"},
		{"a list that breaks off", `[{"id":1},`, nil, "unexpected end"},
		{"a list of numbers", `[{"id":1},2]`, nil, "record 2: want a JSON object"},
		{"a null", `[null]`, nil, "record 1: want a JSON object"},
		{"a second line that breaks off", `{"id":1}` + "\n" + `{"id":`, nil, "record 2: unexpected EOF"},
		{"CSV with a short row", "a,b\n1\n", nil, "wrong number of fields"},
		{"CSV with a bad head", "a,\"b\n", nil, "parse error"},
		{"no question", `{"category":"c"}`, nil, "cannot find question: want a column question, questiontext, or --map question=COLUMN; got category"},
		{"no options", `{"question":"w","category":"c","subcategory":"s","answer":"B"}`, nil, "cannot find options: want a column options, choices"},
		{"no answer", `{"question":"w","category":"c","subcategory":"s","options":["x","y"]}`, nil, "cannot find answer"},
		{"a member that is none", `{"question":"w"}`, map[string]string{"title": "question"}, `cannot map "title": it is no member of an item`},
		{"a column that is not there", `{"question":"w"}`, map[string]string{"answer": "own"}, `cannot map answer: there is no column "own"; got question`},
		{"a record without a question", `{"question":"w","category":"c","subcategory":"s","options":["x","y"],"answer":"B"}{"id":1}`, nil, "column question is empty; want the question"},
		{"options that are no list", `{"question":"w","category":"c","subcategory":"s","options":"x or y","answer":"B"}`, nil, `cannot read options: got the text "x or y"`},
	} {
		if got, err := converted(c.in, c.given, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %s, %v; want an error with %q", c.name, got, err, c.want)
		}
	}
}
