package explorer

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"plumb/daemon/exhibit"
	"plumb/scoring"
)

// Widths of pictures in px; others are rounded up to one of them, so that few are kept.
var widths = []int{160, 320, 760, 1600}

// drawn is a picture with its tag.
type drawn struct {
	picture exhibit.Shown
	tag     string // of its content, for the header ETag
}

// pictureCache keeps the pictures that were shown last, up to a number of bytes.
type pictureCache struct {
	limit int64

	mu    sync.Mutex // guards what follows
	lru   *simplelru.LRU[string, drawn]
	bytes int64
}

// newPictureCache returns an empty cache that keeps at most limit bytes of pictures.
func newPictureCache(limit int64) *pictureCache {
	// The number of entries is unbounded because put bounds their bytes.
	lru, err := simplelru.NewLRU[string, drawn](math.MaxInt, nil)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &pictureCache{limit: limit, lru: lru}
}

// get returns the picture of that key from the cache, which then counts as used last.
func (cache *pictureCache) get(key string) (p drawn, ok bool) {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	return cache.lru.Get(key)
}

// put adds a picture to the cache and drops those that were used longest ago until the rest
// has at most cache.limit bytes. The last picture is always kept.
func (cache *pictureCache) put(key string, drawn drawn) {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if cache.lru.Contains(key) {
		return
	}
	cache.lru.Add(key, drawn)
	for cache.bytes += int64(len(drawn.picture.PNG)); cache.bytes > cache.limit && cache.lru.Len() > 1; {
		_, old, _ := cache.lru.RemoveOldest()
		cache.bytes -= int64(len(old.picture.PNG))
	}
}

// drawing holds a token for each picture that is being drawn. Its capacity bounds their number, for all
// explorers of the process.
var drawing = make(chan struct{}, 4)

// panel draws a panel, or returns it from the cache. wide is rounded up to one of widths.
// key identifies the row and the panel; it is used only if the content of the panel has no
// key of its own. It waits while too many pictures are drawn.
func (explorer *Explorer) panel(ctx context.Context, key string, panel *scoring.Panel, wide int) (drawn, error) {
	// The key in the cache: the content and one of few widths.
	if k, ok := exhibit.Key(panel); ok {
		key = hex.EncodeToString(k[:])
	}
	for _, w := range widths {
		if w >= wide || w == widths[len(widths)-1] {
			wide = w
			break
		}
	}
	key = fmt.Sprintf("%s %d", key, wide)
	if got, ok := explorer.cache.get(key); ok {
		return got, nil
	}
	// Draw it.
	eng, err := explorer.openEngine()
	if err != nil && panel.Image == nil { // a panel with an image of its own needs no engine
		return drawn{}, fmt.Errorf("cannot draw pictures: %w", err)
	}
	select {
	case drawing <- struct{}{}:
	case <-ctx.Done():
		return drawn{}, ctx.Err()
	}
	defer func() { <-drawing }()
	shown, err := exhibit.Show(eng, panel, wide, wide)
	if err != nil {
		return drawn{}, err
	}
	if len(shown.PNG) == 0 {
		return drawn{}, errors.New("the picture is empty")
	}
	out := drawn{shown, fmt.Sprintf(`"%016x"`, xxhash.Sum64(shown.PNG))}
	explorer.cache.put(key, out)
	return out, nil
}
