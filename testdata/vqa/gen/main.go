// Command gen writes the sample items of SPATIALAB and SpaCE-Eval: questions of our
// own about scenes of plain shapes. In: a folder. Out: scenes.jsonl, which plumb
// render draws, items.jsonl, and answers.jsonl with the answers of two made-up
// models. The same bytes on every run; docs/vqa.md has the commands.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

// main writes the scenes, items and answers of all samples into the folder that is named.
func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./testdata/vqa/gen FOLDER")
	}
	var scenes, items, answers []any
	for i, s := range samples() {
		it := s.item(i)
		scenes = append(scenes, map[string]any{"id": it.ID, "bounds": []int{0, 0, 480, 320}, "shapes": s.shapes})
		items = append(items, it)
		answers = append(answers, s.answers(it, i)...)
	}
	for name, list := range map[string][]any{"scenes.jsonl": scenes, "items.jsonl": items, "answers.jsonl": answers} {
		if err := write(filepath.Join(os.Args[1], name), list); err != nil {
			log.Fatal(err)
		}
	}
}

// item is a line of items.jsonl, as docs/vqa.md documents it.
type item struct {
	ID          string   `json:"id"`
	Suite       string   `json:"suite"`
	Benchmark   string   `json:"benchmark"`
	Image       []string `json:"image"`
	Question    string   `json:"question"`
	Options     []string `json:"options"`
	Labels      string   `json:"labels"`
	Answer      int      `json:"answer_index"`
	OpenAnswer  string   `json:"open_answer,omitempty"`
	Category    string   `json:"category"`
	Subcategory string   `json:"subcategory"`
	Scale       string   `json:"scale,omitempty"`
	OptionKind  string   `json:"option_kind,omitempty"`
}

// answer is a line of answers.jsonl.
type answer struct {
	ID       string `json:"id"`
	Suite    string `json:"suite"`
	Format   string `json:"format"`
	Model    string `json:"model"`
	Response string `json:"response"`
	Judge    string `json:"judge,omitempty"`
}

func (s sample) item(i int) item {
	it := item{ID: fmt.Sprintf("sl-own-%02d", i+1), Suite: "spatialab", Benchmark: "spatialab", Question: s.question, Options: s.options,
		Labels: "numbers", Answer: s.right, OpenAnswer: s.open, Category: s.category, Subcategory: s.sub, Scale: s.scale}
	if s.scale != "" {
		it.ID, it.Suite, it.Benchmark, it.Labels, it.OptionKind = fmt.Sprintf("se-own-%02d", i+1), "spaceeval", "spaceeval", "letters", "text"
		if s.visual {
			it.OptionKind = "visual"
		}
	}
	it.Image = []string{"img/" + it.ID + ".png"}
	return it
}

// answers are those of the models: "careful" is right and says it in many ways,
// "hasty" names the option after the right one in every third item.
func (s sample) answers(it item, i int) (out []any) {
	label := func(k int) string {
		if it.Labels == "numbers" {
			return fmt.Sprint(k + 1)
		}
		return string(rune('A' + k))
	}
	right, text := label(it.Answer), it.Options[it.Answer]
	careful := []string{right, right + ". " + text, "The answer is " + right + ".", `{"answer": "` + right + `"}`,
		"<result>" + right + "</result>", "Looking at the picture, I would choose " + right + ", because it fits best."}[i%6]
	k := it.Answer
	if i%3 == 0 {
		k = (k + 1) % len(it.Options)
	}
	verdict := func(right bool) string { return map[bool]string{true: "1", false: "0"}[right] }
	a := answer{ID: it.ID, Suite: it.Suite, Format: "mcq"}
	for model, response := range map[string]string{"careful": careful, "hasty": label(k)} {
		a.Model, a.Response, a.Judge = model, response, ""
		if it.Suite == "spaceeval" && model == "careful" {
			a.Judge = "1"
		}
		out = append(out, a)
	}
	if it.Suite == "spatialab" {
		out = append(out, answer{it.ID, it.Suite, "open", "careful", "In the picture one sees this: " + it.OpenAnswer + ".", verdict(i%4 != 3)},
			answer{it.ID, it.Suite, "open", "hasty", it.Options[k] + ".", verdict(k == it.Answer && i%2 == 0)})
	}
	sortByModel(out)
	return out
}

// sortByModel puts answers in a fixed order: maps have none.
func sortByModel(list []any) {
	key := func(v any) string { a := v.(answer); return a.Format + a.Model }
	for i := range list {
		for k := i; k > 0 && key(list[k]) < key(list[k-1]); k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}

func write(path string, list []any) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, v := range list {
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
