package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The forms in which data sets are published become the same items, which plumb run can ask
// and plumb score can score.
func TestVQAConvert(t *testing.T) {
	const list = `[{"Question":"Which?","Image ID":"a.png","options":["w","x","y","z"],"Answer Index":1,"Category":"Depth & Occlusion","Sub-Task":"Layering Order","note":"?"}]`
	for name, in := range map[string]string{
		"list":             list,
		"lines":            strings.Trim(list, "[]") + "]" + `}`,
		"options as text":  strings.Replace(list, `["w","x","y","z"]`, `"[\"w\",\"x\",\"y\",\"z\"]"`, 1),
		"options by label": strings.Replace(list, `["w","x","y","z"]`, `{"B":"x","A":"w","D":"z","C":"y"}`, 1),
		"columns":          strings.Replace(list, `"options":["w","x","y","z"]`, `"Option A":"w","Option B":"x","Option C":"y","Option D":"z"`, 1),
		"csv":              "question,image,option1,option2,option3,option4,answer_index,category,subcategory,note\nWhich?,a.png,w,x,y,z,1,Depth & Occlusion,Layering Order,?\n",
	} {
		if name == "lines" {
			in = strings.TrimSuffix(strings.TrimPrefix(list, "["), "]") + "\n"
		}
		code, out, errs := plumb(t, in, "vqa", "convert", "--suite", "spatialab", "-")
		want := `{"id":"sl-0001","image":["a.png"],"question":"Which?","options":["w","x","y","z"],"answer_index":1,"category":"Depth & Occlusion","subcategory":"Layering Order"}` + "\n"
		if code != 0 || out != want || !strings.Contains(errs, "no member comes from: note") || !strings.Contains(errs, "1 of   70  Layering Order") {
			t.Errorf("%s: got exit %d, %s%s; want %s", name, code, out, errs, want)
		}
	}
	const release = `[{"image_id":"p.jpg","category":"Spatial Reasoning","sub_category":"View Analysis","question":"Which?","choices":["w","x"],"answer":"x","answer_option":"B","prompt":"Look."}]`
	code, out, errs := plumb(t, release, "vqa", "convert", "--suite", "spaceeval", "-")
	if code != 0 || out != `{"id":"se-0001","image":["p.jpg"],"question":"Which?","options":["w","x"],"answer":"B","category":"Spatial Reasoning","subcategory":"View Analysis","prompt":"Look."}`+"\n" {
		t.Errorf("SpaCE-Eval's own file: got exit %d, %s%s", code, out, errs)
	}
	items := filepath.Join(t.TempDir(), "items.jsonl")
	os.WriteFile(items, []byte(out), 0o600)
	if code, out, errs := plumb(t, "", "run", "spaceeval", "--tasks", items, "--input", "blind", "--model", "m", "--print", "1"); code != 0 || !strings.Contains(out, "Look.") {
		t.Errorf("plumb run: got exit %d, %s%s", code, out, errs)
	}
	for in, want := range map[string]string{
		``:    "it is empty",
		`[7]`: "record 1: want a JSON object",
		strings.Replace(list, `"Question"`, `"Text"`, 1):                                                                           "cannot find question",
		strings.Replace(list, `"options"`, `"possible"`, 1):                                                                        "cannot find options",
		strings.Replace(list, `"Answer Index":1`, `"Answer Index":9`, 1):                                                           "answer_index",
		strings.Replace(list, `Layering Order`, `Layering Disorder`, 1):                                                            "Layering Disorder",
		list[:len(list)-1] + `,` + strings.Trim(list, "[") + ``:                                                                    "",
		strings.Replace(strings.Replace(list, `[{`, `[{"id":"a",`, 1), `}]`, `},`+strings.Replace(list, `[{`, `{"id":"a",`, 1), 1): "its id",
	} {
		code, _, errs := plumb(t, in, "vqa", "convert", "--suite", "spatialab", "-")
		if want == "" {
			if code != 0 {
				t.Errorf("two records: got exit %d, %s", code, errs)
			}
		} else if code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: got exit %d, %s; want 1 and %s", in, code, errs, want)
		}
	}
	if code, out, errs := plumb(t, strings.Replace(list, `"Question"`, `"Text"`, 1), "vqa", "convert", "--suite", "spatialab", "--map", "question=Text", "-"); code != 0 || !strings.Contains(out, `"question":"Which?"`) {
		t.Errorf("--map: got exit %d, %s%s", code, out, errs)
	}
	for _, m := range []string{"question=Nothing", "colour=Question"} {
		if code, _, errs := plumb(t, list, "vqa", "convert", "--suite", "spatialab", "--map", m, "-"); code != 1 || !strings.Contains(errs, "cannot map") {
			t.Errorf("--map %s: got exit %d, %s", m, code, errs)
		}
	}
}
