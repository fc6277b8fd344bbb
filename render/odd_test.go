package render

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"unicode"

	"plumb/render/scene"
	"plumb/render/view"
)

// odd is a shape that says too little, or what hardly anybody writes. Its text is
// that of a shape without id, x and y.
type odd struct {
	name, shape string
	native      bool // it is drawn natively, as the editor draws it; else refused by name
}

// cell is the side of what one odd shape has of a picture, in px.
const cell = 300

// TestOddShapes: each is drawn as the editor draws it, or refused by name.
func TestOddShapes(t *testing.T) {
	checkOdd(t, append(oddStrokes(), oddTexts()...))
}

// TestInvisibleCharacters: so is every space, format and control character, and what
// else leaves no ink, in every font.
func TestInvisibleCharacters(t *testing.T) {
	var list []odd
	for _, f := range []string{"draw", "sans", "serif", "mono"} {
		for c := rune(0); c <= 0xE0FFF; c++ {
			if !unicode.In(c, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Cf, unicode.Cc, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
				continue
			}
			if c > 0xE0010 && c < 0xE0FF0 {
				continue // more of the same
			}
			native := c == ' ' || c == '\t' || c == '\n' || c == 0xA0 || c == 0xAD || c == 0x200B || c == 0x2060 || c == 0xFEFF ||
				f != "draw" && (c >= 0x2000 && c <= 0x200A || c == 0x202F)
			text := fmt.Sprintf("To%[1]cfall 1%[1]c0 ff%[1]cfi%[1]cAV", c)
			if c == 0xAD {
				text = "of\u00adfall"
			}
			quoted := ""
			for _, r := range text {
				if r < ' ' || r == 0x7F {
					quoted += fmt.Sprintf(`\u%04x`, r)
				} else {
					quoted += string(r)
				}
			}
			text = `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"` + quoted + `"}]}]}`
			list = append(list,
				odd{fmt.Sprintf("U+%04X in %s", c, f), `"type":"text","props":{"font":"` + f + `","richText":` + text + `}`, native},
				odd{fmt.Sprintf("U+%04X in %s, in a label", c, f), `"type":"geo","props":{"w":110,"h":90,"size":"s","font":"` + f + `","richText":` + text + `}`, native})
		}
	}
	checkOdd(t, list)
}

// checkOdd holds each shape to what is said of it, native ones to the editor's
// picture, many to a picture.
func checkOdd(t *testing.T, list []odd) {
	browser(t)
	own := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityNative})
	theirs := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityTldraw})
	var native []odd
	for _, o := range list {
		s, err := scene.Decode([]byte(`[{"id":"shape:odd","x":60,"y":60,`+o.shape+`},`+rect+`]`), scene.DefaultLimits())
		if err == nil {
			var p *Prepared
			if p, err = own.Worker().Prepare(view.View{Scene: s, Bounds: view.Box{W: cell, H: cell}}); err == nil {
				p.Release()
			} else if !errors.Is(err, view.ErrForeign) {
				t.Errorf("%s: got %v; want it drawn or refused by name", o.name, err)
			}
		}
		if (err == nil) != o.native {
			t.Errorf("%s: got %v; want it drawn natively: %v", o.name, err, o.native)
		} else if o.native {
			native = append(native, o)
		}
	}
	const across, down = 6, 5
	for ; len(native) > 0; native = native[min(across*down, len(native)):] {
		part := native[:min(across*down, len(native))]
		var shapes []string
		for i, o := range part {
			shapes = append(shapes, fmt.Sprintf(`{"id":"shape:%d","x":%d,"y":%d,%s}`, i, 60+i%across*cell, 60+i/across*cell, o.shape))
		}
		text := strings.Join(shapes, ",")
		v := view.View{Scene: sceneOf(t, text), Source: []byte("[" + text + "]"), Bounds: view.Box{W: across * cell, H: down * cell}}
		got, want := picture(t, own, prepare(t, own.Worker(), v)), editors(t, theirs, v)
		for i, o := range part {
			if n := farPixels(got, want, image.Rect(0, 0, cell, cell).Add(image.Pt(i%across*cell, i/across*cell))); n > 0 {
				t.Errorf("%s: %d px differ by more than 8 of 255 from the editor's picture", o.name, n)
			}
		}
	}
}

// farPixels counts the pixels of a rectangle whose alphas differ by more than 8.
func farPixels(got, want *image.NRGBA, r image.Rectangle) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if d := int(got.NRGBAAt(x, y).A) - int(want.NRGBAAt(x, y).A); d > 8 || d < -8 {
				n++
			}
		}
	}
	return n
}

