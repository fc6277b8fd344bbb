package extract

import (
	"bytes"

	"plumb/scoring/vqa/plain"
)

// Where returns a short part of an answer, answer[from:to], from which Read reads the same option as
// from the whole answer. The part consists of whole words. It shows where the option was read: the part
// is the last such one that repeated halving finds. ok is false where Read finds nothing. It reads the
// answer some dozens of times.
func (reader *Reader) Where(answer []byte, strict bool) (from, to int, ok bool) {
	want := reader.Read(answer, strict)
	if want.Stage == 0 || want.Reason == NoAnswer {
		return 0, 0, false
	}
	if want.Stage == stageWhole {
		said := bytes.TrimSpace([]byte(plain.WithoutReasoning(string(answer))))
		if at := bytes.LastIndex(answer, said); at >= 0 {
			return at, at + len(said), true
		}
	}
	words := wordsOf(answer)
	lo, hi := 0, len(words)
	// orWhole accepts words that are a whole answer by themselves, which another stage reads.
	readsSame := func(lo, hi int, orWhole bool) bool {
		got := reader.Read(answer[words[lo][0]:words[hi-1][1]], strict)
		return (got.Stage == want.Stage || orWhole && got.Stage == stageWhole) && got.Option == want.Option &&
			got.Reason == want.Reason
	}
	for step := hi / 2; step > 0; { // drop words from the front while the reading stays the same
		if hi-lo > step && readsSame(lo+step, hi, false) {
			lo += step
		} else {
			step /= 2
		}
	}
	// A statement may be a whole answer without what follows it, and without what precedes it.
	for step := (hi - lo) / 2; step > 0; {
		if hi-lo > step && readsSame(lo, hi-step, want.Stage != stageLines) {
			hi -= step
		} else {
			step /= 2
		}
	}
	// Drop up to three more words at the front where the rest is a whole answer by itself.
	isStatementOrProse := want.Stage > stageTags && want.Stage != stageLines
	if isStatementOrProse && readsSame(lo, hi, false) {
		for i := lo + 1; i < min(hi, lo+4); i++ {
			if readsSame(i, hi, true) {
				lo = i
				break
			}
		}
	}
	from, to = words[lo][0], words[hi-1][1]
	if want.Stage == stageLines {
		from, to = reader.lineOf(answer, from, to, strict, want.Option)
	}
	return from, to, true
}

// lineOf returns the first line of a part of an answer, or else the last one, that names the option
// alone. Stage 5 decides by these lines, but examines the others too.
func (reader *Reader) lineOf(answer []byte, from, to int, strict bool, option int) (int, int) {
	part := answer[from:to]
	first, last := lineAt(part, 0), lastLine(part)
	if reader.Read(first, strict).Option == option {
		return from, from + len(bytes.TrimRight(first, " \r"))
	}
	if reader.Read(last, strict).Option == option {
		return to - len(last), to
	}
	return from, to
}

// wordsOf returns the positions of the words in an answer: where each begins and where it ends.
func wordsOf(text []byte) (list [][2]int) {
	for i := 0; i < len(text); {
		if isSpace(text[i]) || text[i] == '\r' || text[i] == '\t' {
			i++
			continue
		}
		from := i
		for i < len(text) && !isSpace(text[i]) && text[i] != '\r' && text[i] != '\t' {
			i++
		}
		list = append(list, [2]int{from, i})
	}
	return list
}
