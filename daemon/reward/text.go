package reward

import (
	"fmt"
	"slices"
	"strings"
)

// A decoded text of a trainer is the prompt, the answer and the special tokens
// of its chat template in one. The tables below say where the answer begins and
// what ends it.

// markers stand before an answer: the last of them that a text has counts. The
// line breaks that follow belong to them.
var markers = []string{
	"<|im_start|>assistant<|im_sep|>",               // Phi-4
	"<|im_start|>assistant",                         // ChatML: Qwen, InternLM, Yi, SmolLM
	"<|start_header_id|>assistant<|end_header_id|>", // Llama 3
	"<|header_start|>assistant<|header_end|>",       // Llama 4
	"<|start|>assistant<|channel|>final<|message|>", // Harmony: gpt-oss
	"<|start|>assistant",                            // Harmony, before a channel was chosen
	"<|assistant|>",                                 // Phi-3, GLM, Zephyr, OLMo
	"<|Assistant|>",                                 // Nemotron and others
	"<｜Assistant｜>",                                 // DeepSeek
	"<start_of_turn>model",                          // Gemma
	"<|turn>model",                                  // Gemma 4
	"[/INST]",                                       // Llama 2, Mistral
	"<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",      // Command R
	"<|start_of_role|>assistant<|end_of_role|>",     // Granite
	"<|im_assistant|>assistant<|im_middle|>",        // Kimi
	"[|assistant|]",                                 // EXAONE
	"<extra_id_1>Assistant",                         // Nemotron-4
	"<reserved_107>",                                // Baichuan
}

// plainMarkers are words that an answer may have too, so they count only where
// none of markers does.
var plainMarkers = []string{"\nASSISTANT:", " ASSISTANT:", "\n### Response:", "\n### Assistant:", "\nAssistant:"}

// specials end a text. Besides these, whatever has the form <|name|> or
// <｜name｜> does, with a name of at most 40 letters, digits, underscores and the
// like.
var specials = []string{
	"</s>", "<eos>", "<pad>", "<unk>", "<end_of_turn>", "<turn|>", "<end_of_utterance>", "<|endofturn|>",
	"[|endofturn|]", "[EOS]", "[PAD]", "[SEP]", "<eod>", "<eop>", "<extra_id_1>", "<reserved_106>", "[e~[",
}

// openers begin a text that has no prompt.
var openers = []string{"<s>", "<bos>", "[BOS]", "[CLS]", "<|begin_of_text|>", "<|startoftext|>", "<｜begin▁of▁sentence｜>"}

// Answer finds the answer in a text that holds prompt and answer: what follows
// the prompt where the text begins with it, else what follows the last marker of
// a chat template, else all of it. An empty prompt is one that is not known. See
// docs/spec/http.md#r24.
func Answer(query, prompt string) string {
	if prompt != "" && strings.HasPrefix(query, prompt) {
		return query[len(prompt):]
	}
	for _, table := range [][]string{markers, plainMarkers} {
		from := -1
		for _, m := range table {
			if i := strings.LastIndex(query, m); i >= 0 {
				from = max(from, i+len(m))
			}
		}
		if from >= 0 {
			return strings.TrimLeft(query[from:], "\r\n")
		}
	}
	return query
}

// StripSpecial takes the special tokens from the end of a text, with the blanks
// that follow them, and those that begin a text from its start. n is how many.
func StripSpecial(s string) (text string, n int) {
	for {
		t := strings.TrimRight(s, " \t\r\n")
		k := specialSuffix(t)
		if k == 0 {
			break
		}
		s, n = t[:len(t)-k], n+1
	}
	for {
		i := slices.IndexFunc(openers, func(o string) bool { return strings.HasPrefix(s, o) })
		if i < 0 {
			return s, n
		}
		s, n = s[len(openers[i]):], n+1
	}
}

// specialSuffix returns the length in bytes of the special token that ends s, 0
// for none.
func specialSuffix(s string) int {
	for _, token := range specials {
		if strings.HasSuffix(s, token) {
			return len(token)
		}
	}
	for _, o := range openers { // an answer of padding alone
		if strings.HasSuffix(s, o) {
			return len(o)
		}
	}
	for _, form := range [][2]string{{"<|", "|>"}, {"<｜", "｜>"}} {
		inner, ok := strings.CutSuffix(s, form[1])
		if !ok {
			continue
		}
		i := strings.LastIndex(inner, form[0])
		if i < 0 {
			continue
		}
		if name := inner[i+len(form[0]):]; named(name) {
			return len(s) - i
		}
	}
	return 0
}

// named reports whether a special token of a chat template may have that name.
func named(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	for _, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune("_-./▁ ", r) {
			return false
		}
	}
	return true
}

