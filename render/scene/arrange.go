package scene

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// arrangement sorts records into paint order.
type arrangement struct {
	records []Record
	ids     map[string]int32 // nil for few records
	parents []int32          // position of each record's parent, -1 for the page; nil when none has one
	order   []int32          // positions of records in paint order; nil when it is the given one
}

// arrange computes the paint order of a scene's shapes (arrangement.order) and their parents
// (arrangement.parents). The paint order is depth first: a parent comes before its children, and
// siblings come by index. Arrows that are created with bindings are lifted above their targets
// first. Both lists stay nil if no record has a parent and the given order is the paint order. See
// docs/spec/drawing.md#r8.
func (arrangement *arrangement) arrange(bindings []BindingRecord, lim *Limits) *Error {
	indexed := arrangement.findParents() // some record says where it stands among its siblings
	mayLift := len(bindings) > 0
	if arrangement.parents == nil && !indexed && !mayLift {
		return nil
	}
	arrangement.order = make([]int32, len(arrangement.records))
	for i := range arrangement.order {
		arrangement.order[i] = int32(i)
	}
	if indexed {
		keys := siblingKeys(arrangement.records, arrangement.parents)
		sortByIndex(arrangement.order, keys)
	}
	siblings := arrangement.order
	if arrangement.parents != nil {
		if err := arrangement.depthFirst(siblings, lim); err != nil {
			return err
		}
	}
	if mayLift && arrangement.liftArrows(siblings, bindings) && arrangement.parents != nil {
		return arrangement.depthFirst(siblings, lim) // again, as arrows have moved
	}
	return nil
}

// findParents fills arrangement.parents with the positions of the shapes' parents, and reports whether any
// record has an index, its key of order among siblings. The list stays nil if no record has another one as
// its parent. A parent that is no record of the scene means the page.
func (arrangement *arrangement) findParents() (indexed bool) {
	for i := range arrangement.records {
		record := &arrangement.records[i]
		indexed = indexed || record.Has&HasIndex != 0
		if record.Has&HasParent == 0 {
			continue
		}
		if p := findRecord(arrangement.records, arrangement.ids, record.ParentID); p >= 0 {
			arrangement.needParents()
			arrangement.parents[i] = p
		}
	}
	return indexed
}

// needParents makes the list of the shapes' parents on first use, with -1, no parent, for each shape.
func (arrangement *arrangement) needParents() {
	if arrangement.parents != nil {
		return
	}
	arrangement.parents = make([]int32, len(arrangement.records))
	for i := range arrangement.parents {
		arrangement.parents[i] = -1
	}
}

// findRecord returns the position of the shape record with this id, or -1. It looks the id up in ids,
// or searches the records one by one if ids is nil.
func findRecord(records []Record, ids map[string]int32, id string) int32 {
	if ids != nil {
		if i, ok := ids[id]; ok {
			return i
		}
		return -1
	}
	for i := range records {
		if records[i].ID == id {
			return int32(i)
		}
	}
	return -1
}

// sortByIndex sorts order, positions of records, by the keys at these positions; equal keys stay in their
// order. It ignores parents, because depthFirst keeps only the order among siblings.
func sortByIndex(order []int32, keys []string) {
	slices.SortStableFunc(order, func(a, b int32) int { return compareCodeUnits(keys[a], keys[b]) })
}

// siblingKeys returns the index key of each shape record, by which siblings are ordered. Records
// without a key get the keys that the editor would assign: increasing in the given order among the
// siblings that have none. parents is nil if no record has one.
func siblingKeys(records []Record, parents []int32) []string {
	keys := make([]string, len(records))
	var assigned map[int32]int // children without index so far, per parent
	for i := range records {
		if records[i].Has&HasIndex != 0 {
			keys[i] = records[i].Index
			continue
		}
		if assigned == nil {
			assigned = map[int32]int{}
		}
		parent := int32(-1)
		if parents != nil {
			parent = parents[i]
		}
		assigned[parent]++
		keys[i] = IndexKey(assigned[parent])
	}
	return keys
}

