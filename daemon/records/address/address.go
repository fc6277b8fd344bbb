// Package address reads dumps at https://, s3:// and gs:// addresses, by ranges where the server has them, each
// in one version. In: an address. Out: its size and version, its bytes as a stream, and random access where the server can. It refuses
// http:// to other machines, and an object that changes while it is read. Queries, users and keys of addresses
// are in no name and no error. See docs/spec/dumps.md#r25 and docs/spec/dumps.md#r27.
package address

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Options configure the access. It is safe for concurrent use; the zero value is ready for use.
type Options struct {
	Endpoint string       // of the store of s3:// addresses, https://HOST:PORT; "" for Amazon's
	Region   string       // of the store; "" for that of the environment, else what the store says
	Client   *http.Client // for tests; nil for one with the system's certificates

	mu        sync.Mutex
	objects   map[string]*Object // by name
	addresses map[string]string  // of objects, by name; they may hold secrets
}

// maxSilence is how long a server may send nothing while plumb waits for it.
const maxSilence = time.Minute

// chunkBytes is how many bytes a stream asks for at once.
const chunkBytes = 8 << 20

// Object is a remote file. Its reads are safe for concurrent use.
type Object struct {
	Name      string    // the address without user and query
	Size      int64     // bytes
	Tag       string    // ETag, "" for none
	Modified  time.Time // zero for unknown
	readAt    func(ctx context.Context, p []byte, off int64) (int, error)
	openWhole func(ctx context.Context) (io.ReadCloser, error) // where the server has no ranges; else nil
}

// Is reports whether a path is an address.
func Is(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && (scheme == "https" || scheme == "http" || scheme == "s3" || scheme == "gs")
}

// Name returns the address of a dump without its user, its query and its fragment, which may hold
// secrets. A path that is not an address is returned as it is.
func Name(path string) string {
	if !Is(path) {
		return path
	}
	path, _, _ = strings.Cut(path, "#")
	if !inBucket(path) {
		path, _, _ = strings.Cut(path, "?")
	}
	scheme, rest, _ := strings.Cut(path, "://")
	host, key, slash := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if slash {
		key = "/" + key
	}
	return scheme + "://" + host + key
}

// Find looks up the dump at an address and keeps the object under the address's name, for Known.
// A name that was found before is an error: it is the same address, or addresses with one name differ at
// most in their queries, users and fragments, and results could not tell them apart.
func (o *Options) Find(ctx context.Context, address string) (*Object, error) {
	name := Name(address)
	o.mu.Lock()
	earlier, isTaken := o.addresses[name]
	o.mu.Unlock()
	switch {
	case isTaken && earlier == address:
		return nil, fmt.Errorf("cannot open %s: it is named twice", name)
	case isTaken:
		return nil, fmt.Errorf("cannot open %s: two addresses differ in their queries alone, and results could not tell them apart", name)
	}
	// Look the object up, over HTTP or in an object store.
	find := o.findHTTP
	if inBucket(address) {
		find = o.findStored
	}
	err := checkScheme(address)
	var found *Object
	if err == nil {
		found, err = find(ctx, address)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", name, withoutAddress(err))
	}
	// Keep it for Known.
	found.Name = name
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.objects == nil {
		o.objects = map[string]*Object{}
		o.addresses = map[string]string{}
	}
	o.objects[name] = found
	o.addresses[name] = address
	return found, nil
}

// Known returns the dump that Find found under a name, nil for none.
func (o *Options) Known(name string) *Object {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.objects[name]
}

// checkScheme returns an error for addresses from which dumps are not read: http:// of other machines.
func checkScheme(address string) error {
	if rest, ok := strings.CutPrefix(address, "http://"); ok {
		u, err := url.Parse("http://" + rest)
		if err != nil || !loopback(u.Hostname()) {
			return errors.New("http:// is read from this machine alone; want https://")
		}
	}
	return nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// withoutAddress returns the cause of an error without the address of the dump, which libraries put around
// it, because the address may hold secrets.
func withoutAddress(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return withoutAddress(u.Err)
	}
	return err
}

// Random reports whether parts of the object can be read.
func (a *Object) Random() bool { return a.openWhole == nil }

// ReadAt reads a range of the object at an address. An object that has changed since it was found
// is an error. It implements io.ReaderAt.
func (a *Object) ReadAt(p []byte, off int64) (int, error) {
	if off >= a.Size {
		return 0, io.EOF
	}
	short := p[:min(int64(len(p)), a.Size-off)]
	n, err := a.readAt(context.Background(), short, off)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("byte %d: %w", off+int64(n), withoutAddress(err))
	}
	return n, err
}

// Open returns the bytes of the object at an address, from its beginning. Servers that cannot read
// parts give the whole object with one request; else it is read chunk by chunk, and there is nothing to
// close. Errors leave out the address, which may hold secrets.
func (a *Object) Open() (io.ReadCloser, error) {
	if a.openWhole != nil {
		r, err := a.openWhole(context.Background())
		if err != nil {
			return nil, withoutAddress(err)
		}
		return r, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{bufio.NewReaderSize(io.NewSectionReader(a, 0, a.Size), chunkBytes), io.NopCloser(nil)}, nil
}

// errChanged says that an object is not the one that was found.
var errChanged = errors.New("it has changed since it was opened; want a file that stays as it is")
