// SPDX-License-Identifier: MIT OR Apache-2.0
// Decoding and checking the points of a parameter file, and encoding them, in place.
#include "../launch.h"
#include "../msm/memory.cuh"
#include "decode.h"

namespace cuzk {
namespace {

constexpr int BLOCK = 128;

// A point a thread: its bytes are read, and its point is written, by the same thread.
template <class F>
__global__ void __launch_bounds__(BLOCK)
    decode_kernel(affine<F>* points, uint32_t n, uint64_t first, uint32_t checks,
                  unsigned long long* fault) {
    const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    uint4* at = reinterpret_cast<uint4*>(points + i);
    uint32_t words[sizeof(affine<F>) / sizeof(uint32_t)];
    CUZK_UNROLL
    for (int j = 0; j < pieces<affine<F>>; j++) {
        const uint4 q = at[j];
        words[4 * j] = q.x;
        words[4 * j + 1] = q.y;
        words[4 * j + 2] = q.z;
        words[4 * j + 3] = q.w;
    }
    bool good;
    const affine<F> p = decode_point<F>(words, checks, good);
    store_pieces(at, 1, p);
    if (!good) atomicMin(fault, (unsigned long long)(first + i));
}

template <class F>
__global__ void __launch_bounds__(BLOCK) encode_kernel(affine<F>* points, uint32_t n) {
    const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    uint4* at = reinterpret_cast<uint4*>(points + i);
    // Read as ordinary memory: the same thread writes it.
    affine<F> p;
    uint32_t* v = reinterpret_cast<uint32_t*>(&p);
    CUZK_UNROLL
    for (int j = 0; j < pieces<affine<F>>; j++) {
        const uint4 q = at[j];
        v[4 * j] = q.x;
        v[4 * j + 1] = q.y;
        v[4 * j + 2] = q.z;
        v[4 * j + 3] = q.w;
    }
    affine<F> words;
    encode_point(p, reinterpret_cast<uint32_t*>(&words));
    store_pieces(at, 1, words);
}

template <class F>
__global__ void __launch_bounds__(BLOCK)
    subgroup_kernel(const affine<F>* points, uint32_t n, uint64_t first,
                    unsigned long long* fault) {
    const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    const affine<F> p = load_pieces<affine<F>>(reinterpret_cast<const uint4*>(points + i), 1);
    if (!is_in_subgroup(p)) atomicMin(fault, (unsigned long long)(first + i));
}

constexpr uint32_t blocks(uint32_t n) { return n / BLOCK + (n % BLOCK != 0); }

template <class F>
int decode(cudaStream_t stream, void* points, uint32_t n, uint64_t first, uint32_t checks,
           uint64_t* fault) {
    if (n == 0) return cudaSuccess;
    decode_kernel<F><<<blocks(n), BLOCK, 0, stream>>>(static_cast<affine<F>*>(points), n, first,
                                                      checks,
                                                      reinterpret_cast<unsigned long long*>(fault));
    return cudaGetLastError();
}

template <class F>
int encode(cudaStream_t stream, void* points, uint32_t n) {
    if (n == 0) return cudaSuccess;
    encode_kernel<F><<<blocks(n), BLOCK, 0, stream>>>(static_cast<affine<F>*>(points), n);
    return cudaGetLastError();
}

template <class F>
int check_subgroup(cudaStream_t stream, const void* points, uint32_t n, uint64_t first,
                   uint64_t* fault) {
    if (n == 0) return cudaSuccess;
    subgroup_kernel<F>
        <<<blocks(n), BLOCK, 0, stream>>>(static_cast<const affine<F>*>(points), n, first,
                                          reinterpret_cast<unsigned long long*>(fault));
    return cudaGetLastError();
}

}  // namespace
}  // namespace cuzk

using namespace cuzk;

extern "C" int cuzk_launch_decode_g1(cuzk_stream stream, void* points, uint32_t n, uint64_t first,
                                     uint32_t checks, uint64_t* fault) {
    return decode<fp>(stream, points, n, first, checks, fault);
}

extern "C" int cuzk_launch_decode_g2(cuzk_stream stream, void* points, uint32_t n, uint64_t first,
                                     uint32_t checks, uint64_t* fault) {
    return decode<fp2>(stream, points, n, first, checks, fault);
}

extern "C" int cuzk_launch_encode_g1(cuzk_stream stream, void* points, uint32_t n) {
    return encode<fp>(stream, points, n);
}

extern "C" int cuzk_launch_encode_g2(cuzk_stream stream, void* points, uint32_t n) {
    return encode<fp2>(stream, points, n);
}

extern "C" int cuzk_launch_subgroup_g1(cuzk_stream stream, const void* points, uint32_t n,
                                       uint64_t first, uint64_t* fault) {
    return check_subgroup<fp>(stream, points, n, first, fault);
}

extern "C" int cuzk_launch_subgroup_g2(cuzk_stream stream, const void* points, uint32_t n,
                                       uint64_t first, uint64_t* fault) {
    return check_subgroup<fp2>(stream, points, n, first, fault);
}
