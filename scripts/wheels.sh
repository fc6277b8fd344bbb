#!/bin/sh
# wheels.sh builds the Python packages as wheels.
#
#	wheels.sh        all
#	wheels.sh bin    plumb-bin alone: the program, fonts under the OFL, the explorer's pages, licences
#
# In:  build/venv (scripts/python.sh) with setuptools; for plumb-bin also Go and
#      build/fonts and build/explorer. Nothing is downloaded.
# Out: build/wheels/*.whl. plumb-bin's name has this machine's processor and the least
#      glibc that the program needs. Fails where a licence is missing.
set -eu

cd "$(dirname "$0")/.."
root=$(pwd)
out="$root/build/wheels"
python="$root/build/venv/bin/python"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$out"

# wheel FOLDER builds the package in a copy of the folder, because setuptools leaves folders beside sources.
wheel() {
	cp -RL "$1" "$stage/source"
	"$python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation --no-index -w "$out" "$stage/source"
	rm -rf "$stage/source"
}

# program builds the wheel plumb-bin.
program() {
	folder="$stage/bin"
	cp -RL clients/bin "$folder"
	mkdir -p "$folder/plumb_bin/fonts" "$folder/licences"
	go build -trimpath -tags "egl netgo osusergo" -ldflags "-s -w -X main.commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)" \
		-o "$folder/plumb_bin/plumb" ./cmd/plumb
	cp build/fonts/*.ttf "$folder/plumb_bin/fonts/"
	rm -f "$folder"/plumb_bin/fonts/Liberation* # is under the GPL, the others are not
	cp -R build/explorer "$folder/plumb_bin/explorer"
	sh scripts/licences.sh "$folder/licences"
	rm -rf "$folder/licences/fonts-liberation"
	# The newest version of the C library of which the program uses a function, as in 2_34.
	glibc=$(readelf -V "$folder/plumb_bin/plumb" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1 | sed 's/GLIBC_//; s/\./_/')
	printf '[bdist_wheel]\nplat_name = manylinux_%s_%s\n' "$glibc" "$(uname -m)" >"$folder/setup.cfg"
	rm -f "$out"/plumb_bin-*.whl
	wheel "$folder"
}

if [ "${1:-all}" = all ]; then
	for package in python inspect verifiers openenv; do
		wheel "clients/$package"
	done
fi
program
ls "$out" | sed 's/^/wheels: build\/wheels\//' >&2
