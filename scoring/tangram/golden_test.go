package tangram

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/generate"
	"plumb/testdata"
)

var update = flag.Bool("update", false, "write testdata again")

// vertexNumbers are the coordinates of an answer that are decimals.
var vertexNumbers = regexp.MustCompile(`"-?[0-9]+\.[0-9]+"`)

// madeItems returns dump lines of made-up answers to generated instances: of every quality, with
// decimals that are off by a little, of two models with repeats and all settings, and to Task 1.
func madeItems() (lines []string) {
	r := rand.New(rand.NewPCG(31, 32))
	settings := []string{"zero-shot", "one-shot", "visual-centric", "of its own"}
	for k := range 6 {
		in := generate.Instance(12, k)
		instance := string(in.AppendJSON(nil))
		var answers []string
		for _, q := range generate.Qualities {
			answers = append(answers, generate.Answer(in, q))
		}
		rounded := generate.Answer(in, generate.Rounded)
		for _, off := range []float64{0.002, 0.004, 0.01, 0.03, 0.1} {
			answers = append(answers, vertexNumbers.ReplaceAllStringFunc(rounded, func(s string) string {
				x, _ := strconv.ParseFloat(s[1:len(s)-1], 64)
				return fmt.Sprintf("\"%.5f\"", x+off*(2*r.Float64()-1))
			}))
		}
		for i, answer := range answers {
			response := string(scoring.AppendString(nil, answer))
			if i == 3 && k%2 == 0 {
				response = "null"
			}
			lines = append(lines, fmt.Sprintf(`%s,"id":"t%d","model":%q,"repeat":%d,"setting":%q,"response":%s}`, instance[:len(instance)-1], k, []string{"alpha", "beta"}[i%2], 1+i/2, settings[(i/3)%len(settings)], response))
		}
		for i := range 4 {
			right := string("ABCD"[(k+i)%4])
			text, _, _ := generate.Choice(right, k+i)
			lines = append(lines, fmt.Sprintf(`{"id":"o%d","test":"outline","model":"alpha","repeat":%d,"answer":%q,"response":%s}`, k, i+1, right, scoring.AppendString(nil, text)))
		}
	}
	return lines
}

// TestAllKept compares the results and tables of made-up answers under several variants with
// testdata/tangram/kept.txt, so that no change of them passes unseen. The other tests say what is
// right. With -update it writes the file.
func TestAllKept(t *testing.T) {
	var b strings.Builder
	for _, v := range []scoring.Variants{nil, {ScoreVariant: "iou", Repair: ""}, {Congruent: "", Points: ""}, {MetricBy: "raster", RasterSize: "128"}} {
		s := New()
		tables := s.Tables(scoring.TableOptions{Missing: v != nil})
		for i, line := range madeItems() {
			fields := fastjson.MustParse(line)
			who, err := scoring.ReadIdentity(fields, "")
			if err != nil {
				t.Fatal(err)
			}
			it := scoring.Item{ID: string(fields.GetStringBytes("id")), Suite: suiteName, Test: string(fields.GetStringBytes("test")), Who: who, Fields: fields}
			j, err := s.Prepare(&it, v)
			if err != nil {
				t.Fatal(err)
			}
			r := j.Score(nil)
			r.Who = who
			tables.Add(&r)
			sum := sha256.New()
			sum.Write(r.AppendJSON(nil, scoring.Clamp01, ""))
			if v == nil {
				for _, p := range s.MovableParts(&it, v) {
					fmt.Fprintf(sum, "%+v\n", p)
				}
				moved, err := s.MoveParts(&it, v, "", 0.05, -0.1)
				fmt.Fprintf(sum, "%s %v\n", moved, err)
				if canvas, err := s.Canvas(&it, v); err == nil {
					status, notes, err := canvas.Apply(&it)
					fmt.Fprintf(sum, "%s %v %v %s\n", status, notes, err, canvas.AppendAnswer(nil))
				}
				if i%4 == 0 && j.(*job).picture != nil {
					target, pieces := j.(*job).picture.outlines()
					fmt.Fprintf(sum, "%.9g\n", target)
					for _, p := range pieces {
						fmt.Fprintf(sum, "%s %v %.9g\n", p.Name, p.Distorted, p.Loop)
					}
				}
				if from, to, ok := s.Reading(&it, v); ok {
					fmt.Fprintf(sum, "%d %d\n", from, to)
				}
			}
			fmt.Fprintf(&b, "%d %s %.4f %.8x\n", i, r.Status, r.Score, sum.Sum(nil))
		}
		for _, one := range tables.Tables() {
			fmt.Fprintf(&b, "%s\n%s\n%s\n", one.Title, one.Note, strings.Join(one.Columns, " | "))
			for _, row := range one.Rows {
				fmt.Fprintln(&b, strings.Join(row, " | "))
			}
			b.WriteByte('\n')
		}
	}
	testdata.Compare(t, "tangram/kept.txt", b.String(), *update)
}
