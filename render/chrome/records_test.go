package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
)

// TestRecords: records written of a scene are read as the same scene.
func TestRecords(t *testing.T) {
	for _, r := range references(t) {
		for how, src := range map[string][]byte{"list": r.list(t), "stored": r.stored(t)} {
			want, err := scene.Decode(src, scene.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := appendScene(nil, want)
			if err != nil {
				t.Fatalf("%s as %s: %v", r.ID, how, err)
			}
			b = append(b, '}')
			got, err := scene.Decode(b, scene.Limits{})
			if err != nil {
				t.Fatalf("%s as %s: %v", r.ID, how, err)
			}
			for i := range want.Shapes {
				w := want.Shapes[i]
				w.Grow = false // told by "created"
				if !reflect.DeepEqual(got.Shapes[i], w) {
					t.Errorf("%s as %s: got %+v; want %+v", r.ID, how, got.Shapes[i], w)
				}
			}
			if !reflect.DeepEqual(got.Bindings, want.Bindings) {
				t.Errorf("%s as %s: got %+v; want %+v", r.ID, how, got.Bindings, want.Bindings)
			}
		}
	}
}

func TestRich(t *testing.T) {
	par := func(text string) string {
		return `{"type":"paragraph","content":[{"type":"text","text":"` + text + `"}]}`
	}
	item := func(content ...string) string {
		return `{"type":"listItem","content":[` + strings.Join(content, ",") + `]}`
	}
	bullets := func(items ...string) string {
		return `{"type":"bulletList","content":[` + strings.Join(items, ",") + `]}`
	}
	numbers := func(start string, items ...string) string {
		return `{"type":"orderedList","attrs":{"start":` + start + `},"content":[` + strings.Join(items, ",") + `]}`
	}
	for _, row := range []struct{ name, content string }{
		{"paragraphs", par("a") + "," + par("b") + `,{"type":"paragraph"},` + par("c")},
		{"break", `{"type":"paragraph","content":[{"type":"text","text":"a"},{"type":"hardBreak"},{"type":"text","text":"b"}]}`},
		{"marks", `{"type":"paragraph","content":[{"type":"text","text":"a","marks":[{"type":"bold"},{"type":"italic"}]},{"type":"text","text":"b","marks":[{"type":"code"}]},{"type":"text","text":"c"}]}`},
		{"escapes", par(`\u0000 \" \\ < é 😀`)},
		{"list", bullets(item(par("a")), item(par("b")))},
		{"two lists", bullets(item(par("a")), item(par("b"))) + "," + bullets(item(par("c")))},
		{"lists of two kinds", bullets(item(par("a"))) + "," + numbers("1", item(par("b")))},
		{"numbers from 5", numbers("5", item(par("a")), item(par("b")))},
		{"two paragraphs in an item", bullets(item(par("a"), par("b")), item(par("c")))},
		{"nested", par("x") + "," + bullets(item(par("a"), bullets(item(par("b")), item(par("c")))), item(par("d"), numbers("1", item(par("e")))), item(par("f"))) + "," + par("y")},
		{"paragraph after a nested list", bullets(item(par("a"), bullets(item(par("b"))), par("c")), item(par("d")))},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := `{"type":"doc","content":[` + row.content + `]}`
			s, err := scene.Decode([]byte(`[{"id":"shape:a","type":"text","props":{"richText":`+want+`}}]`), scene.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			p := props{first: true}
			p.writeRichText(s.Shapes[0].Rich)
			got := strings.TrimPrefix(string(p.b), `"richText":`)
			var a, b any
			if err := json.Unmarshal([]byte(got), &a); err != nil {
				t.Fatalf("got %s: %v", got, err)
			}
			if err := json.Unmarshal([]byte(want), &b); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(a, b) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestIncomplete: what a resolved scene knows by name only is refused, not
// drawn without it.
func TestIncomplete(t *testing.T) {
	for _, row := range []struct{ name, shape string }{
		{"type", `{"id":"shape:a","type":"poll"}`},
		{"asset", `{"id":"shape:a","type":"image","props":{"assetId":"asset:a"}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := scene.Decode([]byte("["+row.shape+"]"), scene.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			c := Config{}.withDefaults()
			_, err = c.job(&Request{View: view.View{Scene: s, Bounds: view.Box{W: 9, H: 9}}})
			if !errors.Is(err, ErrScene) || !strings.Contains(err.Error(), `"shape:a"`) {
				t.Errorf("got %v; want ErrScene that names the shape", err)
			}
		})
	}
}

func TestJobBounds(t *testing.T) {
	s, err := scene.Decode([]byte(`[]`), scene.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		box  view.Box
		want error
	}{
		{"whole", view.Box{W: 10, H: 10}, nil},
		{"largest", view.Box{W: 32768, H: 2048}, nil},
		{"too wide", view.Box{W: 32769, H: 1}, ErrLimit},
		{"too large", view.Box{W: 32768, H: 2049}, ErrLimit},
		{"empty", view.Box{}, ErrScene},
		{"not a number", view.Box{X: nan, W: 10, H: 10}, ErrScene},
		{"infinite", view.Box{W: 1 / zero, H: 10}, ErrLimit},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := Config{}.withDefaults()
			if _, err := c.job(&Request{View: view.View{Scene: s, Bounds: row.box}}); !errors.Is(err, row.want) {
				t.Errorf("got %v; want %v", err, row.want)
			}
		})
	}
}

var zero float64
var nan = zero / zero

// TestJobIsJSON: what is sent to the page is JSON for every string, whichever
// form the scene has.
func TestJobIsJSON(t *testing.T) {
	c := Config{}.withDefaults()
	for _, text := range []string{`\u0007`, `\u0000 \u001f \u007f`, `🏴󠁧󠁢󠁥󠁮󠁧󠁿 \"`, `\ud800`, `\udc00 \ud800`, `\u2028\u2029`, `\ufeff\uffff`} {
		for how, shape := range map[string]string{
			"text":    `{"id":"shape:a","type":"geo","props":{"text":"` + text + `"}}`,
			"heading": `{"id":"shape:a","type":"text","props":{"richText":{"type":"doc","content":[{"type":"heading","attrs":{"level":1},"content":[{"type":"text","text":"` + text + `"}]}]}}}`,
			"link":    `{"id":"shape:a","type":"geo","props":{"url":"` + text + `"}}`,
		} {
			s, err := scene.Decode([]byte("["+shape+"]"), scene.Limits{})
			if err != nil {
				t.Fatalf("%s %s: %v", how, text, err)
			}
			v := view.View{Scene: s, Bounds: view.Box{W: 9, H: 9}, FirstIDs: []string{"shape:a"}}
			for form, r := range map[string]*Request{"scene": {View: v}, "source": {View: v, Source: []byte("[" + shape + "]")}} {
				j, err := c.job(r)
				if err != nil || !json.Valid([]byte(j.text)) {
					t.Errorf("%s %s as %s: got %+v, %v; want JSON", how, text, form, j, err)
				}
			}
		}
	}
}

// TestControlCharacters: texts that no SVG can hold are refused in the editor's
// words, others are drawn, and none costs a tab.
func TestControlCharacters(t *testing.T) {
	p := open(t, Config{})
	for _, row := range []struct {
		text string
		want error
	}{{`🏴󠁧󠁢󠁥󠁮󠁧󠁿 \"`, nil}, {`\ud800 a`, nil}, {`a\u0007b`, ErrScene}, {`a\u001fb`, ErrScene}, {`a\tb`, nil}} {
		src := `[{"id":"shape:a","type":"text","x":0,"y":0,"props":{"text":"` + row.text + `"}}]`
		if _, err := p.Export(context.Background(), sourceRequest([]byte(src))); !errors.Is(err, row.want) {
			t.Errorf("%s: got %v; want %v", row.text, err, row.want)
		}
	}
	if s := p.Stats(); s.Lost != 0 || s.Pages != 1 {
		t.Errorf("got %+v; want no tab lost", s)
	}
}

// TestMetaHidesNothing: no key in a shape's meta keeps it out of a picture.
func TestMetaHidesNothing(t *testing.T) {
	p := open(t, Config{})
	src := `{"records": [{"id": "shape:a", "typeName": "shape", "type": "geo", "x": 0, "y": 0, "index": "a1", "parentId": "page:page", "rotation": 0, "isLocked": false, "opacity": 1, "meta": {"plumb:hidden": true}, "props": {"w": 40, "h": 40, "fill": "solid", "geo": "rectangle", "dash": "draw", "url": "", "growY": 0, "scale": 1, "labelColor": "black", "color": "black", "size": "m", "font": "draw", "align": "middle", "verticalAlign": "middle", "richText": {"type": "doc", "content": [{"type": "paragraph"}]}}}],
"schema": {"schemaVersion": 2, "sequences": {"com.tldraw.store": 5, "com.tldraw.shape": 4, "com.tldraw.shape.geo": 10, "com.tldraw.asset": 1, "com.tldraw.page": 1, "com.tldraw.document": 2}}}` // with the versions it was written with, so that meta is kept
	r, err := p.Export(context.Background(), sourceRequest([]byte(src)))
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Image.NRGBAAt(20, 20).A; a != 255 {
		t.Errorf("alpha inside the box: got %d; want 255", a)
	}
}
