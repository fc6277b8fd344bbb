// Package bucket keeps the files of a job under a prefix of an S3-compatible object store. In: the
// address s3://BUCKET/PREFIX. Out: a jobs.Store, whose objects appear whole or not at all. It refuses
// an address without a prefix, because it removes the objects of a job that is over. See
// docs/spec/jobs.md#r11.
package bucket

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"plumb/daemon/jobs"
	"plumb/daemon/records/address"
)

// partSize is the length in bytes above which an object is written in parts, and that of a part.
const partSize = 8 << 20

// Store keeps files as objects whose keys begin with a prefix. It implements jobs.Store.
type Store struct {
	client *minio.Client
	bucket string
	prefix string // with a slash at its end
}

// Open returns the store at an address s3://BUCKET/PREFIX. It does not ask the server
// whether the bucket exists.
func Open(options *address.Options, at string) (*Store, error) {
	if !strings.HasPrefix(at, "s3://") {
		return nil, errors.New("want s3://BUCKET/PREFIX")
	}
	bucket, prefix, err := address.Parts(at)
	if err != nil {
		return nil, err
	}
	if prefix = strings.Trim(prefix, "/"); prefix == "" {
		return nil, errors.New("it names no prefix; want s3://BUCKET/PREFIX")
	}
	client, err := options.Store()
	if err != nil {
		return nil, err
	}
	return &Store{client, bucket, prefix + "/"}, nil
}

// Path returns the address of a file for messages, s3://BUCKET/PREFIX/NAME.
func (store *Store) Path(name string) string {
	return "s3://" + store.bucket + "/" + strings.TrimSuffix(store.prefix+name, "/")
}

// Create implements jobs.Store: it writes an object. If one with other bytes is there, also because another
// process was faster, the error is jobs.ErrTaken.
func (store *Store) Create(name string, fill func(io.Writer) error) error {
	return store.write(name, fill, true)
}

// Replace implements jobs.Store: it writes an object in place of a former one.
func (store *Store) Replace(name string, fill func(io.Writer) error) error {
	return store.write(name, fill, false)
}

// write stores what fill writes, through a temporary file because its length must be known.
// With mustBeNew it stores only if no object has the name, and returns jobs.ErrTaken if one is
// there with other bytes. Afterwards the store is asked what it has, because some stores
// accept the condition that the name is free and ignore it.
func (store *Store) write(name string, fill func(io.Writer) error, mustBeNew bool) error {
	file, err := temporaryFile()
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 64<<10)
	if err = fill(w); err == nil {
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	tag, err := store.upload(name, file, size, mustBeNew)
	otherWroteIt := err != nil && mustBeNew && isNameTaken(err)
	if err != nil && !otherWroteIt {
		return address.Explain(err)
	}
	// The object is in place, or another process wrote one of that name: compare.
	there, e := store.client.StatObject(context.Background(), store.bucket, store.prefix+name, minio.StatObjectOptions{})
	switch {
	case e != nil:
		return fmt.Errorf("cannot check what the store has: %w", address.Explain(errors.Join(e, err)))
	case err == nil && tag != "" && there.ETag == tag && there.Size == size: // what was written
		return nil
	case there.Size == size:
		same, err := store.hasSameBytes(name, file)
		if err != nil || same {
			return err
		}
	}
	return jobs.ErrTaken // another size, or other bytes
}

// temporaryFile returns an empty file that has no name in any folder, so that it disappears when it is
// closed or the process ends.
func temporaryFile() (*os.File, error) {
	file, err := os.CreateTemp("", "plumb-object-*")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary file: %w", err)
	}
	return file, os.Remove(file.Name())
}

// tries bounds how often an upload is made that another one of the same object disturbs.
const tries = 5

// upload stores the first size bytes of file and returns the tag that the store gives them.
// With mustBeNew the name must be free. It waits and tries again while another process writes
// the object. A store without conditional writes is asked first whether the name is free, and
// then written without a condition.
func (store *Store) upload(name string, file *os.File, size int64, mustBeNew bool) (tag string, err error) {
	var o minio.PutObjectOptions
	if mustBeNew {
		o.SetMatchETagExcept("*") // If-None-Match: the name must be free
	}
	for try := range tries {
		if size > partSize {
			tag, err = store.uploadParts(name, file, size, o)
		} else {
			// With a checksum, the client would send an empty object as a signed chunk of unknown length.
			o.DisableMultipart, o.DisableContentSha256 = true, size == 0
			var up minio.UploadInfo
			up, err = store.client.PutObject(context.Background(), store.bucket, store.prefix+name,
				io.NewSectionReader(file, 0, size), size, o)
			tag = up.ETag
		}
		switch minio.ToErrorResponse(err).StatusCode {
		case http.StatusConflict: // another process writes the object at this moment
			time.Sleep(time.Duration(try+1) * 200 * time.Millisecond)
			continue
		case http.StatusNotImplemented: // a store that has no conditions
			if !mustBeNew {
				return tag, err
			}
			if _, e := store.Stat(name); !errors.Is(e, fs.ErrNotExist) {
				return "", errors.Join(errTaken, e)
			}
			o, mustBeNew = minio.PutObjectOptions{}, false
			continue
		}
		return tag, err
	}
	return tag, err
}

