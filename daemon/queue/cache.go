package queue

import (
	"container/list"
	"slices"
	"sync"

	"plumb/scoring"
)

// cacheEntry is a result in the cache; read-only once stored.
type cacheEntry struct {
	content digest
	result  scoring.Result
	json    []byte
	size    int
}

// CacheStats are what the cache did and holds.
type CacheStats struct {
	Hits, Misses int64
	Entries      int
	Bytes        int // estimated
}

// cache keeps results by the SHA-256 of what they depend on, the least recently
// used ones go first. Only scores are cacheEntry: an error may be of the moment.
type cache struct {
	max int

	mu    sync.Mutex // guards what follows
	of    map[digest]*list.Element
	order list.List // of *cacheEntry by use, the latest first
	CacheStats
}

func newCache(max int) *cache {
	return &cache{max: max, of: map[digest]*list.Element{}}
}

// get returns what is cacheEntry, nil for nothing.
func (c *cache) get(d digest) *cacheEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.of[d]
	if e == nil {
		c.Misses++
		return nil
	}
	c.Hits++
	c.order.MoveToFront(e)
	return e.Value.(*cacheEntry)
}

// put keeps a result; json is copied. What is larger than an eighth of the cache
// is not worth what it would drive out.
func (c *cache) put(d digest, r *scoring.Result, json []byte) {
	if !r.Scored {
		return
	}
	size := footprint(r, json)
	if size > c.max/8 {
		return
	}
	e := &cacheEntry{content: d, result: *r, json: slices.Clone(json), size: size}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[d] != nil {
		return
	}
	c.of[d] = c.order.PushFront(e)
	c.Bytes += size
	for c.Bytes > c.max {
		old := c.order.Remove(c.order.Back()).(*cacheEntry)
		delete(c.of, old.content)
		c.Bytes -= old.size
	}
}

// stats returns the counts so far.
func (c *cache) stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Entries = len(c.of)
	return c.CacheStats
}

// footprint estimates the memory of a result in bytes, rather too much: a number
// takes a few bytes of JSON and 8 of memory, a list in a list a header besides.
func footprint(r *scoring.Result, json []byte) int {
	const entry = 512 // the entry, its place in the map, the result itself
	n := entry + len(json) + len(r.ID) + 48*len(r.Metrics) + 64*len(r.Notes)
	for _, m := range r.Metrics {
		n += valueSize(m.Value)
	}
	for _, x := range r.Notes {
		n += len(x.Path) + len(x.Message)
	}
	return n
}

// valueSize is the memory of a metric behind its interface.
func valueSize(v any) (n int) {
	switch v := v.(type) {
	case string:
		return 16 + len(v)
	case []string:
		for _, s := range v {
			n += 16 + len(s)
		}
		return n + 24
	case []float64:
		return 24 + 8*len(v)
	case [][]float64:
		for _, a := range v {
			n += 24 + 8*len(a)
		}
		return n + 24
	}
	return 16
}
