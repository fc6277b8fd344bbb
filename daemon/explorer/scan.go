package explorer

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"plumb/daemon/exhibit"
	"plumb/daemon/index"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/plural"
)

// maxScanned is how many answers of a job are looked at for suspects.
const maxScanned = 300_000

// scanned is what is kept of an answer.
type scanned struct {
	flags     uint8
	textHash  uint64 // of the part that was read, without blanks
	roughHash uint64 // the same with its numbers rounded
}

// scanner looks at the answers of a job in the background, from the first row on, once somebody wants to know.
// It is safe for concurrent use.
type scanner struct {
	explorer  *Explorer
	opened    *opened
	start     sync.Once
	ctx       context.Context
	cancel    context.CancelFunc
	ended     chan struct{}
	givenRows []int // the rows that are looked at; nil for the first maxScanned

	mu   sync.Mutex // guards rows
	rows []scanned
}

// newScanner returns the scanner of a job's answers, which has not begun. In a saved report it looks only at
// the rows whose lines are given.
func newScanner(explorer *Explorer, o *opened) *scanner {
	s := &scanner{explorer: explorer, opened: o, ended: make(chan struct{})}
	if o.reportLines != nil {
		s.givenRows = slices.Sorted(maps.Keys(o.reportLines))
	}
	s.ctx, s.cancel = context.WithCancel(explorer.life)
	return s
}

// total returns how many answers the scan for suspect results covers.
func (scanner *scanner) total() int {
	if scanner.givenRows != nil {
		return len(scanner.givenRows)
	}
	return min(scanner.opened.set.Rows(), maxScanned)
}

// row returns which row of the job the scan for suspect results reads as number i.
func (scanner *scanner) row(i int) int {
	if scanner.givenRows != nil {
		return scanner.givenRows[i]
	}
	return i
}

// hasAnswers reports whether there are answers to look at.
func (scanner *scanner) hasAnswers() bool {
	return len(scanner.opened.dumps) > 0 || scanner.givenRows != nil
}

// begin starts to read all answers of a job in the background, one by one, for the rules that find
// suspect results. It keeps what these rules need. It does nothing if the scan was started before.
func (scanner *scanner) begin() {
	scanner.start.Do(func() {
		go func() {
			defer close(scanner.ended)
			for i := 0; i < scanner.total() && scanner.hasAnswers() && scanner.ctx.Err() == nil; i++ {
				a := scanner.scanAnswer(scanner.row(i))
				scanner.mu.Lock()
				scanner.rows = append(scanner.rows, a)
				scanner.mu.Unlock()
			}
		}()
	})
}

// stop ends the scan and waits for its end. A scan that has not begun never begins.
func (scanner *scanner) stop() {
	scanner.cancel()
	scanner.start.Do(func() { close(scanner.ended) }) // where it has not begun
	<-scanner.ended
}

// progress returns how many rows were looked at.
func (scanner *scanner) progress() int {
	scanner.mu.Lock()
	defer scanner.mu.Unlock()
	return len(scanner.rows)
}

// each calls f for each answer that the scan for suspect results has read so far. Rows without an
// answer are left out.
func (scanner *scanner) each(f func(row int, a *scanned)) {
	scanner.mu.Lock()
	rows := scanner.rows // elements do not change
	scanner.mu.Unlock()
	for i := range rows {
		if rows[i].flags&flagScanned != 0 {
			f(scanner.row(i), &rows[i])
		}
	}
}

// scanAnswer reads one answer and returns what the rules for suspects need of it: hashes of
// the part that was read, and flags. It returns no flags if there is no answer.
func (scanner *scanner) scanAnswer(row int) (out scanned) {
	defer func() {
		if p := recover(); p != nil { // a hostile answer must not end the daemon
			scanner.opened.remark(fmt.Sprintf("row %d was not looked at: BUG: %v", row, p))
		}
	}()
	answer, err := scanner.explorer.read(scanner.opened, row)
	if err != nil || answer.item == nil {
		return out
	}
	text, isText := answerText(answer.item.Fields)
	suite := scanner.explorer.cfg.Items.Suites.Find(answer.item.Suite)
	if isText && suite != nil && suite.Reading != nil {
		if from, to, ok := suite.Reading(answer.item, scanner.explorer.cfg.Variants); ok {
			text = text[from:to]
		}
	}
	out = scanned{flags: flagScanned, textHash: hashWithoutBlanks(text, exactNumbers), roughHash: hashWithoutBlanks(text, nearRound)}
	shown, _, whyNone := scanner.explorer.exhibit(answer)
	if whyNone != "" {
		return out
	}
	out.flags |= comparePanels(&shown, answer.result)
	return out
}

// comparePanels compares the pictures before and after an answer and returns the flags of
// what is suspect: a full score although the picture is unchanged or empty, and shapes more
// than outsideBy px outside of the page and of what was there before.
func comparePanels(x *scoring.Exhibit, result *scoring.Result) (flags uint8) {
	var before, after *scoring.Panel
	for i := range x.Panels {
		switch x.Panels[i].Title {
		case "before":
			before = &x.Panels[i]
		case "after":
			after = &x.Panels[i]
		}
	}
	if after == nil || after.View.Scene == nil {
		return 0
	}
	// A full score although nothing has changed, or nothing is there.
	if result.Scored && result.Score >= fullScore {
		same := len(after.View.Scene.Shapes) == 0
		if before != nil {
			a, ok := exhibit.Key(before)
			b, _ := exhibit.Key(after)
			same = same || ok && a == b
		}
		if same {
			flags |= flagUnchanged
		}
	}
	// Shapes far outside of the page and of what was there before.
	page := view.Box{W: pageWidth, H: pageHeight}
	if before != nil && before.View.Scene != nil {
		if b, ok, err := view.ContentBounds(before.View.Scene, nil); ok && err == nil {
			x1, y1 := max(page.X+page.W, b.X+b.W), max(page.Y+page.H, b.Y+b.H)
			page.X, page.Y = min(page.X, b.X), min(page.Y, b.Y)
			page.W, page.H = x1-page.X, y1-page.Y
		}
	}
	if c, ok, err := view.ContentBounds(after.View.Scene, nil); ok && err == nil &&
		(c.X < page.X-outsideBy || c.Y < page.Y-outsideBy || c.X+c.W > page.X+page.W+outsideBy || c.Y+c.H > page.Y+page.H+outsideBy) {
		flags |= flagOutside
	}
	return flags
}

