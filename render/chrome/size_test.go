package chrome

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
)

// avif is the head of an AVIF file with a property of this size.
func avif(w, h uint32) []byte {
	box := func(kind string, body []byte) []byte {
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), kind...), body...)
	}
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(make([]byte, 4), w), h)
	head := box("ftyp", []byte("avif\x00\x00\x00\x00avifmif1miaf"))
	return append(head, box("meta", append(make([]byte, 4), box("iprp", box("ipco", box("ispe", size)))...))...)
}

// webpHead is the head of an extended WebP file of this size.
func webpHead(w, h uint32) []byte {
	b := append([]byte("RIFF\x1e\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), 0, 0, 0, 0)
	for _, v := range []uint32{w - 1, h - 1} {
		b = append(b, byte(v), byte(v>>8), byte(v>>16))
	}
	return b
}

// bmpHead is the head of a BMP file of this size.
func bmpHead(t *testing.T, w, h uint32) []byte {
	var b bytes.Buffer
	if err := bmp.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(b.Bytes()[18:], w)
	binary.LittleEndian.PutUint32(b.Bytes()[22:], h)
	return b.Bytes()
}

// TestAssetPixels: images of every kind that the editor draws are held against
// --max-asset-pixels, and those whose size cannot be told are refused by name.
func TestAssetPixels(t *testing.T) {
	encode := func(f func(*bytes.Buffer) error) []byte {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	svg := func(s string) []byte { return []byte(s) }
	img := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	nested := func(b []byte) []byte {
		return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="%s"/></svg>`, dataAddress("image/png", b))
	}
	for _, row := range []struct {
		name, kind string
		body       []byte
		refused    string // part of the error, "" for none
	}{
		{"PNG", "image/png", encode(func(b *bytes.Buffer) error { return png.Encode(b, img) }), ""},
		{"JPEG", "image/jpeg", encode(func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) }), ""},
		{"GIF", "image/gif", encode(func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) }), ""},
		{"BMP", "image/bmp", bmpHead(t, 3, 2), ""},
		{"large BMP", "image/bmp", bmpHead(t, 60000, 60000), "60000 x 60000"},
		{"WebP", "image/webp", webpHead(3, 2), ""},
		{"large WebP", "image/webp", webpHead(16000, 16000), "16000 x 16000"},
		{"AVIF", "image/avif", avif(3, 2), ""},
		{"large AVIF", "image/avif", avif(60000, 60000), "60000 x 60000"},
		{"AVIF by another name", "image/png", avif(60000, 60000), "60000 x 60000"},
		{"AVIF without a size", "image/avif", avif(3, 2)[:40], "cannot be told"},
		{"SVG", "image/svg+xml", svg(`<?xml version="1.0"?><!-- a --><svg width="3cm" height="2in"/>`), ""},
		{"SVG without a size", "image/svg+xml", svg(`<svg><rect width="9" height="9"/></svg>`), ""},
		{"large SVG", "image/svg+xml", svg(`<svg width="60000" height="60000px"/>`), "60000 x 60000"},
		{"large SVG after white space", "image/svg+xml", svg("<?xml version=\"1.0\"?>\n<svg width=\"60000\" height=\"60000\"/>"), "60000 x 60000"},
		{"SVG with a large image before white space", "image/svg+xml",
			svg(`<svg><image href="` + dataAddress("image/png", hugePNG(60000)) + "\"/>\n <svg/></svg>"), "cannot be told"},
		{"text before the SVG", "image/svg+xml", svg(`a<svg width="3" height="2"/>`), "cannot be told"},
		{"white space alone", "image/svg+xml", svg(" \n "), "cannot be told"},
		{"SVG in centimetres", "image/svg+xml", svg(`<svg width="2540cm" height="1"/>`), "96000 x 1"},
		{"large viewBox", "image/svg+xml", svg(`<svg viewBox="0 0 60000,60000" width="100%"/>`), "60000 x 60000"},
		{"SVG with an image", "image/svg+xml", nested(encode(func(b *bytes.Buffer) error { return png.Encode(b, img) })), ""},
		{"SVG with a large image", "image/svg+xml", nested(hugePNG(60000)), "cannot be told"},
		{"SVG with a large image in its style", "image/svg+xml", svg(`<svg><style>rect { fill: url(` + dataAddress("image/png", hugePNG(60000)) + `) }</style></svg>`), "cannot be told"},
		{"SVG that is torn", "image/svg+xml", svg(`<svg width="3" height="2"><`), "cannot be told"},
		{"ICO", "image/x-icon", []byte{0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 32, 0, 40, 0, 0, 0, 22, 0, 0, 0}, "image/x-icon"},
		{"noise", "image/png", []byte("no image at all"), "cannot be told"},
	} {
		c := Config{}.withDefaults()
		err := c.checkAsset([]byte(dataAddress(row.kind, row.body)), 0)
		if (err == nil) != (row.refused == "") || err != nil && (!errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), row.refused) || !strings.Contains(err.Error(), "--max-asset-pixels")) {
			t.Errorf("%s: got %v; want %q", row.name, err, row.refused)
		}
	}
}

