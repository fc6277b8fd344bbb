#!/bin/sh
# Builds plumb of another commit as build/before/plumb, for benchmarks that compare two commits.
set -eu
[ $# -eq 1 ] || exit 0
commit=$(git rev-parse --short=12 "$1")
[ "$(build/before/plumb version --json 2>/dev/null | grep -c "$commit")" = 0 ] || exit 0
rm -rf build/before
mkdir -p build/before
git archive "$commit" | tar x -C build/before
(cd build/before && go build -trimpath -ldflags "-X main.commit=$commit" -o plumb ./cmd/plumb)
