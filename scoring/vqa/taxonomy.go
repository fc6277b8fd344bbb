package vqa

// benchmark is one of the two benchmarks.
type benchmark struct {
	name, title string
	labels      string // "numbers" or "letters", where an item does not say
	formats     []string
	categories  []category
	// human is the baseline of the paper in per cent: per format the overall one and the categories'.
	human map[string]printedAccuracies
}

// printedAccuracies holds the accuracies of one row of a paper's tables, such as its human baseline, in
// per cent.
type printedAccuracies struct {
	overall    float64
	categories []float64   // in the order of categories
	subs       [][]float64 // in the same order, none where the paper has none
}

// category is a group of the taxonomy. Values that results carry are boxed once:
// a result of the hot path allocates none of them.
type category struct {
	id, name, abbr string
	size           int // items of the benchmark
	value          any
	subs           []subcategory
}

// subcategory is a part of a category of the taxonomy.
type subcategory struct {
	id, name, abbr string
	size           int
	value          any
}

// newCategory returns a category. size is the number of its items in the benchmark.
func newCategory(id, name, abbr string, size int, subs ...subcategory) category {
	return category{id: id, name: name, abbr: abbr, size: size, value: id, subs: subs}
}

// newSubcategory returns a subcategory with an identifier, a name, an abbreviation ("" for
// none) and the number of its items in the benchmark.
func newSubcategory(id, name, abbr string, size int) subcategory {
	return subcategory{id: id, name: name, abbr: abbr, size: size, value: id}
}

// spatialab is SPATIALAB. See docs/spec/vqa.md#r1.
var spatialab = &benchmark{name: "spatialab", title: "SPATIALAB", labels: "numbers",
	formats: []string{formatChoice, formatOpen},
	human: map[string]printedAccuracies{
		formatChoice: {overall: 87.57, categories: []float64{93.70, 74.13, 91.58, 91.51, 88.89, 87.76}},
		formatOpen:   {overall: 64.93, categories: []float64{73.53, 50.19, 70.30, 69.81, 65.48, 62.87}}},
	categories: []category{
		newCategory("3d_geometry", "3D Geometry", "3D", 238,
			newSubcategory("gravity_effects", "Gravity Effects", "", 50),
			newSubcategory("shape_projection", "Shape Projection", "", 50),
			newSubcategory("spatial_containment", "Spatial Containment", "", 50),
			newSubcategory("stability_prediction", "Stability Prediction", "", 42),
			newSubcategory("volume_comparison", "Volume Comparison", "", 46)),
		newCategory("depth_occlusion", "Depth & Occlusion", "Depth", 259,
			newSubcategory("complete_occlusion_inference", "Complete Occlusion Inference", "", 39),
			newSubcategory("layering_order", "Layering Order", "", 70),
			newSubcategory("partial_occlusion", "Partial Occlusion", "", 50),
			newSubcategory("reflective_surfaces", "Reflective Surfaces", "", 50),
			newSubcategory("transparency_effects", "Transparency Effects", "", 50)),
		newCategory("orientation", "Orientation", "Orient.", 202,
			newSubcategory("cardinal_direction", "Cardinal Direction", "", 50),
			newSubcategory("facing_direction", "Facing Direction", "", 42),
			newSubcategory("object_rotation", "Object Rotation", "", 50),
			newSubcategory("stacking_orientation", "Stacking Orientation", "", 35),
			newSubcategory("tool_handedness", "Tool Handedness", "", 25)),
		newCategory("relative_positioning", "Relative Positioning", "Rel.Pos.", 212,
			newSubcategory("alignment_patterns", "Alignment Patterns", "", 43),
			newSubcategory("betweenness_relationships", "Betweenness Relationships", "", 47),
			newSubcategory("corner_angle_positioning", "Corner/Angle Positioning", "", 36),
			newSubcategory("directional_relations", "Directional Relations", "", 43),
			newSubcategory("proximity_gradients", "Proximity Gradients", "", 43)),
		newCategory("size_scale", "Size & Scale", "Size", 252,
			newSubcategory("distance_size_correlation", "Distance-Size Correlation", "", 50),
			newSubcategory("perspective_distortion", "Perspective Distortion", "", 50),
			newSubcategory("relative_size_comparison", "Relative Size Comparison", "", 50),
			newSubcategory("scale_consistency", "Scale Consistency", "", 51),
			newSubcategory("shadow_size_projection", "Shadow-Size Projection", "", 51)),
		newCategory("spatial_navigation", "Spatial Navigation", "Navig.", 237,
			newSubcategory("accessibility_constraints", "Accessibility Constraints", "", 41),
			newSubcategory("obstacle_avoidance", "Obstacle Avoidance", "", 50),
			newSubcategory("pathway_existence", "Pathway Existence", "", 46),
			newSubcategory("spatial_sequence", "Spatial Sequence", "", 50),
			newSubcategory("viewpoint_visibility", "Viewpoint Visibility", "", 50)),
	}}

