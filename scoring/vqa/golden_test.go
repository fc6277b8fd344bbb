package vqa

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"plumb/scoring"
	"plumb/testdata"
)

var update = flag.Bool("update", false, "write the file with which TestAllTables compares")

// madeLines returns dump lines of a made-up evaluation: all categories and most subcategories, three
// models, repeated and blind runs, two methods, and answers of every kind. The generator has a fixed
// seed, so that the lines are always the same.
func madeLines(b *benchmark) (lines []string) {
	r := rand.New(rand.NewPCG(11, 12))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	asks := []string{`"model":"alpha"`, `"model":"alpha","run":2`, `"model":"alpha","run":3`, `"model":"beta"`, `"model":"beta","run":2`,
		`"model":"gamma"`, `"model":"gamma","blind":true`, `"asked":{"model":"delta","method":"direct","format":"mcq"}`,
		`"asked":{"model":"delta","method":"cot","format":"mcq"}`, `"model":"human"`}
	id := 0
	for _, c := range b.categories {
		for _, sub := range c.subs[:len(c.subs)-1] {
			for range 3 {
				id++
				item := fmt.Sprintf(`"id":"i%d",%s,"answer":"%d","category":%q,"subcategory":%q,"image":["p%d.png"],"scale":%q,"option_kind":%q`,
					id, rooms, r.IntN(4)+1, c.id, sub.name, id/2, pick("object", "Room Space", "urban space", "of its own"), pick("visual", "text"))
				if b == spaceeval {
					item = strings.NewReplacer(`"answer":"1"`, `"answer":"A"`, `"answer":"2"`, `"answer":"B"`, `"answer":"3"`, `"answer":"C"`, `"answer":"4"`, `"answer":"D"`).Replace(item)
				}
				// One model answers every item in both formats, so that its gap is complete.
				if b == spatialab {
					lines = append(lines, fmt.Sprintf(`{%s,"model":"even","response":"%d"}`, item, r.IntN(4)+1),
						fmt.Sprintf(`{%s,"model":"even","format":"open","response":"it","judge":"%d"}`, item, r.IntN(3)/2))
				}
				for k, ask := range asks {
					if k > 6 && b == spaceeval && k < 9 || r.IntN(12) == 0 {
						continue
					}
					letter := pick("1", "2", "3", "4")
					if b == spaceeval {
						letter = pick("A", "B", "C", "D")
					}
					answer := pick(`"`+letter+`"`, `"`+letter+`"`, `"`+letter+`"`, `"The answer is `+letter+`."`, `"hm"`, `null`, `""`)
					more := pick("", "", fmt.Sprintf(`,"completion_tokens":%d`, r.IntN(900)), `,"error_class":"`+errorClasses[r.IntN(len(errorClasses))]+`"`)
					lines = append(lines, fmt.Sprintf(`{%s,%s,"response":%s%s}`, item, ask, answer, more))
					if b == spatialab && k < 7 {
						judge := pick(`,"judge":"1"`, `,"judge":"1"`, `,"judge":"0"`, `,"judge":"0"`, "")
						lines = append(lines, fmt.Sprintf(`{%s,%s,"format":"open","response":"it is %s"%s}`, item, ask, letter, judge))
					}
				}
			}
		}
	}
	return lines
}

// TestAllTables compares all results and tables of a made-up evaluation with a file, so that no change of
// them passes unseen. The other tests say what is right. With -update it writes the file.
func TestAllTables(t *testing.T) {
	var b strings.Builder
	for _, bench := range []*benchmark{spatialab, spaceeval} {
		s := newSuite(bench)
		for _, missing := range []bool{false, true} {
			tables, results := s.newTables(scoring.TableOptions{Missing: missing}), sha256.New()
			for _, line := range madeLines(bench) {
				r := outcome(t, s, line)
				tables.Add(&r)
				results.Write(append(r.AppendJSON(nil, scoring.Clamp01, ""), '\n'))
			}
			fmt.Fprintf(&b, "%s: SHA-256 of the results %x\n\n", bench.name, results.Sum(nil))
			for _, one := range tables.Tables() {
				fmt.Fprintf(&b, "%s, missing %v: %s\n%s\n%s\n", bench.name, missing, one.Title, one.Note, strings.Join(one.Columns, " | "))
				for _, row := range one.Rows {
					if missing && strings.HasSuffix(row[0], "(paper)") {
						continue // as without missing
					}
					fmt.Fprintln(&b, strings.Join(row, " | "))
				}
				b.WriteByte('\n')
			}
		}
	}
	testdata.Compare(t, "vqa/tables.txt", b.String(), *update)
}
