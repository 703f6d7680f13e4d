#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds what a GPU machine needs to test and measure, so that it needs no toolchain: programs alone, in
# .cache/device. Copy the folder there and run gpu-tests.sh in it. With PEER=1 also the comparison with
# supraseal-c2, with CONSUMERS=1 bellperson and a program of Curio's kind on the facades of compat/.
# CUZK_CUDA_ARCHS restricts the architectures (90 for an H100 or H200).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/.cache/device
toolkit=$("$root/scripts/cuda-toolkit.sh")
mkdir -p "$out"

export CUZK_CUDA=1 CUDA_HOME=$toolkit
make -C "$root/cuda" OUT="$out/cuda" CUDA_HOME="$toolkit" run_device bench
install -s "$out/cuda/run_device" "$out/run_device"
install -s "$out/cuda/bench" "$out/bench"
rm -r "$out/cuda"

# The names of test and benchmark programs carry a hash; cargo tells them.
(cd "$root" && cargo build --release -p cuzk-prover --test backends_agree --bench gpu_circuit \
    --message-format=json-render-diagnostics) |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | while read -r program; do
    name=$(basename "$program")
    install -s "$program" "$out/${name%-*}"
done

if [ "${CONSUMERS:-}" = 1 ]; then
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
    for folder in bellperson/v0_26 bellperson/v0_27 curio; do
        (cd "$root/compat/consumers/$folder" && cargo build --release --test '*' \
            --message-format=json-render-diagnostics) |
            sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | while read -r program; do
            name=$(basename "$program")
            install -s "$program" "$out/consumer-${name%-*}"
        done
    done
fi

if [ "${PEER:-}" = 1 ]; then
    (cd "$root/benches/supraseal" && PEER_TOOLKIT=$toolkit NVCC=$PWD/nvcc \
        RUSTFLAGS="-L native=$toolkit/lib" cargo build --release \
        --message-format=json-render-diagnostics) |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | while read -r program; do
        install -s "$program" "$out/$(basename "$program")"
    done
fi
install -m 755 "$root/scripts/gpu-tests.sh" "$out/gpu-tests.sh"
ls -l "$out"
