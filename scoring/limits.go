package scoring

// The default limits of answers. See docs/spec/cli.md#r33.
const (
	DefaultResponse = 4 << 20 // bytes of an answer
	DefaultActions  = 100_000 // entries of one list of actions
)

// NoteLimit is the code of the note on an answer that breaks a limit: it has the score of
// an empty answer. See docs/spec/cli.md#r19.
const NoteLimit = "answer_limit"

// The flags that raise the default limits. Messages name them.
const (
	FlagResponse = "--max-response"
	FlagActions  = "--max-actions"
)
