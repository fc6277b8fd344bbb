package chrome

import (
	"fmt"
	"net/url"
	"strings"
)

// The uses of tldraw that its licence distinguishes.
const (
	Development = "development" // development, testing and staging inside one's own organisation
	Production  = "production"  // everything else; it needs a licence key of tldraw
)

// developmentOrigin is the origin of the page for development, which tldraw's documentation
// treats as a developer's machine (docs/tldraw-licence.md). Nothing listens there:
// requests are answered from memory or fail, and browsers block port 1.
const developmentOrigin = "http://localhost:1"

// origin returns the origin from which the page is loaded. In production it is the host
// of the licence key over HTTPS, so that the editor can check the key.
func (config *Config) origin() string {
	if config.Use == Production {
		return "https://" + config.LicenseHost
	}
	return developmentOrigin
}

// CheckUse checks that Config.Use is valid and that production has a licence key and
// its host. Errors wrap ErrLicense.
func (config *Config) CheckUse() error {
	switch config.Use {
	case "", Development:
		return nil
	case Production:
	default:
		return fmt.Errorf("cannot use tldraw: %w: got use %q; want %s or %s (--tldraw-use)",
			ErrLicense, config.Use, Development, Production)
	}
	if config.LicenseKey == "" || config.LicenseHost == "" {
		return fmt.Errorf("cannot use tldraw in production: %w wants a key: got key %v, host %q; want --tldraw-license-key and --tldraw-host, a host that the key is for, see docs/tldraw-licence.md",
			ErrLicense, config.LicenseKey != "", config.LicenseHost)
	}
	if !isPublicHost(config.origin(), config.LicenseHost) {
		return fmt.Errorf("cannot use tldraw in production: %w: got host %q; want a host that the key is for, such as boards.example.com (--tldraw-host)",
			ErrLicense, config.LicenseHost)
	}
	return nil
}

// isPublicHost reports whether the origin made of a host has exactly that host: in lower case, without a port
// or a path, and not localhost, where tldraw asks for no key.
func isPublicHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host == host && u.Port() == "" && strings.ToLower(host) == host &&
		u.Hostname() != "localhost"
}

// checkLicence waits in production until the editor has checked the licence key, and returns an
// error if the editor rejects it. An editor that rejects the key hides itself after some seconds,
// and the page exports nothing from then on.
func (worker *worker) checkLicence() error {
	if worker.pool.cfg.Use != Production {
		return nil
	}
	_, err := worker.page.call(worker.page.ctx, "licensed", "")
	return worker.pool.cfg.licenceError(err)
}

// licenceError wraps ErrLicense around the page's error for a rejected licence key; it returns
// other errors unchanged.
func (config *Config) licenceError(err error) error {
	if err == nil || !strings.Contains(err.Error(), refusedLicense) {
		return err
	}
	return fmt.Errorf("cannot draw with tldraw: %w does not allow it: the editor does not take the key for %s (--tldraw-license-key, --tldraw-host), see docs/tldraw-licence.md",
		ErrLicense, config.LicenseHost)
}

// refusedLicense is part of the error of a page whose editor has hidden itself (page/licence.ts).
const refusedLicense = "plumb: the editor does not take the licence key"
