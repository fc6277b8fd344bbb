package daemon

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"plumb/daemon/api"
)

// SecretConfig names the sources of the daemon's tokens and certificates. Neither the
// secrets nor their paths are ever logged.
type SecretConfig struct {
	Tokens     string // text of tokens, as in the file; from the environment
	TokensFile string // path, "" for none
	Cert, Key  string // paths of the certificate chain and its key in PEM, "" for no TLS
	ClientCA   string // path of the authorities that client certificates need, "" for none
	Insecure   bool   // no token is needed on addresses that other machines reach
}

// secrets holds the tokens and certificates of a SecretConfig and reloads them when their
// files change.
type secrets struct {
	cfg       SecretConfig
	log       *slog.Logger
	tokens    *api.Tokens
	tls       atomic.Pointer[tls.Config]
	seenState string // sizes and times of the files
}

// ErrSecrets marks files of secrets that cannot be used.
var ErrSecrets = errors.New("cannot use secrets")

// newSecrets reads tokens and certificates once. It refuses a certificate without its key
// and client authorities without a certificate. Errors wrap ErrSecrets.
func newSecrets(cfg SecretConfig, log *slog.Logger) (*secrets, error) {
	s := &secrets{cfg: cfg, log: log}
	if (cfg.Cert == "") != (cfg.Key == "") {
		return nil, fmt.Errorf("%w: want both --tls-cert and --tls-key, or neither", ErrSecrets)
	}
	if cfg.ClientCA != "" && cfg.Cert == "" {
		return nil, fmt.Errorf("%w: want --tls-cert and --tls-key beside --tls-client-ca", ErrSecrets)
	}
	s.seenState = s.fileStates()
	if err := s.load(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSecrets, err)
	}
	return s, nil
}

// load reads tokens and certificates from their files. If either cannot be read, the old
// ones remain in use.
func (secrets *secrets) load() error {
	config, err := secrets.tlsConfig()
	if err != nil {
		return err
	}
	if err := secrets.loadTokens(); err != nil {
		return err
	}
	if config != nil {
		secrets.tls.Store(config)
	}
	return nil
}

// loadTokens reads the tokens of the environment and of --tokens-file, and warns if other
// users can read that file. secrets.tokens stays nil if neither is given.
func (secrets *secrets) loadTokens() error {
	text := secrets.cfg.Tokens
	if secrets.cfg.TokensFile != "" {
		data, err := os.ReadFile(secrets.cfg.TokensFile)
		if err != nil {
			return fmt.Errorf("cannot read --tokens-file: %w", pathless(err))
		}
		if st, err := os.Stat(secrets.cfg.TokensFile); err == nil && st.Mode().Perm()&0o007 != 0 {
			secrets.log.Warn("everybody on this machine can read the tokens; want mode 0640 or less", "flag", "--tokens-file")
		}
		text += "\n" + string(data)
	}
	if strings.TrimSpace(text) == "" && secrets.cfg.TokensFile == "" {
		return nil
	}
	if secrets.tokens == nil {
		t, err := api.NewTokens(strings.NewReader(text))
		if err == nil {
			secrets.tokens = t
		}
		return err
	}
	return secrets.tokens.Replace(strings.NewReader(text))
}

// tlsConfig reads the files of certificates and returns the daemon's TLS configuration, or nil if the
// daemon has no TLS. With --tls-client-ca, clients must show a certificate of that authority.
func (secrets *secrets) tlsConfig() (*tls.Config, error) {
	if secrets.cfg.Cert == "" {
		return nil, nil
	}
	cert, err := os.ReadFile(secrets.cfg.Cert)
	if err != nil {
		return nil, fmt.Errorf("cannot read --tls-cert: %w", pathless(err))
	}
	key, err := os.ReadFile(secrets.cfg.Key)
	if err != nil {
		return nil, fmt.Errorf("cannot read --tls-key: %w", pathless(err))
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("cannot use --tls-cert and --tls-key: %w", err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair},
		NextProtos: []string{"http/1.1"}}
	// Clients show certificates too.
	if secrets.cfg.ClientCA != "" {
		ca, err := os.ReadFile(secrets.cfg.ClientCA)
		if err != nil {
			return nil, fmt.Errorf("cannot read --tls-client-ca: %w", pathless(err))
		}
		c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !c.ClientCAs.AppendCertsFromPEM(ca) {
			return nil, errors.New("cannot use --tls-client-ca: it holds no certificate")
		}
	}
	return c, nil
}

// serverTLS returns the TLS configuration of listeners, which follows reloads of the certificates; nil
// for no TLS.
func (secrets *secrets) serverTLS() *tls.Config {
	if secrets.cfg.Cert == "" {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return secrets.tls.Load(), nil }}
}

// reload reads tokens and certificates again; a failure is logged and changes nothing.
func (secrets *secrets) reload() {
	if err := secrets.load(); err != nil {
		secrets.log.Error("secrets are as before", "error", err)
		return
	}
	secrets.log.Info("secrets were read again", "tokens", secrets.tokens.Len(), "tls", secrets.cfg.Cert != "")
}

// fileStates returns a text of the sizes and times of the files, which changes when a file does.
func (secrets *secrets) fileStates() string {
	var text strings.Builder
	for _, path := range []string{secrets.cfg.TokensFile, secrets.cfg.Cert, secrets.cfg.Key, secrets.cfg.ClientCA} {
		if path == "" {
			continue
		}
		if st, err := os.Stat(path); err == nil {
			fmt.Fprintf(&text, "%d %d;", st.Size(), st.ModTime().UnixNano())
		}
	}
	return text.String()
}

// checkInterval is the interval at which the files are checked.
const checkInterval = 2 * time.Second

// watch reloads files that change, until ctx ends, because tools that renew certificates
// send no signal. It reloads after one interval without a further change, so that both files
// of a pair are written. It returns at once if there are no files.
func (secrets *secrets) watch(ctx context.Context) {
	if secrets.fileStates() == "" {
		return
	}
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for stateBefore := secrets.seenState; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		state := secrets.fileStates()
		if state != secrets.seenState && state == stateBefore { // changed, but not in the last interval
			secrets.seenState = state
			secrets.reload()
		}
		stateBefore = state
	}
}

// pathless removes the path from an error of the file system, because paths of secrets are never
// logged.
func pathless(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
