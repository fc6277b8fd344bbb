package scene

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

func mustDecode(t *testing.T, in string) *Scene {
	t.Helper()
	s, err := Decode([]byte(in), Limits{})
	if err != nil {
		t.Fatalf("Decode(%.200s): %v", in, err)
	}
	return s
}

// TestDefaults checks the defaults of every kind with nothing but its id and type. See
// docs/spec/drawing.md#r3.
func TestDefaults(t *testing.T) {
	base := func(k Kind) Shape {
		return Shape{ID: "shape:a", Kind: k, TypeName: k.String(), Parent: -1, Opacity: 1, Scale: 1}
	}
	with := func(k Kind, change func(*Shape)) Shape {
		s := base(k)
		s.Size = SizeM
		change(&s)
		return s
	}
	for _, want := range []Shape{
		with(Geo, func(s *Shape) { s.W, s.H, s.Align, s.Vertical = 100, 100, AlignMiddle, AlignMiddle }),
		with(Text, func(s *Shape) { s.W, s.Auto = 8, true }),
		with(Line, func(s *Shape) { s.Points = []Point{{0, 0}, {0.1, 0.1}} }),
		with(Draw, func(s *Shape) {}),
		with(Arrow, func(s *Shape) {
			s.Points = []Point{{0, 0}, {2, 0}}
			s.Arrow = &ArrowProps{HeadEnd: HeadArrow, LabelPosition: 0.5, ElbowMidPoint: 0.5}
		}),
		with(Highlight, func(s *Shape) {}),
		with(Note, func(s *Shape) { s.Align, s.Vertical = AlignMiddle, AlignMiddle }),
		with(Frame, func(s *Shape) { s.Size, s.W, s.H = 0, 320, 180 }),
		base(Group),
		with(Image, func(s *Shape) { s.Size, s.W, s.H = 0, 100, 100 }),
		with(Video, func(s *Shape) { s.Size, s.W, s.H = 0, 100, 100 }),
		with(Bookmark, func(s *Shape) { s.Size, s.W, s.H = 0, 300, 320 }),
		with(Embed, func(s *Shape) { s.Size, s.W, s.H = 0, 300, 300 }),
	} {
		for _, in := range []string{`[{"id":"shape:a","type":"%s"}]`,
			`{"records":[{"typeName":"shape","id":"shape:a","type":"%s","parentId":"page:page","props":{}}]}`} {
			s := mustDecode(t, fmt.Sprintf(in, want.Kind))
			if !reflect.DeepEqual(s.Shapes, []Shape{want}) {
				t.Errorf("%s:\n got %+v\nwant %+v", want.Kind, s.Shapes[0], want)
			}
		}
	}
	other := mustDecode(t, `[{"id":"shape:a","type":"widget","props":{"w":"?"}}]`).Shapes[0]
	if other.Kind != Other || other.TypeName != "widget" {
		t.Errorf("got %v %q; want other, named as written", other.Kind, other.TypeName)
	}
}

