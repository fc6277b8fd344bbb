package explorer

import (
	"encoding/json"

	"plumb/daemon/index"
)

// The answers of the API. The schema of these types is schema.json, from which the client's types are made.

// Info describes what is open. While indexes are made Loading says so and the rest is empty.
type Info struct {
	Title    string     `json:"title"`
	Job      string     `json:"job"`  // "" where there is one alone
	Jobs     []string   `json:"jobs"` // that can be opened
	Loading  *Loading   `json:"loading"`
	Files    []FileInfo `json:"files"`
	Rows     int        `json:"rows"`
	Series   []Series   `json:"series"`
	Metrics  []string   `json:"metrics"`  // names of metrics that are numbers
	Remarks  []string   `json:"remarks"`  // what could not be opened, what was left out
	Answers  bool       `json:"answers"`  // a dump is open
	Pictures string     `json:"pictures"` // always ""
	Version  string     `json:"version"`
}

// Loading is how far the making of indexes is.
type Loading struct {
	What  string `json:"what"`
	Done  int64  `json:"done"`  // bytes
	Total int64  `json:"total"` // bytes
	Error string `json:"error"` // why nothing can be shown, "" while it goes on
}

// FileInfo is one result file.
type FileInfo struct {
	Path string `json:"path"`
	Rows int    `json:"rows"`
	Bad  int    `json:"bad"` // lines that are no results
}

// Series is a model and the way it was asked, in one file.
type Series struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Model string `json:"model"`
	Arm   string `json:"arm"`
	File  string `json:"file"`
	Rows  int    `json:"rows"`
	// Words are the model, mode, input, setting, format and method.
	Words []string `json:"words"`
}

// Selected is what a filter selects, with the counts beside the values of each facet.
type Selected struct {
	Rows      int                      `json:"rows"`
	Scored    int                      `json:"scored"`
	Mean      *float64                 `json:"mean"`
	Counts    map[string][]index.Count `json:"counts"`
	More      map[string]int           `json:"more"` // values of a facet that Counts leaves out
	Histogram index.Histogram          `json:"histogram"`
	Remark    string                   `json:"remark"` // such as how far texts were searched
}

// Row is a result in a list.
type Row struct {
	Row    int      `json:"row"`
	ID     string   `json:"id"`
	Suite  string   `json:"suite"`
	Test   string   `json:"test"`
	Series string   `json:"series"` // its id
	Model  string   `json:"model"`
	Arm    string   `json:"arm"`
	Repeat int      `json:"repeat"`
	Turn   int      `json:"turn"`
	Score  *float64 `json:"score"`
	Status string   `json:"status"`
	Error  string   `json:"error"` // its code
	Notes  []string `json:"notes"`
	Time   *float64 `json:"time"`
	Cost   *float64 `json:"cost"`
	Value  *float64 `json:"value"` // the metric by which the list is sorted
}

// Rows is part of a list.
type Rows struct {
	Total int   `json:"total"`
	From  int   `json:"from"`
	Rows  []Row `json:"rows"`
}

// Overview adds a selection up.
type Overview struct {
	Suites   []SuiteTable `json:"suites"`
	Low      float64      `json:"low"` // of the scores, where the bars of Cell.Histogram begin
	High     float64      `json:"high"`
	Failures []Failure    `json:"failures"`
	Papers   []TextTable  `json:"papers"` // tables of the suites with published rows, of all results of each file
	Remark   string       `json:"remark"`
}

// SuiteTable is one suite: a row for each test, a cell for each series.
type SuiteTable struct {
	Suite  string   `json:"suite"`
	Series []string `json:"series"` // ids
	Tests  []TestOf `json:"tests"`
}

// TestOf is a test with a cell for each series of its table; in a report also a group of tests, or all of them.
type TestOf struct {
	Test  string `json:"test"`
	Kind  string `json:"kind"` // "test", "group" or "total"
	Cells []Cell `json:"cells"`
}

// Cell adds up the results of one test and one series. Duplicates are left out.
type Cell struct {
	N         int      `json:"n"`
	Scored    int      `json:"scored"`
	Mean      *float64 `json:"mean"`
	Error     *float64 `json:"error"`     // standard error of the mean over answers
	Histogram []int    `json:"histogram"` // 20 bars over the range of the selection's histogram
	Seconds   *float64 `json:"seconds"`   // mean
	Cost      *float64 `json:"cost"`      // sum
	Tests     string   `json:"tests"`     // of a group, such as "2 of 3 tests"
}

