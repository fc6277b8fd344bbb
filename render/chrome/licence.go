package chrome

import (
	"fmt"
	"net/url"
	"strings"
)

// What tldraw is used for, in the words of its licence.
const (
	Development = "development" // inside one's own organisation: development, testing, staging
	Production  = "production"  // everything else; tldraw wants a licence key for it
)

// development is the origin of the page for development: what tldraw's
// documentation calls a developer's machine (docs/tldraw-licence.md). Nothing listens
// there: requests are answered out of memory or not at all, and port 1 is one
// that the browser never connects to.
const development = "http://localhost:1"

// origin is where the page is loaded from. In production it is the host of the
// licence key, over HTTPS, so that the editor's own check of the key decides.
func (c *Config) origin() string {
	if c.Use == Production {
		return "https://" + c.LicenseHost
	}
	return development
}

// CheckUse says what is missing for the use that Config names. Errors wrap
// ErrLicense.
func (c *Config) CheckUse() error {
	switch c.Use {
	case "", Development:
		return nil
	case Production:
	default:
		return fmt.Errorf("cannot use tldraw: %w: got use %q; want %s or %s (--tldraw-use)", ErrLicense, c.Use, Development, Production)
	}
	if c.LicenseKey == "" || c.LicenseHost == "" {
		return fmt.Errorf("cannot use tldraw in production: %w wants a key: got key %v, host %q; want --tldraw-license-key and --tldraw-host, a host that the key is for, see docs/tldraw-licence.md",
			ErrLicense, c.LicenseKey != "", c.LicenseHost)
	}
	if u, err := url.Parse(c.origin()); err != nil || u.Host != c.LicenseHost || u.Port() != "" || strings.ToLower(u.Host) != u.Host || u.Hostname() == "localhost" {
		return fmt.Errorf("cannot use tldraw in production: %w: got host %q; want a host that the key is for, such as boards.example.com (--tldraw-host)", ErrLicense, c.LicenseHost)
	}
	return nil
}

// licensed waits in production for the editor's own check of the key, and
// respects what it says: the editor hides itself after some seconds where it
// does not take the key, and the page then exports nothing more.
func (w *worker) licensed() error {
	if w.pool.cfg.Use != Production {
		return nil
	}
	_, err := w.page.call(w.page.ctx, "licensed", "")
	return w.pool.cfg.refusal(err)
}

// refusal turns what the page rejects with for want of a licence into ErrLicense.
func (c *Config) refusal(err error) error {
	if err == nil || !strings.Contains(err.Error(), refusedLicense) {
		return err
	}
	return fmt.Errorf("cannot draw with tldraw: %w does not allow it: the editor does not take the key for %s (--tldraw-license-key, --tldraw-host), see docs/tldraw-licence.md",
		ErrLicense, c.LicenseHost)
}

// refusedLicense is in the error of a page whose editor has hidden itself
// (page/licence.ts).
const refusedLicense = "plumb: the editor does not take the licence key"
