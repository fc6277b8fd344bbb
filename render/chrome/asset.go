package chrome

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
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
// Other strings pass. What is an image is seen from its bytes, because the browser draws a raster image of
// any type. An image whose size cannot be read is an error. depth is 0 for a string of the scene, and n for
// one of an SVG that is nested in n images.
func (config *Config) checkAsset(data []byte, depth int) error {
	rest, ok := cutScheme(data)
	if !ok {
		return nil
	}
	if len(data) > config.MaxAsset {
		return fmt.Errorf("cannot export scene: %w: got a data URL of %d bytes; want at most %d (--max-asset)",
			ErrLimit, len(data), config.MaxAsset)
	}
	kind, body := cutDataURL(rest)
	w, h, ok := config.imageSize(kind, body, depth)
	if !ok && !strings.HasPrefix(kind, "image/") && !isIcon(body) {
		return nil // a video, or a link that reads "data:", which shows nothing
	}
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

// cutScheme returns what follows "data:" in a string that is a data URL, and whether it is one. As the URL
// standard says, control characters and blanks before a URL do not count, and neither do tabs, CR and LF
// within it. It copies nothing, because most strings of a scene are no data URLs.
func cutScheme(b []byte) (rest []byte, ok bool) {
	rest = b
	for len(rest) > 0 && isBlank(rune(rest[0])) {
		rest = rest[1:]
	}
	for _, want := range []byte("data:") {
		for len(rest) > 0 && dropBreak(rune(rest[0])) < 0 {
			rest = rest[1:]
		}
		if len(rest) == 0 || !bytes.EqualFold(rest[:1], []byte{want}) {
			return nil, false
		}
		rest = rest[1:]
	}
	return rest, true
}

// isBlank reports whether a character is one that the URL standard strips from both ends of a URL.
func isBlank(r rune) bool { return r <= ' ' }

// dropBreak returns -1 for the characters that the URL standard removes within a URL, and others as they are.
func dropBreak(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' {
		return -1
	}
	return r
}

// isIcon reports whether a file is a Windows icon or cursor, whose size is not read.
func isIcon(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0, 0, 1, 0}) || bytes.HasPrefix(data, []byte{0, 0, 2, 0})
}

// cutDataURL returns the type and the decoded body of a data URL, as far as the body can be decoded: what the
// browser reads of a broken one counts too. b is what follows "data:". Tabs, CR and LF are removed from the
// type alone, because Chromium keeps them in the body.
func cutDataURL(b []byte) (kind string, body []byte) {
	head, data, _ := bytes.Cut(b, []byte(","))
	kind, params, _ := strings.Cut(strings.ToLower(strings.Map(dropBreak, string(head))), ";")
	kind = strings.TrimFunc(kind, isBlank)
	body = percentDecoded(data)
	if !strings.HasSuffix(strings.ReplaceAll(params, " ", ""), "base64") {
		return kind, body
	}
	clean := strings.NewReplacer("\n", "", "\r", "", "\t", "", " ", "", "=", "").Replace(string(body))
	body, _ = base64.RawStdEncoding.DecodeString(clean) // what was read before an error counts
	return kind, body
}

// percentDecoded returns a copy of b in which each % with two hexadecimal digits is the byte that they
// stand for. As in browsers, any other % stays.
func percentDecoded(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		var decoded [1]byte
		if b[i] == '%' && i+2 < len(b) {
			if _, err := hex.Decode(decoded[:], b[i+1:i+3]); err == nil {
				out = append(out, decoded[0])
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}
