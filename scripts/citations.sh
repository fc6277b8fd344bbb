#!/bin/sh
# citations.sh lists citations of documents and rules that do not resolve, and rules that nothing cites.
cd "$(dirname "$0")/.." && exec go run ./scripts/house citations