// errTaken says that the name is not free.
var errTaken = errors.New("the object is there")

// isNameTaken reports whether an upload failed because the name is not free.
func isNameTaken(err error) bool {
	return errors.Is(err, errTaken) || minio.ToErrorResponse(err).StatusCode == http.StatusPreconditionFailed
}

// uploadParts stores the first size bytes of file as an object, in parts of partSize bytes, and returns the
// tag that the store gives it. The condition in o goes with the last step, which alone makes the object
// visible. The client's own upload in parts drops the condition, so it is not used.
func (store *Store) uploadParts(name string, file *os.File, size int64, o minio.PutObjectOptions) (tag string, err error) {
	ctx, core, key := context.Background(), minio.Core{Client: store.client}, store.prefix+name
	id, err := core.NewMultipartUpload(ctx, store.bucket, key, minio.PutObjectOptions{})
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			core.AbortMultipartUpload(ctx, store.bucket, key, id) // the store removes what is left by its own rules
		}
	}()
	var all []minio.CompletePart
	for off := int64(0); off < size; off += partSize {
		n := min(size-off, partSize)
		p, err := core.PutObjectPart(ctx, store.bucket, key, id, len(all)+1, io.NewSectionReader(file, off, n), n,
			minio.PutObjectPartOptions{DisableContentSha256: true})
		if err != nil {
			return "", err
		}
		all = append(all, minio.CompletePart{PartNumber: p.PartNumber, ETag: p.ETag})
	}
	up, err := core.CompleteMultipartUpload(ctx, store.bucket, key, id, all, o)
	return up.ETag, err
}

// comparedAtOnce is how many bytes of an object and of a file are compared at a time.
const comparedAtOnce = 64 << 10

// hasSameBytes reports whether the object of that name has the same bytes as a file, which it reads from the
// beginning.
func (store *Store) hasSameBytes(name string, file *os.File) (bool, error) {
	object, err := store.Open(name)
	if err != nil {
		return false, err
	}
	defer object.Close()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	ofFile, ofObject := make([]byte, comparedAtOnce), make([]byte, comparedAtOnce)
	for {
		n, fileErr := io.ReadFull(file, ofFile)
		m, objectErr := io.ReadFull(object, ofObject)
		if !bytes.Equal(ofFile[:n], ofObject[:m]) {
			return false, nil
		}
		if fileErr != nil || objectErr != nil {
			return fileErr == objectErr, nil // equal if both end here
		}
	}
}

// Open returns a copy of an object of the store in a temporary file, positioned at its start. It
// implements jobs.Store.
func (store *Store) Open(name string) (*os.File, error) {
	r, err := store.client.GetObject(context.Background(), store.bucket, store.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, explainMissing(err)
	}
	defer r.Close()
	file, err := temporaryFile()
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(file, r); err != nil {
		file.Close()
		return nil, explainMissing(err)
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, err
}

// explainMissing returns fs.ErrNotExist for an error that means that the object does not exist, and
// any other error in plain words. It returns nil for nil.
func explainMissing(err error) error {
	if r := minio.ToErrorResponse(err); r.Code == "NoSuchKey" ||
		r.StatusCode == http.StatusNotFound && r.Code != "NoSuchBucket" {
		return fs.ErrNotExist
	}
	return address.Explain(err)
}

// Stat returns the size of an object and when it was written.
func (store *Store) Stat(name string) (jobs.Info, error) {
	info, err := store.client.StatObject(context.Background(), store.bucket, store.prefix+name, minio.StatObjectOptions{})
	if err != nil {
		return jobs.Info{}, explainMissing(err)
	}
	return jobs.Info{Name: name, Size: info.Size, Modified: info.LastModified}, nil
}

// Remove implements jobs.Store. A store does not tell whether the object was there.
func (store *Store) Remove(name string) error {
	return explainMissing(store.client.RemoveObject(context.Background(), store.bucket, store.prefix+name, minio.RemoveObjectOptions{}))
}

// List returns the objects directly below the store's prefix whose names begin with prefix.
func (store *Store) List(prefix string) (list []jobs.Info, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for info := range store.client.ListObjects(ctx, store.bucket, minio.ListObjectsOptions{Prefix: store.prefix + prefix}) {
		if info.Err != nil {
			return nil, fmt.Errorf("cannot list %s: %w", store.Path(prefix), address.Explain(info.Err))
		}
		if !strings.HasSuffix(info.Key, "/") {
			list = append(list, jobs.Info{Name: path.Base(info.Key), Size: info.Size, Modified: info.LastModified})
		}
	}
	return list, nil
}

// Clear removes the objects that jobs make, except the one named keep, and no others. It implements
// jobs.Store.
func (store *Store) Clear(keep string) error {
	list, err := store.List("")
	if err != nil {
		return err
	}
	for _, info := range list {
		if !jobs.Owned(info.Name) || info.Name == keep {
			continue
		}
		if err := store.Remove(info.Name); err != nil {
			return fmt.Errorf("cannot remove %s: %w", store.Path(info.Name), err)
		}
	}
	return nil
}
