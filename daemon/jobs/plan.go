package jobs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// CutLines gives the shards of a file of lines: ranges of bytes that begin and end at line
// boundaries, with about ShardLines lines, more where these are short, and, but for longer lines, at
// most ShardBytes bytes. size is the length of the file in bytes. It counts lines as readers do: blank
// ones too. It holds one buffer, whatever the file's length. See docs/spec/jobs.md#r2.
func CutLines(input int, text io.Reader, size int64, give func(Shard) error) error {
	r := bufio.NewReaderSize(text, 1<<20)
	least := min(size/shortPart, shortBytes)
	s := Shard{Input: input, Line: 1}
	next := func() error {
		err := give(s)
		s = Shard{Input: input, From: s.To, To: s.To, Line: s.Line + s.Lines}
		return err
	}
	for {
		n, whole, err := skipLine(r)
		if n > 0 {
			if s.Lines > 0 && s.To-s.From+n > ShardBytes {
				if err := next(); err != nil {
					return err
				}
			}
			s.Lines++
			s.To += n
			if whole && s.Lines >= ShardLines && (s.To-s.From >= least || s.Lines >= shortLines) {
				if err := next(); err != nil {
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
	if s.Lines > 0 {
		return next()
	}
	return nil
}

// skipLine skips a line of a dump and returns its length with its end; whole is false for a last
// line without one.
func skipLine(r *bufio.Reader) (n int64, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		n += int64(len(part))
		if err == nil {
			return n, true, nil
		}
		if err != bufio.ErrBufferFull {
			return n, bytes.HasSuffix(part, []byte("\n")), err
		}
	}
}
