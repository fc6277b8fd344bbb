package chrome

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"image"
	_ "image/gif"  // for image.DecodeConfig
	_ "image/jpeg" // for image.DecodeConfig
	_ "image/png"  // for image.DecodeConfig
	"io"
	"regexp"
	"strconv"
	"strings"

	_ "golang.org/x/image/bmp"  // for image.DecodeConfig
	_ "golang.org/x/image/webp" // for image.DecodeConfig
)

// imageSize returns the size in px that an image of that MIME type declares. ok is false if the size cannot be
// read, or if an image inside an SVG exceeds a limit; depth is how deep it is nested itself.
func (config *Config) imageSize(kind string, data []byte, depth int) (w, h float64, ok bool) {
	if cfg, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		return float64(cfg.Width), float64(cfg.Height), true
	}
	w, h, ok = avifSize(data)
	if ok {
		return w, h, ok
	}
	if kind == "image/svg+xml" {
		return config.svgSize(data, depth)
	}
	return 0, 0, false
}

// avifSize returns the largest width and the largest height in px among the "ispe" properties of
// an AVIF file (ISO/IEC 23008-12, 6.5.3); the two may be of different properties. A file may hold
// several images, such as tiles and thumbnails, and a limit must hold for the largest. For the
// same reason it searches the bytes instead of reading the boxes: no property is missed, and bytes
// that are "ispe" by chance can only make the size larger.
func avifSize(data []byte) (w, h float64, ok bool) {
	if !isAVIF(data) {
		return 0, 0, false
	}
	for {
		_, rest, found := bytes.Cut(data, []byte("ispe"))
		if !found || len(rest) < 12 {
			return w, h, ok
		}
		// Four bytes of version and flags follow the box's type, then width and height.
		w = max(w, float64(binary.BigEndian.Uint32(rest[4:])))
		h = max(h, float64(binary.BigEndian.Uint32(rest[8:])))
		data, ok = rest, true
	}
}

// isAVIF reports whether an image file is AVIF: whether it begins with a box "ftyp" that lists a
// brand of AVIF. The list has no fixed length; the first 256 bytes hold 60 brands.
func isAVIF(data []byte) bool {
	if len(data) < 12 || string(data[4:8]) != "ftyp" {
		return false
	}
	brands := data[:min(len(data), 256)]
	return bytes.Contains(brands, []byte("avif")) || bytes.Contains(brands, []byte("avis"))
}

// maxNested is how deep images may be nested in images.
const maxNested = 2

// svgSize returns the size in px that an SVG declares by width and height, or by its viewBox. It checks images
// nested in it against the same limits as images of the scene. ok is false if one exceeds a limit, if images
// are nested too deep, and for XML that is broken or has another root.
func (config *Config) svgSize(data []byte, depth int) (w, h float64, ok bool) {
	if depth > maxNested {
		return 0, 0, false
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	hasRoot := false
	var text []byte // of all elements, because comments may divide the text of a style sheet
	for {
		token, err := d.Token()
		if err != nil { // the end, or XML that the browser refuses too
			return w, h, hasRoot && err == io.EOF && config.checkNested(string(text), depth)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if !hasRoot && token.Name.Local != "svg" {
				return 0, 0, false
			}
			if !hasRoot {
				w, h = svgBox(token.Attr)
				hasRoot = true
			}
			for _, a := range token.Attr {
				if !config.checkNested(a.Value, depth) {
					return 0, 0, false
				}
			}
		case xml.CharData:
			isTextBeforeRoot := !hasRoot && len(bytes.TrimSpace(token)) > 0
			if isTextBeforeRoot {
				return 0, 0, false
			}
			text = append(text, token...)
		}
	}
}

// dataURL matches data URLs in attributes and style sheets, also with the white space in them that
// checkAsset leaves out of account.
var dataURL = regexp.MustCompile(`(?i)` + strings.Join(strings.Split("data:", ""), `[\t\n\r]*`) + `[^"')]*`)

// cssEscape matches a backslash of a style sheet with what it escapes: the hexadecimal number of a character and
// a blank, a line end, or any character.
var cssEscape = regexp.MustCompile(`\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|\r\n|(?s:(.)))`)

// checkNested reports whether the images in a text of an SVG, as data URLs, are within the limits
// on images of a scene. depth is how deep the SVG is nested itself.
func (config *Config) checkNested(text string, depth int) bool {
	texts := []string{text}
	if strings.Contains(text, `\`) { // a style sheet may escape the characters of an address
		texts = append(texts, cssEscape.ReplaceAllStringFunc(text, unescapeCSS))
	}
	for _, text := range texts {
		for _, u := range dataURL.FindAllString(text, -1) {
			if config.checkAsset([]byte(u), depth+1) != nil {
				return false
			}
		}
	}
	return true
}

// unescapeCSS returns the character that an escape of a style sheet stands for; "" for a line end.
func unescapeCSS(escape string) string {
	parts := cssEscape.FindStringSubmatch(escape)
	switch {
	case parts[1] != "":
		number, _ := strconv.ParseUint(parts[1], 16, 32) // at most six digits
		return string(rune(number))
	case strings.ContainsAny(parts[2], "\n\r\f"):
		return ""
	}
	return parts[2]
}

// svgBox reads the width and height in px that an SVG image declares. Each falls back to the
// viewBox, and that to the 300 x 150 px of CSS.
func svgBox(attrs []xml.Attr) (w, h float64) {
	w, h = 300, 150
	value := map[string]string{} // by name
	for _, a := range attrs {
		value[a.Name.Local] = a.Value
	}
	isSeparator := func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' }
	// The viewBox has x, y, width and height.
	if box := strings.FieldsFunc(value["viewBox"], isSeparator); len(box) == 4 { // x, y, width, height
		w, h = cssLength(box[2], w), cssLength(box[3], h)
	}
	return cssLength(value["width"], w), cssLength(value["height"], h)
}

// units are the CSS units of length in px. Units relative to the font count as 16 px.
var units = map[string]float64{
	"": 1, "px": 1, "pt": 4. / 3, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6,
	"em": 16, "rem": 16, "ex": 16, "ch": 16,
}

// cssLength returns a CSS length of an SVG image in px, or fallback for anything else, such as a percentage.
func cssLength(text string, fallback float64) float64 {
	text = strings.ToLower(strings.TrimSpace(text))
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz") // without the unit
	value, err := strconv.ParseFloat(number, 64)
	per, known := units[text[len(number):]]
	if err != nil || !known || !(value >= 0) {
		return fallback
	}
	return value * per
}
