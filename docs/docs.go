// Package docs holds the guides of this folder, so that a daemon can show them.
package docs

import "embed"

// Files are the guides, NAME.md, and the rules, spec/NAME.md, in Markdown.
//
//go:embed *.md spec/*.md
var Files embed.FS
