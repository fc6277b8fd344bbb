package extract

import (
	"bytes"
	"strings"
	"testing"
)

var (
	leftRight = []string{"Left", "Right", "Hall", "Bath"}
	mixed     = []string{"Option 3 here", "option 1", "2", "1", "Room B"}
	letters   = []string{"B", "C", "A", "D"}
	halls     = []string{"Hall", "Large hall", "Bath", "Terrace"}
)

// TestReadBounds has answers at the bounds of rules: the first option and the last one, ends of texts in
// the middle of a form, and what is joined, quoted or denied (docs/spec/vqa.md#r19 to
// docs/spec/vqa.md#r28).
func TestReadBounds(t *testing.T) {
	for _, c := range []struct {
		labels  string
		options []string
		answer  string
		want    int
		reason  Reason
		stage   int
	}{
		// stage 2
		{"numbers", things, `{"answer": 1}`, 0, "", 2}, {"numbers", things, `{"answer": 4}`, 3, "", 2},
		{"numbers", things, `{"answer": 0}`, -1, OutOfRange, 2}, {"numbers", things, `{"answer": 5}`, -1, OutOfRange, 2},
		{"numbers", angles, `{"answer": 90}`, 0, "", 2}, {"letters", angles, `{"answer": 90}`, 0, "", 2}, {"letters", rooms, `{"answer": ["A"]}`, 0, "", 2},
		{"letters", rooms, `{'answer': 'C'}`, 2, "", 2}, {"letters", rooms, `{'answer': "C"}`, 2, "", 2}, {"letters", rooms, `{"answer":"{\"answer\":\"B\"}"}`, 1, "", 2},
		{"letters", rooms, strings.Repeat("{ ", maxObjectTries-1) + `{"answer":"B"}`, 1, "", 2},
		{"letters", rooms, strings.Repeat("{ ", maxObjectTries) + `{"answer":"B"}`, 1, "", 6},
		// stage 3
		{"letters", rooms, `\boxed{A} \boxed{B}`, -1, Multiple, 3}, {"letters", rooms, `\boxed{B} \boxed{A}`, -1, Multiple, 3}, {"letters", rooms, `\boxed{A}\boxed{A}`, 0, "", 3},
		{"letters", rooms, "see <answer", -1, NoAnswer, 6}, {"letters", rooms, "see <answer >B", 1, "", 3}, {"letters", rooms, "see <answer>B<", 1, "", 3}, {"letters", rooms, "see <answer>B</", 1, "", 3},
		// stage 4
		{"letters", rooms, "The answer -", -1, NoAnswer, 6}, {"letters", rooms, "x 答", -1, NoAnswer, 6}, {"letters", rooms, "x 答案", -1, NoAnswer, 6},
		{"letters", rooms, "The answer is (not B)", -1, NoAnswer, 6}, {"letters", rooms, "So it is most likely the answer: likely,B here", 1, "", 4},
		{"numbers", angles, "The answer is 90 degrees", 0, "", 4}, {"numbers", angles, "The answer is 90, roughly", 0, "", 4}, {"letters", rooms, "The answer is the hall here", 0, "", 4},
		{"letters", rooms, "The answer is B/D here", -1, Multiple, 4}, {"letters", rooms, "The answer is B, D here", -1, Multiple, 4}, {"letters", rooms, "The answer is B or option D here", -1, Multiple, 4},
		{"letters", rooms, "The answer is B, hall, as said", -1, Conflict, 4}, {"letters", rooms, `So "B" is correct`, 1, "", 4},
		{"letters", leftRight, "The answer is B, left.", -1, Conflict, 4}, {"letters", leftRight, "The answer is C, left of it", 2, "", 4},
		{"letters", rooms, "So A or B is correct", -1, Multiple, 4}, {"letters", rooms, "So (A) or B is correct", -1, Multiple, 4}, {"letters", rooms, "A/B is correct", -1, Multiple, 4},
		// stage 5
		{"letters", rooms, "A\nso it goes\nB", -1, Multiple, 5}, {"letters", rooms, "B\nso it goes\nA", -1, Multiple, 5}, {"letters", rooms, "B\nso it goes\nC", -1, Multiple, 5},
		{"letters", rooms, "B\nso it goes\nB", 1, "", 5}, {"letters", rooms, "A. dark\n\nB. hot\n\nC", 2, "", 5}, {"letters", drawn, "Option C: it is dark", -1, Ambiguous, 5},
		// stage 6
		{"letters", leftRight, `"" He goes "left"`, 0, "", 6}, {"letters", letters, `They wrote "C" there`, 1, "", 6}, {"letters", leftRight, `It says "hall" left "hall".`, 2, "", 6},
		{"letters", halls, "I see a large hall", 1, "", 6}, {"letters", halls, "I see a large hall and another hall", -1, Multiple, 6}, {"letters", halls, `Not "hall" but terrace`, 3, "", 6},
		{"numbers", things, "I see (3", -1, NoAnswer, 6}, {"numbers", mixed, "I see option (3) there", -1, Ambiguous, 6}, {"numbers", things, "I see option (3) there", 2, "", 6},
	} {
		got := ask(new(Reader), c.labels, c.options, c.answer)
		if got.Option != c.want || got.Reason != c.reason || got.Stage != c.stage {
			t.Errorf("%q with %q: got %+v; want option %d %q of stage %d", c.answer, c.options, got, c.want, c.reason, c.stage)
		}
	}
}

