package jobs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// CutLines cuts a file of lines into shards: ranges of bytes that begin and end at line
// boundaries. It calls give with each one, in order. A shard has about ShardLines lines,
// more where lines are short, and at most ShardBytes bytes unless one line is longer. size
// is the length of the file in bytes. Blank lines are counted, as readers count them. It
// holds one buffer, whatever the file's length. See docs/spec/jobs.md#r2.
func CutLines(input int, text io.Reader, size int64, give func(Shard) error) error {
	reader := bufio.NewReaderSize(text, 1<<20)
	leastBytes := min(size/shortPart, shortBytes) // of a shard with ShardLines lines or more
	shard := Shard{Input: input, Line: 1}
	giveShard := func() error { // and begins the next one at its end
		err := give(shard)
		shard = Shard{Input: input, From: shard.To, To: shard.To, Line: shard.Line + shard.Lines}
		return err
	}
	for {
		lineBytes, hasLineEnd, err := skipLine(reader)
		if lineBytes > 0 {
			if shard.Lines > 0 && shard.To-shard.From+lineBytes > ShardBytes { // the line would make the shard too long
				if err := giveShard(); err != nil {
					return err
				}
			}
			shard.Lines++
			shard.To += lineBytes
			isLargeEnough := shard.To-shard.From >= leastBytes || shard.Lines >= shortLines
			if hasLineEnd && shard.Lines >= ShardLines && isLargeEnough {
				if err := giveShard(); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("cannot plan: %w", err)
		}
	}
	if shard.Lines > 0 {
		return giveShard()
	}
	return nil
}

// skipLine reads over a line of a dump of any length and returns its length in bytes with
// its line end. hasLineEnd is false for a last line without a line end.
func skipLine(r *bufio.Reader) (lineBytes int64, hasLineEnd bool, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		lineBytes += int64(len(piece))
		if err == nil {
			return lineBytes, true, nil
		}
		if err != bufio.ErrBufferFull {
			return lineBytes, bytes.HasSuffix(piece, []byte("\n")), err
		}
	}
}
