package api

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"

	"plumb/daemon/names"
	"plumb/render/metric"
	"plumb/scoring"
)

// pixels describes a mask of a client before its pixels are decoded.
type pixels struct {
	member        string // "a" or "b"
	width, height int    // px
	rgba          bool   // four bytes per pixel, else one
	// One of these holds the pixels.
	raw    []byte
	png    []byte
	region regionRange // a part of a region
}

// wrongPixels returns the error for the pixels at a member of the body.
func wrongPixels(at, format string, args ...any) error {
	return &scoring.Error{Code: "bad_pixels", Message: "cannot use " + at + ": " + fmt.Sprintf(format, args...)}
}

// byteCount returns how many bytes the raw pixels of a client's picture have: four a pixel with colours,
// one for alpha alone.
func (pixels *pixels) byteCount() int {
	n := pixels.width * pixels.height
	if pixels.rgba {
		n *= 4
	}
	return n
}

// channels returns the name of the picture's channels in JSON, rgba or alpha.
func (pixels *pixels) channels() string {
	if pixels.rgba {
		return "rgba"
	}
	return "alpha"
}

// newPixels checks the size and the channels of a mask and returns it without its pixels.
func (server *Server) newPixels(at string, width, height int, channels string) (*pixels, error) {
	if channels != "" && channels != "alpha" && channels != "rgba" {
		return nil, wrongPixels(at+".channels", "got %.16q; want alpha or rgba", channels)
	}
	if err := server.cfg.SceneLimits.CheckCanvas(float64(width), float64(height)); err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", at, err)
	}
	return &pixels{member: at, width: width, height: height, rgba: channels == "rgba"}, nil
}

// checkLength returns an error where got is not the number of bytes of the client's raw pixels.
func (pixels *pixels) checkLength(got int) error {
	if want := pixels.byteCount(); got != want {
		return wrongPixels(pixels.member, "got %d bytes; want %d (%d x %d px of %s)", got, want, pixels.width, pixels.height, pixels.channels())
	}
	return nil
}

// rawPixels reads into request the masks of raw pixels, whose query has width, height and channels. If
// region has a name, that part of shared memory holds mask a. Else the body is mask a, or a and then b if it is
// twice as long.
func (server *Server) rawPixels(ctx *fasthttp.RequestCtx, request *pixelRequest, body []byte, region regionRange) error {
	args := ctx.QueryArgs()
	var size [2]int
	for i, name := range []string{"width", "height"} {
		v, ok := digits(args.Peek(name))
		if !ok {
			return wrongPixels(name, "got %.16q in the query; want a size in px", args.Peek(name))
		}
		size[i] = v
	}
	pixels, err := server.newPixels("a", size[0], size[1], string(args.Peek("channels")))
	if err != nil {
		return err
	}
	request.a = pixels
	if region.name != "" {
		pixels.region = region
		return pixels.checkRegionSize()
	}
	if n := pixels.byteCount(); len(body) == 2*n { // two masks
		second := *pixels
		second.member, second.raw = "b", body[n:]
		request.b, body = &second, body[:n]
	}
	pixels.raw = body
	return pixels.checkLength(len(body))
}

// checkRegionSize returns an error where the part of the shared memory that the client names is smaller
// than the pixels.
func (pixels *pixels) checkRegionSize() error {
	if want := int64(pixels.byteCount()); pixels.region.size < want {
		return wrongPixels(pixels.member, "%s is %d; want at least %d (%d x %d px of %s)",
			paramSize, pixels.region.size, want, pixels.width, pixels.height, pixels.channels())
	}
	return nil
}

// maxDigits is the longest number that digits reads: it fits into 32 bits.
const maxDigits = 9

