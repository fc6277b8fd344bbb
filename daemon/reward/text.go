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

// plainMarkers are words that may stand in an answer too, so they count only in a text without any of
// markers.
var plainMarkers = []string{"\nASSISTANT:", " ASSISTANT:", "\n### Response:", "\n### Assistant:", "\nAssistant:"}

// endTokens end a text. Besides these, whatever has the form <|name|> or
// <｜name｜> does, with a name of at most 40 letters, digits, underscores and the
// like.
var endTokens = []string{
	"</s>", "<eos>", "<pad>", "<unk>", "<end_of_turn>", "<turn|>", "<end_of_utterance>", "<|endofturn|>",
	"[|endofturn|]", "[EOS]", "[PAD]", "[SEP]", "<eod>", "<eop>", "<extra_id_1>", "<reserved_106>", "[e~[",
}

// startTokens begin a text that has no prompt.
var startTokens = []string{"<s>", "<bos>", "[BOS]", "[CLS]", "<|begin_of_text|>", "<|startoftext|>", "<｜begin▁of▁sentence｜>"}

// Answer returns the answer in a text that a trainer has decoded, query, which holds the prompt and the
// answer. That is what follows the prompt if the text begins with it, else what follows the last marker of
// a chat template, else the whole text. prompt is "" if it is not known. See docs/spec/http.md#r24.
func Answer(query, prompt string) string {
	if prompt != "" && strings.HasPrefix(query, prompt) {
		return query[len(prompt):]
	}
	for _, list := range [][]string{markers, plainMarkers} {
		end := -1
		for _, m := range list {
			if i := strings.LastIndex(query, m); i >= 0 {
				end = max(end, i+len(m))
			}
		}
		if end >= 0 {
			return strings.TrimLeft(query[end:], "\r\n")
		}
	}
	return query
}

// StripSpecial removes special tokens of chat templates, which a trainer's tokenizer leaves in what it decodes:
// at the end of a text those that end one, with the white space after them, and at its start those that begin
// one. n is how many were removed. White space at the end of a text without such a token stays.
func StripSpecial(s string) (text string, n int) {
	// Those at the end.
	for {
		trimmed := strings.TrimRight(s, " \t\r\n")
		length := specialSuffix(trimmed)
		if length == 0 {
			break
		}
		s, n = trimmed[:len(trimmed)-length], n+1
	}
	// Those at the start.
	for {
		i := slices.IndexFunc(startTokens, func(o string) bool { return strings.HasPrefix(s, o) })
		if i < 0 {
			return s, n
		}
		s, n = s[len(startTokens[i]):], n+1
	}
}

// specialSuffix returns the length in bytes of the special token of a chat template that ends a trainer's text,
// 0 if there is none. A token that begins texts counts too, for an answer that holds nothing but such tokens.
func specialSuffix(text string) int {
	for _, token := range endTokens {
		if strings.HasSuffix(text, token) {
			return len(token)
		}
	}
	for _, o := range startTokens {
		if strings.HasSuffix(text, o) {
			return len(o)
		}
	}
	// Whatever else has the form of a special token.
	for _, form := range [][2]string{{"<|", "|>"}, {"<｜", "｜>"}} {
		inner, ok := strings.CutSuffix(text, form[1])
		if !ok {
			continue
		}
		i := strings.LastIndex(inner, form[0])
		if i < 0 {
			continue
		}
		if name := inner[i+len(form[0]):]; isTokenName(name) {
			return len(text) - i
		}
	}
	return 0
}

