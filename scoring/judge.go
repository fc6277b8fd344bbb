package scoring

// Judged is a Job whose score may depend on the verdict of a language model, the judge. A caller
// that has a judge calls Question, asks the judge outside of the goroutines that prepare and
// score, and calls Judge before Score. A caller without one calls neither; the result of Score
// then says that the item is unjudged.
type Judged interface {
	Job
	// Question returns what the judge is asked about the answer. ok is false where the score is
	// known without a judge: the answer is empty, literally an option, or comes with a recorded
	// verdict. The strings stay valid as long as the job.
	Question() (q Question, ok bool)
	// Judge gives the job the verdict, once at most and before Score.
	Judge(j Judgement)
}

// QuestionKind chooses the judge's prompt.
type QuestionKind uint8

// The kinds of questions.
const (
	// JudgeOpen asks whether an open answer means the ground truth. See
	// docs/spec/vqa.md#r36.
	JudgeOpen QuestionKind = iota
	// JudgeChoice asks whether an answer selects the right option and no other
	// one. See docs/spec/vqa.md#r37.
	JudgeChoice
)

// Question is what a judge is asked about one answer. Equal questions have
// equal verdicts, so one call serves them all.
type Question struct {
	Kind QuestionKind
	Text string // the item's question
	// Truth is the ground truth; for JudgeChoice the right option with its
	// label, "B. Kitchen".
	Truth string
	// Options are the labelled options in the order in which they were shown,
	// "A. Hall"; none for JudgeOpen.
	Options []string
	// Answer is the answer as it is sent: without reasoning blocks and at most
	// 4,000 characters long. It is never empty. See docs/spec/vqa.md#r33.
	Answer string
}

// Judgement is the outcome of asking a judge: a verdict, or the reason for none.
type Judgement struct {
	Right bool   // the verdict; false where Err is set
	Reply string // the judge's text from which the verdict was read
	// Err says why there is no verdict: the item is unjudged, never wrong. Its
	// message becomes the result's; the code is always "unjudged" there.
	Err *Error
}
