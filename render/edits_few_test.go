//go:build !edits

package render

// madeUpEdits is how many made-up edits are measured.
const madeUpEdits = 150
