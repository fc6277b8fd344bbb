package chrome

import (
	"fmt"
	"mime"
	"os"
	"path"
	"path/filepath"

	"github.com/chromedp/cdproto/fetch"
)

// contentSecurityPolicy makes the browser itself refuse requests: it allows scripts, styles and fonts of the
// page, images and data of the scene, and no frames, workers, forms or other addresses.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; media-src data: blob:; font-src 'self' data: blob:; connect-src 'self' data: blob:; " +
	"frame-src 'none'; worker-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'"

// file is one file of the page, as it is sent.
type file struct {
	body    []byte
	headers []*fetch.HeaderEntry
}

// site is the page's files by URL. It is read-only and shared.
type site struct {
	origin string
	files  map[string]*file
}

// readSite reads the page of an editor version, with its scripts and fonts, from the folder dir that
// scripts/page.sh made, and gives the files their URLs below origin. A missing file is ErrMissing.
func readSite(dir, version, origin string) (site, error) {
	root := filepath.Join(dir, version)
	s := site{origin, map[string]*file{}}
	for _, pattern := range []string{"index.html", "page.js", "page.css", "fonts/*.woff2"} {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(names) == 0 {
			return s, fmt.Errorf("cannot open the export page: %w: %s is missing in %s; want it made by scripts/page.sh",
				ErrMissing, pattern, root)
		}
		for _, name := range names {
			body, err := os.ReadFile(name)
			if err != nil {
				return s, fmt.Errorf("cannot open the export page: %w: %w", ErrMissing, err)
			}
			s.files[origin+"/"+path.Join(path.Dir(pattern), filepath.Base(name))] = newFile(name, body)
		}
	}
	s.files[origin+"/"] = s.files[origin+"/index.html"]
	return s, nil
}

// newFile returns a file of the export page with its response headers: its type, by the ending of
// its name, and those that keep the page from reaching other addresses.
func newFile(name string, body []byte) *file {
	kind := mime.TypeByExtension(filepath.Ext(name))
	if filepath.Ext(name) == ".woff2" {
		kind = "font/woff2"
	}
	return &file{body: body, headers: []*fetch.HeaderEntry{
		{Name: "Content-Type", Value: kind},
		{Name: "Content-Security-Policy", Value: contentSecurityPolicy},
		{Name: "X-Content-Type-Options", Value: "nosniff"},
		{Name: "X-DNS-Prefetch-Control", Value: "off"},
		{Name: "Referrer-Policy", Value: "no-referrer"},
	}}
}
