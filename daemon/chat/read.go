package chat

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Reader reads replies of one request. See docs/spec/runs.md#r5.
type Reader struct {
	Key     string   // that is cut out of what comes back, "" for none
	Request *Request // whose reply it is
	Now     time.Time
}

// Reading is what a client reads from one reply.
type Reading struct {
	Outcome
	Status       int            // that decided: of the reply, or of an error within it
	After        *time.Duration // how long the endpoint asks to wait; nil where it does not say
	Paid         bool           // a failure that may have been paid for
	Message      string         // the endpoint's words on a failure
	timedOut     bool           // no reply came in time
	whatHappened string         // what happened; the endpoint's name is put before it: " answered 500 ..."
}

// completion is the JSON of a reply of an endpoint, as far as it is read.
type completion struct {
	ID          raw      `json:"id"`
	Model       raw      `json:"model"`
	Provider    raw      `json:"provider"`
	Fingerprint raw      `json:"system_fingerprint"`
	Choices     []choice `json:"choices"`
	Usage       *usage   `json:"usage"`
	Error       raw      `json:"error"`
}

// choice is an answer in a reply of the endpoint; a question asks for one.
type choice struct {
	Message struct {
		Content          raw `json:"content"`
		Refusal          raw `json:"refusal"`
		Reasoning        raw `json:"reasoning"`
		ReasoningContent raw `json:"reasoning_content"`
		Details          raw `json:"reasoning_details"`
	} `json:"message"`
	Finish raw `json:"finish_reason"`
	Error  raw `json:"error"`
}

// reasoningDetails returns the joined texts and summaries of the steps in a reply's
// reasoning_details, "" if it has none.
func reasoningDetails(value raw) string {
	var list []struct {
		Text    raw `json:"text"`
		Summary raw `json:"summary"`
	}
	if null(value) || json.Unmarshal(value, &list) != nil {
		return ""
	}
	joined := ""
	for _, step := range list {
		joined += text(step.Text) + text(step.Summary)
	}
	return joined
}

