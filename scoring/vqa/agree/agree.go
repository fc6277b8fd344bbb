// Package agree measures how far a language model that judges answers agrees with human
// annotators. In: for each item a label of the judge and one of each annotator, some of them
// missing. Out: accuracy, Cohen's and Fleiss' kappa, from integer counts, so that an undefined
// kappa is found exactly (docs/spec/vqa.md#r59). Labels have no order, and missing ratings are not
// guessed.
package agree

import "math/big"

// Study holds the labels of one set of items. Labels are compared as they are; "" is a missing
// rating.
type Study struct {
	Judge      []string
	Annotators [][]string // per annotator, as long as Judge
}

// Agreement is the result of a study. A nil number is undefined: there is no item, or chance
// agreement is 1.
type Agreement struct {
	N       int // items
	Ties    int // items on which the annotators have no single most frequent label
	Missing int // items that lack a rating
	// AccuracyMajority and KappaMajority compare the judge with the most frequent
	// label of items without a gap or a tie.
	AccuracyMajority, KappaMajority *float64
	AccuracyEach, KappaEach         []*float64 // per annotator
	// FleissAnnotators is over the annotators, FleissWithJudge over them and the
	// judge as one more.
	FleissAnnotators, FleissWithJudge *float64
}

// Measure computes the agreement of a study. Items beyond the end of an annotator's list lack that
// rating.
func Measure(s Study) Agreement {
	a := Agreement{N: len(s.Judge)}
	majority := make([]string, len(s.Judge))
	for i := range s.Judge {
		ratings := s.ratings(i)
		full := len(ratings) == len(s.Annotators)
		if !full || s.Judge[i] == "" {
			a.Missing++
		}
		if !full || len(ratings) == 0 {
			continue
		}
		label, tie := most(ratings)
		majority[i] = label
		if tie {
			a.Ties++
		}
	}
	a.AccuracyMajority, a.KappaMajority = cohen(s.Judge, majority)
	all := append([][]string{}, s.Annotators...)
	for _, one := range s.Annotators {
		accuracy, kappa := cohen(s.Judge, one)
		a.AccuracyEach, a.KappaEach = append(a.AccuracyEach, accuracy), append(a.KappaEach, kappa)
	}
	a.FleissAnnotators = fleiss(len(s.Judge), all)
	a.FleissWithJudge = fleiss(len(s.Judge), append(all, s.Judge))
	return a
}

// ratings returns the annotators' labels of item i without the missing ones.
func (s *Study) ratings(i int) (out []string) {
	for _, one := range s.Annotators {
		label := at(one, i)
		if label != "" {
			out = append(out, label)
		}
	}
	return out
}

// at returns an annotator's label of the i-th item, "" past the end of the list.
func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// most returns the most frequent label. tie reports whether several are; then label is "". See
// docs/spec/vqa.md#r56.
func most(labels []string) (label string, tie bool) {
	counts, best := map[string]int{}, 0
	for _, l := range labels {
		counts[l]++
		best = max(best, counts[l])
	}
	n := 0
	for l, c := range counts {
		if c == best {
			label = l
			n++
		}
	}
	if n > 1 {
		return "", true
	}
	return label, false
}

// cohen compares two raters on the items that both rated: accuracy is the share of equal labels,
// kappa is Cohen's, (p_o - p_e)/(1 - p_e). See docs/spec/vqa.md#r57.
func cohen(a, b []string) (accuracy, kappa *float64) {
	n, equal := int64(0), int64(0)
	left, right := map[string]int64{}, map[string]int64{}
	for i := range a {
		x, y := a[i], at(b, i)
		if x == "" || y == "" {
			continue
		}
		n++
		left[x]++
		right[y]++
		if x == y {
			equal++
		}
	}
	if n == 0 {
		return nil, nil
	}
	chance := new(big.Int) // n² p_e
	for l, c := range left {
		chance.Add(chance, product(c, right[l]))
	}
	whole := product(n, n)
	accuracy = ratio(big.NewInt(equal), big.NewInt(n))
	return accuracy, ratio(new(big.Int).Sub(product(n, equal), chance), new(big.Int).Sub(whole, chance))
}

// fleiss returns Fleiss' kappa of several raters on the items that all rated, (P - P_e)/(1 - P_e).
// See docs/spec/vqa.md#r58.
func fleiss(items int, raters [][]string) *float64 {
	m := int64(len(raters))
	n, pairs := int64(0), int64(0)
	total := map[string]int64{}
	for i := range items {
		counts, full := map[string]int64{}, true
		for _, one := range raters {
			l := at(one, i)
			full = full && l != ""
			counts[l]++
		}
		if !full {
			continue
		}
		n++
		for l, c := range counts {
			pairs += c * (c - 1)
			total[l] += c
		}
	}
	if n == 0 || m < 2 {
		return nil
	}
	ratings := product(n, m)
	square := new(big.Int).Mul(ratings, ratings) // (nm)²
	chance := new(big.Int)                       // (nm)² P_e
	for _, c := range total {
		chance.Add(chance, product(c, c))
	}
	possible := new(big.Int).Mul(ratings, big.NewInt(m-1)) // nm(m-1), of which pairs agree
	over := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(pairs), square), new(big.Int).Mul(chance, possible))
	return ratio(over, new(big.Int).Mul(possible, new(big.Int).Sub(square, chance)))
}

func product(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// ratio returns the float nearest to a/b, nil where b is 0 and the statistic undefined.
func ratio(a, b *big.Int) *float64 {
	if b.Sign() == 0 {
		return nil
	}
	x, _ := new(big.Rat).SetFrac(a, b).Float64()
	return &x
}
