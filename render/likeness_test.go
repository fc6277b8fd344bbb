package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/testdata/madeup"
)

// TestLikeness: what the reference pictures have little of is drawn as the editor
// draws it: dots, short and incomplete highlights, opacities on top of each other,
// straight curves, strokes of one px, notes that hardly fit.
func TestLikeness(t *testing.T) {
	browser(t)
	own := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityNative})
	theirs := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityTldraw})
	free := func(kind, props, points string) string {
		return fmt.Sprintf(`"type":%q,"props":{%s,"segments":[{"type":"free","points":[%s]}]}`, kind, props, points)
	}
	const (
		dot   = `{"x":0,"y":0,"z":0.5}`
		short = `{"x":0,"y":0,"z":0.5},{"x":-2.2,"y":-0.68,"z":0.5},{"x":-19,"y":-4.69,"z":0.5},{"x":-11.15,"y":2.39,"z":0.69}`
		long  = `{"x":0,"y":0,"z":0.5},{"x":40,"y":0,"z":0.5},{"x":80,"y":0,"z":0.5},{"x":80,"y":60,"z":0.5}`
		line  = `"type":"line","props":{"points":{"a":{"id":"a","index":"a1","x":0,"y":0},"b":{"id":"b","index":"a2","x":96,"y":86}},"spline":"cubic",`
		turns = `"type":"line","props":{"points":{"a":{"id":"a","index":"a1","x":0,"y":0},"b":{"id":"b","index":"a2","x":60,"y":40},"c":{"id":"c","index":"a3","x":120,"y":100}},"spline":"line",`
		curve = `"type":"line","props":{"points":{"a":{"id":"a","index":"a1","x":0,"y":0},"b":{"id":"b","index":"a2","x":60,"y":40},"c":{"id":"c","index":"a3","x":120,"y":100}},"spline":"cubic",`
		sharp = `"type":"line","props":{"points":{"a":{"id":"a","index":"a1","x":-71.84,"y":127},"b":{"id":"b","index":"a2","x":-57,"y":95},"c":{"id":"c","index":"a3","x":98.83,"y":131.13},"d":{"id":"d","index":"a4","x":-76,"y":-41}},"spline":"cubic",`
	)
	for _, c := range []struct {
		name, shape string
		most        int // px that differ by 1 of 255
	}{
		{"dot, m", free("draw", `"size":"m","isComplete":true`, dot), 0},
		{"dot, l", free("draw", `"size":"l","isComplete":true`, dot), 0},
		{"dot, xl", free("draw", `"size":"xl","isComplete":true`, dot), 0},
		{"dot of a pen", free("draw", `"size":"l","isPen":true`, dot), 0},
		{"dashed dot", free("draw", `"size":"xl","dash":"dashed"`, dot), 0},
		{"dotted dot", free("draw", `"size":"xl","dash":"dotted"`, dot), 0},
		{"highlighted dot", free("highlight", `"size":"s"`, dot), 0},
		{"short highlight", free("highlight", `"size":"s","scale":2`, short), 10},
		{"incomplete highlight", free("highlight", `"size":"s"`, long), 100},
		{"highlight", free("highlight", `"size":"s","isComplete":true`, long), 100},
		{"faint highlight", `"opacity":0.25,` + free("highlight", `"size":"s","isComplete":true`, long), 100},
		{"fainter highlight", `"opacity":0.1,` + free("highlight", `"size":"s","isComplete":true`, long), 100},
		{"straight curve", line + `"dash":"solid","size":"xl"}`, 0},
		{"straight curve by hand", line + `"dash":"draw","size":"s"}`, 0},
		{"sharp spline", sharp + `"dash":"solid","size":"l","scale":0.25}`, 0},
		{"thin sharp spline", sharp + `"dash":"solid","size":"s","scale":0.5}`, 0},
		{"faint dots", `"opacity":0.5,` + turns + `"dash":"dotted","size":"m"}`, 0},
		{"faint dashes", `"opacity":0.5,` + turns + `"dash":"dashed","size":"m"}`, 0},
		{"thin line", turns + `"dash":"solid","size":"s","scale":0.5}`, 0},
		{"thin curve", curve + `"dash":"solid","size":"s","scale":0.5}`, 0},
		{"faint thin line by hand", `"opacity":0.5,` + turns + `"dash":"draw","size":"s","scale":0.25}`, 0},
		{"thin arrow with bars", `"opacity":0.75,"type":"arrow","props":{"start":{"x":0,"y":90},"end":{"x":150,"y":20},"bend":-48,"dash":"dotted","size":"s","scale":0.25,"arrowheadStart":"bar","arrowheadEnd":"bar"}`, 1},
		{"thin arrow with a bar beyond the picture", `"opacity":0.75,"type":"arrow","props":{"start":{"x":100,"y":-84},"end":{"x":-121,"y":14},"bend":-48,"dash":"dotted","size":"s","scale":0.25,"arrowheadStart":"bar","arrowheadEnd":"bar"}`, 1},
		{"ellipse whose height has a tie in its fourth digit", `"type":"geo","props":{"geo":"ellipse","w":1,"h":221.59375,"dash":"solid","size":"s"}`, 0},
		{"thin dotted line", turns + `"dash":"dotted","size":"s","scale":0.5}`, 1},
		{"thin ellipse", `"type":"geo","props":{"geo":"ellipse","w":100,"h":60,"dash":"solid","size":"s","scale":0.5}`, 0},
		{"thin diamond", `"type":"geo","props":{"geo":"diamond","w":100,"h":60,"dash":"draw","size":"s","scale":0.5}`, 0},
		{"thinner line", turns + `"dash":"solid","size":"s","scale":0.25}`, 0},
		{"thinner, faint line", `"opacity":0.5,` + turns + `"dash":"solid","size":"s","scale":0.25}`, 0},
		{"thin, faint rectangle", `"opacity":0.5,"type":"geo","props":{"geo":"rectangle","w":100,"h":60,"dash":"draw","size":"s","scale":0.25}`, 0},
		{"thin, fainter rectangle", `"opacity":0.1,"rotation":0.3,"type":"geo","props":{"geo":"rectangle","w":100,"h":60,"dash":"draw","size":"m","scale":0.25}`, 0},
		{"faint line, enlarged", `"opacity":0.5,` + turns + `"dash":"solid","size":"m","scale":2}`, 0},
		{"faint freehand, enlarged", `"opacity":0.5,"rotation":0.3,` + free("draw", `"size":"m","scale":2,"isComplete":true`, short), 0},
		{"faint freehand, reduced", `"opacity":0.5,` + free("draw", `"size":"xl","scale":0.5,"isComplete":true`, short), 0},
		{"dot of a pen that drew back", free("draw", `"size":"m","scale":2,"isPen":true`, `{"x":0,"y":0,"z":0.67},{"x":0.62,"y":4.59,"z":0.5},{"x":2.38,"y":1.46,"z":0.26}`), 0},
		{"pen that never pressed", free("draw", `"size":"xl","isPen":true`, `{"x":0,"y":0,"z":0.01},{"x":3,"y":2,"z":0.01}`), 0},
		{"elbow without length", `"type":"arrow","props":{"kind":"elbow","start":{"x":5,"y":5},"end":{"x":5,"y":5},"size":"xl","dash":"dotted","arrowheadEnd":"dot"}`, 0},
		{"thin elbow without length", `"type":"arrow","props":{"kind":"elbow","start":{"x":5.4,"y":5.2},"end":{"x":5.4,"y":5.2},"size":"s","scale":0.5,"dash":"solid","arrowheadEnd":"none"}`, 0},
		{"thin line over the edge", `"rotation":-1,` + turns + `"dash":"solid","size":"s","scale":0.5}`, 0},
		{"thin line along the edge", `"rotation":-0.93,` + turns + `"dash":"draw","size":"s","scale":0.5}`, 0},
		{"note", `"type":"note","props":{"text":"extraordinary x1 Writing x1 extraordinary to","font":"sans","size":"xl"}`, 0},
		{"label wider than its shape", `"type":"geo","props":{"geo":"ellipse","w":56,"h":157,"dash":"draw","fill":"solid","text":"bqfmj gdtocx"}`, 0},
		{"faint label beyond the stroke", `"opacity":0.25,"type":"geo","props":{"geo":"cloud","w":43,"h":40,"dash":"draw","font":"sans","align":"start","verticalAlign":"start","text":"rfzt rfzt"}`, 0},
	} {
		shape := fmt.Sprintf(`{"id":"shape:a","x":100,"y":80,%s}`, c.shape)
		v := view.View{Scene: sceneOf(t, shape), Source: []byte("[" + shape + "]"), Bounds: view.Box{X: 20, Y: 20, W: 300, H: 300}}
		if u := unlike(picture(t, own, prepare(t, own.Worker(), v)), editors(t, theirs, v)); u.px > c.most || u.alpha > 1 || !u.drawn || u.colour > 2 {
			t.Errorf("%s: got %+v; want at most %d px that differ by 1, colours by 2, and something drawn", c.name, u, c.most)
		}
	}
}

