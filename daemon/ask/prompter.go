package ask

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // DecodeConfig reads them
	_ "image/jpeg" // as above
	"path/filepath"
	"slices"
	"strings"

	_ "golang.org/x/image/webp" // as above

	"plumb/daemon/chat"
	"plumb/daemon/dump"
	"plumb/render/jsontree"
	"plumb/scoring"
	"plumb/scoring/drawingbench"
	"plumb/scoring/vqa"
)

// Prompter says what a model is asked about single items: the bytes of `plumb prompt` for each.
// It is safe for concurrent use. Suites is required.
type Prompter struct {
	Suites scoring.Suites
	// Tasks are the loaded task files, by dump.TasksKey. Pictures of questions are read only for
	// tasks of these files, relative to them, so that no item names a file of this machine.
	Tasks map[string]*dump.Tasks
	// Boards draws the pictures of ASPIRE; it is called when the first one is needed.
	Boards func() (*Boards, error)

	puzzles puzzles
}

// Asked is what a model is asked about an item.
type Asked struct {
	Text   string
	Images []Picture // in the order of the message
}

// Picture is a picture of a prompt, as the bytes of its file.
type Picture struct {
	Name          string // what it shows: "board", "outline", "options", "image"
	Type          string // its media type
	Data          []byte
	Width, Height int    // pixels
	Failed        string // why the picture could not be drawn, "" for one that was
}

// Ask returns what a model is asked about an item in an arm. The item must have been decoded with the
// tasks of prompter. If pictures is false, none is drawn or read, and Images is nil. Errors wrap *scoring.Error
// if the item or the arm is at fault; the code is bad_item, bad_task, bad_scene or bad_options.
func (prompter *Prompter) Ask(item *scoring.Item, arm Arm, pictures bool) (*Asked, error) {
	suite := prompter.Suites.Find(item.Suite)
	if err := checkArm(item, suite, arm); err != nil {
		return nil, err
	}
	switch {
	case item.Suite == "tangram":
		return prompter.askPuzzle(item, arm, pictures)
	case item.Suite == "drawingbench":
		text, err := drawingbench.Prompt(item.Fields)
		return &Asked{Text: text}, err
	case suite == nil || suite.Prompt == nil:
		return nil, badItem("cannot ask about %s: suite %q has no prompts", item.ID, item.Suite)
	}
	options := scoring.PromptOptions{Minimal: arm.Input == InputMinimal || arm.Input == InputScaffold, StepWise: arm.Mode == ModeCoT,
		Open: arm.Format == "open", Method: arm.Method}
	if arm.Method != "" {
		options.Step = vqa.Steps(arm.Method, 1)[0] // the first call of a method with several
	}
	text, err := suite.Prompt(item, options)
	if err != nil {
		return nil, err
	}
	asked := &Asked{Text: text}
	switch {
	case !pictures || arm.Input == InputBlind:
	case item.Suite == "aspire":
		asked.Images, err = prompter.board(item, arm.Input == InputScaffold)
	default:
		asked.Images, err = prompter.photographs(item)
	}
	return asked, err
}

// checkArm returns an error for an arm that has a value which the suite of the item does not know, and for
// the input scaffold if the item's test has no scaffold. suite is nil for an unknown one. A member of the arm
// that only other suites use is ignored, and so is an empty one.
func checkArm(item *scoring.Item, suite *scoring.Suite, arm Arm) error {
	questions := suite != nil && suite.Questions
	for _, m := range []struct {
		name, value string
		used        bool // by the suite
		values      []string
	}{
		{"mode", arm.Mode, true, []string{ModeDefault, ModeCoT, ModeReasoning}},
		{"input", arm.Input, item.Suite == "aspire", []string{InputFull, InputMinimal, InputScaffold}},
		{"input", arm.Input, questions, []string{InputFull, InputBlind}},
		{"setting", arm.Setting, item.Suite == "tangram", settings},
		{"format", arm.Format, item.Suite == "spatialab", []string{"mcq", "open"}},
		{"method", arm.Method, item.Suite == "spatialab", vqa.Methods()},
	} {
		if m.value != "" && m.used && !slices.Contains(m.values, m.value) {
			message := fmt.Sprintf("cannot use %s %.40q: want one of %s", m.name, m.value, strings.Join(m.values, ", "))
			return &scoring.Error{Code: "bad_options", Message: message}
		}
	}
	if arm.Input == InputScaffold && !HasScaffold(item.Test) {
		return badItem("cannot draw scaffold: the test %s has none", item.Test)
	}
	return nil
}

