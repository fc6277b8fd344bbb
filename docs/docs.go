// Package docs holds the guides of this folder, so that a daemon can show them.
package docs

import "embed"

// Files are the guides of this folder and the rules of its folder spec, in Markdown.
//
//go:embed *.md spec/*.md
var Files embed.FS
