#!/bin/sh
# before.sh builds plumb of another commit, for benchmarks that compare two commits.
#
#	before.sh COMMIT
#
# In:  the commit, in any form that git rev-parse takes. Without one the script does nothing.
# Out: build/before with the sources of that commit and the program plumb.
set -eu
[ $# -eq 1 ] || exit 0
commit=$(git rev-parse --short=12 "$1")
# The build that is there is kept if it is of this commit.
[ "$(build/before/plumb version --json 2>/dev/null | grep -c "$commit")" = 0 ] || exit 0
rm -rf build/before
mkdir -p build/before
git archive "$commit" | tar x -C build/before
(cd build/before && go build -trimpath -ldflags "-X main.commit=$commit" -o plumb ./cmd/plumb)
