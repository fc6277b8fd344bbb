#!/bin/sh
# licences.sh collects the licences of the program, its Go modules and its fonts, for a bundle, an image or a
# wheel.
#
#	licences.sh FOLDER
#
# In:  LICENSE and NOTICE of plumb, the modules that the program links (go list),
#      licences/OFL-1.1.txt, and for Liberation Sans the copyright file of Debian's
#      package fonts-liberation with the GPL.
# Out: FOLDER with one file or folder for each. Fails where a text is missing.
set -eu

cd "$(dirname "$0")/.."
out=${1:?want the folder to write to}
mkdir -p "$out"

fail() {
	echo "cannot collect licences: $1" >&2
	exit 1
}

cp LICENSE NOTICE licences/OFL-1.1.txt "$out/"
mkdir -p "$out/go"
cp "$(go env GOROOT)/LICENSE" "$out/go/LICENSE"

# Kept in a variable, because a pipe has the exit code of its last command alone.
modules=$(go list -tags egl -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/plumb) ||
	fail "go list failed"
[ -n "$modules" ] || fail "go list names no modules"
echo "$modules" | sort -u |
	while read -r module folder; do
		mkdir -p "$out/$module"
		find "$folder" -maxdepth 1 -type f | grep -iE '/(licen[cs]e|copying|notice|patents)[^/]*$' |
			while read -r text; do
				cp "$text" "$out/$module/"
			done
		[ -n "$(ls "$out/$module")" ] || fail "the module $module has no file with a licence"
	done

if [ -f build/fonts/LiberationSans-Regular.ttf ]; then
	mkdir -p "$out/fonts-liberation"
	for root in "" build/liberation; do
		text=$root/usr/share/doc/fonts-liberation/copyright
		[ ! -f "$text" ] || cp "$text" "$out/fonts-liberation/copyright"
	done
	[ -f "$out/fonts-liberation/copyright" ] || fail "the copyright file of fonts-liberation is missing"
	cp /usr/share/common-licenses/GPL-2 "$out/fonts-liberation/GPL-2" || fail "the GPL is missing"
fi
chmod -R u+w "$out" # files of the module cache are read-only
