package chat

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // sizes of pictures
	_ "image/jpeg" // sizes of pictures
	_ "image/png"  // sizes of pictures
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	_ "golang.org/x/image/webp" // sizes of pictures

	"plumb/daemon/canonical"
	"plumb/daemon/chat/budget"
)

// Request is one question to a model. It is not changed while it is asked.
type Request struct {
	Model    string
	Messages []Message
	Settings Settings
	Extra    json.RawMessage // an object whose members come last and replace others; nil for none
	Hooks    Hooks
}

// Message is one turn of a chat.
type Message struct {
	Role  string // "system", "user" or "assistant"
	Parts []Part
}

// User returns a message of the user.
func User(parts ...Part) Message { return Message{"user", parts} }

// Part is a piece of a message: a picture where Image is set, else a text.
type Part struct {
	Text  string
	Image *Image
}

// Text returns a part of a message that is a text.
func Text(s string) Part { return Part{Text: s} }

// Picture returns a part of a message that is a picture.
func Picture(m *Image) Part { return Part{Image: m} }

// Image is an encoded picture.
type Image struct {
	Data   []byte
	Type   string // "image/png"
	Detail string // "low", "high", "auto"; "" is not sent

	once sync.Once
	sum  string
}

// SHA256 returns the hash of the picture's bytes in hexadecimal digits.
func (m *Image) SHA256() string {
	m.once.Do(func() {
		sum := sha256.Sum256(m.Data)
		m.sum = hex.EncodeToString(sum[:])
	})
	return m.sum
}

// tokens returns the most tokens that a picture in a chat message may cost: one for each 750 pixels, rounded
// up, and 100. A picture whose size cannot be read counts as one of 4096 x 4096.
func (m *Image) tokens() int64 {
	const pixelsPerToken, base, unknownSide = 750, 100, 4096
	c, _, err := image.DecodeConfig(bytes.NewReader(m.Data))
	if err != nil {
		c.Width, c.Height = unknownSide, unknownSide
	}
	return (int64(c.Width)*int64(c.Height)+pixelsPerToken-1)/pixelsPerToken + base
}

// Settings are optional members of a request; nil leaves a member out. See docs/spec/runs.md#r1.
type Settings struct {
	Temperature *float64
	MaxTokens   *int64 // of the reply
	TokensField string // the name under which MaxTokens is sent, default "max_tokens"
	TopP        *float64
	Seed        *int64
}

// Hooks are called as a request goes on. All may be nil.
type Hooks struct {
	// Begin is called before a request is sent, each time that it is, with the most that
	// it may take. An error ends the question without sending, as Stopped.
	Begin func(try int, most *budget.Hold) error
	// End is called after each request that Begin was called for.
	End func()
	// Keep is called once with the outcome of a question for which a request was sent,
	// before its slot is free. An error ends all calls.
	Keep func(*Outcome) error
}

// defaultCompletion is how many tokens a reply may take if the request does not say.
const defaultCompletion = 32768

// Most returns the most tokens that one call of the model may take. A token of text has at least one byte, so
// the bytes bound the prompt. The completion is bounded by Extra, else by the settings, else by
// defaultCompletion. See docs/spec/runs.md#r21.
func (request *Request) Most() budget.Tokens {
	tokens := budget.Tokens{Completion: defaultCompletion}
	request.eachPart(func(part *Part) {
		if part.Image != nil {
			tokens.Prompt += part.Image.tokens()
		} else {
			tokens.Prompt += int64(len(part.Text))
		}
	})
	if limit := request.Settings.MaxTokens; limit != nil {
		tokens.Completion = *limit
	}
	var extra struct {
		Old int64 `json:"max_tokens"`
		New int64 `json:"max_completion_tokens"`
	}
	if json.Unmarshal(request.Extra, &extra) == nil && max(extra.Old, extra.New) > 0 {
		tokens.Completion = max(extra.Old, extra.New)
	}
	return tokens
}

