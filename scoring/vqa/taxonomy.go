package vqa

// kind is one of the two benchmarks.
type kind struct {
	name, title string
	labels      string // "numbers" or "letters", where an item does not say
	formats     []string
	categories  []category
	// human is the baseline of the paper in per cent: per format the overall one
	// and the categories'.
	human map[string]human
}

// human holds accuracies of the paper's human baseline, per cent.
type human struct {
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

func group(id, name, abbr string, size int, subs ...subcategory) category {
	return category{id: id, name: name, abbr: abbr, size: size, value: id, subs: subs}
}

func sub(id, name, abbr string, size int) subcategory {
	return subcategory{id: id, name: name, abbr: abbr, size: size, value: id}
}

// spatialab is SPATIALAB. See docs/spec/vqa.md#r1.
var spatialab = &kind{name: "spatialab", title: "SPATIALAB", labels: "numbers", formats: []string{formatChoice, formatOpen},
	human: map[string]human{
		formatChoice: {overall: 87.57, categories: []float64{93.70, 74.13, 91.58, 91.51, 88.89, 87.76}},
		formatOpen:   {overall: 64.93, categories: []float64{73.53, 50.19, 70.30, 69.81, 65.48, 62.87}}},
	categories: []category{
		group("3d_geometry", "3D Geometry", "3D", 238,
			sub("gravity_effects", "Gravity Effects", "", 50), sub("shape_projection", "Shape Projection", "", 50),
			sub("spatial_containment", "Spatial Containment", "", 50), sub("stability_prediction", "Stability Prediction", "", 42),
			sub("volume_comparison", "Volume Comparison", "", 46)),
		group("depth_occlusion", "Depth & Occlusion", "Depth", 259,
			sub("complete_occlusion_inference", "Complete Occlusion Inference", "", 39), sub("layering_order", "Layering Order", "", 70),
			sub("partial_occlusion", "Partial Occlusion", "", 50), sub("reflective_surfaces", "Reflective Surfaces", "", 50),
			sub("transparency_effects", "Transparency Effects", "", 50)),
		group("orientation", "Orientation", "Orient.", 202,
			sub("cardinal_direction", "Cardinal Direction", "", 50), sub("facing_direction", "Facing Direction", "", 42),
			sub("object_rotation", "Object Rotation", "", 50), sub("stacking_orientation", "Stacking Orientation", "", 35),
			sub("tool_handedness", "Tool Handedness", "", 25)),
		group("relative_positioning", "Relative Positioning", "Rel.Pos.", 212,
			sub("alignment_patterns", "Alignment Patterns", "", 43), sub("betweenness_relationships", "Betweenness Relationships", "", 47),
			sub("corner_angle_positioning", "Corner/Angle Positioning", "", 36), sub("directional_relations", "Directional Relations", "", 43),
			sub("proximity_gradients", "Proximity Gradients", "", 43)),
		group("size_scale", "Size & Scale", "Size", 252,
			sub("distance_size_correlation", "Distance-Size Correlation", "", 50), sub("perspective_distortion", "Perspective Distortion", "", 50),
			sub("relative_size_comparison", "Relative Size Comparison", "", 50), sub("scale_consistency", "Scale Consistency", "", 51),
			sub("shadow_size_projection", "Shadow-Size Projection", "", 51)),
		group("spatial_navigation", "Spatial Navigation", "Navig.", 237,
			sub("accessibility_constraints", "Accessibility Constraints", "", 41), sub("obstacle_avoidance", "Obstacle Avoidance", "", 50),
			sub("pathway_existence", "Pathway Existence", "", 46), sub("spatial_sequence", "Spatial Sequence", "", 50),
			sub("viewpoint_visibility", "Viewpoint Visibility", "", 50)),
	}}

// spaceeval is SpaCE-Eval. See docs/spec/vqa.md#r2.
var spaceeval = &kind{name: "spaceeval", title: "SpaCE-Eval", labels: "letters", formats: []string{formatChoice},
	human: map[string]human{formatChoice: {overall: 79.00, categories: []float64{84.18, 71.83, 81.34}}},
	categories: []category{
		group("spatial_reasoning", "Spatial Reasoning", "SR", 400,
			sub("spatial_interpretation", "Spatial Interpretation", "SI", 199), sub("space_association", "Space Association", "SA", 37),
			sub("view_analysis", "View Analysis", "VA", 58), sub("form_transformation", "Form Transformation", "FT", 106)),
		group("commonsense_knowledge", "Commonsense Knowledge", "CK", 395,
			sub("materials_and_structures", "Materials and Structures", "MaS", 108), sub("construction_and_fabrication", "Construction and Fabrication", "CF", 62),
			sub("cultural_context", "Cultural Context", "CC", 123), sub("vernacular_living", "Vernacular Living", "VL", 102)),
		group("environment_interaction", "Environment Interaction", "EI", 344,
			sub("user_environment_interaction", "User-Environment Interaction", "UEI", 114), sub("design_environment_interaction", "Design-Environment Interaction", "DEI", 73),
			sub("mobility_in_space", "Mobility in Space", "MiS", 98), sub("environment_sustainability", "Environment Sustainability", "ES", 59)),
	}}

// otherNames are further names of categories and subcategories that records use. See
// docs/spec/vqa.md#r3.
var otherNames = map[string]string{"material_and_science": "materials_and_structures", "user_environment": "user_environment_interaction",
	"design_environment": "design_environment_interaction"}

// place is where a category or a subcategory is in the taxonomy: two indices, sub is -1 for a
// category.
type place struct{ category, sub int }

// places returns where each name of the taxonomy is, names as appendID writes them.
func (k *kind) places() map[string]place {
	all := map[string]place{}
	add := func(p place, names ...string) {
		for _, n := range names {
			if n != "" {
				all[string(appendID(nil, []byte(n)))] = p
			}
		}
	}
	for c := range k.categories {
		at := &k.categories[c]
		add(place{c, -1}, at.id, at.name, at.abbr)
		for s := range at.subs {
			add(place{c, s}, at.subs[s].id, at.subs[s].name, at.subs[s].abbr)
		}
	}
	for other, name := range otherNames {
		if p, ok := all[name]; ok {
			all[other] = p
		}
	}
	return all
}

// appendID appends a name as an identifier: in lower case, with one underscore for each run of
// characters other than letters and digits, and none at the ends. See docs/spec/vqa.md#r3.
func appendID(dst, name []byte) []byte {
	start, gap := len(dst), false
	for _, b := range name {
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b < 'a' && (b < '0' || b > '9') || b > 'z' && b < 0x80 {
			gap = true
			continue
		}
		if gap && len(dst) > start {
			dst = append(dst, '_')
		}
		gap = false
		dst = append(dst, b)
	}
	return dst
}

// Size is a subcategory with the number of its items in the benchmark.
type Size struct {
	ID, Name string
	Items    int
}

// Sizes lists the subcategories of a benchmark, nil for an unknown one. See
// docs/spec/vqa.md#r1.
func Sizes(suite string) (out []Size) {
	for _, k := range []*kind{spatialab, spaceeval} {
		if k.name != suite {
			continue
		}
		for _, c := range k.categories {
			for _, s := range c.subs {
				out = append(out, Size{s.id, s.name, s.size})
			}
		}
	}
	return out
}