// Every property is decoded into its field.
func TestProperties(t *testing.T) {
	for _, c := range []struct {
		kind, props string
		want        func(*Shape)
	}{
		{"geo", `"geo":"rhombus-2","w":1.5,"h":2.5,"dash":"dotted","fill":"lined-fill","color":"light-violet","labelColor":"white",
			"size":"xl","font":"mono","align":"end","verticalAlign":"start","scale":0.5,"url":"u"`, func(s *Shape) {
			s.Geo, s.W, s.H, s.Dash, s.Fill = Rhombus2, 1.5, 2.5, DashDotted, FillLined
			s.Color, s.LabelColor, s.Size, s.Font = LightViolet, White, SizeXL, FontMono
			s.Align, s.Vertical, s.Scale, s.URL = AlignEnd, AlignStart, 0.5, "u"
		}},
		{"geo", `"align":"start-legacy"`, func(s *Shape) { s.Align = AlignEnd }},
		{"geo", `"align":"middle-legacy","textAlign":7,"points":8,"unknown":[]`, func(s *Shape) { s.Align = AlignEnd }},
		{"geo", `"dash":"none","growY":30`, func(s *Shape) { s.Dash = DashNone }},
		{"text", `"textAlign":"end","w":50,"autoSize":false,"align":"nonsense","font":"serif"`, func(s *Shape) {
			s.Align, s.W, s.Auto, s.Font = AlignEnd, 50, false, FontSerif
		}},
		{"line", `"spline":"cubic","points":{"b":{"id":"a2","index":"a2","x":3,"y":4},"a":{"id":"a1","index":"a1","x":1,"y":2},"c":{"id":"a1V","index":"a1V","x":5,"y":6}}`,
			func(s *Shape) { s.Cubic, s.Points = true, []Point{{1, 2}, {5, 6}, {3, 4}} }},
		{"line", `"points":{"a":{"id":"a1","index":"a1","x":3,"y":4},"b":{"id":"a2","index":"a2","x":3,"y":4}}`,
			func(s *Shape) { s.Points = []Point{{3, 4}, {3.1, 4.1}} }},
		{"line", `"points":{}`, func(s *Shape) { s.Points = []Point{} }},
		{"draw", `"segments":[{"type":"straight","points":[{"x":1,"y":2,"z":0.25},{"x":3,"y":4}]},{"type":"free","points":[]}],
			"isClosed":true,"isComplete":true,"isPen":true`, func(s *Shape) {
			s.Segments = []Segment{{Straight: true, Points: []Pressed{{1, 2, 0.25}, {3, 4, 1}}}, {Points: []Pressed{}}}
			s.Closed, s.Complete, s.Pen = true, true, true
		}},
		{"arrow", `"kind":"elbow","end":{"x":9,"y":8},"bend":-4,"arrowheadStart":"pipe","arrowheadEnd":"bar","labelPosition":0,
			"elbowMidPoint":1`, func(s *Shape) {
			s.Points = []Point{{0, 0}, {9, 8}}
			s.Arrow = &ArrowProps{Elbow: true, Bend: -4, HeadStart: HeadPipe, HeadEnd: HeadBar, LabelPosition: 0, ElbowMidPoint: 1}
		}},
		{"note", `"fontSizeAdjustment":22,"growY":5`, func(s *Shape) {}}, // computed anew for created shapes
		{"frame", `"name":"F","w":1,"h":2`, func(s *Shape) { s.Name, s.W, s.H = "F", 1, 2 }},
		{"image", `"flipX":true,"assetId":"asset:1"`, func(s *Shape) { s.Flip[0], s.Asset = true, "asset:1" }},
		{"image", `"flipY":true,"assetId":null,"crop":null`, func(s *Shape) { s.Flip[1] = true }},
	} {
		kind, _ := ParseKind(c.kind)
		want := mustDecode(t, `[{"id":"shape:a","type":"`+c.kind+`"}]`).Shapes[0]
		want.Kind = kind
		if c.want != nil {
			c.want(&want)
		}
		got := mustDecode(t, `[{"id":"shape:a","type":"`+c.kind+`","props":{`+c.props+`}}]`).Shapes[0]
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s:\n got %+v\nwant %+v", c.kind, c.props, got, want)
		}
	}
}

// All encodings of the same shape give the same scene, except values that are stored in one and
// computed on creation in the other.
func TestContainers(t *testing.T) {
	const record = `{"typeName":"shape","id":"shape:a","type":"note","x":5,"y":0,"rotation":0,"index":"a1","parentId":"page:p",
		"opacity":1,"isLocked":false,"meta":{},"props":{"growY":7,"fontSizeAdjustment":22,"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"hi"}]}]}}}`
	const pageRecord = `{"typeName":"page","id":"page:p","name":"Page","index":"a1","meta":{}}`
	const schema = `{"schemaVersion":2,"sequences":{"com.tldraw.store":5,"com.tldraw.shape":4,"com.tldraw.shape.note":9}}`
	for name, in := range map[string]string{
		"records": `{"records":[` + record + `]}`,
		"both":    `{"shapes":[],"records":[` + record + `]}`,
		"file":    `{"tldrawFileFormatVersion":1,"schema":` + schema + `,"records":[` + pageRecord + `,` + record + `]}`,
		"store":   `{"store":{"page:p":` + pageRecord + `,"shape:a":` + record + `},"schema":` + schema + `}`,
		"editor":  `{"document":{"store":{"shape:a":` + record + `},"schema":` + schema + `},"session":{"currentPageId":"page:p"}}`,
	} {
		s := mustDecode(t, in)
		if len(s.Shapes) != 1 || s.Shapes[0].X != 5 || s.Shapes[0].GrowY != 7 || s.Shapes[0].FontPx != 22 || s.Shapes[0].Grow {
			t.Errorf("%s: got %+v; want the note as stored", name, s.Shapes)
		}
	}
	for name, in := range map[string]string{"list": `[` + record + `]`, "shapes": `{"shapes":[` + record + `],"bindings":[]}`} {
		s := mustDecode(t, in)
		if len(s.Shapes) != 1 || s.Shapes[0].X != 5 || s.Shapes[0].GrowY != 0 || s.Shapes[0].FontPx != 0 || !s.Shapes[0].Grow {
			t.Errorf("%s: got %+v; want the note with Grow", name, s.Shapes)
		}
	}
	if s := mustDecode(t, `[]`); len(s.Shapes) != 0 {
		t.Errorf("empty list: got %+v; want no shapes", s.Shapes)
	}
}