// editors is what the editor draws of a view.
func editors(t *testing.T, e *Engine, v view.View) *image.NRGBA {
	t.Helper()
	p := prepare(t, e.Worker(), v)
	if err := p.Finish(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	return picture(t, e, p)
}

// unlikeness is what tells two pictures apart. Colours are those of what is not faint,
// where they are coarse.
type unlikeness struct {
	px, alpha, colour int // px whose alphas differ, by how much at most, and colours
	off               int // px whose colours differ by more than 8
	drawn             bool
}

func unlike(native, editor *image.NRGBA) (u unlikeness) {
	for i := 0; i < len(native.Pix); i += 4 {
		got, want := native.Pix[i:i+4], editor.Pix[i:i+4]
		u.drawn = u.drawn || got[3] > 0
		if d := int(got[3]) - int(want[3]); d != 0 {
			u.px, u.alpha = u.px+1, max(u.alpha, d, -d)
		}
		wrong := 0
		for k := range 3 {
			if want[3] > 200 {
				wrong = max(wrong, int(got[k])-int(want[k]), int(want[k])-int(got[k]))
			}
		}
		if u.colour = max(u.colour, wrong); wrong > 8 {
			u.off++
		}
	}
	return u
}

// TestLikenessOfTexts: lines along text, their halos and gaps, breaks and lists are
// drawn as the editor draws them, upright, turned and at other scales.
func TestLikenessOfTexts(t *testing.T) {
	browser(t)
	own := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityNative})
	theirs := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityTldraw})
	paragraph := func(content ...string) string {
		return `{"type":"paragraph","content":[` + strings.Join(content, ",") + `]}`
	}
	text := func(s string, marks ...string) string {
		for i, m := range marks {
			marks[i] = fmt.Sprintf(`{"type":%q}`, m)
		}
		return fmt.Sprintf(`{"type":"text","text":%q,"marks":[%s]}`, s, strings.Join(marks, ","))
	}
	list := func(kind string, items ...string) string {
		for i, it := range items {
			items[i] = `{"type":"listItem","content":[` + it + `]}`
		}
		return fmt.Sprintf(`{"type":%q,"content":[%s]}`, kind, strings.Join(items, ","))
	}
	const (
		br    = `{"type":"hardBreak"}`
		empty = `{"type":"paragraph"}`
	)
	a := paragraph(text("ab"))
	for _, c := range []struct {
		name, blocks, props string
		most                int // by how much of 255 a px may differ
	}{
		{"neighbours without marks", paragraph(text("He"), text("llo AV"), text("AWA")), `"font":"serif"`, 2},
		{"breaks", paragraph(br, text("ab"), br, br) + "," + paragraph(br) + "," + paragraph(text("cd")), `"textAlign":"end"`, 1},
		{"strike", paragraph(text("Writing", "strike")), ``, 1},
		{"strike, reduced", paragraph(text("Writing", "strike")), `"scale":0.5`, 2},
		{"strike, enlarged", paragraph(text("Writing", "strike")), `"scale":1.25,"font":"sans"`, 3},
		{"underline", paragraph(text("gypsy, (Writing)", "underline")), `"font":"mono"`, 2},
		{"underline, enlarged", paragraph(text("gypsy, (x)", "underline")), `"scale":2,"size":"l","font":"serif"`, 1},
		{"underline on lines between px", paragraph(text("npn", "underline"), br, text("npn", "underline"), br, text("n,n", "underline")), `"size":"l","font":"serif"`, 9},
		{"slashes and low lines", paragraph(text(`a/b_c\d`, "underline")), `"font":"sans"`, 1},
		{"two lines", paragraph(text("gypsy", "underline", "strike", "bold")), `"scale":0.75`, 4},
		{"link that is underlined", paragraph(text("gypsy", "underline", "link"), text(" gypsy", "link")), `"scale":0.75`, 3},
		{"spaces that hang", paragraph(text("word word gypsy word", "underline"), text(" word word")), `"autoSize":false,"w":110`, 1},
		{"bullets", list("bulletList", a, empty, a+","+list("bulletList", a+","+list("bulletList", a))), ``, 8},
		{"rings", list("bulletList", a+","+list("bulletList", a)), `"size":"xl","scale":2`, 8},
		{"numbers", list("orderedList", a, empty+","+a, a+","+list("orderedList", empty)), `"font":"sans"`, 1},
		{"words that are cut", paragraph(text("affluent giraffe")), `"autoSize":false,"w":21,"font":"draw"`, 2},
		{"words that are cut, sans", paragraph(text("FWo-3ebtc2q difficult")), `"autoSize":false,"w":85,"size":"l","font":"sans"`, 2},
		{"lines shaped anew at both ends", paragraph(text("xyfwnkxodwhi")), `"autoSize":false,"w":131,"font":"draw","size":"l"`, 2},
		{"eleven bullets", list("bulletList", a, a, a, a, a, a, a, a, a, a, a), `"size":"s"`, 8},
		{"empty list", list("orderedList", empty) + "," + paragraph(text("x")), `"textAlign":"middle"`, 1},
		{"code", paragraph(text("code", "code"), text(" and more")), `"font":"draw"`, 1},
	} {
		for _, turn := range []float64{0, 0.3, 1.571} {
			name := fmt.Sprintf("%s, turned by %g", c.name, turn)
			props := `"richText":{"type":"doc","content":[` + c.blocks + `]}`
			if c.props != "" {
				props += "," + c.props
			}
			shape := fmt.Sprintf(`{"id":"shape:a","type":"text","x":200,"y":100,"rotation":%g,"props":{%s}}`, turn, props)
			v := view.View{Scene: sceneOf(t, shape), Source: []byte("[" + shape + "]"), Bounds: view.Box{X: 0, Y: 0, W: 600, H: 600}}
			// Of turned underlines single px at the ends of gaps are on the other side.
			if u := unlike(picture(t, own, prepare(t, own.Worker(), v)), editors(t, theirs, v)); u.alpha > c.most || u.off > 6 || !u.drawn {
				t.Errorf("%s: got %+v; want alphas that differ by at most %d, at most 6 px off, and something drawn", name, u, c.most)
			}
		}
	}
}

