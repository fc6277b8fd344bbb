package chrome

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/valyala/fastjson"
)

// checkAssets checks every data URL in the scene, before the browser reads it, against the limits
// on bytes and on an image's pixels. A small file can declare a huge image.
func (config *Config) checkAssets(v *fastjson.Value) error {
	const inScene = 0 // depth of an image that is not inside another one
	var err error
	walkStrings(v, func(b []byte) bool {
		err = config.checkAsset(b, inScene)
		return err == nil
	})
	return err
}

// walkStrings calls f with every string value in the JSON of a scene until f returns false, and
// reports whether f never did. Its recursion is bounded by the parser's limit on nesting.
func walkStrings(value *fastjson.Value, f func([]byte) bool) bool {
	switch value.Type() {
	case fastjson.TypeString:
		return f(value.GetStringBytes())
	case fastjson.TypeArray:
		for _, e := range value.GetArray() {
			if !walkStrings(e, f) {
				return false
			}
		}
	case fastjson.TypeObject:
		ok := true
		value.GetObject().Visit(func(_ []byte, e *fastjson.Value) { ok = ok && walkStrings(e, f) })
		return ok
	}
	return true
}

// checkAsset checks one string if it is a data URL: its bytes and, of an image, the pixels that it declares.
// Other strings pass. An image whose size cannot be read is an error. depth is 0 for a string of the scene, and n
// for one of an SVG that is nested in n images.
func (config *Config) checkAsset(data []byte, depth int) error {
	head := bytes.TrimLeft(data[:min(len(data), 64)], "\x00\t\n\f\r ")
	if len(head) < 5 || !strings.EqualFold(string(head[:5]), "data:") {
		return nil
	}
	if len(data) > config.MaxAsset {
		return fmt.Errorf("cannot export scene: %w: got a data URL of %d bytes; want at most %d (--max-asset)",
			ErrLimit, len(data), config.MaxAsset)
	}
	kind, body := cutDataURL(data)
	if !strings.HasPrefix(kind, "image/") {
		return nil // a video, or a link that reads "data:", which shows nothing
	}
	w, h, ok := config.imageSize(kind, body, depth)
	if !ok {
		return fmt.Errorf("cannot export scene: %w: got an image (%s) whose size in px cannot be told; want PNG, JPEG, GIF, WebP, BMP, AVIF or SVG (--max-asset-pixels)",
			ErrLimit, clip(kind, 40))
	}
	if side := float64(config.MaxSide); !(w <= side && h <= side && w*h <= float64(config.MaxAssetPixels)) {
		return fmt.Errorf("cannot export scene: %w: got an image of %.0f x %.0f px; want sides of at most %d px (--max-side) and %d px in all (--max-asset-pixels)",
			ErrLimit, w, h, config.MaxSide, config.MaxAssetPixels)
	}
	return nil
}

// cutDataURL returns the type and the decoded body of a data URL, as far as the body can be decoded: what the
// browser reads of a broken one counts too. The URL begins with "data:".
func cutDataURL(b []byte) (kind string, body []byte) {
	head, data, _ := bytes.Cut(b, []byte(","))
	kind, params, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(head)))[len("data:"):], ";")
	text, err := url.PathUnescape(string(data))
	if err != nil {
		text = string(data)
	}
	if !strings.HasSuffix(strings.ReplaceAll(params, " ", ""), "base64") {
		return kind, []byte(text)
	}
	clean := strings.NewReplacer("\n", "", "\r", "", "\t", "", " ", "", "=", "").Replace(text)
	body, _ = base64.RawStdEncoding.DecodeString(clean) // what was read before an error counts
	return kind, body
}