// TestDepth checks that values within values are read to a depth of 4 (docs/spec/vqa.md#r16).
func TestDepth(t *testing.T) {
	for depth, want := range map[int]bool{maxDepth - 1: true, maxDepth: false} {
		var r Reader
		r.SetOptions(Letters, texts(rooms))
		if got := r.readStages([]byte(`{"answer":"b"}`), true, depth); (got.Option == 1) != want {
			t.Errorf("at depth %d: got %+v; want it read: %v", depth, got, want)
		}
	}
}

// TestLetters checks lower case, white space and articles byte by byte: what changes its length in lower
// case stays, and so do bytes that are no characters.
func TestLetters(t *testing.T) {
	for in, want := range map[string]string{"AZ[@az": "az[@az", "ÉÀ": "éà", "\u0130x": "\u0130x", "\xff\x80A": "\xff\x80a", "é中": "é中"} {
		if got := string(appendLower(nil, []byte(in))); got != want {
			t.Errorf("%q: got %q; want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{" a": "a", "a \n\v b ": "a b ", "a": "a", "": ""} {
		if got := string(appendFlat(nil, []byte(in))); got != want {
			t.Errorf("%q: got %q; want %q", in, got, want)
		}
		if got := string(appendFlat([]byte("x"), []byte(in))); got != "x"+want {
			t.Errorf("%q behind x: got %q; want %q", in, got, "x"+want)
		}
	}
	for in, want := range map[string]int{"the hall": 4, "a hall": 2, "an oak": 3, "the ": 0, "a": 0, "thehall": 0} {
		if got := articleLength([]byte(in)); got != want {
			t.Errorf("%q: got an article of %d bytes; want %d", in, got, want)
		}
	}
	for b, want := range map[byte][3]bool{'a': {true, false, false}, 'z': {true, false, false}, 'A': {false, true, false}, 'Z': {false, true, false}, '0': {false, false, true}, '9': {false, false, true},
		'`': {}, '{': {}, '@': {}, '[': {}, '/': {}, ':': {}} {
		if got := [3]bool{isLower(b), isUpper(b), isDigit(b)}; got != want {
			t.Errorf("%c: got %v; want %v", b, got, want)
		}
	}
	for _, s := range []string{"é", "a", "Z", "9", "ж"} {
		if !wordEndsAt([]byte(s), len(s)) || !wordStartsAt([]byte(s), 0) {
			t.Errorf("%s is no letter or digit", s)
		}
	}
	for _, s := range []string{"中", "-", "\x80", " "} {
		if wordEndsAt([]byte(s), len(s)) || wordStartsAt([]byte(s), 0) {
			t.Errorf("%q is a letter or digit", s)
		}
	}
}

// TestMatchEnd checks that a text of an option matches whole words and any white space.
func TestMatchEnd(t *testing.T) {
	for _, c := range []struct {
		text, norm string
		at, want   int
	}{
		{"a hall", "hall", 2, 6}, {"a hall", "hall", 1, -1}, {"halls", "hall", 0, -1}, {"hall.", "hall", 0, 4}, {"a  \nb", "a b", 0, 5}, {"ab", "a b", 0, -1}, {"a", "a b", 0, -1},
		{"Àb", "À", 0, -1}, {"À b", "À", 0, 2}, {"éb", "é", 0, -1}, {"(x)y", "(x)", 0, 3}, {"", "a", 0, -1},
	} {
		if got := matchEnd([]byte(c.text), c.at, []byte(c.norm)); got != c.want {
			t.Errorf("%q in %q at %d: got %d; want %d", c.norm, c.text, c.at, got, c.want)
		}
	}
}

// TestOptionsByLength checks that longer texts come first, and of equally long ones the first.
func TestOptionsByLength(t *testing.T) {
	var r Reader
	r.SetOptions(Letters, texts([]string{"ab", "abcd", "x", "wxyz", "abc"}))
	r.normalizeOptions()
	for i, want := range []int{1, 3, 4, 0, 2} {
		if r.byLength[i] != want {
			t.Errorf("got the order %v; want 1, 3, 4, 0, 2", r.byLength)
			break
		}
	}
	for list, want := range map[string]string{"a|b|a|": "0100", "nan|NaN|x|*x*": "0000", "nan|b": "01", "": "0"} {
		all := strings.Split(list, "|")
		r.SetOptions(Letters, texts(all))
		r.normalizeOptions()
		got := ""
		for i := range all {
			got += map[bool]string{true: "1", false: "0"}[r.usable[i]]
		}
		if got != want {
			t.Errorf("%s: got usable %s; want %s", list, got, want)
		}
	}
}

// TestNamesOtherOption checks for labels of both styles whether the text of another option begins with
// "option" and the label (docs/spec/vqa.md#r18).
func TestNamesOtherOption(t *testing.T) {
	var r Reader
	r.SetOptions(Numbers, texts([]string{"Option 9 here", "option 3", "option b", "x"}))
	for _, c := range []struct {
		l    label
		want bool
	}{{label{option: 8}, true}, {label{option: 9}, false}, {label{option: 2}, true}, {label{option: 1}, false}, {label{option: 1, letterForNumber: true}, true}, {label{option: 0}, false}} {
		if got := r.namesOtherOption(c.l); got != c.want {
			t.Errorf("%+v: got %v", c.l, got)
		}
	}
	r.SetOptions(Letters, texts([]string{"Option B", "option c", "option c now", "x"}))
	for option, want := range map[int]bool{0: false, 1: true, 2: true, 3: false} {
		if got := r.namesOtherOption(label{option: option}); got != want {
			t.Errorf("letter %c: got %v", 'A'+option, got)
		}
	}
}

// TestLabelAt checks which texts are a label, and where it ends (docs/spec/vqa.md#r17).
func TestLabelAt(t *testing.T) {
	var r Reader
	for _, c := range []struct {
		style  Style
		text   string
		option int // -1 for no label
		to     int
	}{
		{Letters, `B`, 1, 1}, {Letters, `("B") x`, 1, 5}, {Letters, `("B"`, -1, 0}, {Letters, `(B]`, -1, 0}, {Letters, `<B>`, 1, 3}, {Letters, `[b]`, 1, 3}, {Letters, `"B'`, 1, 3}, {Letters, `B'`, 1, 2},
		{Letters, `B's`, -1, 0}, {Letters, `Be`, -1, 0}, {Letters, `2`, -1, 0}, {Letters, `(`, -1, 0}, {Letters, ``, -1, 0}, {Letters, `-`, -1, 0},
		{Numbers, `2`, 1, 1}, {Numbers, `12)`, 11, 3}, {Numbers, `2.5`, -1, 0}, {Numbers, `2,5`, -1, 0}, {Numbers, `2:5`, -1, 0}, {Numbers, `2/5`, -1, 0}, {Numbers, `2.`, 1, 1}, {Numbers, `2%`, -1, 0}, {Numbers, `2x`, -1, 0},
		{Numbers, `0`, -1, 1}, {Numbers, `99999999999999999999`, 999, 20}, {Numbers, `B`, 1, 1},
	} {
		r.style = c.style
		l, ok := r.labelAt([]byte(c.text), 0)
		if ok != (c.to > 0) || ok && (l.option != c.option || l.to != c.to || l.letterForNumber != (c.style == Numbers && c.text[0] == 'B')) {
			t.Errorf("%q: got %+v, %v; want option %d up to %d", c.text, l, ok, c.option, c.to)
		}
	}
}

// TestPlausible checks what may follow a label that could be another word (docs/spec/vqa.md#r24).
func TestPlausible(t *testing.T) {
	for text, want := range map[string]bool{"A": true, "A ": true, "A\nx": true, "A .": true, "A house": false, "A because": true, "B house": true, "I see": false, "A House": true, "a House": false, "A,": true, "A 3": true} {
		l := label{option: int(text[0]|0x20) - 'a', upperOrDigit: isUpper(text[0]), to: 1}
		if got := isPlausible([]byte(text), l); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	if !isPlausible([]byte("(A) house"), label{bracketed: true, upperOrDigit: true, to: 3}) {
		t.Error("a label in brackets needs no proof")
	}
}

// TestStatementParts checks where the parts of statements end (docs/spec/vqa.md#r23).
func TestStatementParts(t *testing.T) {
	for text, want := range map[string]int{"答案": 6, "答案是b": 9, "答案 为 b": 11, "答案:b": 7, "答案选:b": 10, "答案x": 6, "答题x": -1, "答": -1} {
		if got := afterChinese([]byte(text), 0); got != want {
			t.Errorf("%s: got %d; want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{"i choose b": 8, "i'd pick b": 8, "i'choose b": -1, "i": -1, "i'": -1, "i would go with b": 15, "ix": -1, "i'll vote for": 13, "i see": -1} {
		if got := afterVerb([]byte(text), 0); got != want {
			t.Errorf("%s: got %d; want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{`("'b`: 3, "b": 0, " [": 2} {
		if got := skipMarks([]byte(text), 0); got != want {
			t.Errorf("%s: got %d; want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{"likely,b": 7, "likely , b": 9, "option:b": 7, "the #b": 5, "the: b": 5, "b": 0, "option": 6} {
		if got, option := skipFiller([]byte(text), 0); got != want || option != strings.HasPrefix(text, "option") {
			t.Errorf("%s: got %d, option %v; want %d", text, got, option, want)
		}
	}
	for text, want := range map[string]bool{"a": true, "a (b": true, "a -b": true, "a b": false, "a ": false, "a\nb": true, "a(": true, "a.": true, `a")`: true, "a-": false, "a\"b": false} {
		if got := phraseEnds([]byte(text), 1); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	for text, want := range map[string]string{"the hall": "hall", "so. hall": "hall", "so. ": "", "isn't": "isn't", "x, ": "x", "": "", strings.Repeat("a", 45): strings.Repeat("a", 40), "so.": ""} {
		if got, at := wordLeft([]byte(text), len(text)); string(got) != want || at > len(text) {
			t.Errorf("%q: got %q; want %q", text, got, want)
		}
	}
}

// TestLastExamined checks that the part of a long answer that is read begins with a whole character
// (docs/spec/vqa.md#r16).
func TestLastExamined(t *testing.T) {
	long := []byte(strings.Repeat("é", examinedBytes) + "x")
	if got := lastExamined(long); len(got) != examinedBytes-1 || !bytes.HasPrefix(got, []byte("é")) {
		t.Errorf("got %d bytes that begin with %q; want %d", len(got), got[:2], examinedBytes-1)
	}
	if got := lastExamined(bytes.Repeat([]byte{0x80}, examinedBytes+1)); len(got) != 0 {
		t.Errorf("got %d bytes of no character", len(got))
	}
	if got := lastExamined(long[len(long)-examinedBytes+1:]); len(got) != examinedBytes-1 {
		t.Errorf("got %d bytes; want all", len(got))
	}
}

// TestJoinedBefore checks which labels are joined before another one, as in "A or B is correct".
func TestJoinedBefore(t *testing.T) {
	var r Reader
	r.SetOptions(Letters, texts(rooms))
	for text, want := range map[string]bool{"A or ": true, "A and ": true, "A/": true, "A & ": true, "A  or  ": true, "(A) or ": true, "A or": false, "so A and ": true, "B or ": false, "a or ": false,
		"E or ": false, "A ": false, "or ": false, "and ": false, "/": false, "": false, "xA or ": false, "A x ": false, ") or ": false, " or ": false} {
		s := []byte(text + "B is correct")
		if got := r.labelJoinedBefore(s, len(text), label{option: 1}); got != want {
			t.Errorf("%q before B: got %v", text, got)
		}
	}
}
