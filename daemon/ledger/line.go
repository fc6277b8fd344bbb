package ledger

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

// sumName begins the last member of a line, whose value covers all before it.
const sumName = `,"sum":"`

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Line appends a checksum as the last member of a JSON object, and a line end. The
// object has at least one member, and no line end within it. See
// docs/spec/runs.md#r25.
func Line(object []byte) []byte {
	b := bytes.TrimSuffix(bytes.TrimRight(object, "\n"), []byte("}"))
	sum := crc32.Checksum(b, castagnoli)
	return fmt.Appendf(b[:len(b):len(b)], "%s%08x\"}\n", sumName, sum)
}

// Whole reports whether a line, without its end, is as Line wrote it.
func Whole(line []byte) bool {
	i := bytes.LastIndex(line, []byte(sumName))
	return i > 0 && string(line[i:]) == fmt.Sprintf("%s%08x\"}", sumName, crc32.Checksum(line[:i], castagnoli))
}
