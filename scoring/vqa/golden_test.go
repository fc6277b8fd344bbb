package vqa

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

// TestKeptItems reads made-up items with members of every kind, some of them wrong, under all variants,
// and compares results, errors, prompts, questions to a judge and the parts that were read with
// testdata/vqa/kept.txt. With -update it writes the file.
func TestKeptItems(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	mostly := func(list ...string) string { // seldom the last, which is wrong
		if r.IntN(12) == 0 {
			return list[len(list)-1]
		}
		return pick(list[:len(list)-1]...)
	}
	variants := []scoring.Variants{nil, {Policy: "fallback"}, {Policy: "never", AnyTaxonomy: ""}, {Profile: "strict"}, {Shortcut: "", SelfReflection: ""}, {AnyTaxonomy: ""}}
	methods := append(Methods(), "")
	var b strings.Builder
	for i := range 700 {
		bench := []*benchmark{spatialab, spaceeval}[i%2]
		s := newSuite(bench)
		c := bench.categories[r.IntN(len(bench.categories))]
		sub := c.subs[r.IntN(len(c.subs))]
		members := []string{fmt.Sprintf(`"id":"k%d"`, i), `"question":` + mostly(`"Where is it?"`, `"Where is {options_text}?"`, pick(`""`, `7`)),
			`"options":` + mostly(`["Hall","Kitchen","Bath","Terrace"]`, `["Hall","Kitchen","Bath","Terrace"]`, `["90",45,"180"]`, `["option a","option b","option c","option d"]`, `["Left","Right",null,"all of the above","A and C"]`, `["a","b"]`, pick(`["a"]`, `"a"`)),
			mostly(`"answer_index":0`, `"answer_index":1`, map[bool]string{true: `"answer":"2"`, false: `"answer":"B"`}[bench == spatialab], pick(`"answer":2`, `"answer":"Kitchen"`, `"answer":"Bath"`, `"answer_index":9`, `"answer":""`)),
			`"response":` + mostly(`"2"`, `"B"`, `"(b)"`, `"The answer is B."`, `"kitchen"`, `"A or B"`, `"<think>x</think> B"`, `"<think>x"`, `""`, `null`, `"Reason: r Answer: Kitchen"`, `"I cannot say"`, `"option b"`, `7`)}
		for _, more := range []string{mostly(`"labels":"letters"`, `"labels":"numbers"`, `"labels":"x"`), mostly(`"format":"mcq"`, map[bool]string{true: `"format":"open"`, false: `"format":"mcq"`}[bench == spatialab], pick(`"format":"z"`, `"format":"open"`)), mostly(`"shuffle":5`, `"shuffle":-77`, `"shuffle":false`, pick(`"order":[1,0,2,3]`, `"order":[0,0]`, `"shuffle":"a"`)),
			fmt.Sprintf(`"category":%q`, mostly(c.id, c.name, c.abbr, "nowhere")), fmt.Sprintf(`"subcategory":%q`, mostly(sub.id, sub.name, sub.abbr, "nowhere")), mostly(`"judge":"1"`, `"judge":false`, `"judge":0`, `"judge":"hm"`),
			pick(`"image":"a.png"`, `"images":["a.png","b.png"]`, `"image":["a.png"]`), mostly(`"blind":true`, `"blind":1`), `"error_class":` + mostly(`"occlusion_order"`, `"own"`), `"scale":` + pick(`"object"`, `"x"`), `"option_kind":` + mostly(`"visual"`, `"text"`, `"x"`), `"prompt":"own prompt"`} {
			if r.IntN(4) == 0 {
				members = append(members, more)
			}
		}
		v := variants[r.IntN(len(variants))]
		fields := fastjson.MustParse("{" + strings.Join(members, ",") + "}")
		it := scoring.Item{ID: fmt.Sprint("k", i), Suite: s.name, Fields: fields}
		sum := sha256.New()
		note := func(format string, args ...any) { fmt.Fprintf(sum, format+"\n", args...) }
		outcome := ""
		if j, err := s.prepare(&it, v); err != nil {
			outcome = err.Error()
		} else {
			result := j.Score(nil)
			outcome = fmt.Sprintf("%s %v %v", result.Status, result.Scored, result.Score)
			note("%s %s", result.AppendJSON(nil, scoring.Clamp01, ""), result.Cluster)
			if judged, ok := j.(scoring.Judged); ok {
				if q, asked := judged.Question(); asked {
					note("%+v", q)
					judged.Judge(scoring.Judgement{Right: i%3 == 0})
					result = j.Score(nil)
					note("%s", result.AppendJSON(nil, scoring.Clamp01, ""))
				}
			}
		}
		if from, to, ok := s.reading(&it, v); ok {
			note("%d %d", from, to)
		}
		method := methods[i%len(methods)]
		for _, step := range Steps(method, 1+i%2) {
			it.Test = ""
			text, err := s.prompt(&it, scoring.PromptOptions{Open: i%5 == 0, Method: method, Step: step, EarlierAnswers: map[string]string{"answer": "Reason: it is near. Answer: B", "base": "two rooms", "segment": `[{"id":1}]`, "attributes": "red\nblue"}})
			note("%s %v %v", text, err, HasPicture(method, step))
		}
		if err := s.lacking(&it); err != nil {
			note("%v", err)
		}
		fmt.Fprintf(&b, "%d %s %.6x\n", i, outcome, sum.Sum(nil))
	}
	testdata.Compare(t, "vqa/kept.txt", b.String(), *update)
}