// oddStrokes are shapes with no or hardly any points or room.
func oddStrokes() (list []odd) {
	add := func(name, kind, props string, native bool) {
		list = append(list, odd{kind + ": " + name, fmt.Sprintf(`"type":%q,"props":{%s}`, kind, props), native})
	}
	segment := func(kind, points string) string {
		return fmt.Sprintf(`{"type":%q,"points":[%s]}`, kind, points)
	}
	const a, b = `{"x":0,"y":0,"z":0.5}`, `{"x":50,"y":40,"z":0.5}`
	for _, kind := range []string{"draw", "highlight"} {
		add("no properties", kind, ``, false)
		add("no segments", kind, `"segments":[]`, false)
		add("a free segment without points", kind, `"segments":[`+segment("free", "")+`]`, false)
		add("a straight segment without points", kind, `"segments":[`+segment("straight", "")+`]`, false)
		add("one point", kind, `"segments":[`+segment("free", a)+`]`, true)
		add("one point of a straight segment", kind, `"segments":[`+segment("straight", a)+`]`, true)
		add("a point twice", kind, `"segments":[`+segment("free", a+","+a)+`]`, true)
		add("a point twice, straight", kind, `"segments":[`+segment("straight", a+","+a)+`]`, true)
		add("an empty segment first", kind, `"segments":[`+segment("free", "")+","+segment("free", a+","+b)+`]`, true)
		add("an empty segment last", kind, `"segments":[`+segment("free", a+","+b)+","+segment("straight", "")+`]`, true)
		add("no pressure", kind, `"isPen":true,"segments":[`+segment("free", `{"x":0,"y":0,"z":0},{"x":50,"y":40,"z":0}`)+`]`, true)
	}
	add("one point, 1.5 px", "draw", `"size":"l","scale":0.25,"segments":[`+segment("free", a)+`]`, true)
	add("one point, 2.25 px", "draw", `"size":"m","scale":0.5,"segments":[`+segment("free", a)+`]`, true)
	add("closed, one point", "draw", `"isClosed":true,"fill":"solid","segments":[`+segment("free", a)+`]`, true)
	add("closed, two points", "draw", `"isClosed":true,"fill":"pattern","segments":[`+segment("free", a+","+b)+`]`, true)
	point := func(id, index string, x, y float64) string {
		return fmt.Sprintf(`"%s":{"id":"%s","index":%q,"x":%g,"y":%g}`, id, id, index, x, y)
	}
	for _, spline := range []string{"line", "cubic"} {
		for _, dash := range []string{"draw", "solid", "dashed", "dotted"} {
			style := fmt.Sprintf(`"spline":%q,"dash":%q,"points":`, spline, dash)
			near := spline == "line" || dash == "solid"
			add(spline+", "+dash+", no points", "line", style+`{}`, false)
			add(spline+", "+dash+", one point", "line", style+`{`+point("a", "a1", 5, 5)+`}`, true)
			add(spline+", "+dash+", a point twice", "line", style+`{`+point("a", "a1", 5, 5)+","+point("b", "a2", 5, 5)+`}`, near)
			add(spline+", "+dash+", the first point twice", "line", style+`{`+point("a", "a1", 5, 5)+","+point("b", "a2", 5, 5)+","+point("c", "a3", 60, 50)+`}`, near)
			add(spline+", "+dash+", the last point twice", "line", style+`{`+point("a", "a1", 5, 5)+","+point("b", "a2", 60, 50)+","+point("c", "a3", 60, 50)+`}`, near)
		}
	}
	short := `"spline":"cubic","dash":"dashed","size":"xl","points":{` + point("a", "a1", 0, 0) + ","
	add("a short dashed curve", "line", short+point("b", "a2", 39, 0)+`}`, true)
	add("default points", "line", ``, true)
	add("a malformed index", "line", `"points":{`+point("a", "a10", 0, 0)+","+point("b", "a2", 50, 5)+`}`, false)
	list = append(list, odd{"an empty index", `"index":"","type":"geo","props":{}`, true}, odd{"a malformed index", `"index":"a10","type":"geo","props":{}`, false},
		odd{"no opacity", `"opacity":0,"type":"geo","props":{}`, true})
	for _, geo := range []string{"rectangle", "ellipse", "star", "cloud", "heart", "x-box", "check-box", "oval", "hexagon", "arrow-right"} {
		for _, size := range []string{`"w":1,"h":1`, `"w":0.5,"h":0.5`, `"w":3,"h":200`} {
			add(geo+" "+size, "geo", `"geo":"`+geo+`","fill":"solid",`+size, true)
		}
		add(geo+" without width", "geo", `"geo":"`+geo+`","w":0,"h":50`, false)
	}
	for _, kind := range []string{"arc", "elbow"} {
		add(kind+" without ends", "arrow", `"kind":"`+kind+`"`, true)
		add(kind+" in one place", "arrow", `"kind":"`+kind+`","start":{"x":5,"y":5},"end":{"x":5,"y":5}`, true)
		add(kind+" bent in one place", "arrow", `"kind":"`+kind+`","bend":40,"start":{"x":5,"y":5},"end":{"x":5,"y":5}`, true)
	}
	add("a narrow heading", "frame", `"w":8,"h":50`, false)
	add("a heading without room for letters", "frame", `"w":12,"h":50`, true)
	add("empty", "group", ``, true)
	add("without asset", "image", ``, true)
	return list
}

