package chattest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Fault is a way in which an endpoint fails.
type Fault string

// The faults of calls.
const (
	None         Fault = ""
	TooMany      Fault = "429"           // without Retry-After
	TooManyWait  Fault = "429-wait"      // with it: Config.RetryAfter
	TooManyDate  Fault = "429-date"      // with a date
	Quota        Fault = "429-quota"     // no credit is left
	Broken       Fault = "500"           // a page of HTML
	Unavailable  Fault = "503-wait"      // with Retry-After
	Overloaded   Fault = "529"           // as Anthropic says it
	Slow         Fault = "slow"          // answers after Config.Slow; a batch takes ten times as long
	Hang         Fault = "hang"          // never answers
	Garbage      Fault = "garbage"       // 200 with bytes that are no JSON
	WrongJSON    Fault = "wrong-json"    // 200 with JSON that is no completion
	Half         Fault = "half"          // the connection ends within the body
	CutStream    Fault = "cut-stream"    // a stream ends in the middle as if it were whole
	Truncated    Fault = "truncated"     // a verdict that ran out of tokens before its digit
	Prose        Fault = "prose"         // a reply without a verdict
	Reset        Fault = "reset"         // the connection is reset before any answer
	Lost         Fault = "lost"          // the answer is billed, then the connection is reset
	Refused      Fault = "401"           // the key is wrong
	Quoted       Fault = "401-quoting"   // the same, with the key in the message
	Credit       Fault = "402"           // no credit is left
	Missing      Fault = "404"           // no such model
	Parameter    Fault = "400-parameter" // max_tokens is not known
	Context      Fault = "400-context"   // the prompt is too long
	EmptyChoices Fault = "empty-choices"
	Error200     Fault = "error-200"     // an error instead of choices
	FinishError  Fault = "finish-error"  // an error in the choice, after half of the answer
	Length       Fault = "length"        // half of the answer, cut for want of tokens
	LengthNull   Fault = "length-null"   // cut before the answer began
	Filter       Fault = "filter"        // OpenAI's filter
	GeminiFilter Fault = "gemini-filter" // Gemini's: no message
	Refusal      Fault = "refusal"       // a text in the member refusal
	NoUsage      Fault = "no-usage"      // the answer without counts
	Gap          Fault = "gap"           // thoughts in the total of tokens alone
)

// The faults of batches, beside Slow.
const (
	Twice    Fault = "twice"    // some results come twice
	Expired  Fault = "expired"  // half of the requests are not answered in time
	Shuffled Fault = "shuffled" // results come in another order
	Failed   Fault = "failed"   // the batch is refused
)

// callFaults are the faults of calls in the order in which shares are counted.
var callFaults = []Fault{TooMany, TooManyWait, Broken, Slow, Garbage, WrongJSON, Half, Truncated, Prose, Reset,
	Refused, Quoted,
	TooManyDate, Quota, Unavailable, Overloaded, Hang, CutStream, Lost, Credit, Missing, Parameter, Context, EmptyChoices, Error200,
	FinishError, Length, LengthNull, Filter, GeminiFilter, Refusal, NoUsage, Gap}

// Faults lists all faults.
func Faults() []Fault {
	return append(callFaults[:len(callFaults):len(callFaults)], Twice, Expired, Shuffled, Failed)
}

// answer sends the answer to a call, or what the fault makes of it. reply sees to the faults
// that change, cut or lose the completion, and sends it unchanged for faults that only batches have.
func (endpoint *Endpoint) answer(w http.ResponseWriter, r *http.Request, fault Fault, call *Call) {
	switch fault {
	case TooMany:
		fail(w, http.StatusTooManyRequests, "slow down")
	case TooManyWait, Unavailable:
		w.Header().Set("Retry-After", endpoint.cfg.RetryAfter)
		fail(w, map[Fault]int{TooManyWait: http.StatusTooManyRequests, Unavailable: http.StatusServiceUnavailable}[fault],
			"slow down")
	case TooManyDate:
		after, _ := strconv.ParseFloat(endpoint.cfg.RetryAfter, 64)
		now := time.Now().UTC().Truncate(time.Second)
		w.Header().Set("Date", now.Format(http.TimeFormat))
		w.Header().Set("Retry-After", now.Add(time.Duration(after*float64(time.Second))).Format(http.TimeFormat))
		fail(w, http.StatusTooManyRequests, "slow down")
	case Quota:
		say(w, http.StatusTooManyRequests, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`)
	case Broken:
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, "<html><h1>Internal Server Error</h1></html>")
	case Overloaded:
		fail(w, 529, "Overloaded")
	case Hang:
		<-r.Context().Done()
	case Reset:
		reset(w)
	case Refused:
		fail(w, http.StatusUnauthorized, "wrong key")
	case Quoted:
		fail(w, http.StatusUnauthorized, "wrong key: "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	case Credit:
		say(w, http.StatusPaymentRequired, `{"error":{"code":402,"message":"Insufficient credits"}}`)
	case Missing:
		say(w, http.StatusNotFound, `{"error":{"message":"The model does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}`)
	case Parameter:
		say(w, http.StatusBadRequest, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`)
	case Context:
		say(w, http.StatusBadRequest, `{"error":{"message":"This model's maximum context length is 8192 tokens","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`)
	case Garbage:
		w.Write([]byte{0xff, 0xfe, '{', 0, 'x'})
	case WrongJSON:
		io.WriteString(w, `{"result":"1","choices":[]}`)
	case EmptyChoices:
		say(w, http.StatusOK, `{"id":"x","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":0,"total_tokens":5}}`)
	case Error200:
		say(w, http.StatusOK, `{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"upstream is down","provider_name":"P"}}}`)
	case Slow:
		if !pause(r, endpoint.cfg.Slow) {
			return
		}
		fallthrough
	default:
		endpoint.reply(w, fault, call)
	}
}

// reply sends a completion and bills it if it was sent whole and is an answer. The faults
// Half and CutStream send half of it; Lost bills it and resets the connection.
func (endpoint *Endpoint) reply(w http.ResponseWriter, fault Fault, call *Call) {
	data := endpoint.completion(fault, call)
	w.Header().Set("Content-Type", "application/json")
	if call.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	switch fault {
	case Half, CutStream:
		if fault == Half || !call.Stream {
			w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		}
		w.Write(data[:len(data)/2])
		w.(http.Flusher).Flush()
		if fault == Half || !call.Stream {
			panic(http.ErrAbortHandler)
		}
		return
	case Lost:
		endpoint.bill(call, "")
		reset(w)
		return
	}
	if _, err := w.Write(data); err != nil {
		return
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		return
	}
	switch fault {
	case Truncated, Prose, FinishError:
	default:
		endpoint.bill(call, "")
	}
}

// fail sends an error as OpenAI does.
func fail(w http.ResponseWriter, status int, message string) {
	data, err := json.Marshal(map[string]any{"error": map[string]any{"message": message}})
	if err != nil {
		panic(err)
	}
	say(w, status, string(data))
}

// say sends an answer of JSON.
func say(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, body)
}

// reset ends the connection without an answer, as a crash does.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
