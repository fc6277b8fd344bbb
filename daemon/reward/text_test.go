package reward

import (
	"slices"
	"strings"
	"testing"
)

func TestAnswer(t *testing.T) {
	for _, c := range []struct{ name, query, prompt, want string }{
		{"after the prompt", "Q: draw\nA: {}<|im_end|>", "Q: draw\nA:", " {}<|im_end|>"},
		{"the prompt wins over markers", "<|im_start|>assistant\nx<|im_start|>assistant\ny", "<|im_start|>assistant\n", "x<|im_start|>assistant\ny"},
		{"prompt alone", "P", "P", ""},
		{"another prompt", "<s>P<|im_start|>assistant\nB", "P", "B"},
		{"empty prompt", "<|im_start|>user\nP<|im_end|>\n<|im_start|>assistant\nB<|im_end|>\n", "", "B<|im_end|>\n"},
		{"last marker", "<|assistant|>one<|assistant|>\ntwo", "", "two"},
		{"llama", "<|start_header_id|>assistant<|end_header_id|>\n\nB<|eot_id|>", "x", "B<|eot_id|>"},
		{"llama 2", "<s>[INST] P [/INST] B</s>", "x", " B</s>"},
		{"gemma", "<start_of_turn>model\nB<end_of_turn>", "x", "B<end_of_turn>"},
		{"deepseek", "<｜User｜>P<｜Assistant｜>B<｜end▁of▁sentence｜>", "x", "B<｜end▁of▁sentence｜>"},
		{"phi 4", "<|im_start|>assistant<|im_sep|>B", "x", "B"},
		{"harmony", "<|start|>assistant<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "x", "B<|return|>"},
		{"words", "USER: P\nASSISTANT: B", "x", " B"},
		{"words only without tokens", "<|assistant|>say\nASSISTANT: no", "x", "say\nASSISTANT: no"},
		{"nothing", "B", "x", "B"},
	} {
		if got := Answer(c.query, c.prompt); got != c.want {
			t.Errorf("%s: got %q; want %q", c.name, got, c.want)
		}
	}
}

func TestStripSpecial(t *testing.T) {
	for _, c := range []struct {
		text, want string
		n          int
	}{
		{"B<|im_end|>", "B", 1}, {"B<|im_end|>\n", "B", 1}, {"B\n<|im_end|>\n<|endoftext|>", "B\n", 2}, {"B</s></s></s>", "B", 3},
		{"B<|eot_id|>", "B", 1}, {"B<end_of_turn>\n", "B", 1}, {"B<｜end▁of▁sentence｜>", "B", 1}, {"B<|reserved_special_token_12|>", "B", 1},
		{"<s>B", "B", 1}, {"<|begin_of_text|><s>B</s>", "B", 3}, {"</s>", "", 1}, {"<s><s>", "", 2}, {"B<pad><pad>", "B", 2},
		{"B", "B", 0}, {"B \n", "B \n", 0}, {"a < b |> c", "a < b |> c", 0}, {"x <|", "x <|", 0}, {"<||>", "<||>", 0},
		{"<|" + strings.Repeat("x", 41) + "|>", "<|" + strings.Repeat("x", 41) + "|>", 0}, {"a|>", "a|>", 0},
		{"B <|im_end|> and more", "B <|im_end|> and more", 0}, {"", "", 0}, {"<b></s>", "<b>", 1},
	} {
		if got, n := StripSpecial(c.text); got != c.want || n != c.n {
			t.Errorf("%q: got %q and %d; want %q and %d", c.text, got, n, c.want, c.n)
		}
	}
}

func TestPrepare(t *testing.T) {
	for _, c := range []struct {
		name, text, steps string
		inThink           bool
		want              string
		done              string
	}{
		{"none", "<think>x</think>B</s>", "none", false, "<think>x</think>B</s>", ""},
		{"think", "<think>x</think>\n\nB", "think", false, "B", "think"},
		{"last think", "<think>x</think>A<think>y</think>B", "think", false, "B", "think"},
		{"only the end", "x</think>B", "think", true, "B", "think"},
		{"unclosed", "<think>x B", "think", false, "", "think"},
		{"unclosed again", "<think>x</think>B<think>y", "think", false, "", "think"},
		{"opened by the prompt", "hm B", "think", true, "", "think"},
		{"no thought", "B", "think", false, "B", ""},
		{"harmony", "<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "think,special", false, "B", "special think"},
		{"harmony without an answer", "<|channel|>analysis<|message|>A", "think", false, "", "think"},
		{"tags", "<answer>A</answer> no: <answer>B</answer>.", "answer", false, "B", "answer"},
		{"torn tags", "</answer>B", "answer", false, "</answer>B", ""},
		{"fence", "a\n```json\n{}\n```\nb\n```\nB\nC\n```\n", "fenced", false, "B\nC", "fenced"},
		{"open fence", "```\nA\n```\n```\nB", "fenced", false, "A", "fenced"},
		{"no fence", "B ``` C", "fenced", false, "B ``` C", ""},
		{"box", `\boxed{A} so \boxed{\frac{1}{2}}.`, "boxed", false, `\frac{1}{2}`, "boxed"},
		{"torn box", `\boxed{A} so \boxed{\frac{1}{2}`, "boxed", false, "A", "boxed"},
		{"escaped braces", `\boxed{\{1\}}`, "boxed", false, `\{1\}`, "boxed"},
		{"in order", "<think>x</think><answer>```\n\\boxed{B}\n```</answer></s>", "boxed,fenced,answer,think,special", false, "B", "special think answer fenced boxed"},
	} {
		steps, err := ParseSteps(c.steps)
		if err != nil {
			t.Fatal(err)
		}
		got, done := Prepare(c.text, steps, c.inThink)
		if got != c.want || strings.Join(done, " ") != c.done {
			t.Errorf("%s: got %q and %v; want %q and %s", c.name, got, done, c.want, c.done)
		}
	}
	if _, err := ParseSteps("special,wash"); err == nil || !strings.Contains(err.Error(), `"wash"`) {
		t.Errorf("got %v; want the step that is not known", err)
	}
	if !OpensThought("Q\n<think>\n") || OpensThought("<think>x</think>") {
		t.Error("OpensThought is wrong")
	}
}

// Every marker and token of the tables does what it stands there for.
func TestTables(t *testing.T) {
	for _, m := range slices.Concat(markers, plainMarkers) {
		if got := Answer("before"+m+"\nB", "x"); got != "B" {
			t.Errorf("%q: got %q", m, got)
		}
	}
	for _, s := range slices.Concat(endTokens, startTokens) {
		if got, n := StripSpecial("B" + s + " \n"); got != "B" || n != 1 {
			t.Errorf("%q: got %q", s, got)
		}
	}
}

// FuzzText: preparation ends, and gives a part of the text.
func FuzzText(f *testing.F) {
	for _, s := range []string{"<think>a</think>B</s>", "\\boxed{\\boxed{", "```\n```\n```", "<answer></answer>", "<|x|><|x|>", strings.Repeat("<s>", 50)} {
		f.Add(s, "", true)
	}
	f.Fuzz(func(t *testing.T, s, prompt string, open bool) {
		a := Answer(s, prompt)
		b, _ := Prepare(a, StepSpecial|StepThink|StepTags|StepFenced|StepBoxed, open)
		if !strings.Contains(s, a) || !strings.Contains(a, b) {
			t.Errorf("%q: got %q, then %q; want parts of it", s, a, b)
		}
		if c, _ := StripSpecial(b); len(c) > len(b) {
			t.Errorf("%q grew", b)
		}
	})
}
