package report

import (
	"cmp"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"

	"plumb/daemon/atomicfile"
	"plumb/daemon/compare"
	"plumb/daemon/exhibit"
	"plumb/render/view"
)

var (
	//go:embed style.css
	style string
	//go:embed fidelity.html
	fidelitySource   string
	fidelityTemplate = template.Must(template.New("fidelity").Parse(fidelitySource))
)

// FidelityConfig configures a fidelity report.
type FidelityConfig struct {
	Dir       string // created when missing; files of the same names are replaced
	Title     string // names the scenes
	Reference string // names what native pictures are compared with
	Worst     int    // scenes shown with pictures, default 24
}

// Fidelity collects comparisons of native pictures with the editor's and writes
// index.html, which needs no network and no other file. One goroutine uses it.
type Fidelity struct {
	cfg     FidelityConfig
	summary compare.Summary
	worst   []*fidelityCard // the worst scene first, at most cfg.Worst
	foreign []reasonView    // scenes that are not drawn natively
	failed  []reasonView    // scenes that could not be compared
}

// defaultWorst is how many scenes are shown with pictures if no number is given.
const defaultWorst = 24

// NewFidelity makes the folder of a report that compares native pictures with the editor's, and returns
// the empty report. Without a number in cfg, the worst 24 scenes are shown with pictures.
func NewFidelity(cfg FidelityConfig) (*Fidelity, error) {
	if cfg.Worst <= 0 {
		cfg.Worst = defaultWorst
	}
	if err := os.MkdirAll(cfg.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make report folder: %w", err)
	}
	return &Fidelity{cfg: cfg}, nil
}

// Summary returns the figures of the scenes so far.
func (fidelity *Fidelity) Summary() *compare.Summary { return &fidelity.summary }

// Add adds a scene that is drawn natively, with the native picture got and the reference
// ref. If the scene is among the worst so far, its pictures are encoded and kept, and the
// least bad one of the list is dropped. The images themselves are not kept.
func (fidelity *Fidelity) Add(id string, likeness *compare.Likeness, v view.View, got, ref *image.NRGBA) error {
	parts := likeness.Parts(v)
	fidelity.summary.Add(&likeness.Figures, parts)
	s := likeness.Severity()
	if n := len(fidelity.worst); n == fidelity.cfg.Worst && s <= fidelity.worst[n-1].severity {
		return nil
	}
	// Make its card.
	card := &fidelityCard{ID: id, severity: s, Missed: s > 1, Figures: shownFigures(&likeness.Figures)}
	seen := map[string]bool{}
	for _, p := range parts {
		if !seen[p.Feature] {
			seen[p.Feature] = true
			card.Features = append(card.Features, p.Feature)
		}
	}
	for _, p := range []struct {
		title string
		img   *image.RGBA
	}{{"native", exhibit.OnPaper(got)}, {"difference", difference(got, ref)}, {fidelity.cfg.Reference, exhibit.OnPaper(ref)}} {
		if err := card.panel(p.title, p.img); err != nil {
			return err
		}
	}
	// Put it into the list.
	fidelity.worst = append(fidelity.worst, card)
	slices.SortStableFunc(fidelity.worst, func(a, b *fidelityCard) int { return cmp.Compare(b.severity, a.severity) })
	if len(fidelity.worst) > fidelity.cfg.Worst {
		fidelity.worst = fidelity.worst[:fidelity.cfg.Worst]
	}
	return nil
}

// Foreign adds a scene that is not native.
func (fidelity *Fidelity) Foreign(id, reason string) {
	fidelity.summary.Foreign++
	fidelity.foreign = append(fidelity.foreign, reasonView{id, reason})
}

// Failed adds a scene that could not be compared.
func (fidelity *Fidelity) Failed(id, reason string) {
	fidelity.summary.Failed++
	fidelity.failed = append(fidelity.failed, reasonView{id, reason})
}

// metricView is a figure as text.
type metricView struct{ Name, Value string }

// reasonView is a scene without a comparison and the reason, as the page lists it.
type reasonView struct{ ID, Reason string }

// maxReasons is how many scenes without a comparison are listed by name.
const maxReasons = 500

