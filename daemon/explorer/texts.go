package explorer

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fastjson"

	"plumb/daemon/index"
)

// textTime bounds a search in the texts of answers.
const textTime = 4 * time.Second

// textCache keeps how far the last searches came.
type textCache struct {
	mu        sync.Mutex
	sentences map[string]string // for the page, by the text that was searched for
}

// remark says how far the answers were searched for a text, "" where nothing was left out.
func (cache *textCache) remark(filter index.Filter) string {
	if filter.Text == "" {
		return ""
	}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	return cache.sentences[filter.Text]
}

// maxSearches is how many searches are remembered.
const maxSearches = 100

// note keeps how far the search for a text came, as a sentence for the page. After maxSearches searches it
// forgets the earlier ones.
func (cache *textCache) note(text, sentence string) {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if cache.sentences == nil || len(cache.sentences) > maxSearches {
		cache.sentences = map[string]string{}
	}
	cache.sentences[text] = sentence
}

// searchTexts marks, for each file, the rows whose answers hold the text of the filter. It
// reads the dumps from their beginnings for textTime at most. Rows that it did not reach
// count as not found, and a remark on the page says so.
func (opened *opened) searchTexts(filter index.Filter) []index.Bitmap {
	ctx, cancel := context.WithTimeout(context.Background(), textTime)
	defer cancel()
	found := map[uint64]bool{}
	probe, want := longest(filter.Text), []byte(filter.Text)
	var done, total int64
	var parser fastjson.Parser
	// Search the dumps.
	for _, dump := range opened.dumps {
		var pos, size int64
		err := dump.Scan(ctx, func(key uint64, line []byte, read, all int64) bool {
			pos, size = read, all
			if bytes.Contains(line, probe) { // quick: most lines need not be parsed
				if value, err := parser.ParseBytes(line); err == nil {
					if text, _ := answerText(value); bytes.Contains([]byte(text), want) {
						found[key] = true
					}
				}
			}
			return ctx.Err() == nil
		})
		done, total = done+pos, total+size
		if err != nil {
			opened.remark(err.Error())
		}
	}
	// Say what was not searched.
	said := ""
	switch {
	case len(opened.dumps) == 0:
		said = "answers cannot be searched without a dump"
	case ctx.Err() != nil:
		said = fmt.Sprintf("the first %d of %d MB of answers were searched; the others count as not found", done>>20, total>>20)
	}
	opened.texts.note(filter.Text, said)
	// Mark the rows of the answers that were found.
	var out []index.Bitmap
	for _, file := range opened.set.Files {
		bitmap := index.NewBitmap(file.Rows())
		for row, key := range file.Answer {
			if found[key] {
				bitmap.Set(row)
			}
		}
		out = append(out, bitmap)
	}
	return out
}

// longest returns the longest part of a searched text whose characters JSON never writes as escapes. A
// line of JSON without this part cannot hold the text, so such lines need not be parsed.
func longest(s string) []byte {
	best := ""
	mayBeEscaped := func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\/<>&`, r) }
	for _, run := range strings.FieldsFunc(s, mayBeEscaped) {
		if len(run) > len(best) {
			best = run
		}
	}
	return []byte(best)
}
