#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Runs tests and measurements on a GPU machine, from the folder that device-build.sh made.
#
#   gpu-tests.sh [--only PART,...] [sizes of whole circuits, such as 16,20,24]
#
# Parts, all of them unless some are named: device (kernels and backends against their slow twins),
# sanitizer (the same under compute-sanitizer), consumers (software on the facades), kernels and
# circuits (their speed), and beside supraseal-c2: equality (proofs bit for bit), timing (software on
# both, in turns), comparison (whole circuits of the given sizes; 2^27 needs 120 GB of host memory).
#
# Ends with 1 when a test failed. SM clock and power are sampled meanwhile and summed up at the end.
set -uo pipefail

cd "$(dirname "$0")"
parts=device,sanitizer,consumers,kernels,circuits,equality,timing,comparison
only=$parts
sizes=16,20,24
while [ $# -gt 0 ]; do
    case $1 in
    --only) only=${2:?--only needs parts of $parts} && shift ;;
    *) sizes=$1 ;;
    esac
    shift
done
for part in ${only//,/ }; do
    [[ ,$parts, == *,$part,* ]] || { echo "no part is named $part: $parts" && exit 2; }
done
failed=0
scratch=$(mktemp -d)

nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader || exit 1
nvidia-smi --query-gpu=clocks.sm,power.draw --format=csv,noheader,nounits -lms 200 > "$scratch/samples" &
sampler=$!
trap 'kill "$sampler" 2> /dev/null; rm -rf "$scratch"' EXIT

wanted() {
    [[ ,$only, == *,$1,* ]]
}

built() {
    [ -x "$1" ] || { echo "skipped: $1 was not built" && return 1; }
}

step() {
    echo "== $*"
    local start=$SECONDS
    "$@" || { echo "== FAILED: $*" && failed=1; }
    echo "== $((SECONDS - start)) s"
}

# The facades' users prove on the GPU or fail.
on_gpu() {
    CUZK_BACKEND=cuda CUZK_TEST_PARAMETERS=$scratch/parameters step "$@"
}

if wanted device; then
    step ./run_device
    step ./backends_agree
fi
if wanted sanitizer; then
    if command -v compute-sanitizer > /dev/null; then
        step compute-sanitizer --tool memcheck --error-exitcode 1 ./run_device small
        step compute-sanitizer --tool racecheck --error-exitcode 1 ./run_device small
        step compute-sanitizer --tool memcheck --error-exitcode 1 ./backends_agree edges
    else
        echo "skipped: compute-sanitizer is not installed"
    fi
fi
if wanted consumers; then
    for consumer in bellperson_0_26 bellperson_0_27 workers; do
        built "./consumer-$consumer" && on_gpu "./consumer-$consumer" --test-threads 2
    done
    built ./consumer-proofs && on_gpu ./consumer-proofs --test-threads 1
    built ./consumer-c && on_gpu ./consumer-c small-circuit "$scratch"
fi
if wanted kernels; then
    step ./bench
fi
if wanted circuits; then
    step ./gpu_circuit "$sizes"
fi
if wanted equality && built ./supraseal-equality; then
    step ./supraseal-equality
fi

# Keeps what a program prints for the table at the end; ends one that hangs.
timed() {
    timeout -k 1 30 "$@" | tee -a "$scratch/times"
    return "${PIPESTATUS[0]}"
}

# Twice in turns; the medians of all calls of both. A peer's proof that is not valid is told and no
# failure of ours.
if wanted timing; then
    for _ in 1 2; do
        for program in consumer-bench consumer-proofs; do
            built "./$program" && built "./$program-peer" || continue
            arguments=(--ignored --nocapture)
            [ "$program" = consumer-bench ] && arguments=("$scratch" 16,18 3)
            on_gpu timed "./$program" "${arguments[@]}"
            CUZK_TEST_PARAMETERS=$scratch/parameters timed "./$program-peer" "${arguments[@]}" ||
                echo "$program-peer, on supraseal-c2, ended with $?"
        done
    done
    grep -oE '[a-z-]+ (2\^[0-9]+|2KiB-C2) [0-9]+ [0-9.]+$' "$scratch/times" |
        sort -k 2,2V -k 3,3n -k 4,4n | awk '
            { who = $1 ~ /-peer$/; key = $2 ", " $3 " at once"; n = ++count[who, key]; ms[who, key, n] = $4
              if (!(key in known)) { known[key] = 1; keys[++rows] = key } }
            function median(who, key) { return ms[who, key, int((count[who, key] + 1) / 2)] }
            END { for (i = 1; i <= rows; i++) { key = keys[i]; ours = median(0, key); theirs = median(1, key)
                printf "%s, a proof: on cuzk %.1f ms, on supraseal-c2 %.1f ms: %.2f times (medians of %d and %d)\n",
                    key, ours, theirs, ours ? theirs / ours : 0, count[0, key], count[1, key] } }'
fi
if wanted comparison && built ./supraseal-comparison; then
    step ./supraseal-comparison "$sizes"
fi

kill "$sampler"
awk -F', ' '$2 > 200 { n++; clock += $1; power += $2; if ($1 < least || n == 1) least = $1 }
    END { if (n) printf "SM clock under load: mean %.0f MHz, least %.0f; mean power %.0f W (%d samples)\n",
          clock / n, least, power / n, n }' "$scratch/samples"
[ "$failed" = 0 ] && echo "all tests passed"
exit "$failed"