// spaceeval is SpaCE-Eval. See docs/spec/vqa.md#r2.
var spaceeval = &benchmark{name: "spaceeval", title: "SpaCE-Eval", labels: "letters", formats: []string{formatChoice},
	human: map[string]printedAccuracies{formatChoice: {overall: 79.00, categories: []float64{84.18, 71.83, 81.34}}},
	categories: []category{
		newCategory("spatial_reasoning", "Spatial Reasoning", "SR", 400,
			newSubcategory("spatial_interpretation", "Spatial Interpretation", "SI", 199),
			newSubcategory("space_association", "Space Association", "SA", 37),
			newSubcategory("view_analysis", "View Analysis", "VA", 58),
			newSubcategory("form_transformation", "Form Transformation", "FT", 106)),
		newCategory("commonsense_knowledge", "Commonsense Knowledge", "CK", 395,
			newSubcategory("materials_and_structures", "Materials and Structures", "MaS", 108),
			newSubcategory("construction_and_fabrication", "Construction and Fabrication", "CF", 62),
			newSubcategory("cultural_context", "Cultural Context", "CC", 123),
			newSubcategory("vernacular_living", "Vernacular Living", "VL", 102)),
		newCategory("environment_interaction", "Environment Interaction", "EI", 344,
			newSubcategory("user_environment_interaction", "User-Environment Interaction", "UEI", 114),
			newSubcategory("design_environment_interaction", "Design-Environment Interaction", "DEI", 73),
			newSubcategory("mobility_in_space", "Mobility in Space", "MiS", 98),
			newSubcategory("environment_sustainability", "Environment Sustainability", "ES", 59)),
	}}

// otherNames are further names of categories and subcategories that records use. See docs/spec/vqa.md#r3.
var otherNames = map[string]string{"material_and_science": "materials_and_structures",
	"user_environment":   "user_environment_interaction",
	"design_environment": "design_environment_interaction"}

// taxonomyPlace is the position of a category or subcategory in the taxonomy, as indices;
// sub is -1 for a category.
type taxonomyPlace struct{ category, sub int }

// taxonomyPlaces returns a map from names to the categories and subcategories of the benchmark. It
// has each by its identifiers, names and abbreviations, all written as by appendID.
func (benchmark *benchmark) taxonomyPlaces() map[string]taxonomyPlace {
	all := map[string]taxonomyPlace{}
	add := func(p taxonomyPlace, names ...string) {
		for _, n := range names {
			if n != "" {
				all[string(appendID(nil, []byte(n)))] = p
			}
		}
	}
	for c := range benchmark.categories {
		category := &benchmark.categories[c]
		add(taxonomyPlace{c, -1}, category.id, category.name, category.abbr)
		for s := range category.subs {
			sub := &category.subs[s]
			add(taxonomyPlace{c, s}, sub.id, sub.name, sub.abbr)
		}
	}
	for other, name := range otherNames {
		if p, ok := all[name]; ok {
			all[other] = p
		}
	}
	return all
}

// appendID appends the name of a category or benchmark as an identifier, so that spellings compare
// equal: in lower case, with one underscore for each run of ASCII characters other than letters and
// digits, and none at the ends. See docs/spec/vqa.md#r3.
func appendID(dst, name []byte) []byte {
	start, separated := len(dst), false
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		isLetterOrDigit := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if isASCII := c < 0x80; isASCII && !isLetterOrDigit {
			separated = true
			continue
		}
		if separated && len(dst) > start {
			dst = append(dst, '_')
		}
		separated = false
		dst = append(dst, c)
	}
	return dst
}

// Size is a subcategory with the number of its items in the benchmark.
type Size struct {
	ID, Name string
	Items    int
}

// Sizes lists the subcategories of SPATIALAB or SpaCE-Eval with their numbers of questions, nil for
// another suite. See docs/spec/vqa.md#r1.
func Sizes(suite string) (out []Size) {
	for _, b := range []*benchmark{spatialab, spaceeval} {
		if b.name != suite {
			continue
		}
		for _, c := range b.categories {
			for _, s := range c.subs {
				out = append(out, Size{s.id, s.name, s.size})
			}
		}
	}
	return out
}
