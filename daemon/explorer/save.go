package explorer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"strings"
	"time"

	"plumb/daemon/index"
)

// Bounds of a saved page.
const (
	savedRows  = 2000
	savedItems = 200      // that have their pictures and texts
	savedBytes = 48 << 20 // of pictures; items beyond have none
	saveTime   = 2 * time.Minute
)

// Save returns a job as one HTML file, the worst results first; items is how many of them have their pictures and
// texts, 200 at most. It waits for indexes that are made.
func (e *Explorer) Save(ctx context.Context, name string, items int) ([]byte, error) {
	o, err := e.find(name)
	if err != nil {
		return nil, err
	}
	select {
	case <-o.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if o.fault != nil {
		return nil, o.fault
	}
	o.rules.begin()
	select {
	case <-o.rules.ended:
	case <-time.After(saveTime / 4): // the page says how far they have looked
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return e.saved(o, &query{sort: index.Sort{By: "score"}}, items, "")
}

// saved answers GET save: one HTML file with the pages, a selection, its first rows, and their items. state is the
// query of the page; items is how many rows have their items.
func (e *Explorer) saved(o *opened, q *query, items int, state string) ([]byte, error) {
	script, style := e.assets["app.js"], e.assets["app.css"]
	if script.body == nil || style.body == nil {
		return nil, errors.New("cannot save the page: the explorer's pages are not built")
	}
	ctx, cancel := context.WithTimeout(e.life, saveTime)
	defer cancel()
	data, err := e.collect(ctx, o, q, min(items, savedItems))
	if err != nil {
		return nil, err
	}
	data.State = state
	text, err := json.Marshal(data) // it escapes <, > and &
	if err != nil {
		return nil, err
	}
	code := bytes.ReplaceAll(script.body, []byte("</script"), []byte("<\\/script"))
	sum := sha256.Sum256(code)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<!doctype html>
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
<div id="app"></div>
<script type="application/json" id="saved">`, base64.StdEncoding.EncodeToString(sum[:]), html.EscapeString(data.Info.Title), bytes.ReplaceAll(style.body, []byte("</"), []byte("<\\/")))
	b.Write(text)
	b.WriteString("</script>\n<script>")
	b.Write(code)
	b.WriteString("</script>\n</body>\n</html>\n")
	return b.Bytes(), nil
}

// collect asks for what a saved page holds.
func (e *Explorer) collect(ctx context.Context, o *opened, q *query, items int) (*Saved, error) {
	f := q.filter(o)
	info, err := e.info(o.job.Name)
	if err != nil {
		return nil, err
	}
	info.Title = cmp.Or(o.job.Name, info.Title)
	info.Job, info.Jobs = "", []string{""}
	out := &Saved{Info: *info, Selected: *o.selected(f), Overview: *o.overview(f), Rows: *o.rows(f, q.sort, 0, maxRows), Items: []Item{}, Pictures: map[string]string{}}
	for len(out.Rows.Rows) < min(savedRows, out.Rows.Total) {
		more := o.rows(f, q.sort, len(out.Rows.Rows), min(maxRows, savedRows-len(out.Rows.Rows)))
		out.Rows.Rows = append(out.Rows.Rows, more.Rows...)
	}
	if q.a != "" && q.b != "" {
		if out.Compare, err = o.compare(f, q.a, q.b); err != nil {
			return nil, err
		}
		if out.Pairs, err = o.list(f, q.a, q.b, q.sort.Down, 0, maxRows); err != nil {
			return nil, err
		}
	}
	out.Suspects = *o.rules.list(f)
	size := 0
	for i, r := range out.Rows.Rows[:min(items, len(out.Rows.Rows))] {
		it, err := e.item(ctx, o, r.Row, f, q.sort)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		it.Parts = []Part{} // moves need the engine
		out.Items = append(out.Items, *it)
		for n := range it.Panels {
			if size > savedBytes || ctx.Err() != nil {
				it.Panels[n].Error = "the saved page is full"
				continue
			}
			d, err := e.picture(ctx, o, r.Row, n, 760)
			if err != nil {
				continue // the panel says why
			}
			url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(d.shown.PNG)
			size += len(url)
			out.Pictures[fmt.Sprintf("%d/%d", r.Row, n)] = url
		}
	}
	out.Remark = fmt.Sprintf("A saved page: %d of %d results are listed, the first %d with their items. It was saved on %s.",
		len(out.Rows.Rows), out.Rows.Total, len(out.Items), time.Now().UTC().Format(time.DateTime+" UTC"))
	return out, nil
}

// fileName returns the name under which a browser keeps the saved page.
func fileName(o *opened) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, cmp.Or(o.job.Name, short(o.job.Results[0])))
	return "plumb-" + name + ".html"
}
