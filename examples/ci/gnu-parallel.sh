#!/usr/bin/env bash
# A campaign of the simulator with GNU parallel, on this machine. From the root of a clone:
#   SEEDS=1..40 SHARDS=8 examples/ci/gnu-parallel.sh [SCENARIO…]
# Started again with the same arguments, it runs the seeds that are missing. If the program or a scenario has changed
# since, it ends with code 2.
set -u
if ! parallel --version 2>&1 | grep -q '^GNU parallel'; then
  echo "this needs GNU parallel (Debian's package parallel; moreutils has another program of that name)" >&2
  exit 2
fi
seeds=${SEEDS:-1..40} shards=${SHARDS:-8} folder=${FOLDER:-campaign}
mkdir -p "$folder" || exit 2
seq "$shards" | parallel --joblog "$folder/joblog" --quote \
  npx svc-sim explore "$@" --seeds "$seeds" --shard "{}/$shards" --jobs 1 --jsonl "$folder/shard-{}.jsonl" --resume
# The seventh field is an exit code: explore has refused its share, and the file of an earlier campaign may lie there.
awk 'NR > 1 && $7 == 2 { refused = 1 } END { exit refused }' "$folder/joblog" || exit 2
# The exit code of parallel counts shares that failed; that of merge is the result of the campaign.
npx svc-sim merge "$folder"/shard-*.jsonl
