#!/bin/sh
# bundle.sh makes build/gpu-bundle: plumb for a machine with an NVIDIA GPU and no
# Go toolchain.
#
# In:  bin/plumb (shaders are embedded), build/fonts, the sample dump.
# Out: build/gpu-bundle with the binary, fonts, samples and run.sh. Fails when the
#      binary wants a library other than the C library and libEGL.
set -eu

cd "$(dirname "$0")/.."
out=build/gpu-bundle
rm -rf "$out"
mkdir -p "$out"
cp -R build/fonts "$out/fonts"
mkdir "$out/samples"
cp testdata/aspire/demo.jsonl "$out/samples/aspire.jsonl"
cp LICENSE "$out/LICENSE"
cp scripts/bundle-run.sh "$out/run.sh"
chmod 755 "$out/run.sh"

# netgo and osusergo keep resolver libraries out.
go build -trimpath -tags "egl netgo osusergo" -ldflags "-s -w" -o "$out/plumb" ./cmd/plumb

wants=$(readelf -d "$out/plumb" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
for library in $wants; do
	case $library in
	libc.so.6 | libEGL.so.1 | libpthread.so.0 | libdl.so.2 | libm.so.6 | ld-linux*.so.*) ;;
	*)
		echo "cannot bundle plumb: it wants $library; want only the C library and libEGL" >&2
		exit 1
		;;
	esac
done
glibc=$(readelf -V "$out/plumb" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
echo "bundle: $out ($(du -sh "$out" | cut -f1)); needs $(echo $wants | tr '\n' ' ')and at least $glibc"