// oddTexts are documents of all kinds of blocks with nothing in them.
func oddTexts() (list []odd) {
	p := func(content ...string) string {
		if len(content) == 0 {
			return `{"type":"paragraph"}`
		}
		return `{"type":"paragraph","content":[` + strings.Join(content, ",") + `]}`
	}
	node := func(kind string, content ...string) string {
		return fmt.Sprintf(`{"type":%q,"content":[%s]}`, kind, strings.Join(content, ","))
	}
	text := func(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }
	item := func(content ...string) string { return node("listItem", content...) }
	const brk = `{"type":"hardBreak"}`
	for _, d := range []struct {
		name, content string
		native        bool
	}{
		{"text in the document", text("direct"), false},
		{"text and a paragraph", text("direct") + "," + p(text("x")), false},
		{"a paragraph and text", p(text("x")) + "," + text("direct"), false},
		{"a break in the document", brk, false},
		{"text in an item", node("bulletList", item(text("direct"))), false},
		{"text in a list", node("bulletList", text("direct")), false},
		{"a paragraph in a list", node("bulletList", p(text("direct"))), false},
		{"an item in the document", item(p(text("x"))), false},
		{"a document in the document", node("doc", p(text("x"))), false},
		{"a paragraph in a paragraph", p(p(text("x"))), false},
		{"a list in a paragraph", p(node("bulletList", item(p(text("x"))))), false},
		{"no blocks", ``, false},
		{"a text without characters", p(text("a"), text(""), text("b")), false},
		{"a lone heading", `{"type":"heading","attrs":{"level":1}}`, false},
		{"a lone code block", `{"type":"codeBlock"}`, false},
		{"a lone quote", `{"type":"blockquote"}`, false},
		{"a rule", `{"type":"horizontalRule"}`, false},
		{"an unknown block", `{"type":"whatever"}`, false},
		{"a list without items", p(text("a")) + "," + node("bulletList"), false},
		{"a numbered list without items", `{"type":"orderedList"}`, false},
		{"an item without paragraph", node("bulletList", item(p(text("a"))), item(), item(p(text("b")))), false},
		{"numbers, an item without paragraph", node("orderedList", item(p(text("a"))), `{"type":"listItem"}`), false},
		{"an empty paragraph", p(), true},
		{"a paragraph with an empty content", `{"type":"paragraph","content":[]}`, true},
		{"two empty paragraphs", p() + "," + p(), true},
		{"empty paragraphs about text", p() + "," + p(text("x")) + "," + p(), true},
		{"a break alone", p(brk), true},
		{"breaks", p(text("a"), brk, brk, text("b")), true},
		{"a space", p(text(" ")), true},
		{"bullets, an empty item", node("bulletList", item(p(text("one"))), item(p()), item(p(text("three")))), true},
		{"bullets, nothing else", node("bulletList", item(p())), false},
		{"bullets, a space", node("bulletList", item(p(text(" "))), item(p(text("a")))), true},
		{"bullets, breaks", node("bulletList", item(p(brk)), item(p(text("a"), brk))), true},
		{"bullets, empty paragraphs in an item", node("bulletList", item(p(), p(text("x"))), item(p(text("y")), p())), true},
		{"bullets in an empty bullet", node("bulletList", item(p(), node("bulletList", item(p(text("b")))))), true},
		{"numbers, an empty item", node("orderedList", item(p(text("one"))), item(p()), item(p(text("three")))), true},
		{"numbers in bullets, empty", node("bulletList", item(p(text("q")), node("orderedList", item(p()), item(p(text("r")))))), true},
	} {
		doc := `"richText":{"type":"doc","content":[` + d.content + `]}`
		list = append(list, odd{d.name + " as text", `"type":"text","props":{` + doc + `}`, d.native},
			odd{d.name + " as label", `"type":"geo","props":{"w":150,"h":60,` + doc + `}`, d.native},
			odd{d.name + " on a note", `"type":"note","props":{` + doc + `}`, d.native})
	}
	for _, native := range []bool{false, true} {
		width := map[bool]int{false: 20, true: 100}[native]
		doc := node("bulletList", item(p(text("one "), `{"type":"text","text":"two","marks":[{"type":"bold"}]}`)))
		list = append(list, odd{fmt.Sprintf("a list of two spans in %d px", width),
			fmt.Sprintf(`"type":"text","props":{"autoSize":false,"w":%d,"richText":{"type":"doc","content":[%s]}}`, width, doc), native})
	}
	const bold = `{"type":"text","text":"x 000ff  ","marks":[{"type":"bold"}]}`
	for _, d := range []struct {
		name, props, content string
		native               bool
	}{
		{"a soft hyphen behind a space", `"w":60,"size":"s"`, text(" \u00ad"), false},
		{"a soft hyphen in a word", `"w":200`, text("of\u00adfice"), true},
		{"spaces of two styles beyond the end", `"w":140,"font":"mono","align":"end"`, bold + "," + text(" "), false},
		{"spaces of two styles, aligned at the start", `"w":140,"font":"mono","align":"start"`, bold + "," + text(" "), true},
		{"a fraction behind a dash", `"w":80,"size":"s"`, text("  -½- "), true},
	} {
		list = append(list, odd{d.name, `"type":"geo","props":{"h":60,` + d.props + `,"richText":{"type":"doc","content":[` + p(d.content) + `]}}`, d.native})
	}
	return list
}
