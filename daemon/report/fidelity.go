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

// Fidelity collects comparisons of native pictures, which plumb draws by itself, with the editor's, and
// writes index.html, which needs no network and no other file. One goroutine uses it.
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

// Add adds a scene that is drawn natively. got is the native picture of the view shown, ref is the reference,
// and likeness is what the comparison of the two found. If the scene is among the worst so far, its pictures
// are encoded and kept, and the least bad one of the list is dropped. The images themselves are not kept.
func (fidelity *Fidelity) Add(id string, likeness *compare.Likeness, shown view.View, got, ref *image.NRGBA) error {
	parts := likeness.Parts(shown) // one for each feature of a visible shape, with the errors near that shape
	fidelity.summary.Add(&likeness.Figures, parts)
	severity := likeness.Severity()
	if n := len(fidelity.worst); n == fidelity.cfg.Worst && severity <= fidelity.worst[n-1].severity {
		return nil
	}
	// Make its card.
	card := &fidelityCard{ID: id, severity: severity, Missed: severity > 1, Figures: shownFigures(&likeness.Figures)}
	seen := map[string]bool{}
	for _, part := range parts {
		if !seen[part.Feature] {
			seen[part.Feature] = true
			card.Features = append(card.Features, part.Feature)
		}
	}
	for _, panel := range []struct {
		title string
		img   *image.RGBA
	}{{"native", exhibit.OnPaper(got)}, {"difference", difference(got, ref)}, {fidelity.cfg.Reference, exhibit.OnPaper(ref)}} {
		if err := card.addPanel(panel.title, panel.img); err != nil {
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

// Foreign adds a scene that plumb does not draw by itself, with the reason. It is listed, not compared.
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

// addPanel adds a picture with a title to the card of a scene. A large picture is shrunk by a whole
// factor to the size of the report.
func (card *fidelityCard) addPanel(title string, img *image.RGBA) error {
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
		gotRow, refRow, outRow := got.Pix[y*got.Stride:], ref.Pix[y*ref.Stride:], out.Pix[y*out.Stride:]
		for i := 0; i < 4*out.Rect.Dx(); i += 4 {
			tone, strength := errorTone(gotRow[i:i+4], refRow[i:i+4])
			const darkest = 0.12 // by how much a covered pixel of the reference darkens the paper
			brightness := 1 - darkest*float64(refRow[i+3])/255
			for c := range 3 {
				base := float64(exhibit.Paper[c]) * brightness
				outRow[i+c] = uint8(base + (float64(tone[c])-base)*strength + 0.5) // 0.5 rounds
			}
			outRow[i+3] = 255
		}
	}
	return out
}

// The colours that mark an error of a pixel.
var (
	moreAlpha   = [3]int{200, 20, 40} // red: the native picture has more alpha
	lessAlpha   = [3]int{20, 60, 220} // blue: it has less
	otherColour = [3]int{230, 130, 0} // orange: only the colours differ
)

// errorTone returns the colour that marks the error of one pixel, and how strong it is, 0 to 1. got is the
// pixel of the native picture and ref that of the reference, both RGBA, not premultiplied. Where alphas
// are equal, the largest difference of a colour counts, weighted by alpha.
func errorTone(got, ref []byte) (tone [3]int, strength float64) {
	excess := int(got[3]) - int(ref[3]) // of alpha
	switch {
	case excess > 0:
		return moreAlpha, math.Sqrt(float64(excess) / 255)
	case excess < 0:
		return lessAlpha, math.Sqrt(float64(-excess) / 255)
	}
	worst := 0
	for c := range 3 {
		e := (int(got[c]) - int(ref[c])) * int(ref[3]) / 255
		worst = max(worst, e, -e)
	}
	return otherColour, math.Sqrt(float64(worst) / 255)
}

// shownFigures returns the figures of one scene's comparison as texts, each with its title. They say how the
// native picture differs from the reference. Alpha and colours are in 1/255.
func shownFigures(figures *compare.Figures) []metricView {
	list := []metricView{
		{"size", fmt.Sprintf("%d × %d px", figures.Width, figures.Height)},
		// Of the pixels in the box around what the reference paints: the share of nearly equal ones, and the errors.
		{"alpha within 2/255", shareOf(figures.Within)},
		{"mean error of alpha", figure(figures.Mean) + " /255, worst " + fmt.Sprint(figures.Worst)},
		// Of the whole picture: the change of the sum of alpha ("mass"), how far the alpha-weighted centre is
		// from that of the reference, and the change of the number of pixels that are painted at all.
		{"mass", signedPercent(figures.Mass)},
		{"centre of mass", figure(figures.Centre) + " px"},
		{"covered pixels", signedPercent(figures.Covered)},
	}
	if figures.Outside > 0 { // native pixels that are painted beyond that box
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

// rowShown is a row of the distribution of a figure over all scenes as text.
type rowShown struct {
	Name, Median, Worst string
	Tail                string // 95 % of the scenes are at least as good
	Bar                 string // what is allowed
	Missed              string // how many scenes miss the bar
	Bad                 bool   // some do
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

// featureShown is a row of the table of features, such as a dash or a font, as text. Figures are of the
// parts of pictures where shapes with the feature are.
type featureShown struct {
	Name                string
	Shapes, Scenes      int    // that have the feature
	Within, WithinWorst string // share of pixels whose alpha is within 2/255
	Mean, MeanWorst     string // mean error of alpha
	Colour, ColourWorst string // share of pixels whose colours are within 2/255
	Bar                 string // length of a bar: the error in per cent of what is allowed, at most 100
	Bad                 bool   // the error is larger than allowed
}

// fidelityPage is the data of the template.
type fidelityPage struct {
	Title, Reference string
	Style            template.CSS
	Scenes, All      int    // scenes that were compared, and all
	Share            string // of scenes that are native
	Rows             []rowShown
	Features         []featureShown
	Worst            []*fidelityCard
	Foreign, Failed  []reasonView // at most maxReasons each
	MoreForeign      int          // scenes beyond those listed
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
	page.Foreign = fidelity.foreign[:min(len(fidelity.foreign), maxReasons)]
	page.Failed = fidelity.failed[:min(len(fidelity.failed), maxReasons)]
	page.MoreForeign, page.MoreFailed = len(fidelity.foreign)-len(page.Foreign), len(fidelity.failed)-len(page.Failed)
	// The two tables.
	for _, row := range summary.Rows() {
		page.Rows = append(page.Rows, shownRow(&row))
	}
	for _, feature := range summary.Features() {
		page.Features = append(page.Features, featureShown{Name: feature.Name, Shapes: feature.Shapes, Scenes: feature.Scenes,
			Within: shareOf(feature.Within), WithinWorst: shareOf(feature.WithinWorst),
			Mean: figure(feature.Mean), MeanWorst: figure(feature.MeanWorst),
			Colour: shareOf(feature.Colour), ColourWorst: shareOf(feature.ColourWorst),
			Bar: fmt.Sprintf("%.1f", 100*min(feature.Severity(), 1)), Bad: feature.Severity() > 1})
	}
	path := filepath.Join(fidelity.cfg.Dir, "index.html")
	err := atomicfile.WriteFile(path, func(out *atomicfile.File) error { return fidelityTemplate.Execute(out, page) })
	if err != nil {
		return "", fmt.Errorf("cannot write report: %w", err)
	}
	return path, nil
}
