#!/bin/sh
# run.sh tries plumb on this machine: what works here, then the sample dump.
# Further arguments go to plumb instead: ./run.sh score my-dump.jsonl
set -eu

here=$(cd "$(dirname "$0")" && pwd)
PLUMB_FONTS="$here/fonts"
export PLUMB_FONTS
if [ $# -gt 0 ]; then
	exec "$here/plumb" "$@"
fi
"$here/plumb" doctor
"$here/plumb" score --report "$here/report" -o "$here/results.jsonl" "$here/samples/aspire.jsonl"
echo "report: file://$here/report/index.html"
