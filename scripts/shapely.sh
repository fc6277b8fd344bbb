#!/bin/sh
# shapely.sh installs what bench/tangram measures beside plumb, shapely 2 from PyPI, into
# build/peers/shapely. Quick when nothing is missing. Without shapely the benchmark
# leaves out the row.
set -eu
cd "$(dirname "$0")/.."
out=build/peers/shapely
pins=bench/tangram/requirements.txt
mkdir -p build/peers
if ! cmp -s $pins $out/pins; then
	{ python3 -m venv $out && $out/bin/pip install --quiet --require-hashes --only-binary :all: -r $pins && cp $pins $out/pins; } ||
		echo "shapely: could not be installed" >&2
fi
