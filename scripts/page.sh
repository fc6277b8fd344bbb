#!/bin/sh
# page.sh makes the export pages: tldraw's editor with a few lines of ours around it.
#
# In:  render/chrome/page, the npm registry (versions pinned there, with checksums).
# Out: build/page/4.2 and build/page/5.4, which the browser loads, and
#      build/page/plain for the benchmark; the packages under build/page-npm.
#
# tldraw is not part of the project, nor of what it ships: the script downloads it
# from its makers, under their licence (docs/tldraw-licence.md). With everything
# in place the script only compares sums and ends.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
src="$root/render/chrome/page"
npm="$root/build/page-npm"
out="$root/build/page"

fail() {
	echo "cannot set up the export page: $1" >&2
	exit 1
}

for tool in node npm sha256sum; do
	command -v "$tool" >/dev/null || fail "$tool is missing; want Node.js 18 or later with npm, and coreutils"
done

# sum FILE... prints one sum over the names and contents of the files.
sum() { (cd "$src" && sha256sum "$@" | sha256sum | cut -d' ' -f1); }

packages=$(sum package.json package-lock.json)
sources=$(cd "$src" && sum ./*)

[ "$(cat "$out/made-of" 2>/dev/null)" = "$sources" ] && exit 0

mkdir -p "$npm"
cp "$src"/* "$npm/"
if [ "$(cat "$npm/installed" 2>/dev/null)" != "$packages" ]; then
	rm -f "$npm/installed"
	npm ci --prefix "$npm" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
		fail "npm could not install the packages of render/chrome/page/package-lock.json"
	echo "$packages" >"$npm/installed"
fi

# Made beside the target and moved when complete: an interrupted run leaves nothing half done.
rm -rf "$out.part"
(cd "$npm" && node node_modules/typescript/bin/tsc --project . && node build.mjs "$out.part") || fail "the sources do not build"
echo "$sources" >"$out.part/made-of"
rm -rf "$out"
mv "$out.part" "$out"
# The folders of build/page are named by the versions, as in 4.2.
echo "page: tldraw $(cd "$out" && echo ?.? | sed 's/ / and /') in build/page" >&2