// fidelityCard is one scene with its pictures.
type fidelityCard struct {
	ID       string
	severity float64      // the largest error as a multiple of what is allowed
	Missed   bool         // an error is larger than allowed
	Figures  []metricView // the comparison in numbers
	Features []string     // kinds of shapes in the scene, each once
	Panels   []fidelityPanel
}

type fidelityPanel struct {
	Title  string
	Data   template.URL // of the picture
	Width  int
	Height int
}

// maxWide and maxHigh bound a picture in the page, in px. Larger ones are shrunk by a whole factor,
// which keeps edges exact.
const (
	maxWide = 760
	maxHigh = 600
)

// panel adds a picture with a title to the card of a scene. A large picture is shrunk by a whole
// factor to the size of the report.
func (card *fidelityCard) panel(title string, img *image.RGBA) error {
	b := img.Bounds()
	img = exhibit.Shrink(img, max(1, (b.Dx()+maxWide-1)/maxWide, (b.Dy()+maxHigh-1)/maxHigh))
	png, err := exhibit.Encode(img)
	if err != nil {
		return err
	}
	card.Panels = append(card.Panels, fidelityPanel{title, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png)),
		img.Rect.Dx(), img.Rect.Dy()})
	return nil
}

// difference draws where the native picture got and the reference ref of the same size differ, over a
// pale copy of the reference. Pixels are red where got has more alpha, blue where it has less, and orange
// where only colours differ. The strength follows the square root of the error, so that small errors are
// visible.
func difference(got, ref *image.NRGBA) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: ref.Rect.Size()})
	for y := range out.Rect.Dy() {
		p, q, o := got.Pix[y*got.Stride:], ref.Pix[y*ref.Stride:], out.Pix[y*out.Stride:]
		for i := 0; i < 4*out.Rect.Dx(); i += 4 {
			tone, strength := errorTone(p[i:i+4], q[i:i+4])
			const darkest = 0.12 // by how much a covered pixel of the reference darkens the paper
			pale := 1 - darkest*float64(q[i+3])/255
			for c := range 3 {
				base := float64(exhibit.Paper[c]) * pale
				o[i+c] = uint8(base + (float64(tone[c])-base)*strength + 0.5) // 0.5 rounds
			}
			o[i+3] = 255
		}
	}
	return out
}

// errorTone returns the colour that marks the error of one pixel, and how strong it is, 0 to 1. got is the
// pixel of the native picture and ref that of the reference, both RGBA, not premultiplied. Where alphas
// are equal, the largest difference of a colour counts, weighted by alpha.
func errorTone(got, ref []byte) (tone [3]int, strength float64) {
	d := int(got[3]) - int(ref[3])
	switch {
	case d > 0:
		return [3]int{200, 20, 40}, math.Sqrt(float64(d) / 255)
	case d < 0:
		return [3]int{20, 60, 220}, math.Sqrt(float64(-d) / 255)
	}
	worst := 0
	for c := range 3 {
		e := (int(got[c]) - int(ref[c])) * int(ref[3]) / 255
		worst = max(worst, e, -e)
	}
	return [3]int{230, 130, 0}, math.Sqrt(float64(worst) / 255)
}

// shownFigures returns the figures of one scene's comparison as texts, each with its title.
func shownFigures(figures *compare.Figures) []metricView {
	list := []metricView{
		{"size", fmt.Sprintf("%d × %d px", figures.Width, figures.Height)},
		{"alpha within 2/255", shareOf(figures.Within)},
		{"mean error of alpha", figure(figures.Mean) + " /255, worst " + fmt.Sprint(figures.Worst)},
		{"mass", signedPercent(figures.Mass)},
		{"centre of mass", figure(figures.Centre) + " px"},
		{"covered pixels", signedPercent(figures.Covered)},
	}
	if figures.Outside > 0 {
		list = append(list, metricView{"outside the box", fmt.Sprintf("%d px", figures.Outside)})
	}
	if figures.Colours {
		list = append(list, metricView{"colours within 2/255", shareOf(figures.ColourWithin)},
			metricView{"mean error of colours", figure(figures.ColourMean) + " /255"})
	}
	return list
}

