package chattest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"plumb/daemon/canonical"
)

// Prompt returns the part of a prompt that all tries of one question share. A judge whose reply was not
// understood is asked again with the last line repeated; the repetition is removed.
func Prompt(content string) string {
	const last = "\nOutput only a single digit: 0 or 1."
	if strings.HasSuffix(content, last+last) {
		return content[:len(content)-len(last)]
	}
	return content
}

// readCall reads the body of a request and refuses what a real endpoint would refuse. Hash identifies the
// request as chat.Request.Hash does; id identifies the question, however often its last line is repeated.
func readCall(body []byte) (*Call, error) {
	var top map[string]any
	if json.Unmarshal(body, &top) != nil {
		return nil, errors.New("want a JSON object")
	}
	call := &Call{Body: body}
	call.Model, _ = top["model"].(string)
	list, _ := top["messages"].([]any)
	if call.Model == "" || len(list) == 0 {
		return nil, errors.New("want a model and messages")
	}
	for i, x := range list {
		message, _ := x.(map[string]any)
		if role, _ := message["role"].(string); message == nil || role == "" {
			return nil, fmt.Errorf("want a role in message %d", i)
		}
		text, err := call.content(message)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		if i == len(list)-1 {
			if message["role"] != "user" {
				return nil, errors.New("want the user's message at the end")
			}
			call.Prompt = Prompt(text)
		}
	}
	call.Stream, _ = top["stream"].(bool)
	if options, ok := top["stream_options"].(map[string]any); ok {
		call.wantsUsage, _ = options["include_usage"].(bool)
	}
	delete(top, "stream")
	delete(top, "stream_options")
	call.Hash = hash(top)
	last := list[len(list)-1].(map[string]any)
	if text, ok := last["content"].(string); ok {
		last["content"] = Prompt(text)
	}
	call.id = hash(top)
	return call, nil
}

// hash returns the SHA-256 of a value's canonical JSON in hexadecimal digits.
func hash(v any) string {
	data, err := canonical.Of(v)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// content returns the joined texts of a message. It keeps the pictures in call.Images and
// replaces them in the message by their hashes.
func (call *Call) content(message map[string]any) (string, error) {
	switch value := message["content"].(type) {
	case string:
		return value, nil
	case []any:
		text := ""
		for i, y := range value {
			part, _ := y.(map[string]any)
			switch part["type"] {
			case "text":
				s, ok := part["text"].(string)
				if !ok {
					return "", fmt.Errorf("part %d: want a text", i)
				}
				text += s
			case "image_url":
				hashed, err := call.picture(part)
				if err != nil {
					return "", fmt.Errorf("part %d: %w", i, err)
				}
				value[i] = hashed
			default:
				return "", fmt.Errorf("part %d: want the type text or image_url", i)
			}
		}
		return text, nil
	}
	return "", errors.New("want a content")
}

// picture keeps a picture in call.Images and returns what replaces it in the message: its hash
// and level of detail.
func (call *Call) picture(part map[string]any) (map[string]any, error) {
	imageURL, _ := part["image_url"].(map[string]any)
	address, _ := imageURL["url"].(string)
	_, data, ok := strings.Cut(address, ";base64,")
	if !ok || !strings.HasPrefix(address, "data:image/") {
		return nil, errors.New("want a picture as a data URL in base64")
	}
	dst, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, err
	}
	call.Images = append(call.Images, dst)
	sum := sha256.Sum256(dst)
	out := map[string]any{"type": "image", "sha256": hex.EncodeToString(sum[:])}
	if detail, ok := imageURL["detail"]; ok {
		out["detail"] = detail
	}
	return out, nil
}
