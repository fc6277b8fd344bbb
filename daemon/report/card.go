package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/table"
)

// card is one item as the page shows it.
type card struct {
	ID, Suite, Test, Model string // Model is the series
	Anchor, Label          string // its id on the page, and the name of its test there
	Line                   int    // of the dump, for sorting
	Who                    []metricView
	ResultOnly             bool // there is no dump line, so that the answer is unknown
	Status                 string
	Scored                 bool
	Score                  string  // as printed; "–" without one
	Raw                    string  // for sorting, full precision; "" without one
	Bar                    float64 // length of the bar, 0..100
	Outcome                string  // "full", "part", "none" or "unscored"; sets the colour
	Prompt                 string
	Answer                 string
	Answered               bool
	Panels                 []*panel
	Thumb                  *panel // the panel to show first, nil for none
	Texts                  []scoring.Text
	Metrics                []metricView
	Notes                  []scoring.Note
	Err                    *scoring.Error
	Problem                string // why there are no panels, "" when there are
}

// metricView is one of the score's parts as text.
type metricView struct{ Name, Value string }

// maker makes the cards of items for a report page; one goroutine uses it.
type maker struct {
	cfg     *Config
	atlas   *atlas
	decoder *dump.Decoder
	parser  fastjson.Parser
}

func newMaker(cfg *Config, a *atlas) *maker {
	return &maker{cfg: cfg, atlas: a, decoder: dump.NewDecoder(cfg.Items)}
}

// card makes the card of an item. An invalid item gets a card that shows its error.
func (m *maker) card(p pair) *card {
	r, err := readResult(&m.parser, p.result)
	if err != nil { // Writer.Add has read the same bytes before
		panic("BUG: " + err.Error())
	}
	c := newCard(r)
	c.Model, c.Line = p.series, p.order
	if p.line.Bytes == nil && p.line.Fault == "" {
		c.ResultOnly = true
		return c
	}
	it, fault := m.decoder.Item(p.line, "")
	if it.Fields != nil {
		c.Prompt = text(it.Fields, "prompt")
		c.Answer, c.Answered = response(it.Fields)
	} else if len(p.line.Bytes) > 0 {
		c.Answer, c.Answered = clip(string(p.line.Bytes)), true
	}
	if fault != nil {
		c.Problem = "no pictures: " + fault.Message
		return c
	}
	m.show(c, it, r)
	return c
}

// show draws the panels that the suite has for an item, and adds them and its texts to the
// card.
func (m *maker) show(c *card, it *scoring.Item, r *scoring.Result) {
	suite := m.cfg.Items.Suites.Find(it.Suite)
	if suite == nil {
		c.Problem = fmt.Sprintf("no pictures: suite %q is not known here", it.Suite)
		return
	}
	job, err := suite.Prepare(it, m.cfg.Variants)
	if err != nil {
		c.Problem = "no pictures: " + err.Error()
		return
	}
	shower, ok := job.(scoring.Shower)
	if !ok {
		c.Problem = "no pictures: suite " + it.Suite + " has none to show"
		return
	}
	e := shower.Show(r)
	for _, p := range e.Panels {
		c.Panels = append(c.Panels, m.atlas.panel(p))
	}
	for _, t := range e.Texts {
		c.Texts = append(c.Texts, scoring.Text{Title: t.Title, Body: clip(t.Body)})
	}
	if n := len(c.Panels); n > 0 {
		c.Thumb = c.Panels[max(0, min(e.First, n-1))]
	}
}

// newCard returns a card with the fields of a result line.
func newCard(r *scoring.Result) *card {
	c := &card{ID: r.ID, Suite: r.Suite, Test: r.Test, Status: r.Status, Scored: r.Scored, Notes: r.Notes, Err: r.Err,
		Score: "–", Outcome: "unscored"}
	c.Who = who(&r.Who)
	for _, m := range r.Metrics {
		c.Metrics = append(c.Metrics, metricView{m.Name, show(m.Value)})
	}
	if !r.Scored {
		c.Status = cmp.Or(c.Status, "unscored")
		return c
	}
	c.Score, c.Raw = table.Number(r.Score, 3), strconv.FormatFloat(r.Score, 'g', -1, 64)
	c.Bar = 100 * math.Max(0, math.Min(1, r.Score))
	switch {
	case r.Score >= 0.995:
		c.Outcome = "full"
	case r.Score > 0:
		c.Outcome = "part"
	default:
		c.Outcome = "none"
	}
	return c
}

// who lists the model and the conditions of an answer, as far as they are known.
func who(id *scoring.Identity) (list []metricView) {
	for _, v := range []metricView{{"model", id.Model}, {"repeat", positive(id.Repeat)}, {"turn", positive(id.Turn)}, {"asked", id.Series().Arm},
		{"finish reason", id.FinishReason}, {"cut", id.Cut}} {
		if v.Value != "" {
			list = append(list, v)
		}
	}
	return list
}

// positive prints a count of an answer's identity for the report, "" for 0.
func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// show formats a metric for readers: four decimals at most, no brackets around lists.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case float64:
		return strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64)
	case string:
		return v
	case []string:
		if len(v) == 0 {
			return "none"
		}
		return strings.Join(v, ", ")
	case []float64:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = show(x)
		}
		return strings.Join(parts, ", ")
	case scoring.JSON:
		return string(v)
	case [][]float64:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = "(" + show(x) + ")"
		}
		return strings.Join(parts, " ")
	}
	return fmt.Sprint(v)
}

// text returns a string field of an item, "" where there is none.
func text(v *fastjson.Value, name string) string { return string(v.GetStringBytes(name)) }

// maxAnswer is the longest answer a card shows in full, bytes.
const maxAnswer = 20_000

// response returns the answer as text, or its list of actions. ok is false when
// the response is missing.
func response(v *fastjson.Value) (answer string, ok bool) {
	r := v.Get("response")
	if a := v.Get("actions"); a != nil && a.Type() != fastjson.TypeNull {
		r = a
	}
	switch {
	case r == nil || r.Type() == fastjson.TypeNull:
		return "", false
	case r.Type() == fastjson.TypeString:
		return clip(string(r.GetStringBytes())), true
	default:
		return clip(r.String()), true
	}
}

// clip cuts a text after maxAnswer bytes, with a note on the rest.
func clip(s string) string {
	if len(s) <= maxAnswer {
		return s
	}
	return fmt.Sprintf("%s\n[%d further bytes are not shown]", strings.ToValidUTF8(s[:maxAnswer], ""), len(s)-maxAnswer)
}

// panel is a picture with its marks, for the template.
type panel struct {
	Title string
	SVG   template.HTML // inner part: the picture's reference and the marks
	Box   string        // viewBox
	Wide  float64       // width / height
	Lost  []string      // what could not be drawn, by name
	image *embedded     // nil when there is none
	Cover bool          // shows how two sets cover each other
}
