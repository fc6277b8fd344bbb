package paper

import (
	"math"
	"strings"
	"testing"
)

const good = `{"benchmark":"B","source":"s","tables":{"t":{"columns":["model","score"],"rows":[["x",0.5],["y",null]]}}}`

func TestRead(t *testing.T) {
	p, err := Read([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	tab := p.Tables["t"]
	if r := tab.Find("x"); r.Number(1) != 0.5 || r.Cell(1, 2) != "0.50" {
		t.Errorf("got the row %v", r)
	}
	if r := tab.Find("y"); !math.IsNaN(r.Number(1)) || r.Cell(1, 2) != "-" || tab.Find("z") != nil {
		t.Errorf("got the row %v", r)
	}
	for doc, want := range map[string]string{
		`[]`:                                  "array",
		`{"benchmark":"B"}`:                   "0 tables",
		`{"tables":{"t":{}}}`:                 `benchmark ""`,
		strings.Replace(good, `"x",`, ``, 1):  "tables.t.rows[0]: it has 1 cell; want 2",
		strings.Replace(good, `0.5`, `{}`, 1): "tables.t.rows[0][1]",
	} {
		if _, err := Read([]byte(doc)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want an error with %q", doc, err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	other := strings.Replace(good, `"s"`, `"other"`, 1)
	foreign := strings.Replace(good, `"B"`, `"C"`, 1)
	for _, c := range []struct {
		given [][]byte
		want  string
	}{{nil, "s"}, {[][]byte{}, ""}, {[][]byte{[]byte(other)}, "other"}, {[][]byte{[]byte(foreign)}, "s"}} {
		if got := Choose("B", []byte(good), c.given).Source; got != c.want {
			t.Errorf("%q: got %q; want %q", c.given, got, c.want)
		}
	}
}

func TestPlace(t *testing.T) {
	list := []Published{{"a", 0.9}, {"b", 0.5}, {"none", math.NaN()}, {"c", 0.1}}
	for _, c := range []struct {
		x             float64
		rank, nearest string
	}{{1, "1 of 4", "+0.10 a"}, {0.5, "2 of 4", "+0.00 b"}, {0.2, "3 of 4", "+0.10 c"}, {0, "4 of 4", "-0.10 c"}, {math.NaN(), "-", "-"}, {math.Inf(1), "-", "-"}, {math.Inf(-1), "-", "-"}} {
		if rank, nearest := Place(c.x, list, 2); rank != c.rank || nearest != c.nearest {
			t.Errorf("%v: got %s, %s; want %s, %s", c.x, rank, nearest, c.rank, c.nearest)
		}
	}
	if rank, _ := Place(1, nil, 2); rank != "-" {
		t.Errorf("nothing published: got %s", rank)
	}
}