// TestLikenessOfPages: made-up pages, with frames, groups and bound arrows, are drawn
// as the editor draws them, or refused by name. Asked for are the bars of the mixed
// scenes; the bounds are those that keep what is reached.
func TestLikenessOfPages(t *testing.T) {
	browser(t)
	own := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityNative})
	theirs := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityTldraw})
	worker := own.Worker()
	var alphas, colours []likeness
	const pages = 40
	r := rand.New(rand.NewPCG(5, 0))
	for i := range pages {
		src := []byte(`{"records":` + madeup.Page(r) + "}")
		s, err := scene.Decode(src, scene.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		v := view.View{Scene: s, Source: src, Bounds: view.Box{X: -200, Y: -200, W: 800, H: 800}, Details: true}
		p, err := worker.Prepare(v)
		if errors.Is(err, view.ErrForeign) {
			t.Logf("page %d: %v", i, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		a, c := compareColours(fmt.Sprintf("page-%02d", i), picture(t, own, p), editors(t, theirs, v))
		p.Release()
		alphas, colours = append(alphas, a), append(colours, c)
	}
	if len(alphas) < pages*9/10 {
		t.Errorf("%d of %d pages are drawn natively; want nine of ten", len(alphas), pages)
	}
	judge(t, "pages", alphas, bounds{0.999, 0.02, 0.001, 0.1, 0.005, 0.005})
	// Colours are less alike than alphas where halos of translucent texts lie on each other,
	// and where a letter of turned text lies a quarter of a px aside: its pen is all but
	// between two.
	judge(t, "pages, colours", colours, bounds{0.998, 0.05, 0.003, 0, 0, 0})
}