// digits reads a whole number without sign, of at most maxDigits digits, from a query of pixels. ok is
// false for anything else.
func digits(data []byte) (n int, ok bool) {
	if len(data) == 0 || len(data) > maxDigits {
		return 0, false
	}
	for _, c := range data {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// pngPixels reads the size of a mask that is a PNG; its pixels are decoded later.
func (server *Server) pngPixels(at string, data []byte) (*pixels, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, wrongPixels(at, "it is no PNG that can be read: %v", err)
	}
	pixels, err := server.newPixels(at, c.Width, c.Height, "")
	if err != nil {
		return nil, err
	}
	pixels.png = data
	return pixels, nil
}

// maskMembers are the members that a mask of a JSON body may have.
var maskMembers = []string{"data", "png", "parameters", "channels", "width", "height"}

// mask reads a mask of a JSON body, or returns nil if value is missing or null. The object has exactly one
// of data, png and parameters as the source of the pixels. Unless that is a PNG, it also has width and
// height. at names the mask in messages.
func (server *Server) mask(value *fastjson.Value, at string) (*pixels, error) {
	if value == nil || value.Type() == fastjson.TypeNull {
		return nil, nil
	}
	if value.Type() != fastjson.TypeObject {
		return nil, wrongPixels(at, "want an object with data, png or parameters")
	}
	if message := names.UnknownMember(at, value.GetObject(), maskMembers); message != "" {
		return nil, &scoring.Error{Code: "bad_options", Message: message}
	}
	// Members that are null count as missing.
	fields := map[string]*fastjson.Value{}
	for _, k := range maskMembers {
		if f := value.Get(k); f != nil && f.Type() != fastjson.TypeNull {
			fields[k] = f
		}
	}
	// There must be one source of pixels.
	sources := 0
	for _, k := range []string{"data", "png", "parameters"} {
		if fields[k] != nil {
			sources++
		}
	}
	if sources != 1 {
		return nil, wrongPixels(at, "got %d of data, png and parameters; want one", sources)
	}
	// A PNG has its own size.
	if f := fields["png"]; f != nil {
		for _, k := range []string{"width", "height", "channels"} {
			if fields[k] != nil {
				return nil, wrongPixels(at+"."+k, "the PNG says it; want it left out")
			}
		}
		data, err := decodeBase64(f, at+".png")
		if err != nil {
			return nil, err
		}
		return server.pngPixels(at, data)
	}
	return server.sizedMask(value, fields, at)
}

// sizedMask reads a mask with a width and a height, whose pixels are in data or in the region of
// parameters. fields are the members of v that are not null.
func (server *Server) sizedMask(v *fastjson.Value, fields map[string]*fastjson.Value, at string) (*pixels, error) {
	var size [2]int
	for i, k := range []string{"width", "height"} {
		n, given, err := wholeMember(v, k)
		if err != nil || !given || n < 0 || n > 1<<30 { // newPixels has the limit; this one avoids overflow
			return nil, wrongPixels(at+"."+k, "want a size in px")
		}
		size[i] = int(n)
	}
	channels := ""
	if f := fields["channels"]; f != nil {
		channels = string(f.GetStringBytes())
		if channels == "" { // no text: newPixels refuses it and quotes its JSON
			channels = f.String()
		}
	}
	pixels, err := server.newPixels(at, size[0], size[1], channels)
	if err != nil {
		return nil, err
	}
	if f := fields["data"]; f != nil {
		if pixels.raw, err = decodeBase64(f, at+".data"); err != nil {
			return nil, err
		}
		return pixels, pixels.checkLength(len(pixels.raw))
	}
	if pixels.region, err = parameters(fields["parameters"], at+".parameters"); err != nil {
		return nil, err
	}
	if pixels.region.name == "" {
		return nil, wrongPixels(at+".parameters", "want %s and %s", paramRegion, paramSize)
	}
	return pixels, pixels.checkRegionSize()
}

// decodeBase64 decodes the pixels that a client sent as base64 text. at is the member's name for errors.
func decodeBase64(value *fastjson.Value, at string) ([]byte, error) {
	if value.Type() != fastjson.TypeString {
		return nil, wrongPixels(at, "want base64 in a text")
	}
	src := value.GetStringBytes()
	out := make([]byte, base64.StdEncoding.DecodedLen(len(src)))
	n, err := base64.StdEncoding.Decode(out, src)
	if err != nil {
		return nil, wrongPixels(at, "it is no base64: %v", err)
	}
	return out[:n], nil
}

// loadMask decodes the pixels of a mask. It copies those of a region first, because the
// client may change them at any time.
func (server *Server) loadMask(pixels *pixels, askPeer peerFunc) (metric.Mask, error) {
	raw := pixels.raw
	switch {
	case pixels.png != nil:
		return pixels.decodePNG()
	case pixels.region.name != "":
		pixels.region.size = int64(pixels.byteCount())
		pin, err := server.pin(pixels.region, forReading, askPeer)
		if err != nil {
			return metric.Mask{}, err
		}
		defer pin.Release()
		if raw, err = pin.Copy(); err != nil {
			return metric.Mask{}, err
		}
	}
	if pixels.rgba {
		return metric.RGBA(raw, pixels.width, pixels.height), nil
	}
	return metric.Alpha(raw, pixels.width, pixels.height), nil
}

// decodePNG returns the alpha of the client's PNG as a mask. For a grey PNG that is its grey, as
// /v1/render writes it with channels=alpha. 16-bit values are rounded to 8 bits.
func (pixels *pixels) decodePNG() (metric.Mask, error) {
	img, err := png.Decode(bytes.NewReader(pixels.png))
	if err != nil {
		return metric.Mask{}, wrongPixels(pixels.member, "it is no PNG that can be read: %v", err)
	}
	switch img := img.(type) {
	case *image.NRGBA:
		return metric.OfImage(img), nil
	case *image.Gray:
		return metric.Mask{Pix: img.Pix, Width: pixels.width, Height: pixels.height, Step: 1, Stride: img.Stride}, nil
	}
	// Any other format, 16-bit grey too, is read pixel by pixel.
	grey, _ := img.(*image.Gray16)
	alpha := make([]byte, pixels.width*pixels.height)
	for i := range alpha {
		x, y := i%pixels.width, i/pixels.width
		var v uint32
		if grey != nil {
			v = uint32(grey.Gray16At(x, y).Y)
		} else {
			_, _, _, v = img.At(x, y).RGBA()
		}
		alpha[i] = uint8((v*255 + 32767) / 65535) // from 0..65535, rounded to the nearest
	}
	return metric.Alpha(alpha, pixels.width, pixels.height), nil
}

// mediaType returns the Content-Type of a request without parameters, in lower case.
func mediaType(ctx *fasthttp.RequestCtx) string {
	kind, _, _ := strings.Cut(string(ctx.Request.Header.ContentType()), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}
