package judge

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"plumb/scoring"
)

// openPrompt is the published prompt. See docs/spec/vqa.md#r36.
const openPrompt = `You are a strict evaluator.
You will receive a question, the ground truth answer, and a model's answer.
Return only 1 if the model's answer is correct, otherwise 0.
Question:
{question}
Ground Truth Answer:
{ground_truth}

Model Answer:
{model_answer}

Output only a single digit: 0 or 1.`

// choicePrompt is plumb's own. See docs/spec/vqa.md#r37.
const choicePrompt = `You are a strict evaluator of a multiple choice question.
Question:
{question}
Options:
{options}
Correct option:
{ground_truth}

Response to evaluate:
{model_answer}

Does the response select the correct option, and no other one? Return only 1 if it does, otherwise 0.
Output only a single digit: 0 or 1.`

// lastLine is said once more to a judge that was not understood.
const lastLine = "\nOutput only a single digit: 0 or 1."

// The versions of the prompts; a change of a prompt is a new version.
const (
	openVersion   = "open/1"
	choiceVersion = "choice/1"
	fenceVersion  = "+fence"
)

// digest is the SHA-256 of all that a verdict depends on.
type digest [sha256.Size]byte

// request is a question as it is sent. It keeps nothing of the job's.
type request struct {
	key     digest
	version string
	prompt  string
}

// request returns the request for a question: its prompt, the version of that, and the key of its
// verdict. Placeholders are filled in one pass, so that a text in an answer that looks like a
// placeholder stays as it is. With Config.Fence the answer stands between lines with a random text.
func (client *Client) request(question *scoring.Question) *request {
	text := openPrompt
	if question.Kind == scoring.JudgeChoice {
		text = choicePrompt
	}
	answer := question.Answer
	if client.cfg.Fence {
		fence := "=====" + rand.Text() + "====="
		answer = fence + "\n" + answer + "\n" + fence
	}
	fill := strings.NewReplacer("{question}", question.Text, "{ground_truth}", question.Truth,
		"{options}", strings.Join(question.Options, "\n"), "{model_answer}", answer)
	return &request{key: client.digest(question), version: client.version(question), prompt: fill.Replace(text)}
}

// version returns the name of the prompt for a question. It is part of the key of kept verdicts, so that
// a change of a prompt makes them stale.
func (client *Client) version(question *scoring.Question) string {
	value := openVersion
	if question.Kind == scoring.JudgeChoice {
		value = choiceVersion
	}
	if client.cfg.Fence {
		value += fenceVersion
	}
	return value
}

// digest hashes the canonical JSON (sorted names, no spaces) of what a verdict depends
// on. The endpoint's address and the key are no part of it. See docs/spec/vqa.md#r42.
func (client *Client) digest(question *scoring.Question) digest {
	content := map[string]any{"prompt_version": client.version(question), "judge_model": client.cfg.Model, "temperature": client.cfg.Temperature,
		"max_tokens": client.cfg.MaxTokens, "question": question.Text, "ground_truth": question.Truth, "answer": question.Answer}
	if question.Kind == scoring.JudgeChoice {
		content["options"] = question.Options
	}
	return sha256.Sum256(bytes.TrimSuffix(compact(content), []byte("\n"))) // the JSON alone, without its line end
}

// compact returns the JSON of value without spaces, without the escapes of HTML that JSON does not ask for, and
// with a line break at the end. The names of a map are sorted, those of a struct stay in its order. Its bytes
// must not change, because the key of a verdict is a hash of them.
func compact(value any) []byte {
	var buffer bytes.Buffer
	enc := json.NewEncoder(&buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic("BUG: JSON of a question: " + err.Error())
	}
	return buffer.Bytes()
}