// isTokenName reports whether a special token of a chat template, at the end of a trainer's text, may have that
// name: ASCII letters, digits and a few signs, at most maxName bytes. A longer text is rather a part of the
// answer.
func isTokenName(text string) bool {
	const maxName = 40
	if text == "" || len(text) > maxName {
		return false
	}
	for _, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune("_-./▁ ", r) { // ▁ (U+2581) is a space to DeepSeek's tokenizer
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

// String lists the names of the steps that prepare a trainer's text, with commas between them; "" for none.
func (step Step) String() string {
	var names []string
	for _, n := range stepNames {
		if step&n.step != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ",")
}

// ParseSteps reads the names of the steps by which a trainer wants its texts prepared before they are scored,
// with commas between them; "none" or nothing is no step. An unknown name is an error, which lists those that
// there are.
func ParseSteps(names string) (Steps, error) {
	var all Steps
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		if name == "" || name == "none" {
			continue
		}
		var step Step // 0 for an unknown name
		for _, known := range stepNames {
			if known.name == name {
				step = known.step
			}
		}
		if step == 0 {
			return 0, fmt.Errorf("cannot use step %.40q: want special, think, answer, fenced, boxed, or none", name)
		}
		all |= step
	}
	return all, nil
}

// Prepare runs steps that cut the answer out of s, the text of a model that a trainer sent. done names the
// steps that changed the text, for the log and the result. inThink says that the prompt has opened a block of
// thought (<think>). A step that does not find what it looks for leaves the text as it is. Only a block of
// thought that does not end makes the text empty, because the answer would follow it.
func Prepare(s string, steps Steps, inThink bool) (text string, done []string) {
	text = s
	for _, known := range stepNames {
		if steps&known.step == 0 {
			continue
		}
		before := text
		switch known.step {
		case StepSpecial:
			text, _ = StripSpecial(before)
		case StepThink:
			text = afterThought(before, inThink)
		case StepTags:
			text = lastBetween(before, "<answer>", "</answer>")
		case StepFenced:
			text = lastFenced(before)
		case StepBoxed:
			text = lastBoxed(before)
		}
		if text != before {
			done = append(done, known.name)
		}
	}
	return text, done
}

// OpensThought reports whether a prompt ends inside a block of thought.
func OpensThought(prompt string) bool {
	return strings.HasSuffix(strings.TrimRight(prompt, " \t\r\n"), "<think>")
}

// afterThought returns the part of a trainer's text after the model's thoughts: after the last final channel of
// Harmony, else after the last </think>. Text in another channel, or in a block of thought that does not end,
// is no answer, and the result is "". A text without thoughts is returned whole. promptOpensThought says that
// the prompt has opened a block.
func afterThought(text string, promptOpensThought bool) string {
	const final = "<|channel|>final<|message|>"
	if i := strings.LastIndex(text, final); i >= 0 {
		return text[i+len(final):]
	}
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "<|channel|>") {
		return "" // analysis or commentary, and nothing after it
	}
	begin, end := strings.LastIndex(text, "<think>"), strings.LastIndex(text, "</think>")
	switch {
	case begin > end, end < 0 && promptOpensThought: // the block does not end
		return ""
	case end < 0:
		return text
	}
	return strings.TrimLeft(text[end+len("</think>"):], "\r\n")
}

// lastBetween returns what stands between the last closing tag of a trainer's text and the opening tag before
// it, such as <answer>, or the whole text if it has no such pair.
func lastBetween(text, opening, closing string) string {
	end := strings.LastIndex(text, closing)
	if end < 0 {
		return text
	}
	start := strings.LastIndex(text[:end], opening)
	if start < 0 {
		return text
	}
	return text[start+len(opening) : end]
}

// lastFenced returns what the last closed block of code in a trainer's text holds, between two lines that begin
// with ```, or the whole text if there is none.
func lastFenced(text string) string {
	block, found := "", false
	open, start := false, 0 // a block is open, and begins here
	for lineBegin := 0; lineBegin < len(text); {
		lineEnd := len(text)
		if i := strings.IndexByte(text[lineBegin:], '\n'); i >= 0 {
			lineEnd = lineBegin + i + 1
		}
		if strings.HasPrefix(strings.TrimLeft(text[lineBegin:lineEnd], " \t"), "```") {
			if open {
				block, found = text[start:lineBegin], true
			}
			open, start = !open, lineEnd
		}
		lineBegin = lineEnd
	}
	if !found {
		return text
	}
	return strings.TrimSuffix(strings.TrimSuffix(block, "\n"), "\r")
}

// lastBoxed returns what the last \boxed{} of a trainer's text that closes holds, with balanced braces in it,
// or the whole text if there is none. Escaped braces do not count.
func lastBoxed(text string) string {
	const box = `\boxed{`
	for end := len(text); ; {
		begin := strings.LastIndex(text[:end], box)
		if begin < 0 {
			return text
		}
		if length := bracedLength(text[begin+len(box):]); length >= 0 {
			return text[begin+len(box):][:length]
		}
		end = begin // this box does not close, so look at the one before it
		if end <= 0 || len(text)-begin > maxBox {
			return text
		}
	}
}

// bracedLength returns how many bytes of s, a part of a trainer's text, stand before the brace that closes an
// opening brace just before s, or -1 if none closes it. Braces within are counted, and escaped ones (\{) are
// not.
func bracedLength(s string) int {
	depth := 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++ // an escaped character
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// maxBox is how many bytes from the end of a text lastBoxed looks for a box that closes, if the last box
// does not. Without a bound, a text of many boxes would take quadratic time.
const maxBox = 4096
