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
	if o.Client != nil {
		opts.Transport = o.Client.Transport
	}
	return minio.New(u.Host, opts)
}

// Parts returns the bucket and the key of an address s3://BUCKET/KEY.
func Parts(address string) (bucket, key string, err error) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(address, "s3://"), "/")
	if bucket == "" {
		return "", "", errors.New("it names no bucket; want s3://BUCKET/KEY")
	}
	return bucket, key, nil
}

// findS3 finds the size and the version of an object. Each read demands that version, and
// compares it itself because some stores do not.
func (o *Options) findS3(ctx context.Context, address string) (*Object, error) {
	c, err := o.Store()
	if err != nil {
		return nil, err
	}
	bucket, key, err := Parts(address)
	if err != nil {
		return nil, err
	}
	info, err := c.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return nil, Explain(err)
	}
	a := &Object{Size: info.Size, Tag: info.ETag, Modified: info.LastModified}
	a.read = func(ctx context.Context, p []byte, off int64) (int, error) {
		var opts minio.GetObjectOptions
		if err := errors.Join(opts.SetRange(off, off+int64(len(p))-1), opts.SetMatchETag(info.ETag)); err != nil {
			return 0, err
		}
		r, now, _, err := minio.Core{Client: c}.GetObject(ctx, bucket, key, opts)
		if err != nil {
			return 0, Explain(err)
		}
		defer r.Close()
		if now.ETag != info.ETag { // some stores do not compare it themselves
			return 0, errChanged
		}
		n, err := io.ReadFull(r, p)
		return n, Explain(err)
	}
	return a, nil
}

// Explain returns an error of a store's client in plain words, without the address that it may hold.
func Explain(err error) error {
	r := minio.ToErrorResponse(err)
	switch {
	case err == nil:
		return nil
	case r.Code == "PreconditionFailed" || r.StatusCode == http.StatusPreconditionFailed:
		return errChanged
	case r.Code == "AccessDenied" || r.StatusCode == http.StatusForbidden:
		return errors.New("the store answers access denied; want keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in ~/.aws/credentials")
	case r.Code != "":
		return fmt.Errorf("the store answers %s: %s", r.Code, r.Message)
	}
	return withoutAddress(err)
}

// Expand returns the addresses that an address names: the objects behind a prefix that ends in /, or
// those that a pattern matches, in the order of their keys; else the address itself.
func (o *Options) Expand(ctx context.Context, address string) ([]string, error) {
	if !strings.HasPrefix(address, "s3://") || !strings.HasSuffix(address, "/") &&
		!strings.ContainsAny(address, "*?[{") {
		return []string{address}, nil
	}
	list, err := o.list(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", Name(address), withoutAddress(err))
	}
	return list, nil
}

// list returns the addresses of the objects behind a prefix that ends in /, or that match a
// pattern, in the order of their keys. None is an error.
func (o *Options) list(ctx context.Context, address string) (list []string, err error) {
	c, err := o.Store()
	if err != nil {
		return nil, err
	}
	bucket, pattern, err := Parts(address)
	if err != nil {
		return nil, err
	}
	prefix := pattern
	if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
		prefix = pattern[:i]
	} else {
		pattern += "**"
	}
	for info := range c.ListObjects(ctx, bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if info.Err != nil {
			return nil, Explain(info.Err)
		}
		match, err := doublestar.Match(pattern, info.Key)
		if err != nil {
			return nil, fmt.Errorf("the pattern is wrong: %w", err)
		}
		if match && !strings.HasSuffix(info.Key, "/") {
			list = append(list, "s3://"+bucket+"/"+info.Key)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no object matches")
	}
	slices.Sort(list)
	return list, nil
}