// Failure counts results by why they have no score or how a bad answer was read.
type Failure struct {
	Kind  string `json:"kind"` // "failure" or "status"
	Value string `json:"value"`
	Suite string `json:"suite"`
	N     int    `json:"n"`
}

// TextTable is a table as plumb report prints it.
type TextTable struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Text    int        `json:"text"` // how many of the columns are texts
	Rows    [][]string `json:"rows"`
	Note    string     `json:"note"`
}

// Item is one result with what explains it.
type Item struct {
	Row
	Position  int        `json:"position"` // in the list, -1 where it is not in it
	Total     int        `json:"total"`
	Previous  *int       `json:"previous"`
	Next      *int       `json:"next"`
	Reward    *float64   `json:"reward"`
	Message   string     `json:"message"` // of the error
	NoteList  []Note     `json:"noteList"`
	Metrics   []Metric   `json:"metrics"`
	Panels    []Panel    `json:"panels"`
	First     int        `json:"first"`
	Texts     []Text     `json:"texts"`
	Prompt    string     `json:"prompt"`
	PromptOf  string     `json:"promptOf"` // where the prompt is from
	Answer    []Segment  `json:"answer"`
	AnswerCut int        `json:"answerCut"` // bytes that are not shown
	Reading   string     `json:"reading"`   // what is known of the part that was read
	Raw       string     `json:"raw"`
	File      string     `json:"file"`
	Line      string     `json:"line"` // of the dump, "" where there is none
	Command   string     `json:"command"`
	Others    []Row      `json:"others"`  // results of the same question
	Parts     []Part     `json:"parts"`   // that can be moved
	Problem   string     `json:"problem"` // what cannot be shown, and why
	Arms      [][]string `json:"arms"`    // names and values of how the model was asked
}

// Asked is what a model was asked.
type Asked struct {
	Text   string `json:"text"`
	Of     string `json:"of"` // where it is known from
	Images []Seen `json:"images"`
}

// Seen is a picture that a model saw. Its bytes are at seen?row=ROW&panel=N.
type Seen struct {
	Title  string `json:"title"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Error  string `json:"error"` // why it is not shown
}

// Part is something that the answer placed, with its middle in the unit of moves. See Panel.Axes.
type Part struct {
	Name string  `json:"name"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
}