// usage is the token counts of a reply, with the endpoint's own JSON beside them.
type usage struct {
	Prompt     *float64 `json:"prompt_tokens"`
	Completion *float64 `json:"completion_tokens"`
	Total      *float64 `json:"total_tokens"`
	Cost       *float64 `json:"cost"` // USD
	PromptMore *struct {
		Cached *float64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionMore *struct {
		Reasoning *float64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	raw json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler. A value that is no usage leaves all counts nil
// and is no error, so that the answer is kept.
func (u *usage) UnmarshalJSON(data []byte) error {
	type plain usage
	if json.Unmarshal(data, (*plain)(u)) != nil {
		*u = usage{}
	}
	u.raw = append(json.RawMessage(nil), data...)
	return nil
}

// raw is a member of any type.
type raw = json.RawMessage

// text returns the string that a member of a reply holds; "" for any other value.
func text(r raw) (text string) {
	if len(r) > 0 {
		_ = json.Unmarshal(r, &text)
	}
	return text
}

func null(r raw) bool { return len(r) == 0 || string(r) == "null" }

// joinedText returns the text of a member of a reply: a string, or the joined texts of a list of parts.
func joinedText(value raw) string {
	var list []struct {
		Type string `json:"type"`
		Text raw    `json:"text"`
	}
	if len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &list) != nil {
		return text(value)
	}
	joined := ""
	for _, part := range list {
		if part.Type == "" || part.Type == "text" || part.Type == "output_text" {
			joined += text(part.Text)
		}
	}
	return joined
}

// newReading returns the reading of a reply of that kind and status. k is "" where completeFailure
// decides it. why says what happened in words that follow the endpoint's name, so that it begins with a
// space, "'s" or a colon. It is "" for an answer.
func newReading(k Kind, status int, why string) Reading {
	return Reading{Outcome: Outcome{Kind: k, HTTP: status}, Status: status, whatHappened: why}
}

// brokenReply returns the reading of a reply of status 2xx that is no completion: a proxy is in between, or the
// server is failing. Another try may help, and the reply may have been paid for.
func brokenReply(status int, why string) Reading {
	g := newReading(Retry, status, why)
	g.Paid = true
	return g
}

// Read reads a whole reply: an answer, or a failure with its kind, cause and the wait that
// the endpoint asks for. The texts of failures follow the endpoint's name.
func (reader *Reader) Read(status int, header http.Header, body []byte) Reading {
	if status/100 != 2 {
		// Without a name of the status the text would end with a space.
		message := strings.TrimRight(fmt.Sprintf(" answered %d %s", status, http.StatusText(status)), " ")
		return reader.completeFailure(status, header, parseError(body), newReading("", status, message))
	}
	var got completion
	if err := json.Unmarshal(body, &got); err != nil {
		return brokenReply(status, "'s reply is not a chat completion in JSON")
	}
	return reader.readCompletion(status, header, &got)
}

// readCompletion reads a reply that is JSON. An error in the reply, or in its first choice, is a
// failure of the status that the error stands for. Other choices are ignored.
func (reader *Reader) readCompletion(status int, header http.Header, got *completion) Reading {
	if !null(got.Error) {
		e := errorIn(got.Error)
		failure := newReading("", status, " answered with an error")
		failure.Paid = len(got.Choices) > 0
		return reader.completeFailure(e.status(), header, e, failure)
	}
	if len(got.Choices) == 0 {
		return brokenReply(status, "'s reply has no choices")
	}
	choice := &got.Choices[0]
	finish := text(choice.Finish)
	if !null(choice.Error) || finish == "error" {
		e := errorIn(choice.Error)
		failure := newReading("", status, " broke off its answer with an error")
		failure.Paid = true
		return reader.completeFailure(e.status(), header, e, failure)
	}
	reading := newReading(Answer, status, "")
	reading.Model, reading.ID = reader.hide(text(got.Model)), reader.hide(text(got.ID))
	reading.Provider, reading.Fingerprint = reader.hide(text(got.Provider)), reader.hide(text(got.Fingerprint))
	reading.Text = reader.hide(choice.text())
	reading.Reasoning = reader.hide(choice.reasoning())
	reading.Finish = reader.hide(finish)
	if isFilter(finish) { // with a text it is an answer that was cut
		reading.Finish = "content_filter"
		if reading.Text == "" {
			reading.Kind = Filtered
			reading.Message = reader.hide("finish reason " + finish)
			reading.whatHappened = " withheld its answer"
			reading.Error = &Error{Code: "content_filter", Message: reading.Message}
		}
	}
	reading.Usage, reading.Cost = reader.usage(got.Usage, reading.Text+reading.Reasoning)
	return reading
}

// text returns the text of one choice of a completion: its content, or else the model's refusal. See
// docs/spec/runs.md#r6.
func (choice *choice) text() string {
	if s := joinedText(choice.Message.Content); s != "" {
		return s
	}
	return text(choice.Message.Refusal)
}

// reasoning returns the text of the reasoning, where the endpoint sends it apart. See docs/spec/runs.md#r9.
func (choice *choice) reasoning() string {
	if s := joinedText(choice.Message.Reasoning); s != "" {
		return s
	}
	if s := joinedText(choice.Message.ReasoningContent); s != "" {
		return s
	}
	return reasoningDetails(choice.Message.Details)
}

// isFilter reports whether a finish reason says that a content filter withheld the answer,
// in OpenAI's words or Google's. See docs/spec/runs.md#r7.
func isFilter(finish string) bool {
	if strings.HasPrefix(finish, "content_filter") {
		return true
	}
	for _, s := range []string{"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED", "SPII"} {
		if strings.Contains(finish, s) {
			return true
		}
	}
	return false
}

// usage returns the token counts and the cost in USD of a reply. Without counts they are estimated from the
// texts of request and answer. Tokens that only the total has count as reasoning. See docs/spec/runs.md#r10.
func (reader *Reader) usage(usage *usage, answer string) (*Usage, *float64) {
	if usage == nil || usage.Prompt == nil && usage.Completion == nil {
		out := &Usage{Prompt: reader.Request.estimatePrompt(), Completion: Estimate(answer)}
		if usage != nil {
			out.Raw = json.RawMessage(reader.hide(string(usage.raw)))
			return out, cost(usage.Cost)
		}
		return out, nil
	}
	out := &Usage{Prompt: tokens(usage.Prompt), Completion: tokens(usage.Completion), Counted: true,
		Raw: json.RawMessage(reader.hide(string(usage.raw)))}
	if d := usage.PromptMore; d != nil && d.Cached != nil {
		out.Cached = new(min(tokens(d.Cached), out.Prompt))
	}
	if d := usage.CompletionMore; d != nil && d.Reasoning != nil {
		out.Reasoning = new(tokens(d.Reasoning))
	}
	if gap := tokens(usage.Total) - out.Prompt - out.Completion; gap > 0 { // as Gemini counts its thoughts
		out.Completion += gap
		if out.Reasoning == nil {
			out.Reasoning = &gap
		}
	}
	return out, cost(usage.Cost)
}

// tokens returns a count of tokens from a reply as an integer, 0 if it is missing, negative or NaN.
func tokens(x *float64) int64 {
	if x == nil || !(*x > 0) {
		return 0
	}
	return int64(min(math.Round(*x), 1e12)) // fits int64, whatever the endpoint says
}

// cost returns the cost in USD that a reply tells, or nil if it is missing, negative or infinite.
func cost(x *float64) *float64 {
	if x == nil || !(*x >= 0) || math.IsInf(*x, 0) {
		return nil
	}
	return x
}

// Estimate returns about how many tokens a text has: characters / 4, plus 1.
func Estimate(text string) int64 { return int64(utf8.RuneCountInString(text)/4) + 1 }

// completeFailure completes the reading of a failed reply: its kind, whether it may have been paid for, the wait
// that the endpoint asks for, and the error with the key removed. status decides the kind: that of the
// reply, or that of an error within it. The endpoint's words are cut, because they go into logs.
func (reader *Reader) completeFailure(status int, header http.Header, apiError *apiError, reading Reading) Reading {
	reading.Status = status
	reading.Kind = reader.failureKind(status, header, apiError)
	reading.Paid = reading.Paid && (reading.Kind == Retry || reading.Kind == Wait)
	reading.After = retryAfter(header, reader.Now)
	const maxMessage, maxWhy, maxCode = 500, 200, 100 // bytes
	reading.Message = Brief(reader.hide(apiError.message), maxMessage)
	if apiError.message != "" {
		reading.whatHappened += ": " + Brief(reader.hide(apiError.message), maxWhy)
	}
	code := reader.hide(apiError.code)
	if code == "" {
		code = "http_" + strconv.Itoa(status)
	}
	reading.Error = &Error{Code: Brief(code, maxCode), Message: reading.Message}
	if reading.Kind == Fatal {
		reading.Error.Hint = reader.hint(status, apiError)
	}
	return reading
}

// failureKind returns the kind of a failed reply by its status and error. An endpoint that sends
// x-should-retry: false gets no further try. See docs/spec/runs.md#r8.
func (reader *Reader) failureKind(status int, header http.Header, e *apiError) Kind {
	k := reader.classify(status, header, e)
	if (k == Retry || k == Wait) && strings.EqualFold(header.Get("x-should-retry"), "false") {
		return Refused
	}
	return k
}

// classify returns what the HTTP status of a failed reply and its error mean: wait, try
// again, end this question (Refused, Filtered), or end all calls (Fatal).
func (reader *Reader) classify(status int, header http.Header, apiError *apiError) Kind {
	hasWait := header.Get("Retry-After") != "" || header.Get("retry-after-ms") != ""
	switch status {
	case http.StatusTooManyRequests:
		if apiError.code == "insufficient_quota" || apiError.kind == "insufficient_quota" {
			return Fatal
		}
		return Wait
	case http.StatusPaymentRequired:
		if hasWait {
			return Wait
		}
		return Fatal
	case http.StatusServiceUnavailable:
		if hasWait {
			return Wait
		}
		return Retry
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return Retry
	case http.StatusUnauthorized, http.StatusNotFound:
		return Fatal
	case http.StatusForbidden:
		if apiError.moderated {
			return Filtered
		}
		return Fatal
	case http.StatusBadRequest:
		switch {
		case apiError.code == "content_filter" || apiError.code == "content_policy_violation":
			return Filtered
		case strings.HasPrefix(apiError.code, "unsupported_") || reader.setBySettings(apiError.param):
			return Fatal
		}
		return Refused
	}
	switch {
	case status >= 500:
		return Retry
	case status/100 == 3:
		return Fatal
	}
	return Refused
}

// setBySettings reports whether a parameter that the endpoint complains about was put into the request by a
// setting, so that every request would be refused. Model, messages and prompt are not settings.
func (reader *Reader) setBySettings(param string) bool {
	name := param
	if i := strings.IndexAny(name, ".["); i >= 0 {
		name = name[:i]
	}
	switch name {
	case "", "model", "messages", "prompt":
		return false
	case "temperature", "max_tokens", "max_completion_tokens", "top_p", "seed", "stream", "stream_options",
		"reasoning", "reasoning_effort", "thinking", "chat_template_kwargs":
		return true
	}
	if name == reader.Request.Settings.tokensField() {
		return true
	}
	var extra map[string]json.RawMessage
	_ = json.Unmarshal(reader.Request.Extra, &extra)
	_, ok := extra[name]
	return ok
}

// hint returns the flag of plumb run that helps against an error of the endpoint that all requests would meet.
func (reader *Reader) hint(status int, e *apiError) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "--model-key-env NAME, the variable that holds the key"
	case http.StatusPaymentRequired, http.StatusTooManyRequests:
		return "more credit for the key of --model-key-env"
	case http.StatusNotFound:
		return "another --model, or a --model-url that ends before /chat/completions"
	case http.StatusBadRequest:
		return reader.settingHint(e)
	}
	return "the --model-url that it moved to"
}

