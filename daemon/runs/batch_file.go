package runs

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"plumb/daemon/chat/budget"
)

// partFile is the file of a batch while calls are written into it.
type partFile struct {
	part      *part
	file      *os.File
	writer    *bufio.Writer
	hash      hash.Hash
	size      int           // bytes written
	maxTokens budget.Tokens // the most tokens that the calls can use
}

// newPartFile creates the file of requests that is uploaded for a batch. What is written to it is
// hashed on the way.
func newPartFile(part *part, path string) (*partFile, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("cannot write batch: %w", err)
	}
	f := &partFile{part: part, file: file, hash: sha256.New()}
	f.writer = bufio.NewWriter(io.MultiWriter(file, f.hash))
	return f, nil
}

// isFull reports whether a further line of lineBytes would exceed the limits of a batch. A file
// without calls takes one call, however long it is.
func (f *partFile) isFull(lineBytes int) bool {
	n := len(f.part.Keys)
	return n == maxPartRequests || n > 0 && f.size+lineBytes > maxPartBytes
}

// add writes the line of a call, and adds its key to the part and the most tokens that it can use to
// f.maxTokens. An error of writing is returned by finish.
func (f *partFile) add(line []byte, call *call) {
	f.writer.Write(line)
	f.size += len(line)
	callTokens := call.request.Most()
	f.maxTokens.Prompt += callTokens.Prompt
	f.maxTokens.Completion += callTokens.Completion
	f.part.Keys = append(f.part.Keys, call.key)
}

// finish closes the file when it is on the disk, and sets part.Hash. With the keys it identifies the batch
// when the run is continued.
func (f *partFile) finish() error {
	err := errors.Join(f.writer.Flush(), f.file.Sync(), f.file.Close())
	f.part.Hash = hex.EncodeToString(f.hash.Sum(nil))
	return err
}

// remove closes and deletes the file.
func (f *partFile) remove() {
	f.file.Close()
	os.Remove(f.file.Name())
}
