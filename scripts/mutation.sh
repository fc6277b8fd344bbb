#!/bin/sh
# Runs the mutation tester gremlins over packages, file by file, as a clone without
# reference data would test them: sh scripts/mutation.sh PACKAGE... Out: one JSON file for
# each source file in build/mutation/results. A file whose package has not changed since
# its last run is not run again, so that a run that was stopped goes on.
# HOLD is a command before each file, such as `flock FILE`.
set -eu
cd "$(dirname "$0")/.."
gremlins=github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
out=$PWD/build/mutation
# Tests are short and not vetted: each mutant costs a build and a run. Every run is a
# real one: the time of a cached run would be the base of the limit of time.
export GOFLAGS="-tags=egl -buildvcs=false -short -vet=off -count=1" PLUMB_DATA=/nonexistent TMPDIR=$out/temp
# A mutant may allocate without end.
ulimit -v 12000000
rm -rf "$out/temp"
mkdir -p "$out/results" "$out/temp" "$out/bin"
GOBIN="$out/bin" GOFLAGS= go install $gremlins

# one PACKAGE FILE runs the mutants of a source file.
one() {
	name=$(echo "$1/$2" | tr / _)
	sum=$(find "$1" -maxdepth 1 -type f -name '*.go' -exec sha256sum {} + | sort | sha256sum | cut -c1-16)
	[ "$(cat "$out/results/$name.sum" 2>/dev/null)" = "$sum" ] && return
	set -- "$1" "$2" -E /
	for other in "$1"/*.go; do
		other=$(basename "$other" .go)
		[ "$other.go" = "$2" ] || set -- "$@" -E "^$other\\.go\$"
	done
	package=$1
	shift 2
	rm -f "$out/one.json"
	(cd "$out/tree" && ${HOLD:-} "$out/bin/gremlins" unleash --workers 2 --timeout-coefficient 10 --output "$out/one.json" "$@" "./$package") >"$out/log" 2>&1 || true
	if [ ! -s "$out/one.json" ]; then
		grep -q 'No results to report' "$out/log" || { echo "mutation: no result for $name:"; tail -n 20 "$out/log"; return 1; } >&2
		echo '{}' >"$out/one.json"
	fi
	mv "$out/one.json" "$out/results/$name.json"
	echo "$sum" >"$out/results/$name.sum"
	echo "$package $name: $(grep -c . "$out/log") lines" >&2
}

for package; do
	ls "$package"/*_test.go >/dev/null 2>&1 || continue # its users' tests test it
	# A tree with the tests of this package alone.
	rm -rf "$out/tree"
	mkdir -p "$out/tree/build"
	git ls-files -co --exclude-standard -z | grep -zv '_test\.go$' | xargs -0 ls -d 2>/dev/null | tar -cf - -T - | tar -xf - -C "$out/tree"
	cp -r build/fonts "$out/tree/build/"
	cp "$package"/*_test.go "$out/tree/$package/"
	for file in "$package"/*.go; do
		case $file in *_test.go) ;; *) one "$package" "$(basename "$file")" ;; esac
	done
done
