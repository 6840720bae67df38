#!/usr/bin/env bash
# A campaign of the simulator with xargs, on this machine. From the root of a clone:
#   SEEDS=1..40 SHARDS=8 examples/ci/xargs.sh [SCENARIO…]
# Started again with the same words it goes on with the seeds that are missing.
set -u
seeds=${SEEDS:-1..40} shards=${SHARDS:-8} folder=${FOLDER:-campaign}
mkdir -p "$folder" || exit 2
seq "$shards" | xargs -P "$(nproc)" -I '{}' \
  npx svc-sim explore "$@" --seeds "$seeds" --shard "{}/$shards" --jobs 1 --jsonl "$folder/shard-{}.jsonl" --resume
# The exit code of xargs is 123 if any share failed; that of merge says what the campaign came to.
npx svc-sim merge "$folder"/shard-*.jsonl