// Only shapes on the shown page are decoded, with all their descendants.
func TestPages(t *testing.T) {
	const records = `{"typeName":"page","id":"page:1","index":"a2"},{"typeName":"page","id":"page:0","index":"a1"},
		{"typeName":"shape","id":"shape:g","type":"group","parentId":"page:1","index":"a1","props":{}},
		{"typeName":"shape","id":"shape:a","type":"arrow","parentId":"shape:g","index":"a1","props":{}},
		{"typeName":"binding","type":"arrow","fromId":"shape:a","toId":"shape:g","props":{"terminal":"end"}},
		{"typeName":"shape","id":"shape:b","type":"geo","parentId":"page:0","index":"a1","props":{}},
		{"typeName":"shape","id":"shape:c","type":"geo","parentId":"page:gone","index":"a2","props":{}}`
	for _, c := range []struct {
		in      string
		want    string
		skipped int
	}{
		{`{"records":[` + records + `]}`, "shape:b shape:c", 2},
		{`{"records":[` + records + `,{"typeName":"instance","currentPageId":"page:1"}]}`, "shape:c shape:g shape:a", 1},
		{`{"records":[` + records + `,{"typeName":"instance","currentPageId":"page:9"}]}`, "shape:b shape:c", 2},
	} {
		s := mustDecode(t, c.in)
		var got []string
		for i := range s.Shapes {
			got = append(got, s.Shapes[i].ID)
		}
		if c.want == "shape:c shape:g shape:a" { // c has index a2 and comes after g
			c.want = "shape:g shape:a shape:c"
		}
		if strings.Join(got, " ") != c.want || s.Skipped != c.skipped {
			t.Errorf("got %v, %d skipped; want %s, %d", got, s.Skipped, c.want, c.skipped)
		}
	}
}

