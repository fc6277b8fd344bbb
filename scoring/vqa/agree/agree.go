// Package agree measures how far a language model that judges answers agrees with human annotators. In: for
// each item a label of the judge and one of each annotator, some of them missing. Out: accuracy, Cohen's and
// Fleiss' kappa, from integer counts, so that an undefined kappa is found exactly (docs/spec/vqa.md#r59).
// Labels have no order, and missing ratings are not guessed.
package agree

import "math/big"

// Study holds the labels of one set of items. Labels are compared as they are; "" is a missing rating.
type Study struct {
	Judge      []string
	Annotators [][]string // per annotator, as long as Judge
}

// Agreement is the result of a study. A nil number is undefined: there is no item, or chance agreement is 1.
type Agreement struct {
	N       int // items
	Ties    int // items on which the annotators have no single most frequent label
	Missing int // items that lack a rating
	// AccuracyMajority and KappaMajority compare the judge with the most frequent
	// label of items without a gap or a tie.
	AccuracyMajority, KappaMajority *float64
	AccuracyEach, KappaEach         []*float64 // per annotator
	// FleissAnnotators is over the annotators, FleissWithJudge over them and the judge as one more.
	FleissAnnotators, FleissWithJudge *float64
}

// Measure computes how far a judge agrees with annotators: accuracy and kappa against the majority
// label and against each annotator, Fleiss' kappa without and with the judge, and the numbers of
// items, of ties, and of items that lack a rating. Items beyond the end of an annotator's list lack
// that rating. Items with a gap or a tie have no majority label.
func Measure(study Study) Agreement {
	agreement := Agreement{N: len(study.Judge)}
	// The annotators' majority.
	majority := make([]string, len(study.Judge))
	for i := range study.Judge {
		ratings := study.ratings(i)
		complete := len(ratings) == len(study.Annotators)
		if !complete || study.Judge[i] == "" {
			agreement.Missing++
		}
		if !complete || len(ratings) == 0 {
			continue
		}
		label, tie := mostFrequent(ratings)
		majority[i] = label
		if tie {
			agreement.Ties++
		}
	}
	// The judge against the majority, then against each annotator.
	agreement.AccuracyMajority, agreement.KappaMajority = cohen(study.Judge, majority)
	all := append([][]string{}, study.Annotators...)
	for _, annotator := range study.Annotators {
		accuracy, kappa := cohen(study.Judge, annotator)
		agreement.AccuracyEach = append(agreement.AccuracyEach, accuracy)
		agreement.KappaEach = append(agreement.KappaEach, kappa)
	}
	agreement.FleissAnnotators = fleiss(len(study.Judge), all)
	agreement.FleissWithJudge = fleiss(len(study.Judge), append(all, study.Judge))
	return agreement
}

// ratings returns the labels that the annotators gave item i, without missing ones.
func (study *Study) ratings(i int) (out []string) {
	for _, annotator := range study.Annotators {
		label := labelAt(annotator, i)
		if label != "" {
			out = append(out, label)
		}
	}
	return out
}

// labelAt returns an annotator's label of the i-th item, "" past the end of the list.
func labelAt(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// mostFrequent returns the label that most annotators gave. If several are equally frequent, tie is
// true and label is "". See docs/spec/vqa.md#r56.
func mostFrequent(labels []string) (label string, tie bool) {
	counts, best := map[string]int{}, 0
	for _, candidate := range labels {
		counts[candidate]++
		best = max(best, counts[candidate])
	}
	winners := 0
	for candidate, count := range counts {
		if count == best {
			label = candidate
			winners++
		}
	}
	if winners > 1 {
		return "", true
	}
	return label, false
}

// cohen compares two raters on the items that both rated. accuracy is the share of equal
// labels; kappa is Cohen's, (p_o - p_e)/(1 - p_e), nil where it is undefined. Both are nil
// without such items. See docs/spec/vqa.md#r57.
func cohen(first, second []string) (accuracy, kappa *float64) {
	items, equal := int64(0), int64(0)
	countsA, countsB := map[string]int64{}, map[string]int64{}
	for i := range first {
		labelA, labelB := first[i], labelAt(second, i)
		if labelA == "" || labelB == "" {
			continue
		}
		items++
		countsA[labelA]++
		countsB[labelB]++
		if labelA == labelB {
			equal++
		}
	}
	if items == 0 {
		return nil, nil
	}
	// Kappa's fraction with both terms times items², in big integers, so that it is exact. p_e is the share
	// of equal labels by chance.
	chance := new(big.Int) // items² p_e
	for label, count := range countsA {
		chance.Add(chance, bigProduct(count, countsB[label]))
	}
	observed, square := bigProduct(items, equal), bigProduct(items, items) // items² p_o, items²
	accuracy = ratio(big.NewInt(equal), big.NewInt(items))
	return accuracy, ratio(new(big.Int).Sub(observed, chance), new(big.Int).Sub(square, chance))
}

// fleiss returns Fleiss' kappa of several raters on the items that all rated, (P - P_e)/(1 -
// P_e); nil where it is undefined, and for fewer than two raters. All terms are exact
// integers over a common denominator. See docs/spec/vqa.md#r58.
func fleiss(items int, raters [][]string) *float64 {
	raterCount := int64(len(raters))
	complete, agreeingPairs := int64(0), int64(0) // items that all rated; ordered pairs of raters who agree on one
	total := map[string]int64{}                   // ratings by label
	for i := range items {
		counts, rated := map[string]int64{}, true
		for _, rater := range raters {
			label := labelAt(rater, i)
			rated = rated && label != ""
			counts[label]++
		}
		if !rated {
			continue
		}
		complete++
		for label, count := range counts {
			agreeingPairs += count * (count - 1)
			total[label] += count
		}
	}
	if complete == 0 || raterCount < 2 {
		return nil
	}
	ratings := bigProduct(complete, raterCount)
	square := new(big.Int).Mul(ratings, ratings) // ratings²
	chance := new(big.Int)                       // ratings² P_e
	for _, count := range total {
		chance.Add(chance, bigProduct(count, count))
	}
	// Of all ordered pairs of two raters of the same item, P = agreeingPairs / pairCount agree, and by chance
	// P_e = chance / square would. Both terms of kappa's fraction are multiplied by pairCount times square.
	pairCount := new(big.Int).Mul(ratings, big.NewInt(raterCount-1))
	excess := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(agreeingPairs), square), new(big.Int).Mul(chance, pairCount))
	return ratio(excess, new(big.Int).Mul(pairCount, new(big.Int).Sub(square, chance)))
}

// bigProduct returns a*b without overflow.
func bigProduct(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// ratio returns a statistic of agreement as the float nearest to a/b, or nil where b is 0 and the
// statistic is undefined.
func ratio(a, b *big.Int) *float64 {
	if b.Sign() == 0 {
		return nil
	}
	x, _ := new(big.Rat).SetFrac(a, b).Float64()
	return &x
}
