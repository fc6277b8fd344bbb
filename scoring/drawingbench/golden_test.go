package drawingbench

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/testdata"
)

var update = flag.Bool("update", false, "write testdata again")

// madeActions returns a made-up list of mouse actions: clicks on buttons, drags, dots, actions off the
// canvas and ones that fail.
func madeActions(r *rand.Rand) string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	inside := func() (x, y int) { return 90 + 10*r.IntN(101), 70 + 10*r.IntN(71) }
	for range r.IntN(9) {
		x, y := inside()
		switch r.IntN(8) {
		case 0:
			add(`{"action":"click","x":35,"y":%d}`, 45+80*r.IntN(9))
		case 1:
			add(`{"action":"click","x":%d,"y":25}`, 405+24*r.IntN(8))
		case 2, 3, 4:
			add(`{"action":"moveTo","x":%d,"y":%d}`, x, y)
			add(`{"action":"mouseDown"}`)
			x, y = inside()
			add(`{"action":"moveTo","x":%d,"y":%d.5}`, x, y)
			add(`{"action":"mouseUp","x":%d,"y":%d.5}`, x, y)
		case 5:
			add(`{"action":"click","x":%d,"y":%d}`, x, y)
		case 6:
			list = append(list, []string{`{"action":"undo"}`, `{"action":"redo"}`, `{"action":"mouseDown"}`, `{"action":"wait"}`, `{"x":1}`, `{"action":"moveTo","x":3000,"y":5}`}[r.IntN(6)])
		case 7:
			for range 3 {
				x, y = inside()
				add(`{"action":"moveTo","x":%d,"y":%d}`, x, y)
			}
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}

// madeLines returns dump lines of a made-up evaluation: three models, two turns and runs, all difficulties,
// answers in every form, and some that are missing or cannot be read.
func madeLines() (lines []string) {
	r := rand.New(rand.NewPCG(21, 22))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	criteria := []string{`{"required_tools":["pen"],"min_segments":1}`, `{"required_tools":["line","circle"],"required_colors":["#FF0000"],"min_coverage":0.1}`,
		`{"required_colors":["#000000","#00FF00"],"position_constraint":{"type":"above"},"max_actions":9}`, `{"size_constraint":{"width":300,"height":200,"tolerance":120},"corner_placement":true}`, `{}`, `null`}
	for task := range 12 {
		demand, category, difficulty := criteria[task%len(criteria)], pick("basic_shapes", "spatial", "of its own"), pick("easy", "medium", "hard")
		for _, model := range []string{`"model":"alpha"`, `"model":"beta"`, `"asked":{"model":"gamma","mode":"cot","usage":{"prompt":900,"completion":%d},"seconds":%d.5}`} {
			for repeat := 1; repeat <= 2; repeat++ {
				for turn := 1; turn <= 1+r.IntN(2); turn++ {
					who := strings.NewReplacer("%d.5", fmt.Sprint(1+r.IntN(9), ".5"), "%d", fmt.Sprint(r.IntN(500))).Replace(model)
					quoted := string(scoring.AppendString(nil, madeActions(r)))
					answer := pick(`"actions":`+madeActions(r), `"response":`+quoted, `"response":`+quoted, `"response":"Here:\n`+quoted[1:], `"response":"no"`, `"response":null`, `"response":"[1]"`, `"actions":{"actions":[]}`)
					lines = append(lines, fmt.Sprintf(`{"id":"t%d/%d","task_id":"t%[1]d","index":%[1]d,"turn":%[2]d,"repeat":%[3]d,%[4]s,"category":%[5]q,"difficulty":%[6]q,"prompt":%[7]q,"criteria":%[8]s,%[9]s}`,
						task, turn, repeat, who, category, difficulty, pick("a dot in the center", "a line at the top left", "draw"), demand, answer))
				}
			}
		}
	}
	return lines
}

// prepared reads a made-up line under variants.
func prepared(t *testing.T, s *scoring.Suite, line string, v scoring.Variants) (*scoring.Item, scoring.Job, error) {
	t.Helper()
	fields := fastjson.MustParse(line)
	who, err := scoring.ReadIdentity(fields, "")
	if err != nil {
		t.Fatal(err)
	}
	it := &scoring.Item{ID: string(fields.GetStringBytes("id")), Suite: suiteName, Who: who, Fields: fields}
	j, err := s.Prepare(it, v)
	return it, j, err
}

// TestKeptTables compares the results and tables of a made-up evaluation with
// testdata/drawingbench/kept.txt, so that no change of them passes unseen. The other tests say what is
// right. With -update it writes the file.
func TestKeptTables(t *testing.T) {
	var b strings.Builder
	s := New(Config{MaxActions: 40})
	for _, v := range []scoring.Variants{nil, {Input: "strict", WithPrompt: ""}} {
		tables := newTables(scoring.TableOptions{Missing: v != nil})
		for i, line := range madeLines() {
			it, j, err := prepared(t, s, line, v)
			if err != nil {
				fmt.Fprintf(&b, "%d %v\n", i, err)
				continue
			}
			r := j.Score(nil)
			r.Who = it.Who
			tables.Add(&r)
			sum := sha256.New()
			sum.Write(r.AppendJSON(nil, scoring.Clamp01, ""))
			next, ok := Followup(&r)
			fmt.Fprintf(sum, "%s %v %s\n", next, ok, Feedback(&r))
			fmt.Fprintf(&b, "%d %s %.3f %.8x\n", i, r.Status, r.Score, sum.Sum(nil))
		}
		for _, one := range tables.Tables() {
			fmt.Fprintf(&b, "%s\n%s\n%s\n", one.Title, one.Note, strings.Join(one.Columns, " | "))
			for _, row := range one.Rows {
				fmt.Fprintln(&b, strings.Join(row, " | "))
			}
			b.WriteByte('\n')
		}
	}
	testdata.Compare(t, "drawingbench/kept.txt", b.String(), *update)
}

// TestKeptPictures does so for what is drawn: exhibits, pictures with their counts, and the scores of the
// profiles that look at them.
func TestKeptPictures(t *testing.T) {
	var b strings.Builder
	s := New(Config{MaxActions: 40})
	for k, v := range []scoring.Variants{nil, {Profile: "paper", PixelMetrics: "", CoverageBonus: "0.05", EfficiencyBonus: "0.02"}, {Profile: "paper", Renormalise: "", Penalties: "off"}, {Profile: "pixels"}} {
		for i, line := range madeLines() {
			if i%12 != k {
				continue
			}
			it, j, err := prepared(t, s, line, v)
			if err != nil {
				fmt.Fprintf(&b, "%d %v\n", i, err)
				continue
			}
			r := j.Score(nil)
			sum := sha256.New()
			sum.Write(r.AppendJSON(nil, scoring.Clamp01, ""))
			if v == nil {
				exhibit := j.(scoring.Shower).Show(&r)
				for _, p := range exhibit.Panels {
					fmt.Fprintf(sum, "%s %v\n", p.Title, p.Marks)
				}
				p, err := s.Paint(it, v)
				fmt.Fprintf(sum, "%v %v %v\n", exhibit.Texts, p.Stats, err)
			}
			fmt.Fprintf(&b, "%v %d %s %.3f %.8x\n", v, i, r.Status, r.Score, sum.Sum(nil))
		}
	}
	testdata.Compare(t, "drawingbench/kept-pictures.txt", b.String(), *update)
}
