// SPDX-License-Identifier: MIT OR Apache-2.0
// The terms of a multiplication copied out of pieces that come and go, so that one multiplication
// serves all pieces.
#include "../field/fr.h"
#include "../launch.h"

namespace cuzk {
namespace {

constexpr int BLOCK = 256;
constexpr uint32_t SCALAR_QUADS = sizeof(fr) / sizeof(uint4);

// A thread copies 16 bytes of a term, so that neighbours write neighbours.
__global__ void __launch_bounds__(BLOCK)
    collect_kernel(const uint4* points, uint32_t point_quads, const uint32_t* indices,
                   const uint4* scalars, const uint32_t* sources, uint32_t n, uint4* points_out,
                   uint4* scalars_out) {
    const uint32_t term_quads = point_quads + SCALAR_QUADS;
    const uint64_t at = (uint64_t)blockIdx.x * BLOCK + threadIdx.x;
    const uint64_t term = at / term_quads;
    const uint32_t quad = (uint32_t)(at % term_quads);
    if (term >= n) return;
    if (quad < point_quads) {
        points_out[term * point_quads + quad] =
            points[(uint64_t)indices[term] * point_quads + quad];
    } else {
        const uint32_t q = quad - point_quads;
        scalars_out[term * SCALAR_QUADS + q] = scalars[(uint64_t)sources[term] * SCALAR_QUADS + q];
    }
}

}  // namespace
}  // namespace cuzk

using namespace cuzk;

extern "C" int cuzk_launch_collect(cuzk_stream stream, const void* points, uint32_t point_bytes,
                                   const uint32_t* indices, const void* scalars,
                                   const uint32_t* sources, uint32_t n, void* points_out,
                                   void* scalars_out) {
    if (n == 0) return cudaSuccess;
    const uint32_t point_quads = point_bytes / sizeof(uint4);
    const uint64_t quads = (uint64_t)n * (point_quads + SCALAR_QUADS);
    collect_kernel<<<(uint32_t)((quads + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>(
        static_cast<const uint4*>(points), point_quads, indices, static_cast<const uint4*>(scalars),
        sources, n, static_cast<uint4*>(points_out), static_cast<uint4*>(scalars_out));
    return cudaGetLastError();
}
