package queue

import (
	"math"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"plumb/scoring"
)

// cacheEntry is a result in the cache; read-only once stored.
type cacheEntry struct {
	result scoring.Result
	json   []byte
	size   int
}

// CacheStats are what the cache did and holds.
type CacheStats struct {
	Hits, Misses int64
	Entries      int
	Bytes        int // estimated
}

// cache keeps results by the SHA-256 of what they depend on. The least recently used ones
// are removed first. Only scores are kept: an error may be of the moment.
type cache struct {
	maxBytes int // of what the results take, by footprint

	mu  sync.Mutex // guards what follows
	lru *simplelru.LRU[digest, *cacheEntry]
	CacheStats
}

// newCache returns a cache of results that takes about limit bytes at most.
func newCache(limit int) *cache {
	// The number of entries is unbounded because put bounds their bytes.
	lru, err := simplelru.NewLRU[digest, *cacheEntry](math.MaxInt, nil)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &cache{maxBytes: limit, lru: lru}
}

// get returns the cached result of a digest, or nil if there is none, and counts a hit or a miss.
func (cache *cache) get(d digest) *cacheEntry {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	entry, ok := cache.lru.Get(d)
	if !ok {
		cache.Misses++
		return nil
	}
	cache.Hits++
	return entry
}

// put keeps a result and a copy of json, and removes the least recently used results beyond the limit. A
// result without a score is not kept, because its error may not occur again, nor is one larger than an
// eighth of the cache, because it would remove too many others.
func (cache *cache) put(digest digest, result *scoring.Result, json []byte) {
	if !result.Scored {
		return
	}
	size := footprint(result, json)
	if size > cache.maxBytes/8 {
		return
	}
	entry := &cacheEntry{result: *result, json: slices.Clone(json), size: size}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if cache.lru.Contains(digest) { // equal work gave the same result at the same time
		return
	}
	cache.lru.Add(digest, entry)
	cache.Bytes += size
	for cache.Bytes > cache.maxBytes {
		_, old, _ := cache.lru.RemoveOldest()
		cache.Bytes -= old.size
	}
}

// stats returns how many results the cache holds, and its counts of hits and misses since the start.
func (cache *cache) stats() CacheStats {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	cache.Entries = cache.lru.Len()
	return cache.CacheStats
}

// footprint estimates how many bytes of memory a result takes, and rather overestimates: the fixed
// sizes of entries, metrics and notes, and the bytes of their texts and lists.
func footprint(result *scoring.Result, json []byte) int {
	const (
		entry  = 512 // the entry, its place in the map, the result itself
		metric = 48  // its name and value, without what the value points to
		note   = 64  // without its texts
	)
	n := entry + len(json) + len(result.ID) + metric*len(result.Metrics) + note*len(result.Notes)
	for _, m := range result.Metrics {
		n += valueSize(m.Value)
	}
	for _, x := range result.Notes {
		n += len(x.Path) + len(x.Message)
	}
	return n
}

// valueSize returns how many bytes of memory the value of a metric takes behind its interface. The
// header of a text counts 16 bytes and that of a list 24, each number in a list counts 8, and any other
// value counts 16.
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