// TestDataURLSpelling: a data URL is held against the limits however it is spelled, at the top and nested in
// an SVG, and other strings pass.
func TestDataURLSpelling(t *testing.T) {
	c := Config{}.withDefaults()
	huge := base64.StdEncoding.EncodeToString(hugePNG(60000))
	for _, row := range []struct {
		url             string
		isData, isImage bool
		isNested        bool // an SVG with this text is refused
	}{
		{"data:image/png;base64,", true, true, true},
		{"DATA:IMAGE/PNG;BASE64,", true, true, true},
		{"data: image/png;base64,", true, true, true},
		{"data:\t \r\nimage/png;base64,", true, true, true},
		{"data:im\nage/png;base64,", true, true, true},
		{"data:image\r/png;base64,", true, true, true},
		{"data:image/png \t;base64,", true, true, true},
		{"data:image/png;base\n64 ,", true, true, true},
		{"da\tta:image/png;base64,", true, true, true},
		{"d\ra\nt\ta\n\n:image/png;base64,", true, true, true},
		{"\x01data:image/png;base64,", true, true, false}, // no XML can hold it
		{"\x00\x1f \x0b\fdata:\x02image/png;base64,", true, true, false},
		{strings.Repeat(" ", 1000) + "data:image/png;base64,", true, true, true},
		{strings.Repeat(" \t", 1000) + "\nd\n" + strings.Repeat("\n", 1000) + "ata:image/png;base64,", true, true, true},
		// The browser draws raster images of any type.
		{"data:video/mp4;base64,", true, true, true},
		{"data:text/plain;base64,", true, true, true},
		{"data:;base64,", true, true, true},
		{"data:%69mage/png;base64,", true, true, true},
		{"data:", true, false, false},
		{"database:image/png;base64,", false, false, false},
		{"da ta:image/png;base64,", false, false, false},
		{"data\x1aimage/png;base64,", false, false, false},
		{"data\x00:image/png;base64,", false, false, false},
		{"dat\u00e0:image/png;base64,", false, false, false},
		{"https://a/data:image/png;base64,", false, false, true},
	} {
		err := c.checkAsset([]byte(row.url+huge), 0)
		if row.isImage != (err != nil) || err != nil && (!errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "60000 x 60000")) {
			t.Errorf("%.80q: got %v; want an image too large: %v", row.url, err, row.isImage)
		}
		err = c.checkAsset([]byte(row.url+strings.Repeat("x", c.MaxAsset)), 0)
		if row.isData != (err != nil) || err != nil && (!errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "(--max-asset)")) {
			t.Errorf("%.80q and many bytes: got %v; want too many bytes: %v", row.url, err, row.isData)
		}
		if row.isNested && c.checkNested(row.url+huge, 0) {
			t.Errorf("%.80q nested: got that it may pass; want an image too large", row.url)
		}
	}
	for _, long := range []string{strings.Repeat(" ", 1<<20), "d" + strings.Repeat("\n", 1<<20), strings.Repeat("data", 1<<18), "", "data"} {
		b := []byte(long)
		if n := testing.AllocsPerRun(3, func() {
			if err := c.checkAsset(b, 0); err != nil {
				t.Errorf("%.10q: got %v; want none", long, err)
			}
		}); n != 0 {
			t.Errorf("%.10q, %d bytes: got %v allocations; want none", long, len(long), n)
		}
	}
	small := []byte("data: image/svg+xml ,<svg\nwidth=\"3\"\nheight=\"2\"/>") // the browser keeps line breaks of the body
	if err := c.checkAsset(small, 0); err != nil {
		t.Errorf("%q: got %v; want none", small, err)
	}
}

// TestOtherTypes: data URLs that are no images pass, whatever their size cannot tell.
func TestOtherTypes(t *testing.T) {
	c := Config{}.withDefaults()
	for url, pass := range map[string]bool{
		"data:": true, "data:,": true, "data:text/plain,hello 100%": true, "data:video/mp4;base64,AAAAIGZ0eXBpc29t": true,
		"data:text/plain,%00%00%01%00": false, "data:image/x-icon,%00%00%01%00": false, "data:image/png,": false,
	} {
		if err := c.checkAsset([]byte(url), 0); (err == nil) != pass {
			t.Errorf("%s: got %v; want it to pass: %v", url, err, pass)
		}
	}
}

// TestHiddenSizes: a stray percent sign does not hide the size of an SVG, and neither do escapes and comments
// in its style sheet the images that it names.
func TestHiddenSizes(t *testing.T) {
	c := Config{}.withDefaults()
	huge := base64.StdEncoding.EncodeToString(hugePNG(60000))
	style := func(text string) string {
		return `data:image/svg+xml,<svg width="4" height="4"><style>` + text + `</style></svg>`
	}
	for url, pass := range map[string]bool{
		`data:image/svg+xml,<svg viewBox="0 0 4 4" width="1%30000" height="4"></svg><!-- %2 -->`:   true,
		`data:image/svg+xml,<svg viewBox="0 0 4 4" width="1%3000000" height="4"></svg><!-- % -->`:  false,
		`data:image/svg+xml,<svg viewBox="0 0 4 4" width="1%3000000" height="4"></svg><!-- %z3 --`: false,
		style(`a{content:url('data:image/png;base64,` + huge + `')}`):                              false,
		style(`a{content:url('d\61ta:image/png;base64,` + huge + `')}`):                            false,
		style(`a{content:url('\000064 ata:image/png;base64,` + huge + `')}`):                       false,
		style(`a{content:url(d\61 ta\3a image/png;base64,` + huge + `)}`):                          false,
		style(`a{content:url('da<!-- x -->ta:image/png;base64,` + huge + `')}`):                    false,
		style(`a{content:"\201c data: \g"}`):                                                       true,
	} {
		if err := c.checkAsset([]byte(url), 0); (err == nil) != pass {
			t.Errorf("%.90s: got %v; want it to pass: %v", url, err, pass)
		}
	}
}

func FuzzImageSize(f *testing.F) {
	f.Add("image/svg+xml", []byte(`<svg width="1e3mm"><image href="data:image/svg+xml,<svg/>"/></svg>`))
	f.Add("image/avif", avif(1, 1))
	f.Fuzz(func(t *testing.T, kind string, b []byte) {
		c := Config{}.withDefaults()
		c.imageSize(kind, b, 0) // must not panic
	})
}
