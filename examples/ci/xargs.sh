#!/usr/bin/env bash
# A campaign of the simulator with xargs, on this machine. From the root of a clone:
#   SEEDS=1..40 SHARDS=8 examples/ci/xargs.sh [SCENARIO…]
# Started again with the same arguments, it runs the seeds that are missing. If the program or a scenario has changed
# since, it ends with code 2.
set -u
seeds=${SEEDS:-1..40} shards=${SHARDS:-8} folder=${FOLDER:-campaign}
mkdir -p "$folder" || exit 2
# The code 255 ends xargs with 124: explore has refused its share, and the file of an earlier campaign may lie there.
seq "$shards" | xargs -P "$(nproc)" -I '{}' bash -c '"$@"; code=$?; [ $code -ne 2 ] || exit 255; exit $code' share \
  npx svc-sim explore "$@" --seeds "$seeds" --shard "{}/$shards" --jobs 1 --jsonl "$folder/shard-{}.jsonl" --resume
[ "${PIPESTATUS[1]}" -ne 124 ] || exit 2
# The exit code of xargs is 123 if any share failed; that of merge is the result of the campaign.
npx svc-sim merge "$folder"/shard-*.jsonl