// Step is one step of text preparation. Steps run in the order of the constants,
// whatever order they were named in. See docs/spec/http.md#r25.
type Step uint8

// The steps.
const (
	StepSpecial Step = 1 << iota // special tokens at the ends
	StepThink                    // what comes before the answer: up to the last </think>, or the last channel that is not final
	StepTags                     // the last <answer>...</answer>
	StepFenced                   // the last fenced code block
	StepBoxed                    // the last \boxed{...}
)

// Steps is a set of steps.
type Steps = Step

var stepNames = []struct {
	name string
	step Step
}{{"special", StepSpecial}, {"think", StepThink}, {"answer", StepTags}, {"fenced", StepFenced}, {"boxed", StepBoxed}}

// String lists the names of the steps with commas between them; "" for none.
func (s Step) String() string {
	var names []string
	for _, n := range stepNames {
		if s&n.step != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ",")
}

// ParseSteps reads names with commas between them; "none" or nothing is no step.
func ParseSteps(s string) (Steps, error) {
	var all Steps
next:
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		if name == "" || name == "none" {
			continue
		}
		for _, n := range stepNames {
			if n.name == name {
				all |= n.step
				continue next
			}
		}
		return 0, fmt.Errorf("cannot use step %.40q: want special, think, answer, fenced, boxed, or none", name)
	}
	return all, nil
}

// Prepare runs steps on a text. done names those that changed it, for the log
// and the result. inThink says that the prompt had opened a block of thought.
// A step that finds nothing leaves the text, but a block of thought that does
// not end is no answer: the text becomes empty.
func Prepare(s string, steps Steps, inThink bool) (text string, done []string) {
	for _, n := range stepNames {
		if steps&n.step == 0 {
			continue
		}
		t := s
		switch n.step {
		case StepSpecial:
			t, _ = StripSpecial(s)
		case StepThink:
			t = afterThought(s, inThink)
		case StepTags:
			t = lastBetween(s, "<answer>", "</answer>")
		case StepFenced:
			t = lastFenced(s)
		case StepBoxed:
			t = lastBoxed(s)
		}
		if t != s {
			s, done = t, append(done, n.name)
		}
	}
	return s, done
}

// OpensThought reports whether a prompt ends inside a block of thought.
func OpensThought(prompt string) bool {
	return strings.HasSuffix(strings.TrimRight(prompt, " \t\r\n"), "<think>")
}

// afterThought returns what comes after the thoughts.
func afterThought(s string, open bool) string {
	const final = "<|channel|>final<|message|>"
	if i := strings.LastIndex(s, final); i >= 0 {
		return s[i+len(final):]
	}
	if strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "<|channel|>") {
		return "" // analysis or commentary, and nothing after it
	}
	from, to := strings.LastIndex(s, "<think>"), strings.LastIndex(s, "</think>")
	switch {
	case from > to, to < 0 && open:
		return ""
	case to < 0:
		return s
	}
	return strings.TrimLeft(s[to+len("</think>"):], "\r\n")
}

// lastBetween returns what stands between the last pair of tags of a model's text.
func lastBetween(s, from, to string) string {
	end := strings.LastIndex(s, to)
	if end < 0 {
		return s
	}
	start := strings.LastIndex(s[:end], from)
	if start < 0 {
		return s
	}
	return s[start+len(from) : end]
}

// lastFenced returns what the last closed block of code holds, without its first
// line, which names the language.
func lastFenced(s string) string {
	block, open, start := "", false, 0
	found := false
	for i := 0; i < len(s); {
		end := strings.IndexByte(s[i:], '\n')
		next := len(s)
		if end >= 0 {
			next = i + end + 1
		}
		if strings.HasPrefix(strings.TrimLeft(s[i:next], " \t"), "```") {
			if open {
				block, found = s[start:i], true
			}
			open, start = !open, next
		}
		i = next
	}
	if !found {
		return s
	}
	return strings.TrimSuffix(strings.TrimSuffix(block, "\n"), "\r")
}

// lastBoxed returns what the last \boxed{} holds, its braces matched.
func lastBoxed(s string) string {
	const box = `\boxed{`
	for end := len(s); ; {
		i := strings.LastIndex(s[:end], box)
		if i < 0 {
			return s
		}
		depth := 1
		for j := i + len(box); j < len(s); j++ {
			switch s[j] {
			case '\\':
				j++
			case '{':
				depth++
			case '}':
				depth--
				if depth == 0 {
					return s[i+len(box) : j]
				}
			}
		}
		end = i
		if end <= 0 || len(s)-i > maxBox {
			return s
		}
	}
}

// maxBox bounds in bytes how far from the end a box that closes is looked for
// once the last one did not: the search would be quadratic.
const maxBox = 4096
