#!/bin/sh
# before.sh builds plumb of another commit, for benchmarks that compare two commits.
#
#	before.sh COMMIT
#
# In:  the commit, as git knows it. Without one nothing is done.
# Out: build/before with the sources of that commit and the program plumb.
set -eu
[ $# -eq 1 ] || exit 0
commit=$(git rev-parse --short=12 "$1")
# Nothing is to be done where the program there says that it was built of this commit.
[ "$(build/before/plumb version --json 2>/dev/null | grep -c "$commit")" = 0 ] || exit 0
rm -rf build/before
mkdir -p build/before
git archive "$commit" | tar x -C build/before
(cd build/before && go build -trimpath -ldflags "-X main.commit=$commit" -o plumb ./cmd/plumb)
