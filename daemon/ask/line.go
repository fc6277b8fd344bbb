package ask

import (
	"slices"

	"plumb/daemon/jsoncut"
)

// answerMembers are the members of a dump line that an answer has and a task has not.
var answerMembers = []string{"id", "turn", "model", "response", "actions", "repeat", "run", "asked"}

// appendMembers appends the members of a task's line, each after a comma, to the object of a dump line
// that has some members already. It leaves out those that an answer has and a task has not.
func appendMembers(dst, line []byte) []byte {
	jsoncut.Members(line, func(key, value []byte) error {
		if !slices.Contains(answerMembers, jsoncut.Name(key)) {
			dst = append(dst, `,"`...)
			dst = append(dst, key...)
			dst = append(dst, `":`...)
			dst = append(dst, value...)
		}
		return nil
	})
	return dst
}
