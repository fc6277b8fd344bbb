#!/bin/sh
# demo-run.sh asks a scripted endpoint, which has the faults of real ones, about ASPIRE and DrawingBench and
# scores its answers. It needs no key and no network.
#
# In:  bin/plumb, bench/endpoint, testdata/drawingbench.
# Out: build/demo-run with the tasks, the results and a report of each suite. The endpoint is stopped in any
#      case.
set -eu
out=build/demo-run
rm -rf "$out"
mkdir -p "$out"
go build -o "$out/endpoint" ./bench/endpoint
bin/plumb aspire generate --count 5 -o "$out/tasks.jsonl"
"$out/endpoint" -listen 127.0.0.1:0 -seed 7 -answers "exact:$out/tasks.jsonl" -retry-after 0.2 \
	-faults 429-wait=0.05,500=0.05,reset=0.03,garbage=0.03 >"$out/address" &
endpoint=$!
trap 'kill $endpoint 2>/dev/null || true' EXIT
# The endpoint picks a free port and writes its address. It gets ten seconds.
i=0
while [ ! -s "$out/address" ]; do
	i=$((i + 1))
	[ $i -lt 100 ] || { echo "the endpoint did not start" >&2; exit 1; }
	sleep 0.1
done
url=$(head -n 1 "$out/address")
bin/plumb run aspire --count 5 --model-url "$url" --model scripted --mode default,cot --out "$out/aspire"
bin/plumb run drawingbench --tasks testdata/drawingbench/tasks.json --model-url "$url" --model scripted --out "$out/drawingbench"
echo
echo "reports: $out/aspire/report/index.html and $out/drawingbench/report/index.html"
