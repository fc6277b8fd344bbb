package scoring

import (
	"fmt"
	"slices"
	"strings"
)

// Group is a category of tests whose score is the mean of its tests' means.
type Group struct {
	Name  string
	Tests []string
}

// ParseVariants reads the values of --variant, each NAME or NAME=VALUE, against
// the variants that are known. The first part of a name ("maze." of
// "maze.cell") may be left out where only one variant has the rest. The error
// lists what could have been meant. See docs/spec/cli.md#r9.
func ParseVariants(args []string, known []Variant) (Variants, error) {
	chosen := Variants{}
	for _, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		variant, err := findVariant(name, known)
		if err != nil {
			return nil, err
		}
		if variant.Refused != "" {
			return nil, fmt.Errorf("cannot use variant %s: %s", variant.Name, variant.Refused)
		}
		if err := variant.checkValue(value, given); err != nil {
			return nil, err
		}
		chosen[variant.Name] = value
	}
	return chosen, nil
}

// findVariant returns the scoring variant with that name, or else the only one whose name has it
// after its first part ("cell" for "maze.cell"). The error lists the names that could have been
// meant.
func findVariant(name string, known []Variant) (Variant, error) {
	var shortened []Variant
	for _, variant := range known {
		if variant.Name == name {
			return variant, nil
		}
		_, rest, ok := strings.Cut(variant.Name, ".")
		if ok && rest == name {
			shortened = append(shortened, variant)
		}
	}
	switch len(shortened) {
	case 1:
		return shortened[0], nil
	case 0:
		return Variant{}, fmt.Errorf("cannot use variant %q: got an unknown name; want one of %s", name,
			variantNames(known))
	}
	return Variant{}, fmt.Errorf("cannot use variant %q: got a name with more than one meaning; want one of %s",
		name, variantNames(shortened))
}

// checkValue returns an error if the value of --variant does not fit the variant: one that
// it does not take, or none where it needs one. given is false for "NAME" without "=VALUE".
func (variant Variant) checkValue(value string, given bool) error {
	if variant.Value == "" {
		if given {
			return fmt.Errorf("cannot use variant %s: got the value %q; want none", variant.Name, value)
		}
		return nil
	}
	if !slices.Contains(strings.Split(variant.Value, "|"), value) {
		return fmt.Errorf("cannot use variant %s: got the value %q; want one of %s", variant.Name, value, variant.Value)
	}
	return nil
}

// variantNames returns the names of a suite's variants for an error message, sorted, each with the
// value that it takes.
func variantNames(list []Variant) string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = v.Name
		if v.Value != "" {
			names[i] += "=" + v.Value
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