// Each error names the field, the value, what is wanted, and the shape.
func TestFaults(t *testing.T) {
	shape := func(rest string) string { return `[{"id":"shape:ok","type":"geo"},{"id":"shape:a",` + rest + `}]` }
	geo := func(props string) string { return shape(`"type":"geo","props":{` + props + `}`) }
	for _, c := range []struct {
		in   string
		text string // after "cannot read "
		kind error
	}{
		{`7`, `scene: got 7; want a list of shapes`, ErrInvalid},
		{`{"a":1}`, `scene: got an object; want shapes, records`, ErrInvalid},
		{`{"shapes":{}}`, `shapes: got an object; want a list of shapes`, ErrInvalid},
		{`{"shapes":[7]}`, `shapes[0]: got 7; want an object`, ErrInvalid},
		{`[{"id":"shape:a"}]`, `[0].type of shape "shape:a": got nothing; want the name`, ErrInvalid},
		{`[{"id":7,"type":"geo"}]`, `[0].id: got 7; want a string`, ErrInvalid},
		{`[{"id":"a","type":"geo"}]`, `[0].id: got "a"; want an id that begins with "shape:"`, ErrInvalid},
		{`[{"id":"somethinglong","type":"geo"}]`, `[0].id: got "somethinglong"; want an id that begins`, ErrInvalid},
		{`[{"typeName":"binding","id":"binding:a","type":"arrow"}]`, `[0].id: got "binding:a"`, ErrInvalid},
		{`[{"typeName":"page","type":"geo"}]`, `[0].typeName: got "page"; want "shape"`, ErrInvalid},
		{shape(`"type":"geo","x":"7"`), `[1].x of shape "shape:a": got "7"; want a finite number`, ErrInvalid},
		{shape(`"type":"geo","x":null`), `[1].x of shape "shape:a": got null; want a finite number`, ErrInvalid},
		{shape(`"type":"geo","x":1e999`), `JSON at byte 65 (/1/x): got 1e999; want a number that fits a float64`, ErrInvalid},
		{shape(`"type":"geo","x":1e308`), `[1].x of shape "shape:a": got 1e+308; want a magnitude of at most 1e+09 (--max-coordinate)`, ErrLimit},
		{shape(`"type":"geo","opacity":1.5`), `[1].opacity of shape "shape:a": got 1.5; want a number from 0 to 1`, ErrInvalid},
		{shape(`"type":"geo","props":[]`), `[1].props of shape "shape:a": got a list; want an object`, ErrInvalid},
		{geo(`"w":0`), `[1].props.w of shape "shape:a": got 0; want a finite number > 0`, ErrInvalid},
		{geo(`"h":-3`), `[1].props.h of shape "shape:a": got -3; want`, ErrInvalid},
		{geo(`"w":2e9`), `[1].props.w of shape "shape:a": got 2e+09; want`, ErrLimit},
		{geo(`"growY":-1`), `[1].props.growY of shape "shape:a": got -1; want`, ErrInvalid},
		{geo(`"scale":"1"`), `[1].props.scale of shape "shape:a": got "1"; want a finite number`, ErrInvalid},
		{geo(`"geo":"circle"`), `[1].props.geo of shape "shape:a": got "circle"; want one of rectangle, ellipse`, ErrInvalid},
		{geo(`"color":"#ff0000"`), `[1].props.color of shape "shape:a": got "#ff0000"; want one of black`, ErrInvalid},
		{geo(`"color":3`), `[1].props.color of shape "shape:a": got 3; want one of`, ErrInvalid},
		{geo(`"align":"center"`), `[1].props.align of shape "shape:a": got "center"; want one of start, middle, end, start-legacy`, ErrInvalid},
		{geo(`"url":1`), `[1].props.url of shape "shape:a": got 1; want a string`, ErrInvalid},
		{geo(`"richText":"hello"`), `[1].props.richText of shape "shape:a": got "hello"; want an object of type "doc"`, ErrInvalid},
		{geo(`"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text"}]}]}`), `[1].props.richText of shape "shape:a": got nothing; want a text node with a text`, ErrInvalid},
		{geo(`"richText":{"type":"doc","content":7}`), `[1].props.richText of shape "shape:a": got 7; want content that is a list`, ErrInvalid},
		{shape(`"type":"text","props":{"textAlign":"left"}`), `[1].props.textAlign of shape "shape:a": got "left"; want one of start, middle, end`, ErrInvalid},
		{shape(`"type":"text","props":{"autoSize":1}`), `[1].props.autoSize of shape "shape:a": got 1; want true or false`, ErrInvalid},
		{shape(`"type":"line","props":{"points":[]}`), `[1].props.points of shape "shape:a": got a list; want an object of points`, ErrInvalid},
		{shape(`"type":"line","props":{"points":{"a1":{"x":1,"y":1}}}`), `[1].props.points.a1.index of shape "shape:a": got nothing; want a string`, ErrInvalid},
		{shape(`"type":"line","props":{"points":{"a1":{"index":"a1","x":1}}}`), `[1].props.points.a1.y of shape "shape:a": got nothing; want a finite number`, ErrInvalid},
		{shape(`"type":"line","props":{"points":{"a1":{"index":"a1","x":1e308,"y":0}}}`), `[1].props.points.a1.x of shape "shape:a": got 1e+308`, ErrLimit},
		{shape(`"type":"line","props":{"handles":{}}`), `[1].props.handles of shape "shape:a": got handles, of an older version; want points`, ErrVersion},
		{shape(`"type":"draw","props":{"segments":[{"type":"curved","points":[]}]}`), `[1].props.segments[0].type of shape "shape:a": got "curved"; want one of free, straight`, ErrInvalid},
		{shape(`"type":"draw","props":{"segments":[{"type":"free","points":[{"x":0,"y":true}]}]}`), `[1].props.segments[0].points[0].y of shape "shape:a": got true`, ErrInvalid},
		{shape(`"type":"draw","props":{"segments":[{"type":"free","points":"AAAA"}]}`), `[1].props.segments[0].points of shape "shape:a": got points in base64, of tldraw 5`, ErrVersion},
		{shape(`"type":"highlight","props":{"segments":[{"type":"free","path":"AAAA"}]}`), `[1].props.segments[0].path of shape "shape:a": got points in base64`, ErrVersion},
		{shape(`"type":"draw","props":{"scaleX":2}`), `[1].props.scaleX of shape "shape:a": got 2, of tldraw 5; want 1`, ErrVersion},
		{geo(`"flipX":true`), `[1].props.flipX of shape "shape:a": got a mirrored outline`, ErrVersion},
		{shape(`"type":"arrow","props":{"start":{"type":"binding","boundShapeId":"shape:b"}}`), `[1].props.start of shape "shape:a": got a binding inside the arrow`, ErrVersion},
		{shape(`"type":"arrow","props":{"labelPosition":2}`), `[1].props.labelPosition of shape "shape:a": got 2`, ErrInvalid},
		{`[{"id":"shape:a","type":"geo"},{"id":"shape:a","type":"geo"}]`, `id of shape "shape:a": got an id that another shape has`, ErrInvalid},
		{shape(`"type":"group","parentId":"shape:a"`), `parentId of shape "shape:a": got "shape:a", which makes the shape its own ancestor`, ErrInvalid},
		{`{"shapes":[],"bindings":[{}]}`, `bindings[0].type: got nothing; want "arrow"`, ErrInvalid},
		{`{"shapes":[],"bindings":[{"type":"arrow","toId":"shape:b"}]}`, `bindings[0].fromId: got nothing; want a string`, ErrInvalid},
		{`{"shapes":[{"id":"shape:a","type":"arrow"}],"bindings":[{"type":"arrow","fromId":"shape:a","toId":"shape:b","props":{"terminal":"middle"}}]}`,
			`bindings[0].props.terminal: got "middle"; want one of start, end`, ErrInvalid},
		{`{"shapes":[{"id":"shape:a","type":"arrow"}],"bindings":[{"type":"arrow","fromId":"shape:a","toId":"shape:b","props":{"terminal":"end"}}]}`,
			`bindings[0].toId: got "shape:b"; want the id of a shape that is no arrow`, ErrInvalid},
		{`{"shapes":[{"id":"shape:a","type":"arrow"}],"bindings":[{"type":"arrow","fromId":"shape:a","toId":"shape:a","props":{"terminal":"end"}}]}`,
			`bindings[0].toId: got "shape:a"; want`, ErrInvalid},
		{`{"records":[{"id":"shape:a"}]}`, `records[0].typeName: got nothing; want`, ErrInvalid},
		{`{"records":[{"typeName":"shape","type":"geo"}]}`, `records[0].id: got nothing; want`, ErrInvalid},
		{`{"store":{"shape:a":{"typeName":"shape","id":"shape:a","type":"geo","props":{"w":0}}}}`, `store["shape:a"].props.w of shape "shape:a": got 0`, ErrInvalid},
		{`{"document":{"store":[]}}`, `document.store: got a list; want an object of records`, ErrInvalid},
		{`{"tldrawFileFormatVersion":2,"records":[]}`, `tldrawFileFormatVersion: got 2; want 1`, ErrVersion},
		{`{"records":[],"schema":{"schemaVersion":1}}`, `schema.schemaVersion: got 1; want 2`, ErrVersion},
		{`{"records":[{"typeName":"shape","id":"shape:a","type":"geo","props":{}}],"schema":{"schemaVersion":2,"sequences":{"com.tldraw.shape.geo":8}}}`,
			`schema.sequences.com.tldraw.shape.geo: got version 8; want at least 9`, ErrVersion},
		{`{"records":[{"typeName":"shape","id":"shape:a","type":"geo","props":{"opacity":0.5}}]}`, `records[0].props.opacity of shape "shape:a": got opacity among the props`, ErrVersion},
		{`{"records":[{"typeName":"shape","id":"shape:a","type":"note","props":{"fontSizeAdjustment":0.75}}]}`,
			`records[0].props.fontSizeAdjustment of shape "shape:a": got 0.75, a factor of tldraw 5`, ErrVersion},
	} {
		s, err := Decode([]byte(c.in), Limits{})
		if s != nil || err == nil || !strings.HasPrefix(err.Error(), "cannot read "+c.text) || !errors.Is(err, c.kind) || !errors.Is(err, ErrInvalid) {
			t.Errorf("Decode(%s):\n got %v\nwant cannot read %s... (%v)", c.in, err, c.text, c.kind)
		}
	}
}

