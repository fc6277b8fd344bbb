// Command fidelity sets the native pictures of the reference scenes beside the
// editor's. It writes the scenes as plumb reads them, with links to their
// pictures, runs `plumb render --compare` on them and prints what that prints:
// the distribution, to which the report adds features and pictures.
//
//	go run ./bench/fidelity -out build/fidelity > bench/results/fidelity.txt
//	go run ./bench/fidelity -made-up 300 -out build/made-up
//
// Text is compared with the pictures made without font hinting, as native text
// has none. With -chrome the editor draws them anew instead. -made-up N draws N
// shapes of each kind, one per picture, and N pages with frames, groups and bound
// arrows, that chance has made, and needs no data; it also prints how many of those
// that are drawn natively miss a bar, and which. -seed 0 takes the clock:
//
//	nice go run ./bench/fidelity -made-up 2500 -seed 0 -out build/made-up > bench/results/made-up.txt
//
// -again FILE draws the scenes again that such a file lists, with what the program is now. -count counts
// again what a run has drawn so far:
//
//	go run ./bench/fidelity -count -seed 1795823364 -out build/made-up
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"plumb/bench/rig"
	"plumb/testdata/madeup"
)

// main reads the flags and compares pictures of plumb with those of the editor, tldraw: of the scenes of
// the reference data, or with -made-up of scenes that it makes up.
func main() {
	log.SetFlags(0)
	data := flag.String("data", filepath.Join("..", "shared", "data"), "folder of the reference data, else PLUMB_DATA")
	out := flag.String("out", filepath.Join("build", "fidelity"), "folder for the scenes and the report")
	plumb := flag.String("plumb", filepath.Join("bin", "plumb"), "the program")
	chrome := flag.Bool("chrome", false, "compare with what Chromium draws now")
	made := flag.Int("made-up", 0, "compare so many made-up shapes of each kind, and pages, with what Chromium draws instead; -data and -chrome do not count then")
	again := flag.String("again", "", "compare only the scenes that this file, what an earlier run with -made-up printed, lists as below a bar")
	count := flag.Bool("count", false, "count the parts again that an earlier run with -made-up from -seed left in -out, also of one that did not end")
	seed := flag.Uint64("seed", 1, "what -made-up makes them from; 0 for the clock, in seconds")
	args := flag.String("args", "", "further flags of plumb render, separated by blanks")
	flag.Parse()
	if dir := os.Getenv("PLUMB_DATA"); dir != "" {
		*data = dir
	}
	scenes := filepath.Join(*out, "scenes.jsonl")
	var err error
	if *again != "" {
		err = runAgain(*out, *plumb, *again, strings.Fields(*args))
	} else if *count {
		err = countAgain(*out, *plumb, *seed)
	} else if *made > 0 {
		if *seed == 0 {
			*seed = uint64(time.Now().Unix())
		}
		err = runMadeUp(*out, *plumb, *made, *seed, strings.Fields(*args))
	} else {
		err = run(filepath.Join(*data, "tldraw"), *out, *plumb, scenes, *chrome, strings.Fields(*args))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// scenesPerPart is how many scenes of each kind are compared at once. What is done is counted after each part.
const scenesPerPart = 250

// runMadeUp compares plumb's pictures of made-up scenes with the editor's: n scenes of each kind of shape,
// and n pages. It does so in parts of at most scenesPerPart scenes of each kind, and prints after each part
// what the report says, and in the end which scenes differ too much. Part i is made from the seed + i, so
// that it can be made again alone.
func runMadeUp(out, plumb string, n int, seed uint64, args []string) error {
	var all tally
	for i := uint64(0); n > 0; i++ {
		size := min(n, scenesPerPart)
		n -= size
		dir := filepath.Join(out, fmt.Sprintf("part-%d", i))
		scenes := filepath.Join(dir, "scenes.jsonl")
		if err := makeUp(scenes, size, seed+i); err != nil {
			return fmt.Errorf("cannot write made-up scenes: %w", err)
		}
		fmt.Printf("# seed %d, %d scenes\n", seed+i, size*(len(madeup.Kinds)+1))
		if err := compare(dir, plumb, scenes, args); err != nil {
			return err
		}
		if err := countPart(&all, dir, plumb, seed+i); err != nil {
			return fmt.Errorf("cannot count: %w", err)
		}
		fmt.Println(all.total())
	}
	fmt.Print("\n", all.String())
	return nil
}

// countAgain prints how close plumb's pictures are to the editor's in the parts of an earlier run with
// made-up scenes, whose figures are in the folder out. It takes the parts in order, up to the first that
// has no figures. seed is that of the first part.
func countAgain(out, plumb string, seed uint64) error {
	var all tally
	for i := uint64(0); ; i++ {
		dir := filepath.Join(out, fmt.Sprintf("part-%d", i))
		if _, err := os.Stat(filepath.Join(dir, "figures.jsonl")); errors.Is(err, os.ErrNotExist) {
			break
		}
		if err := countPart(&all, dir, plumb, seed+i); err != nil {
			return fmt.Errorf("cannot count: %w", err)
		}
	}
	fmt.Print(all.String())
	return nil
}

// countPart adds the scenes of one part of a run with made-up scenes to the tally. dir holds the scenes and
// the figures that plumb render --compare wrote of them. For scenes that plumb does not draw natively, it
// finds out whether the editor draws them. Ids get the part's seed in front, because all parts have the
// same ids.
func countPart(tally *tally, dir, plumb string, seed uint64) error {
	refused := map[string]bool{}
	var all []*figures
	err := lines(filepath.Join(dir, "figures.jsonl"), func(ofScene *figures) error {
		all = append(all, ofScene)
		if ofScene.Error == nil && !ofScene.Native {
			refused[ofScene.ID] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	byEditorToo, err := refusedByEditorToo(dir, plumb, refused)
	if err != nil {
		return err
	}
	for _, ofScene := range all {
		ofScene.Unpictured = byEditorToo[ofScene.ID]
		ofScene.ID = fmt.Sprintf("%d/%s", seed, ofScene.ID)
		tally.add(ofScene)
	}
	return nil
}

// refusedByEditorToo returns which of the scenes that plumb refused to draw natively the editor does not draw
// either: it refuses them too, or the bounds of their content are no numbers. It has the program plumb
// draw them with the editor. A scene that only took too long does not count. dir holds the part of the run
// whose scenes these are.
func refusedByEditorToo(dir, plumb string, refused map[string]bool) (map[string]bool, error) {
	byEditorToo := map[string]bool{}
	if len(refused) == 0 {
		return byEditorToo, nil
	}
	var list strings.Builder
	err := lines(filepath.Join(dir, "scenes.jsonl"), func(line *json.RawMessage) error {
		var scene struct{ ID string }
		if err := json.Unmarshal(*line, &scene); err != nil {
			return err
		}
		if refused[scene.ID] {
			list.Write(*line)
			list.WriteByte('\n')
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	scenes, figures := filepath.Join(dir, "refused.jsonl"), filepath.Join(dir, "refused-figures.jsonl")
	if err := os.WriteFile(scenes, []byte(list.String()), 0o644); err != nil {
		return nil, err
	}
	if out, err := exec.Command(plumb, "render", "--fidelity", "tldraw", "--stats", figures, scenes).CombinedOutput(); err != nil {
		const someNotDrawn = 1 // the exit code where some scenes have an error, which the figures then tell
		if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != someNotDrawn {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
	}
	return byEditorToo, lines(figures, func(drawn *outcome) error {
		// "scene" is the editor's refusal, and "limit" that of bounds that are no numbers.
		if drawn.Error != nil && (drawn.Error.Code == "limit" || drawn.Error.Code == "scene") {
			byEditorToo[drawn.ID] = true
		}
		return nil
	})
}

// outcome is a line that plumb render writes of a scene.
type outcome struct {
	ID    string
	Error *struct{ Code string }
}

// makeUp writes made-up scenes: one shape each, and pages of several.
func makeUp(path string, n int, seed uint64) error {
	return writeScenes(path, madeUp(n, seed))
}

// madeUp makes up n scenes of one shape for each kind of shape, and n whole pages. The same n and seed give
// the same scenes.
func madeUp(n int, seed uint64) (scenes []madeUpScene) {
	random := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range madeup.Kinds {
		for i := range n {
			id := fmt.Sprintf("%s-%03d", kind, i)
			shape := madeup.Shape(random, fmt.Sprintf("shape:%d", i), kind)
			scenes = append(scenes, madeUpScene{id, fmt.Sprintf("\"shapes\":[%s]", shape)})
		}
	}
	for i := range n {
		scenes = append(scenes, madeUpScene{fmt.Sprintf("page-%03d", i), fmt.Sprintf("\"records\":%s", madeup.Page(random))})
	}
	return scenes
}

// madeUpScene is a scene line: its id, and the member with its shapes.
type madeUpScene struct{ id, shapes string }

// writeScenes writes made-up scenes as JSON lines, as plumb render reads them.
func writeScenes(path string, scenes []madeUpScene) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var text strings.Builder
	for _, scene := range scenes {
		fmt.Fprintf(&text, "{\"id\":%q,%s}\n", scene.id, scene.shapes)
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// belowLine matches a line of what a run with -made-up printed that names a scene below a bar.
var belowLine = regexp.MustCompile(`(?m)^below: ([0-9]+)/([^:]+):`)

// runAgain compares only those made-up scenes that an earlier run has listed because plumb's picture
// differs too much from the editor's. results is the file with what that run printed. The scenes are made
// again from the seeds in their ids. That works only if the run had whole parts, and package madeup has
// not changed since.
func runAgain(out, plumb, results string, args []string) error {
	text, err := os.ReadFile(results)
	if err != nil {
		return err
	}
	var list []madeUpScene
	for _, match := range belowLine.FindAllStringSubmatch(string(text), -1) {
		seedText, id := match[1], match[2]
		seed, err := strconv.ParseUint(seedText, 10, 64)
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", results, err)
		}
		for _, scene := range madeUp(scenesPerPart, seed) {
			if scene.id == id {
				list = append(list, madeUpScene{seedText + "/" + id, scene.shapes})
			}
		}
	}
	scenes := filepath.Join(out, "scenes.jsonl")
	if err := writeScenes(scenes, list); err != nil {
		return err
	}
	if err := compare(out, plumb, scenes, args); err != nil {
		return err
	}
	var all tally
	err = lines(filepath.Join(out, "figures.jsonl"), func(ofScene *figures) error { all.add(ofScene); return nil })
	if err != nil {
		return fmt.Errorf("cannot read the figures: %w", err)
	}
	fmt.Print(all.String())
	return nil
}

// run compares plumb's pictures of the scenes of the reference data, in the folder data, with the editor's
// and prints what the report says. The editor's pictures are those recorded in data, or if chrome is true
// those that Chromium draws now. Without reference data it only says so.
func run(data, out, plumb, scenes string, chrome bool, args []string) error {
	reference := filepath.Join(out, "reference")
	if _, err := os.Stat(data); err != nil {
		fmt.Printf("no reference data: %v\n", err)
		return nil
	}
	if err := os.MkdirAll(reference, 0o755); err != nil {
		return err
	}
	if err := prepareScenes(data, reference, scenes); err != nil {
		return fmt.Errorf("cannot read the reference scenes: %w", err)
	}
	if !chrome {
		args = append([]string{"--reference", reference}, args...)
	}
	return compare(out, plumb, scenes, args)
}

// compare runs the program plumb, as `plumb render --compare`, on a file of scenes, and prints how the
// differences from the editor's pictures are distributed. out is the folder for the report and the
// figures, and args are further flags.
func compare(out, plumb, scenes string, args []string) error {
	flags := []string{"render", "--compare", filepath.Join(out, "report"), "--stats", filepath.Join(out, "figures.jsonl")}
	commit, err := rig.CommitOf(plumb)
	if err != nil {
		return err
	}
	flags = append(append(flags, args...), scenes)
	fmt.Printf("%s# %s %s\n", rig.Header(commit), plumb, strings.Join(flags, " "))
	cmd := exec.Command(plumb, flags...)
	cmd.Stderr = os.Stdout
	return cmd.Run()
}

// recorded is a line of the file of reference scenes.
type recorded struct {
	ID      string
	Records []json.RawMessage
	Added   []struct{ ID string }
	Export  struct{ Bounds [4]float64 }
	Images  map[string]struct{ File string }
}

// scene is a scene line as plumb reads it.
type scene struct {
	ID      string            `json:"id"`
	Bounds  [4]float64        `json:"bounds"`
	Only    []string          `json:"only,omitempty"`
	Records []json.RawMessage `json:"records"`
}

// prepareScenes writes a scene to the file at path for each recorded picture of the reference data, which are in
// the folder data. In the folder reference it makes a link to each picture under the id of its scene,
// where plumb render --reference looks for it. If a scene was also recorded without font hinting, that
// picture is taken, because plumb draws text without hinting.
func prepareScenes(data, reference, path string) (err error) {
	unhinted := map[string]recorded{}
	if err := lines(filepath.Join(data, "scenes-nohint.jsonl"), func(r *recorded) error {
		unhinted[r.ID] = *r
		return nil
	}); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	enc := json.NewEncoder(file)
	return lines(filepath.Join(data, "scenes.jsonl"), func(r *recorded) error {
		for _, name := range slices.Sorted(maps.Keys(r.Images)) {
			image := r.Images[name]
			if unhintedImage, ok := unhinted[r.ID].Images[name]; ok {
				image = unhintedImage
			}
			s := scene{ID: r.ID + "-" + name, Bounds: r.Export.Bounds, Only: r.shownShapes(name), Records: r.Records}
			if err := enc.Encode(s); err != nil {
				return err
			}
			if err := replaceLink(filepath.Join(data, filepath.FromSlash(image.File)), filepath.Join(reference, s.ID+".png")); err != nil {
				return err
			}
		}
		return nil
	})
}

// shownShapes returns the ids of the shapes that one of the recorded pictures of a scene shows, nil for all. The
// pictures "before" and "shape" do not show the shapes that were added to the scene, and "label" shows
// only these.
func (recorded *recorded) shownShapes(picture string) []string {
	if picture != "before" && picture != "shape" && picture != "label" {
		return nil
	}
	added := map[string]bool{}
	for _, shape := range recorded.Added {
		added[shape.ID] = true
	}
	var ids []string
	for _, record := range recorded.Records {
		var shape struct{ ID, TypeName string }
		if json.Unmarshal(record, &shape) != nil || shape.TypeName != "shape" {
			continue // a record of another type
		}
		wantAdded := picture == "label"
		if added[shape.ID] == wantAdded {
			ids = append(ids, shape.ID)
		}
	}
	return ids
}

// replaceLink makes a symbolic link at the path at, which leads to the file target. It replaces what was there.
func replaceLink(target, at string) error {
	target, err := filepath.Abs(target)
	if err != nil {
		return err
	}
	if err := os.Remove(at); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(target, at)
}

// lines reads a file of JSON lines and calls f with the value of each, until f returns an error. A line may
// have at most 64 MiB.
func lines[T any](path string, f func(*T) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<26)
	for scanner.Scan() {
		var value T
		if err := json.Unmarshal(scanner.Bytes(), &value); err != nil {
			return err
		}
		if err := f(&value); err != nil {
			return err
		}
	}
	return scanner.Err()
}
