#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Prints the folder of a CUDA toolkit whose nvcc is 12 or newer: the first of nvcc on the PATH, $CUDA_HOME,
# /usr/local/cuda, and .cache/cuda in this checkout. When there is none, installs nvcc 13.0 from PyPI's
# wheels into .cache/cuda (about 300 MB, no root).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
local_toolkit=$root/.cache/cuda/nvidia/cu13

is_new_enough() {
    [ -x "$1/bin/nvcc" ] || return 1
    local major
    major=$("$1/bin/nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
    [ "${major:-0}" -ge 12 ]
}

candidates=()
if on_path=$(command -v nvcc); then
    candidates+=("$(dirname "$(dirname "$(readlink -f "$on_path")")")")
fi
candidates+=("${CUDA_HOME:-}" /usr/local/cuda "$local_toolkit")
for toolkit in "${candidates[@]}"; do
    if [ -n "$toolkit" ] && is_new_enough "$toolkit"; then
        echo "$toolkit"
        exit 0
    fi
done

python3 -m pip install --quiet --no-deps --upgrade --target "$root/.cache/cuda" \
    'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-crt==13.0.*' 'nvidia-nvvm==13.0.*' \
    'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cccl==13.0.*' >&2
if ! is_new_enough "$local_toolkit"; then
    echo "the wheels installed in $root/.cache/cuda hold no nvcc 12 or newer" >&2
    exit 1
fi
echo "$local_toolkit"
