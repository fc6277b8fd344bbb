package ask

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/valyala/fastjson"

	"plumb/daemon/chat"
	"plumb/scoring"
	"plumb/scoring/vqa"
)

// maxPicture is the longest file of an item's picture in bytes.
const maxPicture = 20 << 20

// visual asks questions about pictures: SPATIALAB and SpaCE-Eval.
type visual struct {
	single
	suite     *scoring.Suite
	folder    string // of pictures with relative paths
	spatialab bool
	detail    string
	choice    choices
}

// question is what is kept of an item.
type question struct {
	format   string   // that the item names, "" for none
	pictures []string // paths
}

// NewVisual returns the suite for items of SPATIALAB or SpaCE-Eval, one a line of the file of
// tasks. Paths of pictures are relative to folder. detail is the parameter "detail" that the
// endpoint gets with each picture, such as "low" or "high"; "" is not sent. Only SPATIALAB has
// formats and methods of asking; SpaCE-Eval has one of each. See docs/spec/runs.md#r35.
func NewVisual(suite *scoring.Suite, lines [][]byte, folder, detail string) (Suite, error) {
	s := &visual{suite: suite, folder: folder, detail: detail, spatialab: suite.Name == "spatialab", choice: choices{
		modes: []string{ModeDefault, ModeReasoning}, inputs: []string{InputFull, InputBlind}}}
	if s.spatialab {
		s.choice.formats, s.choice.methods = []string{"mcq", "open"}, vqa.Methods()
	}
	var allTests []string
	var err error
	s.tasks, err = readItems(suite, lines, allTests, func(t *Task, it *scoring.Item) {
		t.Group = string(it.Fields.GetStringBytes("subcategory"))
		t.data = &question{format: string(it.Fields.GetStringBytes("format")), pictures: pictures(it.Fields)}
	})
	return s, err
}

// Arms implements Suite: an arm asks the tasks that fit it.
func (visual *visual) Arms(options Options) ([]Arm, []string, error) {
	fits := func(a Arm) int { return count(visual.tasks, func(t *Task) bool { return visual.Fits(t, a) }) }
	return visual.choice.arms(options, fits, len(visual.tasks))
}

// Fits implements Suite: an item of SPATIALAB that names a format has that one alone.
func (visual *visual) Fits(task *Task, arm Arm) bool {
	format := task.data.(*question).format // "" for an item that is asked in any format
	return !visual.spatialab || format == "" || format == arm.Format
}

// Next implements Suite. A method of asking has one or several steps. Each step is a call of its own, and
// its text may quote the replies to earlier steps. A step without a reply ends the task. Pictures come
// before the text for SPATIALAB and after it for SpaCE-Eval. Steps that are about texts alone have none.
func (visual *visual) Next(task *Task, arm Arm, replies []Heard) (*Step, error) {
	paths := task.data.(*question).pictures
	steps := vqa.Steps(arm.Method, len(paths))
	n := len(replies)
	if n == len(steps) || n > 0 && !replies[n-1].OK {
		return nil, nil
	}
	textByStep := map[string]string{}
	for _, h := range replies {
		textByStep[h.Name] = h.Text
	}
	text, err := task.prompt(visual.suite, scoring.PromptOptions{Open: arm.Format == "open", Method: arm.Method, Step: steps[n], EarlierAnswers: textByStep})
	if err != nil {
		return nil, fmt.Errorf("cannot ask %s: %w", task.ID, err)
	}
	var parts []chat.Part
	if arm.Input != InputBlind && vqa.HasPicture(arm.Method, steps[n]) {
		if len(paths) == 0 {
			return nil, fmt.Errorf("cannot ask %s: got no image; want a path or a list of paths, or --input blind", task.ID)
		}
		for _, path := range paths {
			img, err := visual.picture(path)
			if err != nil {
				return nil, fmt.Errorf("cannot ask %s: %w", task.ID, err)
			}
			parts = append(parts, chat.Picture(img))
		}
	}
	if visual.spatialab {
		parts = append(parts, chat.Text(text))
	} else { // as the benchmark's own program does
		parts = append([]chat.Part{chat.Text(text)}, parts...)
	}
	return &Step{Turn: 1, Name: steps[n], Messages: []chat.Message{chat.User(parts...)}}, nil
}

// Answers implements Suite: the answer is the reply to the last step. If a step failed, or not all steps
// have been made, there is an answer without a text.
func (visual *visual) Answers(task *Task, arm Arm, replies []Heard) []Answer {
	all := visual.single.Answers(task, arm, replies)
	for i := range all {
		if len(replies) < len(vqa.Steps(arm.Method, len(task.data.(*question).pictures))) {
			all[i].OK, all[i].Text = false, ""
		}
	}
	return all
}

// pictures returns the paths of the pictures of a SPATIALAB or SpaCE-Eval question, in its member image
// or else images, which is a text or a list of texts. Elements that are no texts are left out.
func pictures(v *fastjson.Value) (paths []string) {
	value := v.Get("image")
	if value == nil {
		value = v.Get("images")
	}
	if value == nil {
		return nil
	}
	if value.Type() == fastjson.TypeString {
		return []string{string(value.GetStringBytes())}
	}
	for _, e := range value.GetArray() {
		if e.Type() == fastjson.TypeString {
			paths = append(paths, string(e.GetStringBytes()))
		}
	}
	return paths
}

// picture reads the file of a picture; a relative path is one in the folder of the task file. The media
// type follows from the first bytes, whatever the file's name. A file that is too long or of a type that
// endpoints do not take is an error.
func (visual *visual) picture(path string) (*chat.Image, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(visual.folder, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read picture: %w", err)
	}
	if info.Size() > maxPicture {
		return nil, fmt.Errorf("cannot use picture %s: got %d bytes; want at most %d", path, info.Size(), maxPicture)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read picture: %w", err)
	}
	kind := pictureType(data)
	if kind == "" {
		return nil, fmt.Errorf("cannot use picture %s: got an unknown type; want JPEG, PNG, WebP or GIF", path)
	}
	return &chat.Image{Data: data, Type: kind, Detail: visual.detail}, nil
}

// pictureType returns the media type that bytes begin with, "" for one that endpoints do not
// take.
func pictureType(data []byte) string {
	switch {
	case len(data) > 3 && string(data[:3]) == "\xff\xd8\xff":
		return "image/jpeg"
	case len(data) > 8 && string(data[:8]) == "\x89PNG\r\n\x1a\n":
		return "image/png"
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	case len(data) > 6 && (string(data[:6]) == "GIF87a" || string(data[:6]) == "GIF89a"):
		return "image/gif"
	}
	return ""
}
