package scene

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// arrange finds the paint order of records: depth first, a parent before its
// children, siblings by index (tldraw-rendering.md 1.4). order lists positions
// of records, parents the position of each record's parent, -1 for the page.
// order is nil when it is the given one and nothing has a parent.
func arrange(records []Record, ids map[string]int32, lim *Limits) (order, parents []int32, err *Error) {
	indexed := false
	for i := range records {
		indexed = indexed || records[i].Has&HasIndex != 0
		if records[i].Has&HasParent == 0 {
			continue
		}
		p := findRecord(records, ids, records[i].ParentID)
		if p < 0 {
			continue
		}
		if parents == nil {
			parents = make([]int32, len(records))
			for j := range parents {
				parents[j] = -1
			}
		}
		parents[i] = p
	}
	if parents == nil && !indexed {
		return nil, nil, nil
	}
	order = make([]int32, len(records))
	for i := range order {
		order[i] = int32(i)
	}
	if indexed {
		sortByIndex(order, siblingKeys(records, parents))
	}
	if parents != nil {
		order, err = depthFirst(records, order, parents, lim)
	}
	return order, parents, err
}

// findRecord returns the position of the record with this id, or -1.
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

// sortByIndex sorts positions by key, equal keys in the given order. Records
// of different parents are compared too, which does no harm: depthFirst keeps
// only the order among siblings.
func sortByIndex(order []int32, keys []string) {
	slices.SortStableFunc(order, func(a, b int32) int { return compareCodeUnits(keys[a], keys[b]) })
}

// siblingKeys returns the index of each record. Records without one get the
// keys that the editor would hand out, increasing in the given order among the
// siblings without index.
func siblingKeys(records []Record, parents []int32) []string {
	keys := make([]string, len(records))
	var handed map[int32]int // children without index so far, per parent
	for i := range records {
		if records[i].Has&HasIndex != 0 {
			keys[i] = records[i].Index
			continue
		}
		if handed == nil {
			handed = map[int32]int{}
		}
		parent := int32(-1)
		if parents != nil {
			parent = parents[i]
		}
		handed[parent]++
		keys[i] = fractionalIndex(handed[parent])
	}
	return keys
}

// fractionalIndex returns the n-th whole fractional-indexing key, n >= 0: a0,
// a1, ..., az, b00, b01, ... The first character tells the number of digits.
func fractionalIndex(n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	head, count := byte('a'), len(digits)
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

// compareCodeUnits orders strings by their UTF-16 code units, as JavaScript
// does. It differs from the order of bytes only between characters outside the
// basic plane and those from U+E000 on.
func compareCodeUnits(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) || n == len(b) || a[n] < utf8.RuneSelf || b[n] < utf8.RuneSelf {
		return strings.Compare(a[n:], b[n:])
	}
	for !utf8.RuneStart(a[n]) && n > 0 {
		n--
	}
	ra, _ := utf8.DecodeRuneInString(a[n:])
	rb, _ := utf8.DecodeRuneInString(b[n:])
	if ua, ub := firstUnit(ra), firstUnit(rb); ua != ub {
		return int(ua) - int(ub)
	}
	return int(ra) - int(rb)
}

// firstUnit returns the first UTF-16 code unit of r.
func firstUnit(r rune) rune {
	if hi, _ := utf16.EncodeRune(r); hi != utf8.RuneError {
		return hi
	}
	return r
}

// depthFirst turns an order in which siblings are sorted into paint order. It
// refuses cycles and nesting beyond the limit.
func depthFirst(records []Record, sorted, parents []int32, lim *Limits) ([]int32, *Error) {
	// first[p+1] and next form a list of the children of p, in sorted order.
	first := make([]int32, len(records)+1)
	next := make([]int32, len(records))
	for i := range first {
		first[i] = -1
	}
	for _, i := range slices.Backward(sorted) {
		next[i] = first[parents[i]+1]
		first[parents[i]+1] = i
	}
	order := make([]int32, 0, len(records))
	stack := []int32{first[0]} // the next one to visit, per level
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if i < 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		order = append(order, i)
		stack[len(stack)-1] = next[i]
		if child := first[i+1]; child >= 0 {
			if len(stack) >= lim.Depth {
				return nil, overLimit("parentId", records[child].ID, strconv.Itoa(len(stack))+" ancestors",
					"fewer than "+strconv.Itoa(lim.Depth), FlagDepth)
			}
			stack = append(stack, child)
		}
	}
	if len(order) < len(records) {
		return nil, cycle(records, order, parents)
	}
	return order, nil
}

// cycle names a shape that is its own ancestor: what no walk from the page
// reaches is on a cycle or below one.
func cycle(records []Record, reached, parents []int32) *Error {
	seen := make([]bool, len(records))
	for _, i := range reached {
		seen[i] = true
	}
	i := int32(slices.Index(seen, false))
	for !seen[i] { // walk up; the first shape met twice is on the cycle
		seen[i] = true
		i = parents[i]
	}
	return invalid("parentId", records[i].ID, strconv.Quote(clip(records[i].ParentID, 80))+", which makes the shape its own ancestor",
		"parents that end at the page")
}
