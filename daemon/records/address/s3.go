package address

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// amazon is the endpoint where none is named.
const amazon = "https://s3.amazonaws.com"

// google is the host of Google Cloud Storage, which has the interface of S3 too.
const google = "storage.googleapis.com"

// Where the keys of stores come from, for messages.
const (
	amazonKeys = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in ~/.aws/credentials"
	googleKeys = "GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY (HMAC keys of Google Cloud Storage)"
)

// Store returns a client of the store. Keys come from the environment, the usual files or the role of
// the machine.
func (o *Options) Store() (*minio.Client, error) {
	address := o.Endpoint
	if address == "" {
		address = amazon
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) ||
		strings.Trim(u.Path, "/") != "" || u.User != nil {
		return nil, errors.New("--s3-endpoint is no https://HOST[:PORT]")
	}
	region := o.Region
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region == "" {
			region = os.Getenv(name)
		}
	}
	opts := &minio.Options{Secure: u.Scheme == "https", Region: region, MaxRetries: tries,
		Creds: credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{},
			&credentials.FileAWSCredentials{},
			&credentials.EnvMinio{}, &credentials.IAM{Client: &http.Client{Timeout: 2 * time.Second}}})}
	return o.newStore(u.Host, opts)
}

// googleStore returns a client of Google Cloud Storage. It takes HMAC keys, which have variables of
// their own, so that keys of Amazon are never sent to Google. Without keys it reads public objects. See
// docs/spec/dumps.md#r26.
func (o *Options) googleStore() (*minio.Client, error) {
	return o.newStore(google, &minio.Options{Secure: true, Region: "auto", MaxRetries: tries,
		Creds: credentials.NewStaticV4(os.Getenv("GS_ACCESS_KEY_ID"), os.Getenv("GS_SECRET_ACCESS_KEY"), "")})
}

// newStore returns a client of the store at a host. It uses the transport of Options.Client if that is
// set, as in tests.
func (o *Options) newStore(host string, opts *minio.Options) (*minio.Client, error) {
	if o.Client != nil {
		opts.Transport = o.Client.Transport
	}
	return minio.New(host, opts)
}

// Parts returns the bucket and the key of an address s3://BUCKET/KEY or gs://BUCKET/KEY.
func Parts(address string) (bucket, key string, err error) {
	scheme, rest, _ := strings.Cut(address, "://")
	bucket, key, _ = strings.Cut(rest, "/")
	if bucket == "" {
		return "", "", fmt.Errorf("it names no bucket; want %s://BUCKET/KEY", scheme)
	}
	return bucket, key, nil
}

// inBucket reports whether an address is one of a bucket. Keys may have question marks.
func inBucket(address string) bool {
	return strings.HasPrefix(address, "s3://") || strings.HasPrefix(address, "gs://")
}

// storedPlace is where an address of a bucket leads.
type storedPlace struct {
	*minio.Client
	scheme, bucket, key string
	keys                string // amazonKeys or googleKeys
}

// findPlace returns the store, the bucket and the key that an address of an object names, s3:// or gs://.
func (o *Options) findPlace(address string) (p storedPlace, err error) {
	store := o.Store
	p.scheme, p.keys = "s3://", amazonKeys
	if strings.HasPrefix(address, "gs://") {
		store = o.googleStore
		p.scheme, p.keys = "gs://", googleKeys
	}
	if p.bucket, p.key, err = Parts(address); err != nil {
		return p, err
	}
	p.Client, err = store()
	return p, err
}

// explain returns an error of the store as plumb prints it, with where the keys of this store come from.
func (p storedPlace) explain(err error) error { return explain(err, p.keys) }

