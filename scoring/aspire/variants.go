package aspire

import "plumb/scoring"

// The variants, by their full names. The rules that they change are in docs/spec/aspire.md.
const (
	PageBounds        = "aspire.page_bounds"
	Strict            = "aspire.strict"
	StrictAlign       = "aspire.strict_align"
	ExtendedMath      = "aspire.extended_math"
	MazeCell          = "maze.cell"
	MazeStrict        = "maze.strict"
	MazeClamp         = "maze.clamp01"
	PatternContains   = "pattern.contains"
	LabelOwn          = "label.own_label"
	LabelInk          = "label.ink"
	LineOrdered       = "line.ordered"
	ArrowAcceptUpdate = "arrow.accept_update"
	OverlapTouching   = "overlap.touching"
	BalancePrinted    = "balance.printed"
	BalanceUnion      = "balance.union"
	BalanceStrict     = "balance.strict_balance"
)

// variants are the documented variants of the suite.
var variants = []scoring.Variant{
	{Name: PageBounds, Source: "decided", Doc: "centres of shapes are those of the editor's page bounds"},
	{Name: Strict, Source: "the editor", Doc: "nothing in an answer is mended; one bad entry voids its list"},
	{Name: "graph.strict", Source: "the editor", Doc: "aspire.strict for this test only"},
	{Name: "pattern.strict", Source: "the editor", Doc: "aspire.strict for this test only"},
	{Name: "label.strict", Source: "the editor", Doc: "aspire.strict for this test only"},
	{Name: "line.strict", Source: "the editor", Doc: "aspire.strict for this test only"},
	{Name: "overlap.strict", Source: "the editor", Doc: "aspire.strict for this test only"},
	{Name: "balance.strict", Source: "the editor", Doc: "aspire.strict for this test only"},
	{Name: StrictAlign, Source: "decided", Doc: "left, center and right are dropped, not understood"},
	{Name: ExtendedMath, Source: "decided", Doc: "arithmetic knows functions such as Math.sin"},
	{Name: MazeCell, Source: "decided", Doc: "W is the width of one square, not of the grid"},
	{Name: MazeStrict, Source: "decided", Doc: "only a red star counts"},
	{Name: MazeClamp, Source: "decided", Doc: "the score is limited to 0..1"},
	{Name: PatternContains, Source: "decided", Doc: "deleting more than the outlier is right too"},
	{Name: LabelOwn, Source: "decided", Doc: "text put into the shape itself is a label"},
	{Name: LabelInk, Source: "decided", Doc: "only pixels darker than the halo are the label's",
		Refused: "glyph and halo cannot be told apart by alpha"},
	{Name: LineOrdered, Source: "decided", Doc: "the line must begin at the first shape"},
	{Name: ArrowAcceptUpdate, Source: "decided", Doc: "a rotation in updateShapes counts, as the final one"},
	{Name: OverlapTouching, Source: "decided", Doc: "only shapes that intersect the reference are meant"},
	{Name: BalancePrinted, Source: "paper", Doc: "the improvement is divided by the final distance"},
	{Name: BalanceUnion, Source: "decided", Doc: "what lies outside the frame has weight too"},
	{Name: BalanceStrict, Source: "decided", Doc: "a broken rule scores 0"},
}