// Note is a note of a result.
type Note struct {
	Code    string `json:"code"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Metric is an intermediate value of a score.
type Metric struct {
	Name    string          `json:"name"`
	Value   json.RawMessage `json:"value"`
	Formula string          `json:"formula"`
}

// Text is a text under a title.
type Text struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

// Segment is a part of an answer; Read tells that it was read as the answer.
type Segment struct {
	Text string `json:"text"`
	Read bool   `json:"read"`
}

// Panel is a picture with its marks. Its bytes are at picture?row=ROW&panel=N.
type Panel struct {
	Title string    `json:"title"`
	Box   []float64 `json:"box"` // x, y, width, height in page units; empty where the picture is not shown
	Cover bool      `json:"cover"`
	Marks []Mark    `json:"marks"`
	Lost  []Lost    `json:"lost"`
	Error string    `json:"error"`
	// Axes are where parts lie in the picture: x and y of the origin, and the lengths of the units of x and y;
	// empty where they are page units.
	Axes []float64 `json:"axes"`
	// Picture names its bytes in a saved page; "" elsewhere.
	Picture string `json:"picture"`
}

// Mark is drawn over a picture, in page units. See scoring.Mark.
type Mark struct {
	Form string    `json:"form"`
	Tone string    `json:"tone"`
	A    []float64 `json:"a"`
	B    []float64 `json:"b"`
	R    float64   `json:"r"`
	From float64   `json:"from"`
	To   float64   `json:"to"`
	Text string    `json:"text"`
}

// Lost is a shape that is not drawn.
type Lost struct {
	Name    string    `json:"name"`
	Why     string    `json:"why"`
	Corners []float64 `json:"corners"` // x and y of four
}

// Comparison is how two series differ on the same questions.
type Comparison struct {
	Names    []string `json:"names"`
	Lines    []Paired `json:"lines"` // each test, and all
	Unpaired int      `json:"unpaired"`
	Points   []Point  `json:"points"` // at most 4,000, evenly chosen
	Pairs    int      `json:"pairs"`
	Remark   string   `json:"remark"`
}

// Paired is the comparison of one test; Test is "" for all.
type Paired struct {
	Suite      string   `json:"suite"`
	Test       string   `json:"test"`
	N          int      `json:"n"`
	A          float64  `json:"a"`
	B          float64  `json:"b"`
	Difference float64  `json:"difference"` // B - A
	Low        *float64 `json:"low"`        // 95 % interval
	High       *float64 `json:"high"`
	Sign       *float64 `json:"sign"`     // p of the sign test
	Wilcoxon   *float64 `json:"wilcoxon"` // p of the signed-rank test
	Better     int      `json:"better"`   // questions where B is higher
	Worse      int      `json:"worse"`
}

// Against is how all other series differ from one.
type Against struct {
	Lines  []Rival `json:"lines"` // the best first
	Remark string  `json:"remark"`
}

// Rival is a series beside the one that it is compared with, which is A.
type Rival struct {
	Paired
	ID       string `json:"id"`
	Name     string `json:"name"`
	Unpaired int    `json:"unpaired"`
}

// Point is one question in the scatter plot.
type Point struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
	R int     `json:"r"` // its place among the pairs
}

// Pairs is part of the list of pairs, sorted by the difference.
type Pairs struct {
	Total int    `json:"total"`
	From  int    `json:"from"`
	Pairs []Pair `json:"pairs"`
}

// Pair is a question with the rows of both sides. The scores are means over repeats.
type Pair struct {
	ID   string  `json:"id"`
	Test string  `json:"test"`
	RowA int     `json:"rowA"`
	RowB int     `json:"rowB"`
	A    float64 `json:"a"`
	B    float64 `json:"b"`
}

// Suspects lists the rules with what they have found so far.
type Suspects struct {
	Rules    []Suspect `json:"rules"`
	Scanned  int       `json:"scanned"` // rows that the scan of answers has looked at, of Of in all
	Of       int       `json:"of"`
	Scanning bool      `json:"scanning"`
	Remark   string    `json:"remark"`
}

// Suspect is a rule by which results are suspected.
type Suspect struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Doc     string `json:"doc"`
	Answers bool   `json:"answers"` // it looks at answers, and so covers Scanned rows alone
	N       int    `json:"n"`
}

// Sensitivity is how a score answers to moves of what the answer placed.
type Sensitivity struct {
	Part   string     `json:"part"`   // "" for all
	Metric string     `json:"metric"` // whose values Scores are; "" for the score
	Base   *float64   `json:"base"`
	Steps  int        `json:"steps"` // moves to each side
	Step   float64    `json:"step"`  // between two moves, in Unit
	Unit   string     `json:"unit"`
	Up     bool       `json:"up"`     // y grows upwards
	Scores []*float64 `json:"scores"` // row by row, from the upper left of the picture
	Millis float64    `json:"millis"`
	Remark string     `json:"remark"`
}

// Saved is what a saved page or a report holds: answers for one selection. Its pictures are beside it, by
// Panel.Picture.
type Saved struct {
	Info     Info             `json:"info"`
	Selected Selected         `json:"selected"`
	Overview Overview         `json:"overview"`
	Rows     Rows             `json:"rows"`
	Items    []Item           `json:"items"` // of the first rows
	Compared []Compared       `json:"compared"`
	Suspects Suspects         `json:"suspects"`
	Found    map[string][]int `json:"found"` // by the name of a rule: the listed rows that it suspects
	State    string           `json:"state"` // query of the page that was saved
	Remark   string           `json:"remark"`
	Partial  string           `json:"partial"` // why the results are not complete, "" where they are
}

// Compared is a comparison of two series with the first of its pairs: those where B loses most or, if Down is
// set, gains most.
type Compared struct {
	A          string     `json:"a"`
	B          string     `json:"b"`
	Down       bool       `json:"down"`
	Comparison Comparison `json:"comparison"`
	Pairs      Pairs      `json:"pairs"`
}

// Fault is the answer to a request that cannot be answered.
type Fault struct {
	Error string `json:"error"`
	Type  string `json:"error_type"`
}
