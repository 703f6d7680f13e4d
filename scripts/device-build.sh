#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds what a GPU machine needs to test and measure, so that it needs no toolchain: programs alone, in
# .cache/device. Copy the folder there and run gpu-tests.sh in it. With CONSUMERS=1 also software on the
# facades of compat/ and on libsupraseal_c2.so, with PEER=1 what compares with supraseal-c2.
# CUZK_CUDA_ARCHS restricts the architectures (90 for an H100 or H200).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/.cache/device
toolkit=$("$root/scripts/cuda-toolkit.sh")
mkdir -p "$out"

export CUZK_CUDA=1 CUDA_HOME=$toolkit CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
# The programs are stripped. With line tables the peer's kernels would be compiled for a debugger.
export CARGO_PROFILE_RELEASE_DEBUG=0
make -C "$root/cuda" OUT="$out/cuda" CUDA_HOME="$toolkit" run_device bench
install -s "$out/cuda/run_device" "$out/run_device"
install -s "$out/cuda/bench" "$out/bench"
rm -r "$out/cuda"

# usage: build FOLDER PREFIX ARGUMENTS: builds with cargo and takes the programs. The names of test and
# benchmark programs carry a hash; cargo tells them.
build() {
    local folder=$root/$1 prefix=$2
    shift 2
    (cd "$folder" && cargo build --release "$@" --message-format=json-render-diagnostics) |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | while read -r program; do
        name=$(basename "$program")
        [[ $program == */deps/* ]] && name=${name%-*}
        install -s "$program" "$out/$prefix$name"
    done
}

build . "" -p cuzk-prover --test backends_agree --bench gpu_circuit

if [ "${CONSUMERS:-}${PEER:-}" ]; then
    # filecoin-proofs' crates compile kernels of their own, which none of its proofs needs, and link
    # the driver, which the GPU machine has.
    stubs=$root/.cache/stubs
    make -s -C "$root" "$stubs/lib64/libcuda.so" "$stubs/bin/nvcc"
    export CUDA_LIBRARY_PATH=$stubs LD_LIBRARY_PATH=$stubs/lib64:${LD_LIBRARY_PATH:-}
fi

if [ "${CONSUMERS:-}" = 1 ]; then
    # One by one: together, each version would have the other's features.
    build compat/consumers/bellperson consumer- -p bellperson-0-26-consumer --test '*'
    build compat/consumers/bellperson consumer- -p bellperson-0-27-consumer --test '*'
    build compat/consumers/bellperson "" -p bellperson-timing
    build compat/consumers/curio consumer- --test '*'
    PATH=$stubs/bin:$PATH build compat/consumers/filecoin-proofs consumer- --test '*'

    # The C program finds both libraries beside it.
    make -C "$root" library DIST="$out/dist"
    (cd "$root" && cargo test --quiet --release --test small_circuit)
    cp -r "$root/.cache/small-circuit" "$out/"
    install -s "$out"/dist/lib/lib*.so.* "$out/dist/lib/libsupraseal_c2.so" "$out/"
    cc -std=c11 -D_GNU_SOURCE -O1 -I "$root/include" "$root/ffi-tests/supraseal.c" -o "$out/consumer-c" \
        -L "$out/dist/lib" -lcuzk -lsupraseal_c2 -lpthread -Wl,-rpath,'$ORIGIN'
    rm -r "$out/dist"
fi

# On supraseal-c2 itself. `nvcc` in that folder says what is different there.
if [ "${PEER:-}" = 1 ]; then
    export PEER_TOOLKIT=$toolkit NVCC=$root/benches/supraseal/nvcc LIBRARY_PATH=$toolkit/lib
    build benches/supraseal "" -p supraseal-comparison
    build benches/supraseal "" -p bellperson-timing-peer
    PATH=$stubs/bin:$PATH build benches/supraseal consumer- -p filecoin-proofs-peer --test '*'
    mv "$out/consumer-proofs_peer" "$out/consumer-proofs-peer"
fi
install -m 755 "$root/scripts/gpu-tests.sh" "$out/gpu-tests.sh"
ls -l "$out"
