package chrome

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif"  // DecodeConfig reads
	_ "image/jpeg" // the size of
	_ "image/png"  // these
	"net/url"
	"strings"

	"github.com/valyala/fastjson"
)

// checkAssets looks for files inside the scene, wherever they are written, and
// holds them against the limits: how long they are, and how many pixels they
// claim to have, which is what a small file can do most harm with. Files of
// other kinds than images and videos have no place in a scene.
func (c *Config) checkAssets(v *fastjson.Value) error {
	var err error
	walkStrings(v, func(b []byte) bool {
		err = c.checkAsset(b)
		return err == nil
	})
	return err
}

// walkStrings calls f for every string value until f returns false. The nesting
// of its calls is that of the JSON, which the parser limits.
func walkStrings(v *fastjson.Value, f func([]byte) bool) bool {
	switch v.Type() {
	case fastjson.TypeString:
		return f(v.GetStringBytes())
	case fastjson.TypeArray:
		for _, e := range v.GetArray() {
			if !walkStrings(e, f) {
				return false
			}
		}
	case fastjson.TypeObject:
		ok := true
		v.GetObject().Visit(func(_ []byte, e *fastjson.Value) { ok = ok && walkStrings(e, f) })
		return ok
	}
	return true
}

// checkAsset judges one string of the scene.
func (c *Config) checkAsset(b []byte) error {
	head := bytes.TrimLeft(b[:min(len(b), 64)], "\x00\t\n\f\r ")
	if len(head) < 5 || !strings.EqualFold(string(head[:5]), "data:") {
		return nil
	}
	if len(b) > c.MaxAsset {
		return fmt.Errorf("cannot export scene: %w: got a data URL of %d bytes; want at most %d (--max-asset)", ErrLimit, len(b), c.MaxAsset)
	}
	kind, body := cutDataURL(b)
	if !strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "video/") {
		return nil // a link that reads "data:"; as an asset it shows nothing
	}
	if w, h, ok := imageSize(body); ok && (w > c.MaxSide || h > c.MaxSide || w*h > c.MaxAssetPixels) {
		return fmt.Errorf("cannot export scene: %w: got an image of %d x %d px; want at most %d px in all (--max-asset-pixels)",
			ErrLimit, w, h, c.MaxAssetPixels)
	}
	return nil
}

// cutDataURL returns the type and the decoded body of a data URL, as far as it
// can be decoded.
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

// imageSize reads the size that an image claims; ok is false for kinds that are
// not known here, which the browser's own limits have to hold.
func imageSize(b []byte) (w, h int, ok bool) {
	if cfg, _, err := image.DecodeConfig(bytes.NewReader(b)); err == nil {
		return cfg.Width, cfg.Height, true
	}
	return webpSize(b)
}

// webpSize reads the canvas of a WebP file (RFC 9649).
func webpSize(b []byte) (w, h int, ok bool) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return 0, 0, false
	}
	u24 := func(i int) int { return int(b[i]) | int(b[i+1])<<8 | int(b[i+2])<<16 }
	switch string(b[12:16]) {
	case "VP8X":
		return u24(24) + 1, u24(27) + 1, true
	case "VP8L":
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, true
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(b[26:]) & 0x3fff), int(binary.LittleEndian.Uint16(b[28:]) & 0x3fff), true
	}
	return 0, 0, false
}