// estimatePrompt returns about how many tokens the prompt has: four characters a token, and the
// most that pictures may cost.
func (request *Request) estimatePrompt() int64 {
	var pictures, runes int64
	request.eachPart(func(part *Part) {
		if part.Image != nil {
			pictures += part.Image.tokens()
		} else {
			runes += int64(utf8.RuneCountInString(part.Text))
		}
	})
	return pictures + runes/4 + 1
}

// eachPart calls f for each text and picture of the request's messages.
func (request *Request) eachPart(f func(*Part)) {
	for i := range request.Messages {
		for j := range request.Messages[i].Parts {
			f(&request.Messages[i].Parts[j])
		}
	}
}

// streamed are the members by which a reply comes in pieces. They are the client's.
var streamed = []string{"stream", "stream_options"}

// Check returns an error if the request cannot be sent: it lacks a model or messages, or its extra
// members are no object or would replace members that the client sets itself.
func (request *Request) Check() error {
	if request.Model == "" || len(request.Messages) == 0 {
		return errors.New("got a request without model or messages")
	}
	var extra map[string]json.RawMessage
	if len(request.Extra) > 0 && (json.Unmarshal(request.Extra, &extra) != nil || extra == nil) {
		return fmt.Errorf("got %s as members of the request; want a JSON object", Brief(string(request.Extra), 100))
	}
	for _, name := range append(slices.Clone(streamed), "messages", "model", "n") { // those that the client sets itself
		if _, ok := extra[name]; ok {
			return fmt.Errorf("got the member %q for the request; it cannot be set so", name)
		}
	}
	return nil
}

// The forms of a request's body: as it is sent, with the bytes of its pictures, or in canonical JSON with
// their hashes.
const (
	withPictures = false
	withHashes   = true
)

// member is a member of the JSON body of a request, in its order.
type member struct {
	name  string
	value []byte
}

// members returns the members of the body in their order: the settings, and then those of
// Extra by name, which replace settings of the same name. With hashed, pictures are replaced
// by their hashes. The error is about Extra.
func (request *Request) members(hashed bool) ([]member, error) {
	list := []member{{"model", canonical.AppendString(nil, request.Model)}, {"messages", request.messages(hashed)}}
	add := func(name string, value []byte) { list = append(list, member{name, value}) }
	settings := &request.Settings
	if settings.Temperature != nil {
		add("temperature", number(*settings.Temperature))
	}
	if settings.MaxTokens != nil {
		add(settings.tokensField(), strconv.AppendInt(nil, *settings.MaxTokens, 10))
	}
	if settings.TopP != nil {
		add("top_p", number(*settings.TopP))
	}
	if settings.Seed != nil {
		add("seed", strconv.AppendInt(nil, *settings.Seed, 10))
	}
	// Members that the user gave, in an order that does not change.
	if len(request.Extra) == 0 {
		return list, nil
	}
	var extra map[string]json.RawMessage
	if err := json.Unmarshal(request.Extra, &extra); err != nil {
		return nil, fmt.Errorf("cannot read members of the request: %w", err)
	}
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value, err := canonical.JSON(extra[name])
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(list, func(m member) bool { return m.name == name }); i >= 0 {
			list[i].value = value
		} else {
			add(name, value)
		}
	}
	return list, nil
}

// tokensField returns the name of the member that limits the tokens of a reply.
func (s *Settings) tokensField() string {
	if s.TokensField == "" {
		return "max_tokens"
	}
	return s.TokensField
}

// number returns the JSON of a numeric setting of a request, such as the temperature.
func number(x float64) []byte {
	data, err := canonical.Of(x)
	if err != nil {
		panic("BUG: a setting that is no number: " + err.Error())
	}
	return data
}