func shareOf(x float64) string       { return fmt.Sprintf("%.3f %%", 100*x) }
func signedPercent(x float64) string { return fmt.Sprintf("%+.3f %%", 100*x) }
func figure(x float64) string        { return fmt.Sprintf("%.3f", x) }

// rowShown is a row of the distribution as text.
type rowShown struct {
	Name, Median, Tail, Worst, Bar, Missed string
	Bad                                    bool
}

// rowNames maps the figures of compare.Row to their titles, and says whether they are shares.
var rowNames = map[string]struct {
	text  string
	share bool
	unit  string
}{
	"alpha_within":  {"pixels with alpha within 2/255", true, ""},
	"alpha_mean":    {"mean error of alpha", false, " /255"},
	"mass":          {"mass", true, ""},
	"centre":        {"centre of mass", false, " px"},
	"covered":       {"covered pixels", true, ""},
	"colour_within": {"pixels with colours within 2/255", true, ""},
	"colour_mean":   {"mean error of colours", false, " /255"},
}

// shownRow returns a row of the table of figures as text: how a figure is distributed over all scenes,
// what is allowed (the bar), and how many scenes miss that. If nothing is said to be allowed, the last two
// are dashes.
func shownRow(row *compare.Row) rowShown {
	name := rowNames[row.Name]
	show := func(x float64) string {
		if name.share {
			return shareOf(x)
		}
		return figure(x) + name.unit
	}
	shown := rowShown{Name: name.text, Median: show(row.Median), Tail: show(row.Tail), Worst: show(row.Extreme), Bar: "–",
		Missed: "–"}
	if row.Bar != 0 {
		shown.Bar = show(row.Bar)
		shown.Missed = fmt.Sprintf("%d of %d", row.Missed, row.N)
		shown.Bad = row.Missed > 0
	}
	return shown
}

// featureShown is a row of the features as text. Bar is 100 where an error is as
// large as it may be.
type featureShown struct {
	Name                                 string
	Shapes, Scenes                       int
	Within, WithinWorst, Mean, MeanWorst string
	Colour, ColourWorst                  string
	Bar                                  string
	Bad                                  bool
}

// fidelityPage is the data of the template.
type fidelityPage struct {
	Title, Reference string
	Style            template.CSS
	Scenes, All      int
	Share            string
	Rows             []rowShown
	Features         []featureShown
	Worst            []*fidelityCard
	Foreign, Failed  []reasonView
	MoreForeign      int
	MoreFailed       int
}

// Close writes the report as index.html and returns its path. The page has the distribution of each
// figure, how well each feature of shapes is drawn, the worst scenes with pictures, and the scenes that
// were not compared.
func (fidelity *Fidelity) Close() (string, error) {
	summary := &fidelity.summary
	page := &fidelityPage{Title: fidelity.cfg.Title, Reference: fidelity.cfg.Reference, Style: template.CSS(style), Worst: fidelity.worst,
		Scenes: len(summary.Scenes), All: len(summary.Scenes) + summary.Foreign + summary.Failed,
		Share: fmt.Sprintf("%.1f %%", 100*summary.NativeShare())}
	page.Foreign, page.Failed = fidelity.foreign[:min(len(fidelity.foreign), maxReasons)], fidelity.failed[:min(len(fidelity.failed), maxReasons)]
	page.MoreForeign, page.MoreFailed = len(fidelity.foreign)-len(page.Foreign), len(fidelity.failed)-len(page.Failed)
	// The two tables.
	for _, r := range summary.Rows() {
		page.Rows = append(page.Rows, shownRow(&r))
	}
	features := summary.Features()
	for _, r := range features {
		page.Features = append(page.Features, featureShown{r.Name, r.Shapes, r.Scenes, shareOf(r.Within), shareOf(r.WithinWorst),
			figure(r.Mean), figure(r.MeanWorst), shareOf(r.Colour), shareOf(r.ColourWorst),
			fmt.Sprintf("%.1f", 100*min(r.Severity(), 1)), r.Severity() > 1})
	}
	path := filepath.Join(fidelity.cfg.Dir, "index.html")
	err := atomicfile.WriteFile(path, func(out *atomicfile.File) error { return fidelityTemplate.Execute(out, page) })
	if err != nil {
		return "", fmt.Errorf("cannot write report: %w", err)
	}
	return path, nil
}
