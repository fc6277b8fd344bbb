package dump

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
)

func TestParseBounds(t *testing.T) {
	for s, want := range map[string]Bounds{
		"content":        {Content: true, Pad: 32},
		"content:0":      {Content: true},
		"content:1e6":    {Content: true, Pad: 1e6},
		"content:7.5":    {Content: true, Pad: 7.5},
		"1,2,30,40":      {Box: view.Box{X: 1, Y: 2, W: 30, H: 40}},
		"-1.5, 2,3e1,.5": {Box: view.Box{X: -1.5, Y: 2, W: 30, H: 0.5}},
	} {
		if got, err := ParseBounds(s); err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "1,2,3", "1,2,3,4,5", "a,b,c,d", "content:", "content:-1", "content:x", "content:1000001", "contents", "1,2,NaN,4", "1,2,Inf,4"} {
		if got, err := ParseBounds(s); err == nil {
			t.Errorf("%q: got %+v; want an error", s, got)
		}
	}
}

func TestPicture(t *testing.T) {
	const box = `{"id":"shape:%s","type":"geo","x":%d,"y":20,"props":{"w":30,"h":40,"dash":"solid"}}`
	shapes := fmt.Sprintf(`"shapes":[`+box+`,`+box+`]`, "a", 10, "b", 100)
	for _, c := range []struct {
		line string
		o    PictureOptions
		want string // id, bounds, only
	}{
		{`{"id":"s",` + shapes + `}`, PictureOptions{}, "s {-22 -12 184 104} [] true"},
		{`{"id":7,` + shapes + `,"bounds":[1,2,3,4]}`, PictureOptions{}, "7 {1 2 3 4} [] true"},
		{`{` + shapes + `,"bounds":null,"only":["a","shape:b"],"id":null}`, PictureOptions{}, " {-22 -12 184 104} [shape:a shape:b] false"},
		{`{` + shapes + `,"only":["shape:b"]}`, PictureOptions{}, " {68 -12 94 104} [shape:b] false"},
		{`{` + shapes + `,"only":[]}`, PictureOptions{}, " {-22 -12 184 104} [] false"},
		{`{` + shapes + `,"only":[],"bounds":[0,0,5,5]}`, PictureOptions{}, " {0 0 5 5} [] false"},
		{`{` + shapes + `,"bounds":[1,2,3,4],"only":["b"]}`, PictureOptions{Bounds: &Bounds{Content: true, Pad: 1}, Only: []string{"a"}}, " {9 19 32 42} [shape:a] false"},
	} {
		id, v, err := Picture([]byte(c.line), c.o)
		if got := fmt.Sprint(id, " ", v.Bounds, " ", v.FirstIDs, " ", v.FirstIDs == nil); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.line, got, err, c.want)
		}
	}
	for _, line := range []string{
		`{`, `7`, `{}`, `{"shapes":[]}`, `{"shapes":[],"only":["a"]}`, `{"shapes":[],"only":["a"],"bounds":[0,0,5,5]}`, `{"shapes":[],"bounds":[1,2,3]}`, `{"shapes":[],"bounds":[1,2,3,"4"]}`,
		`{"shapes":[],"bounds":[0,0,0,5]}`, `{"shapes":[],"bounds":[0,0,1e9,1e9]}`, `{"shapes":[],"only":"a","bounds":[0,0,5,5]}`,
		`{"shapes":[],"only":[1],"bounds":[0,0,5,5]}`, `{"id":[],"shapes":[],"bounds":[0,0,5,5]}`, `{"shapes":[],"shapes":[],"bounds":[0,0,5,5]}`,
	} {
		if _, v, err := Picture([]byte(line), PictureOptions{}); !errors.Is(err, scene.ErrInvalid) {
			t.Errorf("%s: got %+v, %v; want ErrInvalid", line, v.Bounds, err)
		}
	}
}

func TestPictureLimits(t *testing.T) {
	for _, c := range []struct {
		l           scene.Limits
		under, over string
		flag        string
	}{
		{scene.Limits{Side: 10}, `{"shapes":[],"bounds":[0,0,10.9,10]}`, `{"shapes":[],"bounds":[0,0,11,10]}`, scene.FlagSide},
		{scene.Limits{Pixels: 100}, `{"shapes":[],"bounds":[0,0,10,10]}`, `{"shapes":[],"bounds":[0,0,10,11]}`, scene.FlagPixels},
		{scene.Limits{Shapes: 1}, `{"shapes":[{"id":"shape:a","type":"geo"}],"only":["a"],"bounds":[0,0,9,9]}`,
			`{"shapes":[{"id":"shape:a","type":"geo"}],"only":["a","a"],"bounds":[0,0,9,9]}`, scene.FlagShapes},
		{scene.Limits{}, `{"shapes":[],"bounds":[0,0,8192,8192]}`, `{"shapes":[],"bounds":[0,0,31623,31623]}`, scene.FlagPixels},
		{scene.Limits{}, `{"shapes":[],"bounds":[0,0,1,1]}`, `{"shapes":[],"bounds":[0,0,1e307,1]}`, scene.FlagSide},
	} {
		if _, _, err := Picture([]byte(c.under), PictureOptions{Limits: c.l}); err != nil {
			t.Errorf("%s: got %v; want no error", c.under, err)
		}
		if _, _, err := Picture([]byte(c.over), PictureOptions{Limits: c.l}); !errors.Is(err, scene.ErrLimit) || !strings.Contains(err.Error(), c.flag) {
			t.Errorf("%s: got %v; want a limit and %s", c.over, err, c.flag)
		}
	}
}

func TestScenes(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  []string
	}{
		{in: ""},
		{in: "{\"a\":1}\n\n{\"b\":2}\n", want: []string{"1 {\"a\":1}", "3 {\"b\":2}"}},
		{in: "\n{\n \"a\": [\n1]\n}\n\n", want: []string{"1 \n{\n \"a\": [\n1]\n}\n\n"}},
		{in: "nonsense\n{\"b\":2}\n", want: []string{"1 nonsense", "2 {\"b\":2}"}},
		{in: "{\n\"a\":1,\n\"b\":2\n}\n", limit: 9, want: []string{"1 {", "2 \"a\":1,", "3 \"b\":2", "4 }"}},
		{in: "{\n" + strings.Repeat("x", 20) + "\n}\n", limit: 10, want: []string{"1 {", "2 fault", "3 }"}},
	} {
		r, err := NewReader(strings.NewReader(c.in), Limits{Line: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = Scenes(r, Limits{Line: c.limit}, func(l Line) {
			text := string(l.Bytes)
			if l.Fault != "" {
				text = "fault"
			}
			got = append(got, fmt.Sprint(l.Number, " ", text))
		})
		if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%q: got %q, %v; want %q", c.in, got, err, c.want)
		}
	}
}