// messages returns the JSON of a request's chat messages. A message of one text has it as a string, others have
// a list of parts. With hashed, it is canonical: pictures are replaced by their hashes, and members are sorted
// by name.
func (request *Request) messages(hashed bool) []byte {
	// Room for everything at once, because pictures are large.
	const between = 100 // bytes of names and punctuation about a part
	size := between
	request.eachPart(func(p *Part) {
		size += len(p.Text) + between
		if p.Image != nil && !hashed {
			size += base64.StdEncoding.EncodedLen(len(p.Image.Data)) + between
		}
	})
	out := append(make([]byte, 0, size), '[')
	for i, message := range request.Messages {
		if i > 0 {
			out = append(out, ',')
		}
		// Sorted by name, the content comes before the role.
		content := func() {
			out = append(out, `"content":`...)
			if len(message.Parts) == 1 && message.Parts[0].Image == nil {
				out = canonical.AppendString(out, message.Parts[0].Text)
				return
			}
			out = append(out, '[')
			for j := range message.Parts {
				if j > 0 {
					out = append(out, ',')
				}
				out = message.Parts[j].append(out, hashed)
			}
			out = append(out, ']')
		}
		out = append(out, '{')
		if hashed {
			content()
			out = append(out, `,"role":`...)
			out = canonical.AppendString(out, message.Role)
		} else {
			out = append(out, `"role":`...)
			out = append(canonical.AppendString(out, message.Role), ',')
			content()
		}
		out = append(out, '}')
	}
	return append(out, ']')
}

// append appends the JSON of one part of a message, a text or a picture. If hashed, the form is that
// of the canonical body: the picture's hash in place of its bytes, and sorted members.
func (part *Part) append(dst []byte, hashed bool) []byte {
	image := part.Image
	switch {
	case image == nil && hashed:
		dst = append(dst, `{"text":`...)
		dst = canonical.AppendString(dst, part.Text)
		dst = append(dst, `,"type":"text"}`...)
	case image == nil:
		dst = append(dst, `{"type":"text","text":`...)
		dst = canonical.AppendString(dst, part.Text)
		dst = append(dst, '}')
	case hashed:
		dst = append(dst, '{')
		if image.Detail != "" {
			dst = append(dst, `"detail":`...)
			dst = canonical.AppendString(dst, image.Detail)
			dst = append(dst, ',')
		}
		dst = append(dst, `"sha256":"`...)
		dst = append(dst, image.SHA256()...)
		dst = append(dst, `","type":"image"}`...)
	default:
		dst = append(dst, `{"type":"image_url","image_url":{"url":"data:`...)
		dst = append(dst, image.Type...)
		dst = append(dst, ";base64,"...)
		dst = append(base64.StdEncoding.AppendEncode(dst, image.Data), '"')
		if image.Detail != "" {
			dst = canonical.AppendString(append(dst, `,"detail":`...), image.Detail)
		}
		dst = append(dst, "}}"...)
	}
	return dst
}

// Body returns the JSON that is sent, without the members of streams.
func (request *Request) Body() ([]byte, error) { return request.body(false) }

// body returns the JSON that is sent to the endpoint, with the members that ask for a stream if stream is true.
func (request *Request) body(stream bool) ([]byte, error) {
	list, err := request.members(withPictures)
	if err != nil {
		return nil, err
	}
	if stream {
		list = append(list, member{"stream", []byte("true")},
			member{"stream_options", []byte(`{"include_usage":true}`)})
	}
	return objectOf(list), nil
}

// Canonical returns the canonical JSON of the body: members sorted by name, pictures as their hashes, and
// without the members of streams. Equal requests have equal bytes. See docs/spec/runs.md#r2.
func (request *Request) Canonical() ([]byte, error) {
	list, err := request.members(withHashes)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(m member) bool { return slices.Contains(streamed, m.name) })
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return objectOf(list), nil
}

// Hash returns the SHA-256 of the request's canonical body in hexadecimal digits. Equal requests have
// equal hashes, by which replies are found again.
func (request *Request) Hash() (string, error) {
	data, err := request.Canonical()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// objectOf returns the JSON object of a request's body, whose members have the order of the list.
func objectOf(list []member) []byte {
	size := 2
	for _, m := range list {
		size += len(m.name) + len(m.value) + 4
	}
	out := append(make([]byte, 0, size), '{')
	for i, member := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = canonical.AppendString(out, member.name)
		out = append(out, ':')
		out = append(out, member.value...)
	}
	return append(out, '}')
}
