package chat

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// apiError is what an endpoint says about an error.
type apiError struct {
	message   string
	code      string // "" where it is a number or missing
	number    int    // the code where it is a number, else 0
	kind      string // its type
	param     string // the parameter that it names
	moderated bool   // a moderation refused the prompt
}

// parseError reads the error in the body of a reply that is not 2xx. Endpoints differ: the
// error is a member `error`, a text `detail` or the body itself, a text or an object, or the
// first element of a list. It returns an empty error if it finds none.
func parseError(body []byte) *apiError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var top struct {
		Error  raw `json:"error"`
		Detail raw `json:"detail"`
	}
	if json.Unmarshal(body, &top) != nil {
		return &apiError{}
	}
	switch {
	case !null(top.Error):
		return errorIn(top.Error)
	case text(top.Detail) != "":
		return &apiError{message: text(top.Detail)}
	}
	return errorIn(body)
}

// errorIn reads the error of an endpoint from the value that holds it: a text or an object.
// Proxies put the provider's own error into metadata.raw; its message replaces the proxy's.
func errorIn(b raw) *apiError {
	if s := text(b); s != "" {
		return &apiError{message: s}
	}
	var e struct {
		Message  raw `json:"message"`
		Code     raw `json:"code"`
		Type     raw `json:"type"`
		Param    raw `json:"param"`
		Metadata struct {
			Raw     raw `json:"raw"`
			Reasons raw `json:"reasons"`
			Flagged raw `json:"flagged_input"`
		} `json:"metadata"`
	}
	if len(b) > 0 && json.Unmarshal(b, &e) != nil {
		// metadata may be of another type than an object: read the rest without it
		var short struct{ Message, Code raw }
		_ = json.Unmarshal(b, &short)
		e.Message, e.Code = short.Message, short.Code
	}
	s := &apiError{message: text(e.Message), code: text(e.Code), kind: text(e.Type), param: text(e.Param),
		moderated: !null(e.Metadata.Reasons) || !null(e.Metadata.Flagged)}
	switch cause := e.Metadata.Raw; {
	case text(cause) != "":
		s.message = text(cause)
	case !null(cause):
		if inner := parseError(cause); inner.message != "" {
			s.message = inner.message
		}
	}
	number := s.code
	if number == "" {
		number = string(e.Code)
	}
	if n, err := strconv.Atoi(number); err == nil { // as a number, or a text of digits
		s.number, s.code = n, ""
	}
	return s
}

// status returns the HTTP status for an error that came in a reply of status 200: its number if that is one, or
// else by its code. It is 502 for an unknown error, so that the call is tried again.
func (e *apiError) status() int {
	if e.number >= 300 && e.number < 600 {
		return e.number
	}
	switch {
	case e.code == "rate_limit_exceeded" || e.code == "insufficient_quota" || e.kind == "insufficient_quota":
		return 429
	case e.code == "content_filter" || e.code == "content_policy_violation" || e.code == "context_length_exceeded" ||
		strings.HasPrefix(e.code, "unsupported_") || e.kind == "invalid_request_error":
		return 400
	case e.code == "invalid_api_key":
		return 401
	case e.code == "model_not_found":
		return 404
	}
	return 502
}

// Brief returns a text of an endpoint on one line, cut to n bytes at the boundary of a character, with "..." if
// it was cut.
func Brief(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}
