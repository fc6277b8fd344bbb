#!/bin/sh
# explorer.sh builds the pages of plumb view and of the daemon's /ui.
#
# In:  daemon/explorer/pages, daemon/explorer/schema.json, the npm registry (versions pinned there,
#      with checksums).
# Out: build/explorer with index.html, app.js and app.css; the packages under build/explorer-npm.
#
# With everything in place the script only compares sums and ends.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
src="$root/daemon/explorer/pages"
schema="$root/daemon/explorer/schema.json"
npm="$root/build/explorer-npm"
out="$root/build/explorer"

fail() {
	echo "cannot set up the explorer's pages: $1" >&2
	exit 1
}

for tool in node npm sha256sum; do
	command -v "$tool" >/dev/null || fail "$tool is missing; want Node.js 18 or later with npm, and coreutils"
done

packages=$(cd "$src" && sha256sum package.json package-lock.json | sha256sum | cut -d' ' -f1)
sources=$(cd "$src" && sha256sum ./* "../schema.json" | sha256sum | cut -d' ' -f1)

[ "$(cat "$out/made-of" 2>/dev/null)" = "$sources" ] && exit 0

mkdir -p "$npm"
rm -f "$npm"/*.ts "$npm"/*.tsx
cp "$src"/* "$schema" "$npm/"
if [ "$(cat "$npm/installed" 2>/dev/null)" != "$packages" ]; then
	rm -f "$npm/installed"
	# The install scripts of the packages are not needed. esbuild's only checks its program, which npm installs
	# as a package of its own.
	npm ci --prefix "$npm" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
		fail "npm could not install the packages of daemon/explorer/pages/package-lock.json"
	echo "$packages" >"$npm/installed"
fi

# Made beside the target and moved when complete: an interrupted run leaves nothing half done.
rm -rf "$out.part"
(cd "$npm" && node build.mjs types && node node_modules/typescript/bin/tsc --project . && node build.mjs "$out.part") ||
	fail "the sources do not build"
echo "$sources" >"$out.part/made-of"
rm -rf "$out"
mv "$out.part" "$out"
echo "explorer: $(wc -c <"$out/app.js") bytes of pages in build/explorer" >&2