// exactNumbers says to hashWithoutBlanks that no number is rounded.
const exactNumbers = 0

// hashWithoutBlanks returns a hash of a text without its white space. With round above 0 its
// numbers are first rounded to multiples of round, so that near-equal answers have one hash. It
// gives the text to the hash in pieces, so that it needs no copy of a long text.
func hashWithoutBlanks(text string, round float64) uint64 {
	const pieceBytes = 4000
	digest := xxhash.New()
	buf := make([]byte, 0, pieceBytes+100) // with room for a number
	for i := 0; i < len(text); {
		c := text[i]
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		if round > 0 && (c >= '0' && c <= '9' || c == '-') {
			end := i + 1
			for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.') {
				end++
			}
			if x, err := strconv.ParseFloat(text[i:end], 64); err == nil {
				buf = strconv.AppendFloat(buf, math.Round(x/round)*round+0, 'f', 0, 64) // +0: no -0
				i = end
				continue
			}
		}
		buf = append(buf, c)
		i++
		if len(buf) > pieceBytes {
			digest.Write(buf)
			buf = buf[:0]
		}
	}
	digest.Write(buf)
	return digest.Sum64()
}

// bitmaps implements index.Set.Rules: it returns, for each file, the rows that a rule suspects so far, from
// columns, flags of answers, or groups of answers. It returns nil for an unknown rule.
func (scanner *scanner) bitmaps(name string) []index.Bitmap {
	rule := findRule(name)
	if rule == nil {
		return nil
	}
	var out []index.Bitmap
	// A rule on columns decides row by row.
	for _, file := range scanner.opened.set.Files {
		bitmap := index.NewBitmap(file.Rows())
		if rule.rowTest != nil {
			holds := rule.rowTest(file)
			for row := range file.Rows() {
				if holds(row) {
					bitmap.Set(row)
				}
			}
		}
		out = append(out, bitmap)
	}
	// Others use what the scan of the answers has found.
	mark := func(row int) {
		i, at, _ := scanner.opened.set.Find(row)
		out[i].Set(at)
	}
	if rule.answerFlag != 0 {
		scanner.each(func(row int, a *scanned) {
			if a.flags&rule.answerFlag != 0 {
				mark(row)
			}
		})
	}
	if rule.markGroups != nil {
		rule.markGroups(scanner, mark)
	}
	return out
}

// remark returns a sentence for the page on how many answers a rule that finds suspect results has
// covered so far. It is "" for a rule that needs no answers or has covered all rows.
func (scanner *scanner) remark(name string) string {
	r := findRule(name)
	if r == nil || !r.needsAnswers() || scanner.progress() == scanner.opened.set.Rows() {
		return ""
	}
	if scanner.givenRows != nil {
		return fmt.Sprintf("this rule has looked at the %s listed", plural.Of(scanner.progress(), "answer that is", "answers that are"))
	}
	return fmt.Sprintf("this rule has looked at the first %d of %d answers", scanner.progress(), scanner.opened.set.Rows())
}

// epoch returns a number that changes when the rows that a rule suspects may have changed: every two seconds
// during the scan of answers, and once at its end. It is 0 for rules that need no answers.
func (scanner *scanner) epoch(name string) int {
	if r := findRule(name); r == nil || !r.needsAnswers() {
		return 0
	}
	select {
	case <-scanner.ended:
		return 1
	default:
		return int(time.Now().Unix()/2) + 2 // never 0 or 1
	}
}

// list answers GET suspects: each rule that finds suspicious answers, with the number of rows of the filter
// that it has found so far. Rules that read answers scan them in the background, which the first call starts.
func (scanner *scanner) list(filter index.Filter) *Suspects {
	scanner.begin()
	out := &Suspects{Rules: []Suspect{}, Of: scanner.total(), Scanned: scanner.progress()}
	select {
	case <-scanner.ended:
	default:
		out.Scanning = true
	}
	switch {
	case scanner.givenRows != nil && len(scanner.givenRows) == scanner.opened.set.Rows(): // all are looked at
	case scanner.givenRows != nil:
		out.Remark = "the rules that look at answers look at those that are listed"
	case len(scanner.opened.dumps) == 0:
		out.Remark = "no dump is open, so the rules that look at answers find nothing"
	case scanner.total() < scanner.opened.set.Rows():
		out.Remark = fmt.Sprintf("the rules that look at answers look at the first %d of %d", scanner.total(), scanner.opened.set.Rows())
	}
	for i := range rules {
		r := &rules[i]
		filter.Rule, filter.Epoch = r.name, scanner.epoch(r.name)
		out.Rules = append(out.Rules, Suspect{Name: r.name, Title: r.title, Doc: r.doc, Answers: r.needsAnswers(), N: scanner.opened.set.Select(filter).Rows})
	}
	return out
}
