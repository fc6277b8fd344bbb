package ask

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/daemon/dump"
	"plumb/render/font"
	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/scenario"
	"plumb/scoring/suites"
	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/generate"
	"plumb/testdata"
)

func TestMain(m *testing.M) {
	if err := font.Use(filepath.Join(testdata.Root(), "build", "fonts")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func suiteOf(t testing.TB, name string) *scoring.Suite {
	t.Helper()
	return suites.New(suites.Config{}).Find(name)
}

// boards returns a painter and the generated tasks of these tests.
func boards(t testing.TB, count int, tests ...string) (*Boards, [][]byte) {
	t.Helper()
	b, err := NewBoards(scene.DefaultLimits(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	var lines [][]byte
	for _, test := range tests {
		for i := range count {
			s, err := scenario.Make(0, test, i)
			if err != nil {
				t.Fatal(err)
			}
			line, err := s.AppendTask(nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, bytes.TrimSpace(line))
		}
	}
	return b, lines
}

// texts are the texts and the number of pictures of a step's last message.
func texts(s *Step) (text string, pictures int) {
	for _, p := range s.Messages[len(s.Messages)-1].Parts {
		if p.Image != nil {
			pictures++
		}
		text += p.Text
	}
	return text, pictures
}

func first(t *testing.T, s Suite, task *Task, a Arm) *Step {
	t.Helper()
	step, err := s.Next(task, a, nil)
	if err != nil || step == nil {
		t.Fatalf("%s %v: got %v, %v", task.ID, a, step, err)
	}
	return step
}

// All arms of ASPIRE: which tests have which, and what their texts say.
func TestAspireArms(t *testing.T) {
	b, lines := boards(t, 1, scenario.Tests()...)
	s, err := NewAspire(suiteOf(t, "aspire"), lines, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	arms, left, err := s.Arms(Options{Modes: []string{"default", "cot", "reasoning"}, Inputs: []string{"full", "minimal", "scaffold"}})
	if err != nil || len(arms) != 9 || len(left) != 6 {
		t.Fatalf("got %d arms, left %q, %v; want 9 and 6", len(arms), left, err)
	}
	n := 0
	for _, a := range arms {
		for _, task := range s.Tasks() {
			if !s.Fits(task, a) {
				continue
			}
			n++
			text, pictures := texts(first(t, s, task, a))
			if pictures != 1 || strings.HasSuffix(text, "Think step-by-step") != (a.Mode == ModeCoT) ||
				strings.Contains(text, `"color"`) != (a.Input == InputFull) || (task.Test == "balance" && a.Input != InputFull) != strings.HasPrefix(text, "Task:") {
				t.Errorf("%s %s: got %d pictures and %q", task.ID, a, pictures, text)
			}
		}
	}
	if n != 3*(8+4+3) {
		t.Errorf("got %d calls; want %d", n, 3*(8+4+3))
	}
	for _, o := range []Options{{Modes: []string{"fast"}}, {Inputs: []string{"blind"}}, {Methods: []string{"cot"}}} {
		if _, _, err := s.Arms(o); err == nil || !strings.Contains(err.Error(), "cannot use --") {
			t.Errorf("%+v: got %v; want an error that names the flag", o, err)
		}
	}
	named, err := NewAspire(suiteOf(t, "aspire"), lines, b, Options{Tests: []string{"maze"}})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := texts(first(t, named, named.Tasks()[0], Arm{Mode: "default", Input: InputMinimal})); !strings.HasPrefix(text, "Task:") {
		t.Errorf("minimal input of maze: got %q; want no state", text)
	}
}

func decoded(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// Scaffolds change pixels only where lines and texts are drawn, and never over shapes but
// for the numbers of nodes.
func TestScaffolds(t *testing.T) {
	b, lines := boards(t, 2, "arrow", "balance", "graph")
	s, err := NewAspire(suiteOf(t, "aspire"), lines, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range s.Tasks() {
		plain, err := b.Draw(task.Line, task.Test, false)
		if err != nil {
			t.Fatal(err)
		}
		with, err := b.Draw(task.Line, task.Test, true)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := b.Draw(task.Line, task.Test, true)
		if !bytes.Equal(with, again) {
			t.Errorf("%s: two drawings differ", task.ID)
		}
		p, q := decoded(t, plain), decoded(t, with)
		if p.Bounds() != image.Rect(0, 0, 1400, 800) || q.Bounds() != p.Bounds() {
			t.Fatalf("%s: got %v and %v", task.ID, p.Bounds(), q.Bounds())
		}
		if _, ok := q.(*image.RGBA); !ok { // what png gives for 8-bit RGB without alpha
			t.Errorf("%s: got %T; want RGB without alpha", task.ID, q)
		}
		changed := 0
		for y := range 800 {
			for x := range 1400 {
				was, is := color.RGBAModel.Convert(p.At(x, y)).(color.RGBA), color.RGBAModel.Convert(q.At(x, y)).(color.RGBA)
				if was == is {
					continue
				}
				changed++
				if task.Test == "balance" && x%100 > 40 && y%100 < 80 && y != 799 && x != 1399 && y%100 != 0 {
					t.Fatalf("%s: pixel %d,%d changed", task.ID, x, y)
				}
				// A pixel that a shape covers keeps its colour, but for nodes' numbers.
				if task.Test != "graph" && int(was.R)+int(was.G)+int(was.B)-int(is.R)-int(is.G)-int(is.B) > 3*0x80 {
					t.Fatalf("%s: pixel %d,%d of a shape changed from %v to %v", task.ID, x, y, was, is)
				}
			}
		}
		if changed < 100 || changed > 60_000 {
			t.Errorf("%s: %d pixels changed", task.ID, changed)
		}
	}
	q := decoded(t, must(b.Draw(s.Tasks()[2].Line, "balance", true)))
	for _, at := range [][2]int{{100, 50}, {1399, 50}, {50, 100}, {50, 799}, {0, 50}} {
		if got := color.NRGBAModel.Convert(q.At(at[0], at[1])); got != lineTone {
			t.Errorf("pixel %v: got %v; want a line", at, got)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// The picture of an overlap shows all of its shapes with room about them.
func TestOverlapPicture(t *testing.T) {
	b, lines := boards(t, 3, "overlap")
	for i, line := range lines {
		s, _ := scenario.Make(0, "overlap", i)
		x1, y1 := 0.0, 0.0
		x0, y0 := 1e9, 1e9
		for _, sh := range s.Shapes {
			x0, y0 = min(x0, sh.X), min(y0, sh.Y)
			x1, y1 = max(x1, sh.X+sh.Props.W), max(y1, sh.Y+sh.Props.H)
		}
		got := decoded(t, must(b.Draw(line, "overlap", false))).Bounds()
		if w, h := float64(got.Dx()), float64(got.Dy()); w < x1-x0+64 || w > x1-x0+66 || h < y1-y0+64 || h > y1-y0+66 {
			t.Errorf("got %v; want %g x %g with 32 about it", got, x1-x0, y1-y0)
		}
	}
}

// The second turn of DrawingBench comes below the bound, as one chat.
func TestDrawingBench(t *testing.T) {
	path := filepath.Join(testdata.Root(), "testdata", "drawingbench", "tasks.json")
	suite := suiteOf(t, "drawingbench")
	tasks, err := dump.LoadTasks(path, suite.Tasks, dump.Limits{}, scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	result := &scoring.Result{Suite: "drawingbench", Scored: true, Score: 0.5, Fields: []scoring.Metric{{Name: "feedback_text", Value: "FEEDBACK"}}}
	var scored []byte
	s, err := NewDrawingBench(tasks, func(line []byte) (*scoring.Result, error) { scored = line; return result, nil })
	if err != nil {
		t.Fatal(err)
	}
	task := s.Tasks()[0]
	one := first(t, s, task, Arm{Mode: "default"})
	if _, pictures := texts(one); pictures != 0 || len(one.Messages) != 1 {
		t.Errorf("got %d pictures, %d messages; want a text alone", pictures, len(one.Messages))
	}
	for _, said := range []string{"[]", ""} {
		two, err := s.Next(task, Arm{}, []Heard{{Turn: 1, Text: said, OK: true}})
		if err != nil || two == nil || two.Turn != 2 || len(two.Messages) != 3 {
			t.Fatalf("got %+v, %v; want a second turn of three messages", two, err)
		}
		if text, _ := texts(two); !strings.HasPrefix(text, "FEEDBACK") {
			t.Errorf("got %q", text)
		}
		want := said
		if said == "" {
			want = "(empty answer)"
		}
		if got := two.Messages[1]; got.Role != "assistant" || got.Parts[0].Text != want {
			t.Errorf("got %+v; want the first answer", got)
		}
	}
	if !bytes.Contains(scored, []byte(`"turn":1`)) || !bytes.Contains(scored, []byte(`"response":""`)) {
		t.Errorf("scored %s", scored)
	}
	for _, heard := range [][]Heard{{{Turn: 1}}, {{Turn: 1, OK: true}, {Turn: 2, OK: true}}} {
		if step, err := s.Next(task, Arm{}, heard); step != nil || err != nil {
			t.Errorf("%+v: got %v, %v; want the end", heard, step, err)
		}
	}
	if result.Score = 0.9; true {
		if step, err := s.Next(task, Arm{}, []Heard{{Turn: 1, Text: "x", OK: true}}); step != nil || err != nil {
			t.Errorf("from 0.9: got %v, %v; want the end", step, err)
		}
	}
	if got := s.Answers(task, Arm{}, []Heard{{Turn: 1, OK: true}, {Turn: 2}}); len(got) != 2 || got[1].ID != task.ID+"/2" || got[1].OK {
		t.Errorf("got %+v", got)
	}
}

func TestTangram(t *testing.T) {
	var set []*assembly.Instance
	for k := range 6 {
		set = append(set, generate.Instance(3, k))
	}
	o := Options{Tests: []string{"solution", "outline"}, Settings: []string{"zero-shot", "in-context", "visual-centric"}}
	s, err := NewTangram(set, o)
	if err != nil {
		t.Fatal(err)
	}
	arms, _, err := s.Arms(o)
	if err != nil || len(arms) != 4 {
		t.Fatalf("got %v, %v; want Task 1 and three settings", arms, err)
	}
	for _, a := range arms {
		for _, task := range s.Tasks() {
			if !s.Fits(task, a) {
				continue
			}
			text, pictures := texts(first(t, s, task, a))
			if pictures != 1 || strings.Contains(text, "Solved example 3") != (a.Setting == "in-context") {
				t.Errorf("%s %s: got %d pictures, %q", task.ID, a, pictures, text)
			}
		}
	}
	if line := AppendAnswer(nil, s.Tasks()[0], Answer{ID: "x", Text: "y", OK: true}, []byte(`"model":"m"`)); !bytes.HasPrefix(line, []byte(`{"id":"x","suite":"tangram"`)) || !bytes.HasSuffix(line, []byte(`,"model":"m","response":"y"}`)) {
		t.Errorf("got %s", line)
	}
}

// The calls of each method of SPATIALAB, with the picture where it belongs.
func TestVisual(t *testing.T) {
	dir := t.TempDir()
	var picture bytes.Buffer
	png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4)))
	if err := os.WriteFile(filepath.Join(dir, "a.png"), picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "b.txt"), []byte("no picture"), 0o600)
	item := func(id, image string) []byte {
		return []byte(`{"id":"` + id + `","image":"` + image + `","question":"Which?","options":["a","b","c","d"],"answer":"2","open_answer":"b","category":"Relative Positioning","subcategory":"Corner/Angle Positioning"}`)
	}
	s, err := NewVisual(suiteOf(t, "spatialab"), [][]byte{item("x", "a.png"), item("y", "b.txt"), item("z", "gone.png")}, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]int{"direct": 1, "cot": 1, "self-reflection": 2, "xolver": 7} {
		for _, format := range []string{"mcq", "open"} {
			for _, input := range []string{InputFull, InputBlind} {
				a := Arm{Mode: "default", Input: input, Format: format, Method: method}
				var heard []Heard
				pictures := 0
				for {
					step, err := s.Next(s.Tasks()[0], a, heard)
					if err != nil {
						t.Fatal(err)
					}
					if step == nil {
						break
					}
					_, n := texts(step)
					pictures += n
					if len(step.Messages) != 1 {
						t.Errorf("%s: got %d messages; want a chat of its own for each call", a, len(step.Messages))
					}
					heard = append(heard, Heard{Turn: 1, Name: step.Name, Text: "Answer: " + step.Name, OK: true})
				}
				seen := map[string]int{"direct": 1, "cot": 1, "self-reflection": 2, "xolver": 1}[method]
				if input == InputBlind {
					seen = 0
				}
				if len(heard) != want || pictures != seen {
					t.Errorf("%s: got %d calls with %d pictures; want %d with %d", a, len(heard), pictures, want, seen)
				}
				if got := s.Answers(s.Tasks()[0], a, heard); len(got) != 1 || !got[0].OK || got[0].From != 0 || got[0].Last != want-1 {
					t.Errorf("%s: got %+v", a, got)
				}
				heard[0].OK = false
				if step, err := s.Next(s.Tasks()[0], a, heard[:1]); step != nil || err != nil || want > 1 && s.Answers(s.Tasks()[0], a, heard[:1])[0].OK {
					t.Errorf("%s: after a failed call: got %v, %v; want the end without an answer", a, step, err)
				}
			}
		}
	}
	for i, want := range map[int]string{1: "unknown type", 2: "cannot read picture"} {
		if _, err := s.Next(s.Tasks()[i], Arm{Format: "mcq", Method: "direct", Input: InputFull}, nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), s.Tasks()[i].ID) {
			t.Errorf("got %v; want the task and %q", err, want)
		}
	}
	space, err := NewVisual(suiteOf(t, "spaceeval"), [][]byte{[]byte(`{"id":"x","image":"a.png","question":"Which?","prompt":"As it is.","options":["a","b"],"answer":"A","category":"Spatial Reasoning","subcategory":"View Analysis"}`)}, dir, "low")
	if err != nil {
		t.Fatal(err)
	}
	parts := first(t, space, space.Tasks()[0], Arm{Input: InputFull}).Messages[0].Parts
	if len(parts) != 2 || parts[0].Text != "As it is." || parts[1].Image == nil || parts[1].Image.Detail != "low" {
		t.Errorf("got %+v; want the text first", parts)
	}
}

// A file of tasks that cannot be used is refused by the task.
func TestReadItems(t *testing.T) {
	b, lines := boards(t, 1, "maze")
	for _, c := range []struct {
		lines [][]byte
		want  string
	}{
		{nil, "no tasks"},
		{[][]byte{lines[0], lines[0]}, "another task has its id"},
		{[][]byte{[]byte(`{"id":"a","test":"chess"}`)}, `"chess"`},
		{[][]byte{[]byte(`nonsense`)}, "line:1"},
	} {
		if _, err := NewAspire(suiteOf(t, "aspire"), c.lines, b, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v; want %s", err, c.want)
		}
	}
}

// What a client is told of a picture that cannot be sent has no folder of this machine in it.
func TestWithoutFolder(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "text.png"), []byte("no picture"), 0o600)
	s := visual{folder: dir}
	for _, path := range []string{"missing.png", "a/missing.png", "text.png", filepath.Join(dir, "missing.png"), filepath.Join(dir, "text.png")} {
		_, err := s.picture(path)
		if err == nil {
			t.Fatalf("%s: got no error", path)
		}
		got := s.withoutFolder(err, path).Error()
		if strings.Contains(got, dir) || !strings.Contains(got, filepath.Base(path)) {
			t.Errorf("%s: got %q; want the name of the file without %s", path, got, dir)
		}
	}
}
