// Package certtest makes certificates for the servers and clients of tests. In: names and addresses. Out:
// certificates that are valid for an hour, and their files in PEM. A test that cannot make one fails.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates of others.
type Authority struct {
	File string // its own certificate, by which clients know it
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes an authority with a new key, so that of two with the same name neither accepts what the
// other has signed.
func NewAuthority(t testing.TB, name string) *Authority {
	t.Helper()
	template := newTemplate(name)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	authority := &Authority{File: filepath.Join(t.TempDir(), "ca.pem"), key: newKey(t)}
	der := sign(t, template, template, authority.key, authority.key)
	var err error
	if authority.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	write(t, authority.File, "CERTIFICATE", der)
	return authority
}

// Sign makes the certificate of a server at IP addresses.
func (authority *Authority) Sign(t testing.TB, addresses ...string) tls.Certificate {
	t.Helper()
	key := newKey(t)
	der := sign(t, newTemplate("server", addresses...), authority.cert, key, authority.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// SelfSigned makes a certificate for localhost and IP addresses that is its own authority, for a server or
// a client, and writes it and its key into two files.
func SelfSigned(t testing.TB, certFile, keyFile, name string, addresses ...string) tls.Certificate {
	t.Helper()
	template := newTemplate(name, addresses...)
	template.DNSNames = []string{"localhost"}
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageDigitalSignature|x509.KeyUsageCertSign
	key := newKey(t)
	der := sign(t, template, template, key, key)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, certFile, "CERTIFICATE", der)
	write(t, keyFile, "PRIVATE KEY", secret)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// newTemplate returns a template for a certificate of that name, for a server at IP addresses or a client.
// It is valid for an hour, and began to be an hour ago, as clocks may differ. Each has a serial number of
// its own, by which a test tells a renewed certificate from the one before.
func newTemplate(name string, addresses ...string) *x509.Certificate {
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, address := range addresses {
		template.IPAddresses = append(template.IPAddresses, net.ParseIP(address))
	}
	return template
}

// newKey makes a private key.
func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign returns the certificate of a key, signed with the key of its parent.
func sign(t testing.TB, template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// write writes a file in PEM.
func write(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
