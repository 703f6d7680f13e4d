#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Runs every test and measurement on a GPU machine, from the folder that device-build.sh made.
#
#   gpu-tests.sh [sizes of whole circuits, such as 16,20,24]      (2^27 needs 80 GB of host memory)
#
# Ends with 1 when a test failed. SM clock and power are sampled meanwhile and summed up at the end.
set -uo pipefail

cd "$(dirname "$0")"
sizes=${1:-16,20,24}
failed=0
samples=$(mktemp)

nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader || exit 1
nvidia-smi --query-gpu=clocks.sm,power.draw --format=csv,noheader,nounits -lms 200 > "$samples" &
sampler=$!
trap 'kill "$sampler" 2> /dev/null; rm -f "$samples"' EXIT

step() {
    echo "== $*"
    "$@" || { echo "== FAILED: $*"; failed=1; }
}

step ./run_device
step ./backends_agree
if command -v compute-sanitizer > /dev/null; then
    step compute-sanitizer --tool memcheck --error-exitcode 1 ./run_device small
    step compute-sanitizer --tool racecheck --error-exitcode 1 ./run_device small
    step compute-sanitizer --tool memcheck --error-exitcode 1 ./backends_agree edges
else
    echo "skipped: compute-sanitizer is not installed"
fi
for consumer in ./consumer-*; do
    if [ -x "$consumer" ]; then
        step env CUZK_BACKEND=cuda "$consumer" --test-threads 2
    else
        echo "skipped: software on the facades was not built"
    fi
done
step ./bench
step ./gpu_circuit "$sizes"
if [ -x ./supraseal-comparison ]; then
    step ./supraseal-comparison "$sizes"
else
    echo "skipped: the comparison with supraseal-c2 was not built"
fi

kill "$sampler"
awk -F', ' '$2 > 200 { n++; clock += $1; power += $2; if ($1 < least || n == 1) least = $1 }
    END { if (n) printf "SM clock under load: mean %.0f MHz, least %.0f; mean power %.0f W (%d samples)\n",
          clock / n, least, power / n, n }' "$samples"
[ "$failed" = 0 ] && echo "all tests passed"
exit "$failed"