// settingHint returns the flag that helps against an endpoint's error about a parameter of the request. The
// parameter is e.param, or else the first quoted word of the message.
func (reader *Reader) settingHint(e *apiError) string {
	param := e.param
	if param == "" { // some say it in the message alone
		if _, s, ok := strings.Cut(e.message, "'"); ok {
			param, _, _ = strings.Cut(s, "'")
		}
	}
	name, _, _ := strings.Cut(param, ".")
	switch {
	case name == "max_tokens" && e.code == "unsupported_parameter":
		return "--tokens-field max_completion_tokens"
	case name == "max_completion_tokens" && e.code == "unsupported_parameter":
		return "--tokens-field max_tokens"
	case name == "max_tokens" || name == "max_completion_tokens" || name == reader.Request.Settings.tokensField():
		return "another --max-tokens, or none"
	case name == "temperature":
		return "--temperature none"
	case name == "top_p":
		return "no --top-p"
	case name == "seed":
		return "no --sampling-seed"
	case name == "stream" || name == "stream_options":
		return "no --stream"
	case strings.HasPrefix(name, "reasoning") || name == "thinking" || name == "chat_template_kwargs":
		return "another --provider, or --reasoning-off and --reasoning-on"
	}
	return "another --body"
}

// hide removes the key from a text that an endpoint sent.
func (reader *Reader) hide(s string) string { return hide(s, reader.Key) }

// shortKey is the longest text that is no secret: it may well stand in an answer, as the
// key "none" of a local server does.
const shortKey = 7

// hide replaces the endpoint's key in a text by "[key]". A key of at most shortKey characters stays, because it
// may be a word of the answer. See docs/spec/runs.md#r24.
func hide(text, key string) string {
	if len(key) <= shortKey {
		return text
	}
	return strings.ReplaceAll(text, key, "[key]")
}

// retryAfter returns how long an endpoint asks to wait, nil if it does not: in milliseconds, in seconds, or
// until a date, which is compared with the reply's own date if it has one. See docs/spec/runs.md#r12.
func retryAfter(h http.Header, now time.Time) *time.Duration {
	const maxSeconds = 1e6 // a longer time might not fit a Duration
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("retry-after-ms")), 64); err == nil && ms >= 0 {
		return new(time.Duration(min(ms, 1000*maxSeconds) * float64(time.Millisecond)))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 {
		return new(time.Duration(min(n, maxSeconds) * float64(time.Second)))
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return nil
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return new(max(0, at.Sub(now)))
}