// Older records with plain text are read, and old versions of kinds that do not occur, and a font
// size factor of 1, which means none.
func TestUpgrades(t *testing.T) {
	s := mustDecode(t, `{"records":[
		{"typeName":"shape","id":"shape:a","type":"geo","props":{"text":"one\ntwo"}},
		{"typeName":"shape","id":"shape:b","type":"text","props":{"text":""}},
		{"typeName":"shape","id":"shape:c","type":"note","props":{"fontSizeAdjustment":1}}],
		"schema":{"schemaVersion":2,"sequences":{"com.tldraw.shape.geo":9,"com.tldraw.shape.text":2,"com.tldraw.shape.line":1}}}`)
	if got := Plain(s.Shapes[0].Rich); got != "one\ntwo" || len(s.Shapes[0].Rich.Blocks) != 2 {
		t.Errorf("got text %q in %+v; want two paragraphs", got, s.Shapes[0].Rich)
	}
	if s.Shapes[1].Rich != nil || s.Shapes[2].FontPx != 0 {
		t.Errorf("got %+v, fontSizeAdjustment %g; want no text, 0", s.Shapes[1].Rich, s.Shapes[2].FontPx)
	}
	both := `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"rich"}]}]}`
	for _, props := range []string{`"text":"plain","richText":` + both, `"richText":` + both + `,"text":"plain"`} {
		s := mustDecode(t, `[{"type":"geo","props":{`+props+`}}]`)
		if got := Plain(s.Shapes[0].Rich); got != "rich" {
			t.Errorf("%s: got %q; want the rich text", props, got)
		}
	}
}

