package chat

import (
	"encoding/json"
	"strings"
	"time"
)

// Kind is the outcome of a try or of a question.
type Kind string

// The kinds. Wait and Retry are kinds of tries only, Stopped one of questions only. See docs/spec/runs.md#r5.
const (
	Answer   Kind = "answer"   // the model answered, perhaps with an empty or cut text
	Filtered Kind = "filtered" // a filter of the endpoint withheld the answer
	Refused  Kind = "refused"  // the endpoint refuses this request, or too many tries failed
	Fatal    Kind = "fatal"    // no request can succeed; the client makes no further calls
	Stopped  Kind = "stopped"  // the client or the caller ended before there was an outcome
	Wait     Kind = "wait"     // the endpoint asks for a pause
	Retry    Kind = "retry"    // another try may help
)

// Final reports whether a question of this kind need not be asked again.
func (k Kind) Final() bool { return k == Answer || k == Filtered || k == Refused }

// Usage is what a reply says about tokens. See docs/spec/runs.md#r10.
type Usage struct {
	Prompt     int64           `json:"prompt"`
	Completion int64           `json:"completion"` // reasoning included
	Reasoning  *int64          `json:"reasoning"`  // of Completion; nil where it is unknown
	Cached     *int64          `json:"cached"`     // of Prompt; nil where it is unknown
	Counted    bool            `json:"counted"`    // by the endpoint; else estimated from the characters
	Raw        json.RawMessage `json:"raw,omitempty"`
}

// Error says why there is no answer.
type Error struct {
	Code    string `json:"code"`    // the endpoint's, else one of the client's: "tries", "deadline", "budget", "stopped", "http_N"
	Message string `json:"message"` // without key and address
	Hint    string `json:"-"`       // the flag that helps, "" for none
}

// Error returns why a question to the endpoint brought no answer: the message and, if there is one, the hint of
// what to do. It implements error.
func (e *Error) Error() string {
	if e.Hint != "" {
		return strings.TrimRight(e.Message, ".") + "; want " + e.Hint
	}
	return e.Message
}

// Outcome is the outcome of a question. Its JSON has the names of the call log.
type Outcome struct {
	Kind        Kind      `json:"outcome"`
	HTTP        int       `json:"http"`        // status of the last reply; 0 for none
	Tries       int       `json:"tries"`       // requests that were sent
	Lost        int       `json:"lost"`        // tries that may have been answered and paid for, but brought nothing
	Text        string    `json:"text"`        // of an answer
	Reasoning   string    `json:"reasoning"`   // kept apart from Text; "" for none
	Finish      string    `json:"finish"`      // finish reason; "" for none
	Usage       *Usage    `json:"usage"`       // nil without a reply
	Cost        *float64  `json:"cost"`        // USD; nil where it is unknown
	Priced      bool      `json:"priced"`      // Cost follows from the price, not from the reply
	Model       string    `json:"model"`       // that the endpoint names
	ID          string    `json:"id"`          // of the reply
	Provider    string    `json:"provider"`    // that the endpoint names
	Fingerprint string    `json:"fingerprint"` // of the endpoint's system
	Error       *Error    `json:"error"`       // nil for an answer
	Started     time.Time `json:"started"`     // of the last try
	Seconds     float64   `json:"seconds"`     // of the last try
	Waited      float64   `json:"waited"`      // seconds of the question before the last try
}

// Cut reports whether the answer was cut because the model had no tokens left, by the finish
// reasons of OpenAI, Anthropic and Google.
func (o *Outcome) Cut() bool {
	return o.Finish == "length" || o.Finish == "max_tokens" || o.Finish == "MAX_TOKENS"
}