// badItem returns the error of an item that cannot be asked.
func badItem(format string, args ...any) error {
	return &scoring.Error{Code: "bad_item", Message: fmt.Sprintf(format, args...)}
}

// board draws the whiteboard of an ASPIRE item as the one picture of its prompt, with or without the
// scaffold of its test.
func (prompter *Prompter) board(item *scoring.Item, scaffold bool) ([]Picture, error) {
	png, err := prompter.DrawBoard(jsontree.Append(nil, item.Fields), item.Test, scaffold)
	if err != nil {
		return nil, err
	}
	return []Picture{sized("board", "image/png", png)}, nil
}

// DrawBoard draws the whiteboard of a dump line of ASPIRE; see Boards.Draw. The error has the code
// bad_scene.
func (prompter *Prompter) DrawBoard(line []byte, test string, scaffold bool) ([]byte, error) {
	boards, err := prompter.Boards()
	if err != nil {
		return nil, err
	}
	png, err := boards.Draw(line, test, scaffold)
	if err != nil {
		return nil, &scoring.Error{Code: "bad_scene", Message: err.Error()}
	}
	return png, nil
}

// sized returns a picture with the size that its bytes show, 0 x 0 if they cannot be decoded.
func sized(name, kind string, data []byte) Picture {
	c, _, _ := image.DecodeConfig(bytes.NewReader(data)) // after an error c is zero
	return Picture{Name: name, Type: kind, Data: data, Width: c.Width, Height: c.Height}
}

// photographs reads the files of a question's pictures. The paths are those of the loaded task with the
// item's id, never those of the item itself, so that no client can read files of this machine. An item
// with pictures that is no loaded task is an error.
func (prompter *Prompter) photographs(item *scoring.Item) ([]Picture, error) {
	tasks := prompter.tasksOf(item)
	task := parsed(tasks.JSON(item.ID))
	if task == nil {
		if len(pictures(item.Fields)) == 0 {
			return nil, nil
		}
		return nil, badItem("cannot send the image of %s: pictures are read only for tasks of a file that the daemon has loaded "+
			"(--tasks)", item.ID)
	}
	var all []Picture
	reader := visual{folder: filepath.Dir(tasks.Path())} // only to read pictures
	for _, path := range pictures(task) {
		img, err := reader.picture(path)
		if err != nil {
			return nil, badItem("cannot ask %s: %v", item.ID, reader.withoutFolder(err, path))
		}
		all = append(all, sized("image", img.Type, img.Data))
	}
	return all, nil
}

// withoutFolder returns a picture's error with the path as the task file has it, or the file's name alone
// where that is absolute: a client of the daemon should not see the folders of this machine.
func (visual *visual) withoutFolder(err error, path string) error {
	pathInError, shownPath := filepath.Join(visual.folder, path), path
	if filepath.IsAbs(path) {
		pathInError, shownPath = path, filepath.Base(path)
	}
	return errors.New(strings.ReplaceAll(err.Error(), pathInError, shownPath))
}

// tasksOf returns the tasks of the split that an item names.
func (prompter *Prompter) tasksOf(item *scoring.Item) *dump.Tasks {
	c := dump.ItemConfig{Tasks: prompter.Tasks}
	return c.TasksOf(item.Suite, string(item.Fields.GetStringBytes("split")))
}

// Image is the picture as messages of a chat carry it.
func (picture *Picture) Image() *chat.Image {
	return &chat.Image{Data: picture.Data, Type: picture.Type}
}
