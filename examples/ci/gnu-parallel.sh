#!/usr/bin/env bash
# A campaign of the simulator with GNU parallel, on this machine. From the root of a clone:
#   SEEDS=1..40 SHARDS=8 examples/ci/gnu-parallel.sh [SCENARIO…]
# Started again with the same words it goes on: parallel with the shares that its log does not have, explore with its seeds.
set -u
if ! parallel --version 2>&1 | grep -q '^GNU parallel'; then
  echo "this needs GNU parallel (Debian's package parallel; moreutils has another program of that name)" >&2
  exit 2
fi
seeds=${SEEDS:-1..40} shards=${SHARDS:-8} folder=${FOLDER:-campaign}
mkdir -p "$folder" || exit 2
seq "$shards" | parallel --joblog "$folder/joblog" --resume --quote \
  npx svc-sim explore "$@" --seeds "$seeds" --shard "{}/$shards" --jobs 1 --jsonl "$folder/shard-{}.jsonl" --resume
# The exit code of parallel counts shares that failed; that of merge says what the campaign came to.
npx svc-sim merge "$folder"/shard-*.jsonl
