#!/bin/sh
# bundle.sh makes build/gpu-bundle: plumb for a machine with an NVIDIA GPU and no
# Go toolchain.
#
# In:  bin/plumb (shaders are embedded), build/fonts, build/explorer, the sample dump.
# Out: build/gpu-bundle with the binary, fonts, the explorer's pages, samples, checks, licences, run.sh and
#      gpu.sh. Fails when a binary wants a library other than the C library and libEGL.
# The checks are the tests and benchmarks of the device's packages as programs:
# every stage against its Go twin, lost contexts and hangs included.
set -eu

cd "$(dirname "$0")/.."
out=build/gpu-bundle
rm -rf "$out"
mkdir -p "$out"
cp -R build/fonts "$out/fonts"
cp -R build/explorer "$out/explorer"
mkdir "$out/samples"
cp testdata/aspire/demo.jsonl "$out/samples/aspire.jsonl"
cp LICENSE NOTICE "$out/"
sh scripts/licences.sh "$out/licences"
cp scripts/bundle-run.sh "$out/run.sh"
cp bench/gpu.sh "$out/gpu.sh"
chmod 755 "$out/run.sh" "$out/gpu.sh"
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
echo "$commit" >"$out/commit"

# netgo and osusergo keep resolver libraries out.
tags="egl netgo osusergo"
go build -trimpath -tags "$tags" -ldflags "-s -w -X main.commit=$commit" -o "$out/plumb" ./cmd/plumb
mkdir "$out/checks"
go test -c -trimpath -tags "$tags" -ldflags "-s -w" -o "$out/checks/egl" ./render/egl
go test -c -trimpath -tags "$tags" -ldflags "-s -w" -o "$out/checks/gpu" ./render/gpu
go test -c -trimpath -tags "$tags fault" -ldflags "-s -w" -o "$out/checks/gpu-faults" ./render/gpu

for program in "$out/plumb" "$out"/checks/*; do
	# Names of the libraries that the program is linked with.
	wants=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
	for library in $wants; do
		case $library in
		libc.so.6 | libEGL.so.1 | libpthread.so.0 | libdl.so.2 | libm.so.6 | ld-linux*.so.*) ;;
		*)
			echo "cannot bundle $program: it wants $library; want only the C library and libEGL" >&2
			exit 1
			;;
		esac
	done
done
# The newest version of the C library of which any of the programs uses a function.
glibc=$(readelf -V "$out/plumb" "$out"/checks/* | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
echo "bundle: $out ($(du -sh "$out" | cut -f1)); needs $(echo $wants | tr '\n' ' ')and at least $glibc"
