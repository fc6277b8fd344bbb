package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// errLong marks a reply that is longer than maxBody.
var errLong = errors.New("too long")

// chunk is one event of a stream.
type chunk struct {
	completion
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Content          raw `json:"content"`
			Refusal          raw `json:"refusal"`
			Reasoning        raw `json:"reasoning"`
			ReasoningContent raw `json:"reasoning_content"`
			Details          raw `json:"reasoning_details"`
		} `json:"delta"`
		Finish raw `json:"finish_reason"`
		Error  raw `json:"error"`
	} `json:"choices"`
}

// assembly puts a reply together from the events of a stream.
type assembly struct {
	reply                                                  completion
	choice                                                 choice
	content, refusal, reasoning, reasoningContent, details []byte
	hasChoice                                              bool // a choice came
	endMarked                                              bool // the end mark came
}

// stream reads a reply that comes as server-sent events. The answer is complete only with a finish reason and
// the end mark [DONE]; otherwise the stream broke off. An error within the stream is a failure. The returned
// error is that of the connection, or errLong. See docs/spec/runs.md#r16.
func (reader *Reader) stream(status int, header http.Header, body io.Reader) (Reading, error) {
	var a assembly
	err := events(body, func(data []byte) bool {
		if string(data) == "[DONE]" {
			a.endMarked = true
			return false
		}
		return a.add(data)
	})
	if !null(a.reply.Error) || a.hasChoice && !null(a.choice.Error) {
		return reader.readCompletion(status, header, a.completion()), nil
	}
	switch {
	case err != nil:
		return Reading{}, err
	case !a.hasChoice && !a.endMarked: // it had no event of a completion at all
		return brokenReply(status, "'s reply is not a stream of chat completions"), nil
	case !a.endMarked || a.hasChoice && null(a.choice.Finish):
		return brokenReply(status, "'s stream broke off"), nil
	}
	return reader.readCompletion(status, header, a.completion()), nil
}

// add adds an event to the reply. It returns false to end the stream: after an event that is
// not JSON, or an error. Only choice 0 is read.
func (assembly *assembly) add(data []byte) bool {
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		return false
	}
	// Facts about the reply as a whole.
	completion := &assembly.reply
	completion.ID, completion.Model = firstNonNull(completion.ID, c.ID), firstNonNull(completion.Model, c.Model)
	completion.Provider, completion.Fingerprint = firstNonNull(completion.Provider, c.Provider), firstNonNull(completion.Fingerprint, c.Fingerprint)
	if c.Usage != nil && c.Usage.raw != nil && string(c.Usage.raw) != "null" {
		completion.Usage = c.Usage
	}
	if !null(c.Error) {
		completion.Error = c.Error
	}
	// Parts of its text.
	for i := range c.Choices {
		d := &c.Choices[i]
		if d.Index != 0 {
			continue
		}
		assembly.hasChoice = true
		assembly.content = append(assembly.content, joinedText(d.Delta.Content)...)
		assembly.refusal = append(assembly.refusal, text(d.Delta.Refusal)...)
		assembly.reasoning = append(assembly.reasoning, joinedText(d.Delta.Reasoning)...)
		assembly.reasoningContent = append(assembly.reasoningContent, joinedText(d.Delta.ReasoningContent)...)
		assembly.details = append(assembly.details, reasoningDetails(d.Delta.Details)...)
		if !null(d.Finish) {
			assembly.choice.Finish = d.Finish
		}
		if !null(d.Error) {
			assembly.choice.Error = d.Error
		}
	}
	return null(completion.Error) && null(assembly.choice.Error)
}

// firstNonNull returns the JSON value a of a streamed reply, or b if a is missing or null.
func firstNonNull(a, b raw) raw {
	if null(a) {
		return b
	}
	return a
}

// completion returns the reply as if it had come in one piece. Without any choice it has none.
func (assembly *assembly) completion() *completion {
	if !assembly.hasChoice {
		return &assembly.reply
	}
	m := &assembly.choice.Message
	m.Content = quote(assembly.content)
	m.Refusal = quote(assembly.refusal)
	m.Reasoning = quote(assembly.reasoning)
	m.ReasoningContent = quote(assembly.reasoningContent)
	m.Details = append(append(raw(`[{"text":`), quote(assembly.details)...), "}]"...)
	assembly.reply.Choices = []choice{assembly.choice}
	return &assembly.reply
}

// quote returns a text of a streamed reply as a JSON string.
func quote(b []byte) raw {
	text, err := json.Marshal(string(b))
	if err != nil {
		panic("BUG: JSON of a text: " + err.Error())
	}
	return text
}

// events calls f with the data of each server-sent event of a streamed reply until f returns false or the
// stream ends. Several data lines of an event are joined by line ends. Comments and other fields are left out.
// It returns errLong for an event above maxBody, or a stream above 16 times that.
func events(body io.Reader, f func(data []byte) bool) error {
	// Each token of a stream comes with some 200 bytes around it.
	const maxStream = 16 * maxBody
	limited := &io.LimitedReader{R: body, N: maxStream}
	br := bufio.NewReaderSize(limited, 1<<16)
	var data []byte
	hasData := false // data holds lines of an event
	for {
		line, err := readLine(br)
		if err == nil || err == io.EOF && len(line) > 0 {
			rest, ok := bytes.CutPrefix(line, []byte("data:"))
			switch {
			case ok:
				if hasData {
					data = append(data, '\n')
				}
				data = append(data, bytes.TrimPrefix(rest, []byte(" "))...)
				hasData = true
			case len(line) == 0 && hasData:
				if !f(data) {
					return nil
				}
				data, hasData = data[:0], false
			}
		}
		switch {
		case len(data) > maxBody || err == nil && limited.N == 0:
			return errLong
		case err == io.EOF:
			if hasData { // the last event without an empty line after it
				f(data)
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// readLine reads one line of a streamed reply, without its line end. A line of more than maxBody bytes
// is errLong.
func readLine(br *bufio.Reader) (line []byte, err error) {
	for {
		part, err := br.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxBody {
			return nil, errLong
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}
