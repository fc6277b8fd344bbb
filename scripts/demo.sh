#!/bin/sh
# demo.sh scores the sample dump through a daemon and writes a report of it.
#
# In:  bin/plumb, testdata/aspire/demo.jsonl.
# Out: the summary tables on the terminal, build/demo/results.jsonl,
#      build/report/index.html. The daemon is stopped in any case.
set -eu

cd "$(dirname "$0")/.."
out=build/demo
report=build/report
mkdir -p "$out"
rm -rf "$report"

bin/plumb serve --listen 127.0.0.1:0 2>"$out/daemon.log" &
daemon=$!
stop() {
	status=$?
	trap - EXIT INT TERM
	kill "$daemon" 2>/dev/null || true
	wait "$daemon" 2>/dev/null || true
	[ $status = 0 ] || { echo "the daemon's log:" && cat "$out/daemon.log"; } >&2
	exit $status
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The daemon picks a free port and names it once its self-test has passed.
address=""
tries=0
while [ -z "$address" ]; do
	kill -0 "$daemon" 2>/dev/null || { echo "the daemon ended before it listened" >&2; exit 1; }
	tries=$((tries + 1))
	[ $tries -le 600 ] || { echo "the daemon does not listen after 60 seconds" >&2; exit 1; }
	sleep 0.1
	address=$(sed -n 's/^listening on //p' "$out/daemon.log")
done
echo "daemon listening on $address"

bin/plumb score --server "http://$address" --report "$report" -o "$out/results.jsonl" testdata/aspire/demo.jsonl

echo
echo "results: $out/results.jsonl ($(wc -l <"$out/results.jsonl") lines)"
echo "report:  file://$PWD/$report/index.html"
echo
echo "to look at every answer and why it scored what it did:"
echo "  bin/plumb view $out/results.jsonl --dump testdata/aspire/demo.jsonl"