// findStored finds the size and the version of an object in a store (s3:// or gs://). Each read of the
// object asks for that version, and compares the answer's, because some stores ignore the condition.
func (o *Options) findStored(ctx context.Context, address string) (*Object, error) {
	p, err := o.findPlace(address)
	if err != nil {
		return nil, err
	}
	var asStored minio.StatObjectOptions
	asStored.Set("Accept-Encoding", "gzip") // else Google unpacks objects that are stored as gzip
	info, err := p.StatObject(ctx, p.bucket, p.key, asStored)
	if err != nil {
		return nil, p.explain(err)
	}
	a := &Object{Size: info.Size, Tag: info.ETag, Modified: info.LastModified}
	open := func(ctx context.Context, from, to int64) (io.ReadCloser, error) {
		return p.openRange(ctx, info.ETag, from, to)
	}
	a.readAt = func(ctx context.Context, b []byte, off int64) (int, error) { return readRange(ctx, open, b, off) }
	return a, nil
}

// openRange asks the store for the bytes of the object from the offset `from` to `to`, both included.
// The object must still have that tag. A read of the bytes fails if it waits for a minute.
func (p storedPlace) openRange(ctx context.Context, tag string, from, to int64) (io.ReadCloser, error) {
	var opts minio.GetObjectOptions
	opts.Set("Accept-Encoding", "gzip") // as findStored
	if err := errors.Join(opts.SetRange(from, to), opts.SetMatchETag(tag)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r, now, header, err := minio.Core{Client: p.Client}.GetObject(ctx, p.bucket, p.key, opts)
	if err != nil {
		cancel(nil)
		return nil, p.explain(err)
	}
	body := newSilenceReader(ctx, cancel, r)
	if now.ETag != tag { // some stores do not compare it themselves
		body.Close()
		return nil, errChanged
	}
	if got := header.Get("Content-Range"); !strings.HasPrefix(got, fmt.Sprintf("bytes %d-", from)) {
		body.Close()
		return nil, fmt.Errorf("the store answers with the range %.64q; want one from byte %d on", got, from)
	}
	return body, nil
}

// Explain returns an error of the client of Store in plain words, without the address that it may hold.
func Explain(err error) error { return explain(err, amazonKeys) }

// explain returns an error of the store in plain words, without the address that it may hold. keys says
// where the keys of the store come from, for a store that denies access.
func explain(err error, keys string) error {
	r := minio.ToErrorResponse(err)
	switch {
	case err == nil:
		return nil
	case r.Code == "PreconditionFailed" || r.StatusCode == http.StatusPreconditionFailed:
		return errChanged
	case r.Code == "AccessDenied" || r.StatusCode == http.StatusForbidden:
		return fmt.Errorf("the store answers access denied; want keys in %s", keys)
	case r.Code != "":
		return fmt.Errorf("the store answers %s: %s", r.Code, r.Message)
	}
	return withoutAddress(err)
}

// Expand returns the addresses that an address names: the objects under a prefix that ends in /, or those that
// a pattern matches, in the order of their keys; else the address itself. See docs/spec/dumps.md#r26.
func (o *Options) Expand(ctx context.Context, address string) ([]string, error) {
	if !inBucket(address) || !strings.HasSuffix(address, "/") && !strings.ContainsAny(address, "*?[{") {
		return []string{address}, nil
	}
	list, err := o.listObjects(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", Name(address), withoutAddress(err))
	}
	return list, nil
}

// listObjects returns the addresses of the objects under a prefix that ends in /, or that match a pattern,
// in the order of their keys. None is an error.
func (o *Options) listObjects(ctx context.Context, address string) (list []string, err error) {
	p, err := o.findPlace(address)
	if err != nil {
		return nil, err
	}
	// The store lists by prefix, so the part before the first wildcard is asked for.
	pattern := p.key
	prefix := pattern
	if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
		prefix = pattern[:i]
	} else {
		pattern += "**"
	}
	for info := range p.ListObjects(ctx, p.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if info.Err != nil {
			return nil, p.explain(info.Err)
		}
		match, err := doublestar.Match(pattern, info.Key)
		if err != nil {
			return nil, fmt.Errorf("the pattern is wrong: %w", err)
		}
		if match && !strings.HasSuffix(info.Key, "/") {
			list = append(list, p.scheme+p.bucket+"/"+info.Key)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no object matches")
	}
	slices.Sort(list)
	return list, nil
}