// Missing ids are made up from the position, the same each time.
func TestMissingIDs(t *testing.T) {
	s := mustDecode(t, `[{"type":"geo"},{"id":"shape:x","type":"geo"},{"type":"geo"}]`)
	for i, want := range []string{"shape:new-0", "shape:x", "shape:new-2"} {
		if s.Shapes[i].ID != want || s.Find(want) != int32(i) {
			t.Errorf("got id %q at %d; want %q", s.Shapes[i].ID, i, want)
		}
	}
}

// A scene does not refer to the input.
func TestDecodeCopies(t *testing.T) {
	in := []byte(`{"id":"line-1","shapes":[{"id":"shape:abc","type":"widget"},{"id":"shape:t","type":"text","index":"a5","props":
		{"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"words"}]}]}}},
		{"id":"shape:f","type":"frame","props":{"name":"title"}}]}`)
	var p fastjson.Parser
	v, err := p.ParseBytes(in)
	if err != nil {
		t.Fatal(err)
	}
	line, err := DecodeValue(v, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%+v", *line)
	plain := Plain(line.Shapes[line.Find("shape:t")].Rich)
	for range 3 {
		if _, err := p.Parse(strings.Repeat("[", 200) + strings.Repeat("]", 200) + strings.Repeat(" ", 1000)); err != nil {
			t.Fatal(err)
		}
		for i := range in {
			in[i] = '#'
		}
	}
	if got := fmt.Sprintf("%+v", *line); got != want || plain != Plain(line.Shapes[line.Find("shape:t")].Rich) {
		t.Errorf("the scene changed with the input:\n got %s\nwant %s", got, want)
	}
}

// Without Check fastjson accepts more than JSON; DecodeValue refuses such numbers.
func TestDecodeValueUnchecked(t *testing.T) {
	for _, x := range []string{"NaN", "nan", "inf", "-Inf", "1e999"} {
		v, err := fastjson.Parse(`[{"id":"shape:a","type":"geo","x":` + x + `}]`)
		if err != nil {
			continue
		}
		if _, err := DecodeValue(v, Limits{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("x is %s: got %v; want ErrInvalid", x, err)
		}
	}
}

func TestDecodeShape(t *testing.T) {
	r, err := DecodeShape(fastjson.MustParse(`{"type":"geo","x":1,"props":{"w":5,"color":"red"}}`), "createShapes[2]", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if r.ID != "" || r.Has != HasX|HasW|HasColor || r.X != 1 || r.W != 5 || r.Color != Red || r.Stored {
		t.Errorf("got %+v; want x, w and color", r)
	}
	_, err = DecodeShape(fastjson.MustParse(`{"type":"geo","props":{"w":-5}}`), "createShapes[2]", Limits{})
	if err == nil || !strings.Contains(err.Error(), "createShapes[2].props.w: got -5") {
		t.Errorf("got %v; want createShapes[2].props.w named", err)
	}
}
