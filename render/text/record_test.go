package text

import (
	"path/filepath"
	"slices"
	"testing"

	"plumb/render/font"
	"plumb/render/scene"
	"plumb/testdata"
)

// layouter returns a layouter with the real fonts.
func layouter(t testing.TB) *Layouter {
	t.Helper()
	lib, err := font.Open(filepath.Join(testdata.Root(), "build", "fonts"))
	if err != nil {
		t.Fatal(err)
	}
	return New(lib.NewSet())
}

// record is what these tests read of a store record.
type record struct {
	ID    string
	Type  string
	Props struct {
		Size, Font, TextAlign, Align, VerticalAlign string
		AutoSize                                    *bool
		Scale, W, H, GrowY, FontSizeAdjustment      float64
		RichText                                    node
	}
}

type node struct {
	Type    string
	Text    string
	Marks   []struct{ Type string }
	Content []node
}

func choose[T ~uint8](value string, names ...string) T { return T(max(0, slices.Index(names, value))) }

// shape builds the resolved shape by hand, so that these tests need no decoder.
func (r *record) shape() *scene.Shape {
	p := &r.Props
	sh := &scene.Shape{
		ID: r.ID, Scale: p.Scale, W: p.W, H: p.H, Rich: rich(p.RichText),
		Size: choose[scene.Size](p.Size, "s", "m", "l", "xl"), Font: choose[scene.Font](p.Font, "draw", "sans", "serif", "mono"),
		Align: choose[scene.Align](p.TextAlign+p.Align, "start", "middle", "end"), Vertical: choose[scene.Align](p.VerticalAlign, "start", "middle", "end"),
		Auto: p.AutoSize == nil || *p.AutoSize, GrowY: p.GrowY, FontPx: p.FontSizeAdjustment,
	}
	if sh.Scale == 0 {
		sh.Scale = 1
	}
	if p.Size == "" {
		sh.Size = scene.SizeM
	}
	return sh
}

func rich(doc node) *scene.RichText {
	r := &scene.RichText{}
	for _, par := range doc.Content {
		b := scene.Block{}
		for _, n := range par.Content {
			s := scene.Span{Text: n.Text}
			if n.Type == "hardBreak" {
				s.Text = "\n"
			}
			for _, m := range n.Marks {
				switch m.Type {
				case "bold":
					s.Bold = true
				case "italic":
					s.Italic = true
				case "code":
					s.Code = true
				}
			}
			b.Spans = append(b.Spans, s)
		}
		r.Blocks = append(r.Blocks, b)
	}
	if len(r.Blocks) == 0 || len(r.Blocks) == 1 && len(doc.Content[0].Content) == 0 {
		return nil
	}
	return r
}

// plain makes a document of one paragraph per line of text.
func plain(lines ...string) *scene.RichText {
	r := &scene.RichText{}
	for _, s := range lines {
		r.Blocks = append(r.Blocks, scene.Block{Spans: []scene.Span{{Text: s}}})
	}
	return r
}
