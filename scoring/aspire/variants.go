package aspire

import "plumb/scoring"

// The variants (aspire.md), by their full names.
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

var variants = []scoring.Variant{
	{Name: PageBounds, Source: "aspire.md D1", Doc: "centres of shapes are those of the editor's page bounds"},
	{Name: Strict, Source: "aspire.md D9", Doc: "nothing in an answer is mended; one bad entry voids its list"},
	{Name: "graph.strict", Source: "aspire.md D9", Doc: "aspire.strict for this test only"},
	{Name: "pattern.strict", Source: "aspire.md D9", Doc: "aspire.strict for this test only"},
	{Name: "label.strict", Source: "aspire.md D9", Doc: "aspire.strict for this test only"},
	{Name: "line.strict", Source: "aspire.md D9", Doc: "aspire.strict for this test only"},
	{Name: "overlap.strict", Source: "aspire.md D9", Doc: "aspire.strict for this test only"},
	{Name: "balance.strict", Source: "aspire.md D9", Doc: "aspire.strict for this test only"},
	{Name: StrictAlign, Source: "aspire.md D9", Doc: "left, center and right are dropped, not understood"},
	{Name: ExtendedMath, Source: "aspire.md D8", Doc: "arithmetic knows functions such as Math.sin"},
	{Name: MazeCell, Source: "aspire.md D14", Doc: "W is the width of one square, not of the grid"},
	{Name: MazeStrict, Source: "aspire.md D15", Doc: "only a red star counts"},
	{Name: MazeClamp, Source: "aspire.md D16", Doc: "the score is limited to 0..1"},
	{Name: PatternContains, Source: "aspire.md D23", Doc: "deleting more than the outlier is right too"},
	{Name: LabelOwn, Source: "aspire.md D27", Doc: "text put into the shape itself is a label"},
	{Name: LabelInk, Source: "aspire.md D26", Doc: "only pixels darker than the halo are the label's",
		Refused: "aspire.md D26 calls it not reproducible: glyph and halo cannot be told apart by alpha"},
	{Name: LineOrdered, Source: "aspire.md D32", Doc: "the line must begin at the first shape"},
	{Name: ArrowAcceptUpdate, Source: "aspire.md D35", Doc: "a rotation in updateShapes counts, as the final one"},
	{Name: OverlapTouching, Source: "aspire.md D37", Doc: "only shapes that intersect the reference are meant"},
	{Name: BalancePrinted, Source: "aspire.md D40", Doc: "the improvement is divided by the final distance"},
	{Name: BalanceUnion, Source: "aspire.md D41", Doc: "what lies outside the frame has weight too"},
	{Name: BalanceStrict, Source: "aspire.md D44", Doc: "a broken rule scores 0"},
}
