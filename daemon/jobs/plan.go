package jobs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// CutLines gives the shards of a file of lines: ranges of bytes that begin and end at line
// boundaries, with at most ShardLines lines and, but for longer lines, ShardBytes bytes. It counts
// lines as readers do: blank ones too. It holds one buffer, whatever the file's length.
func CutLines(input int, text io.Reader, give func(Shard) error) error {
	r := bufio.NewReaderSize(text, 1<<20)
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
			if s.Lines == ShardLines && whole {
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
