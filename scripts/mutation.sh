#!/bin/sh
# mutation.sh runs the tests of packages on mutants, copies of the code with one small change each, to see
# which changes no test notices. Tests run as in a clone without reference data.
#
#	mutation.sh [FLAGS --] PACKAGE...
#
# In:  the packages, and flags of scripts/mutants before them. gremlins lists the mutants, and scripts/mutants
#      runs them.
# Out: build/mutation/results, and a table on stdout.
set -eu
cd "$(dirname "$0")/.."
gremlins=github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
out=$PWD/build/mutation
export GOFLAGS="-tags=egl -buildvcs=false -vet=off" PLUMB_DATA=/nonexistent TMPDIR=$out/temp.$$
# Arguments before -- are flags.
flags=
case " $* " in *" -- "*)
	while [ "$1" != -- ]; do flags="$flags $1"; shift; done
	shift ;;
esac
ulimit -v 8000000 # KiB: a mutant that never ends must not take the memory of the machine
mkdir -p "$out/lists" "$TMPDIR" "$out/bin"
trap 'rm -rf "$TMPDIR"' EXIT
GOBIN="$out/bin" GOFLAGS= go install $gremlins

# tree copies the code without its tests, once. gremlins reads the copy: it would run every test of the module
# to measure coverage, which scripts/mutants does itself.
tree() {
	[ -z "$made" ] || return 0
	rm -rf "$TMPDIR/tree"
	mkdir -p "$TMPDIR/tree"
	git ls-files -co --exclude-standard -z | grep -zv '_test\.go$' | xargs -0 ls -d 2>/dev/null | tar -cf - -T - | tar -xf - -C "$TMPDIR/tree"
	made=yes
}
made=

# list PACKAGE writes the list of its mutants, unless there is one that was made from the same files.
list() {
	name=$(echo "$1" | tr / _)
	sum=$(find "$1" -maxdepth 1 -type f -name '*.go' ! -name '*_test.go' -exec sha256sum {} + | sort | sha256sum | cut -c1-16)
	[ "$(cat "$out/lists/$name.sum" 2>/dev/null)" = "$sum" ] && return
	tree
	rm -f "$TMPDIR/list.json"
	(cd "$TMPDIR/tree" && "$out/bin/gremlins" unleash --dry-run --workers 1 -E / --output "$TMPDIR/list.json" "./$1") >"$TMPDIR/log" 2>&1 ||
		{ echo "mutation: gremlins failed on $1 with status $?:" >&2; tail -n 20 "$TMPDIR/log" >&2; return 1; }
	if [ ! -s "$TMPDIR/list.json" ]; then
		grep -q 'No results to report' "$TMPDIR/log" || { echo "mutation: gremlins lists nothing for $1:"; tail -n 20 "$TMPDIR/log"; return 1; } >&2
		echo '{}' >"$TMPDIR/list.json"
	fi
	mv "$TMPDIR/list.json" "$out/lists/$name.json"
	echo "$sum" >"$out/lists/$name.sum"
}

for package; do list "$package"; done
go build -o "$out/bin/mutants" ./scripts/mutants
"$out/bin/mutants" $flags "$@"