// IndexKey returns the n-th whole index key of a shape, n >= 0: a0, a1, ..., az, b00, b01, ... Keys
// are compared as strings. The first character says how many digits follow, so that their order as strings
// is that of the numbers. See docs/spec/drawing.md#r8.
func IndexKey(n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	head, count := byte('a'), len(digits) // count is how many keys begin with head
	for n >= count {
		n -= count
		count *= len(digits)
		head++
	}
	var buf [12]byte
	i := len(buf)
	for ; count > 1; count /= len(digits) {
		i--
		buf[i] = digits[n%len(digits)]
		n /= len(digits)
	}
	return string(head) + string(buf[i:])
}

// compareCodeUnits compares two index keys of shapes by their UTF-16 code units, as JavaScript
// does. That order differs from the order of bytes only between characters outside the basic plane
// and those from U+E000 on.
func compareCodeUnits(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) || n == len(b) || a[n] < utf8.RuneSelf || b[n] < utf8.RuneSelf {
		return strings.Compare(a[n:], b[n:]) // an end or ASCII: bytes have the order of code units
	}
	for !utf8.RuneStart(a[n]) && n > 0 { // back to the start of the characters that differ
		n--
	}
	ra, _ := utf8.DecodeRuneInString(a[n:])
	rb, _ := utf8.DecodeRuneInString(b[n:])
	if ua, ub := firstUnit(ra), firstUnit(rb); ua != ub {
		return int(ua) - int(ub)
	}
	return int(ra) - int(rb)
}

// firstUnit returns the first UTF-16 code unit of a character, by which JavaScript compares strings.
func firstUnit(r rune) rune {
	if hi, _ := utf16.EncodeRune(r); hi != utf8.RuneError {
		return hi
	}
	return r
}

// depthFirst sets arrangement.order to the paint order: each record before its children, siblings in the
// order that they have in sorted, which holds the positions of all records. Cycles of parents, and nesting
// beyond the limit, are errors. It walks with a stack of its own instead of recursion.
func (arrangement *arrangement) depthFirst(sorted []int32, lim *Limits) *Error {
	// The children of record p are a linked list in sorted order: first[p+1] is the first of them, and
	// next[i] the one after child i; -1 ends the list. first[0] is for the page.
	first := make([]int32, len(arrangement.records)+1)
	next := make([]int32, len(arrangement.records))
	for i := range first {
		first[i] = -1
	}
	for _, i := range slices.Backward(sorted) {
		p := arrangement.parents[i] + 1
		next[i], first[p] = first[p], i
	}
	arrangement.order = make([]int32, 0, len(arrangement.records))
	stack := []int32{first[0]} // the next one to visit, per level
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if i < 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		arrangement.order = append(arrangement.order, i)
		stack[len(stack)-1] = next[i]
		child := first[i+1]
		if child < 0 {
			continue
		}
		if len(stack) >= lim.Depth {
			return overLimit("parentId", arrangement.records[child].ID, strconv.Itoa(len(stack))+" ancestors",
				"fewer than "+strconv.Itoa(lim.Depth), FlagDepth)
		}
		stack = append(stack, child)
	}
	if len(arrangement.order) < len(arrangement.records) {
		return arrangement.cycleError()
	}
	return nil
}

// cycleError returns the error for a shape that is its own ancestor. The depth-first walk reaches no
// shape on a cycle of parents or below one, so it looks among the shapes that the walk did not
// reach.
func (arrangement *arrangement) cycleError() *Error {
	seen := make([]bool, len(arrangement.records))
	for _, i := range arrangement.order {
		seen[i] = true
	}
	i := int32(slices.Index(seen, false))
	for !seen[i] { // walk up; the first shape met twice is on the cycle
		seen[i] = true
		i = arrangement.parents[i]
	}
	r := &arrangement.records[i]
	return invalid("parentId", r.ID, strconv.Quote(shorten(r.ParentID, 80))+", which makes the shape its own ancestor",
		"parents that end at the page")
}
