package explorer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"plumb/daemon/index"
	"plumb/scoring/plural"
)

// SavedItems is the largest number of results of a saved page that have their pictures and texts.
const SavedItems = 200

// Bounds of a saved page.
const (
	savedRows   = 2000
	savedBytes  = 48 << 20  // of pictures; items beyond have none
	reportBytes = 128 << 20 // the same of a report
	saveTime    = 2 * time.Minute
	savers      = 4 // items that are described at once
)

// Save returns a job as one HTML file, the worst results first; items is how many of them have
// their pictures and texts, 200 at most. It waits for indexes that are made.
func (explorer *Explorer) Save(ctx context.Context, name string, items int) ([]byte, error) {
	opened, err := explorer.find(name)
	if err != nil {
		return nil, err
	}
	select {
	case <-opened.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if opened.fault != nil {
		return nil, opened.fault
	}
	opened.rules.begin()
	select {
	case <-opened.rules.ended:
	case <-time.After(saveTime / 4): // the rest of the time is for the page, which says how far the rules have looked
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return explorer.savePage(opened, &query{sort: index.Sort{By: "score"}}, items, "")
}

// savedPage is a page that is being made.
type savedPage struct {
	Saved
	pictures map[string][]byte // PNG, by Panel.Picture
	size     int               // of the pictures in the page, bytes in base64
	maxSize  int               // a picture that would make size larger is left out
	workers  int
	progress func(done, total int)
}

// savePage answers GET save: one HTML file with the explorer's pages, the results that query selects, and the
// first rows of their list. items is how many of these rows have their item, the texts and pictures of a
// result; at most SavedItems. state is the query with which the file opens.
func (explorer *Explorer) savePage(opened *opened, query *query, items int, state string) ([]byte, error) {
	if err := explorer.Built(); err != nil { // the file holds the script and style of the pages, which a build makes
		return nil, fmt.Errorf("cannot save the page: %w", err)
	}
	ctx, cancel := context.WithTimeout(explorer.life, saveTime)
	defer cancel()
	data, err := explorer.collect(ctx, opened, query, min(items, SavedItems))
	if err != nil {
		return nil, err
	}
	data.State = state
	var b bytes.Buffer
	err = explorer.writePage(&b, data)
	return b.Bytes(), err
}

// writePage writes a saved page as one HTML file with script, style, data and pictures
// inside. Its policy lets only this script run, and nothing is loaded from elsewhere.
func (explorer *Explorer) writePage(w io.Writer, data *savedPage) error {
	text, err := json.Marshal(data.Saved) // it escapes <, > and &
	if err != nil {
		return err
	}
	code := bytes.ReplaceAll(explorer.assets["app.js"].body, []byte("</script"), []byte("<\\/script"))
	style := bytes.ReplaceAll(explorer.assets["app.css"].body, []byte("</"), []byte("<\\/"))
	sum := sha256.Sum256(code)
	title := data.Info.Title
	if data.Partial != "" {
		title = "partial: " + title
	}
	out := bufio.NewWriterSize(w, 64<<10)
	fmt.Fprintf(out, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<link rel="icon" href="data:,">
<style>%s</style>
</head>
<body>
<div id="app"><noscript>This page needs JavaScript. plumb report prints its tables as text.</noscript></div>
<script type="application/json" id="saved">%s</script>
<script type="application/json" id="pictures">{`, base64.StdEncoding.EncodeToString(sum[:]), html.EscapeString(title), style, text)
	for i, name := range slices.Sorted(maps.Keys(data.pictures)) {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(out, "%q:\"data:image/png;base64,%s\"", name, base64.StdEncoding.EncodeToString(data.pictures[name]))
	}
	fmt.Fprintf(out, "}</script>\n<script>%s</script>\n</body>\n</html>\n", code)
	return out.Flush()
}

// collect gathers what a saved page holds: the selection, overview, suspects, at most savedRows rows of the
// list, the comparison if query names two series, and the items of the first rows.
func (explorer *Explorer) collect(ctx context.Context, opened *opened, query *query, items int) (*savedPage, error) {
	filter := query.filter(opened)
	info, err := explorer.info(opened.job.Name)
	if err != nil {
		return nil, err
	}
	info.Title = cmp.Or(opened.job.Name, info.Title)
	info.Job, info.Jobs = "", []string{""} // the file has one job, without a name
	out := &savedPage{workers: savers, maxSize: savedBytes}
	out.Saved = Saved{Info: *info, Selected: *opened.selected(filter), Overview: *opened.overview(filter), Rows: *opened.rows(filter, query.sort, 0, maxRows), Suspects: *opened.rules.list(filter)}
	for len(out.Rows.Rows) < min(savedRows, out.Rows.Total) {
		more := opened.rows(filter, query.sort, len(out.Rows.Rows), min(maxRows, savedRows-len(out.Rows.Rows)))
		out.Rows.Rows = append(out.Rows.Rows, more.Rows...)
	}
	if query.seriesA != "" && query.seriesB != "" {
		if err = out.compareTwo(opened, filter, query.seriesA, query.seriesB, query.sort.Down); err != nil {
			return nil, err
		}
	}
	if err := explorer.fill(ctx, opened, out, min(items, len(out.Rows.Rows))); err != nil {
		return nil, err
	}
	out.Remark = fmt.Sprintf("A saved page: %d of %s listed, the first %d with their items. It was saved on %s.",
		len(out.Rows.Rows), plural.Of(out.Rows.Total, "result is", "results are"), len(out.Items), time.Now().UTC().Format(time.DateTime+" UTC"))
	return out, nil
}

// fill adds the items of the first rows with their pictures, and for each rule the listed
// rows that it suspects. Items are made in windows by several workers and added in order.
func (explorer *Explorer) fill(ctx context.Context, opened *opened, savedPage *savedPage, items int) error {
	savedPage.Items = []Item{}
	savedPage.pictures = map[string][]byte{}
	savedPage.Found = map[string][]int{}
	if savedPage.Compared == nil {
		savedPage.Compared = []Compared{}
	}
	// What the rules suspect.
	for i := range rules {
		selection := opened.set.Select(index.Filter{Rule: rules[i].name, Epoch: opened.rules.epoch(rules[i].name)})
		savedPage.Found[rules[i].name] = []int{}
		for _, r := range savedPage.Rows.Rows {
			if file, at, _ := opened.set.Find(r.Row); selection.Has(file, at) {
				savedPage.Found[rules[i].name] = append(savedPage.Found[rules[i].name], r.Row)
			}
		}
	}
	// The items, window by window.
	questions := savedPage.sameQuestions(opened)
	for from := 0; from < items; from += window {
		rows := savedPage.Rows.Rows[from:min(items, from+window)]
		list, pictures, err := explorer.describeAll(ctx, opened, rows, savedPage.workers)
		if err != nil {
			return err
		}
		for i := range list {
			at := from + i
			list[i].neighbours(at, savedPage.Rows.Rows)
			list[i].Others = savedPage.others(opened, questions, at)
			savedPage.add(&list[i], pictures[i], ctx.Err() != nil)
		}
		if savedPage.progress != nil {
			savedPage.progress(len(savedPage.Items), items)
		}
	}
	return nil
}

// window is how many items are described before they are added in order, so that the page does not
// depend on the workers.
const window = 32

// describeAll describes rows with several workers. list and pictures are in the order of rows.
func (explorer *Explorer) describeAll(ctx context.Context, opened *opened, rows []Row, workers int) (list []Item, pictures [][]drawn, err error) {
	list, pictures = make([]Item, len(rows)), make([][]drawn, len(rows))
	errs := make([]error, len(rows))
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(workers, len(rows)) {
		wait.Go(func() {
			for i := range next {
				a, err := explorer.read(opened, rows[i].Row)
				if errs[i] = err; err == nil {
					it, drawn := explorer.describe(ctx, opened, rows[i].Row, a, "", &savedLimits)
					it.Parts = []Part{} // moves need the engine
					list[i], pictures[i] = *it, drawn
				}
			}
		})
	}
	for i := range rows {
		next <- i
	}
	close(next)
	wait.Wait()
	return list, pictures, errors.Join(errs...)
}

// add adds an item. Its pictures are kept while they fit into page.maxSize; a panel whose picture is left
// out says so. The name of a picture is the hash in its tag, so equal pictures are kept once. If the user has
// interrupted the report, no further picture is kept.
func (page *savedPage) add(item *Item, pictures []drawn, interrupted bool) {
	for n := range item.Panels {
		png, panel := pictures[n].picture.PNG, &item.Panels[n]
		if len(png) == 0 {
			continue // the panel says why
		}
		name := strings.Trim(pictures[n].tag, `"`)
		if page.pictures[name] == nil {
			size := base64.StdEncoding.EncodedLen(len(png))
			if page.size+size > page.maxSize || interrupted {
				panel.Error = errFull.Error()
				continue
			}
			page.size += size
			page.pictures[name] = png
		}
		panel.Picture = name
	}
	page.Items = append(page.Items, *item)
}

// neighbours sets the position of an item among the listed rows and the rows before and after it, to
// which the page has links.
func (out *Item) neighbours(pos int, rows []Row) {
	out.Position, out.Total = pos, len(rows)
	if pos > 0 {
		out.Previous = &rows[pos-1].Row
	}
	if pos+1 < len(rows) {
		out.Next = &rows[pos+1].Row
	}
}

// sameQuestions groups the places of the listed rows by the hash of their question.
func (page *savedPage) sameQuestions(opened *opened) map[uint64][]int {
	at := map[uint64][]int{}
	for i, r := range page.Rows.Rows {
		file, row, _ := opened.set.Find(r.Row)
		key := opened.set.Files[file].Item[row]
		at[key] = append(at[key], i)
	}
	return at
}

// others returns the other listed rows of the same question as the row at a place, at most
// maxOthers. same is from sameQuestions.
func (page *savedPage) others(opened *opened, same map[uint64][]int, pos int) []Row {
	list := []Row{}
	file, row, _ := opened.set.Find(page.Rows.Rows[pos].Row)
	for _, i := range same[opened.set.Files[file].Item[row]] {
		if i != pos && len(list) < maxOthers {
			list = append(list, page.Rows.Rows[i])
		}
	}
	return list
}

// fileName returns the file name that a browser proposes for the saved page: the name of the job, or
// else of its first file of results, with _ for each character that a file system may refuse.
func fileName(opened *opened) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, cmp.Or(opened.job.Name, short(opened.job.Results[0])))
	return "plumb-" + name + ".html"
}
