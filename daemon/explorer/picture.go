package explorer

import (
	"container/list"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"

	"plumb/daemon/exhibit"
	"plumb/scoring"
)

// Widths of pictures in px; others are rounded up to one of them, so that few are kept.
var widths = []int{160, 320, 760, 1600}

// drawn is a picture with its tag.
type drawn struct {
	shown exhibit.Shown
	tag   string // of its content, for the header ETag
}

// pictureCache keeps the pictures that were shown last, up to a number of bytes.
type pictureCache struct {
	mu    sync.Mutex
	most  int64
	bytes int64
	at    map[string]*list.Element
	order *list.List // of *cachedPicture, the newest in front
}

// cachedPicture is a picture in the cache with its key.
type cachedPicture struct {
	key string
	p   drawn
}

func newPictureCache(most int64) *pictureCache {
	return &pictureCache{most: most, at: map[string]*list.Element{}, order: list.New()}
}

// get returns the picture of that key from the cache, which then counts as used last.
func (c *pictureCache) get(key string) (p drawn, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.at[key]
	if e == nil {
		return p, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedPicture).p, true
}

// put adds a picture to the cache and drops those that were used longest ago beyond its bytes.
func (c *pictureCache) put(key string, p drawn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at[key] != nil {
		return
	}
	c.at[key] = c.order.PushFront(&cachedPicture{key, p})
	for c.bytes += int64(len(p.shown.PNG)); c.bytes > c.most && c.order.Len() > 1; {
		old := c.order.Remove(c.order.Back()).(*cachedPicture)
		delete(c.at, old.key)
		c.bytes -= int64(len(old.p.shown.PNG))
	}
}

// drawing bounds the pictures that are drawn at once.
var drawing = make(chan struct{}, 4)

// panel draws a panel for a row. key names the row and the panel, for pictures whose content is not known before.
func (e *Explorer) panel(ctx context.Context, key string, p *scoring.Panel, wide int) (drawn, error) {
	if k, ok := exhibit.Key(p); ok {
		key = hex.EncodeToString(k[:])
	}
	for _, w := range widths {
		if w >= wide || w == widths[len(widths)-1] {
			wide = w
			break
		}
	}
	key = fmt.Sprintf("%s %d", key, wide)
	if got, ok := e.cache.get(key); ok {
		return got, nil
	}
	eng, err := e.draws()
	if err != nil && p.Image == nil {
		return drawn{}, fmt.Errorf("cannot draw pictures: %w", err)
	}
	select {
	case drawing <- struct{}{}:
	case <-ctx.Done():
		return drawn{}, ctx.Err()
	}
	defer func() { <-drawing }()
	shown, err := exhibit.Show(eng, p, wide, wide)
	if err != nil {
		return drawn{}, err
	}
	if len(shown.PNG) == 0 {
		return drawn{}, errors.New("the picture is empty")
	}
	out := drawn{shown, fmt.Sprintf(`"%016x"`, xxhash.Sum64(shown.PNG))}
	e.cache.put(key, out)
	return out, nil
}
