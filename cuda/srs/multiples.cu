// SPDX-License-Identifier: MIT OR Apache-2.0
// Many multiples of a generator: what parameters for development are made of.
#include "../launch.h"
#include "../msm/memory.cuh"
#include "multiples.h"

namespace cuzk {
namespace {

constexpr int BLOCK = 128;
// Points of a thread, which share one inversion.
constexpr uint32_t EACH = 8;

template <class F>
struct stored_table {
    const affine<F>* entries;
    CUZK_DEVICE affine<F> operator()(uint32_t index) const {
        return load_pieces<affine<F>>(reinterpret_cast<const uint4*>(entries + index), 1);
    }
};

template <class F>
__global__ void __launch_bounds__(BLOCK)
    table_kernel(const affine<F>* generator, affine<F>* table) {
    const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < MULTIPLE_TABLE) table[i] = multiple_entry(*generator, i);
}

template <class F>
__global__ void __launch_bounds__(BLOCK)
    multiples_kernel(const affine<F>* table, const fr* scalars, uint32_t n, affine<F>* points) {
    const uint32_t threads = gridDim.x * BLOCK, first = blockIdx.x * BLOCK + threadIdx.x;
    xyzz<F> sums[EACH];
    F products[EACH];
    F product = F::one();
    uint32_t count = 0;
    CUZK_NO_UNROLL
    for (uint64_t i = first; i < n; i += threads) {
        const fr k = from_montgomery(scalars[i]);
        const xyzz<F> sum = multiple<F>(stored_table<F>{table}, k.v);
        products[count] = product;
        sums[count] = sum;
        if (!sum.is_infinity()) product = product * sum.zzz;
        count++;
    }
    F inverted = inverse(product);
    CUZK_NO_UNROLL
    while (count > 0) {
        count--;
        const xyzz<F> sum = sums[count];
        affine<F> point = affine<F>::infinity();
        if (!sum.is_infinity()) {
            // 1/ZZ = (ZZ/ZZZ)^2, since ZZ^3 = ZZZ^2.
            const F zzz_inverse = inverted * products[count];
            const F z_inverse = zzz_inverse * sum.zz;
            inverted = inverted * sum.zzz;
            point = {sum.x * (z_inverse * z_inverse), sum.y * zzz_inverse};
        }
        store_pieces(reinterpret_cast<uint4*>(points + first + (uint64_t)count * threads), 1,
                     point);
    }
}

template <class F>
int make_table(cudaStream_t stream, const void* generator, void* table) {
    table_kernel<F><<<(MULTIPLE_TABLE + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(
        static_cast<const affine<F>*>(generator), static_cast<affine<F>*>(table));
    return cudaGetLastError();
}

template <class F>
int multiples(cudaStream_t stream, const void* table, const void* scalars, uint32_t n,
              void* points) {
    if (n == 0) return cudaSuccess;
    const uint32_t threads = (n - 1) / EACH + 1, blocks = (threads - 1) / BLOCK + 1;
    multiples_kernel<F><<<blocks, BLOCK, 0, stream>>>(static_cast<const affine<F>*>(table),
                                                      static_cast<const fr*>(scalars), n,
                                                      static_cast<affine<F>*>(points));
    return cudaGetLastError();
}

}  // namespace
}  // namespace cuzk

using namespace cuzk;

extern "C" size_t cuzk_multiples_g1_table_size(void) { return MULTIPLE_TABLE * sizeof(g1_affine); }
extern "C" size_t cuzk_multiples_g2_table_size(void) { return MULTIPLE_TABLE * sizeof(g2_affine); }

extern "C" int cuzk_launch_multiples_g1_table(cuzk_stream stream, const void* generator,
                                              void* table) {
    return make_table<fp>(stream, generator, table);
}

extern "C" int cuzk_launch_multiples_g2_table(cuzk_stream stream, const void* generator,
                                              void* table) {
    return make_table<fp2>(stream, generator, table);
}

extern "C" int cuzk_launch_multiples_g1(cuzk_stream stream, const void* table, const void* scalars,
                                        uint32_t n, void* points) {
    return multiples<fp>(stream, table, scalars, n, points);
}

extern "C" int cuzk_launch_multiples_g2(cuzk_stream stream, const void* table, const void* scalars,
                                        uint32_t n, void* points) {
    return multiples<fp2>(stream, table, scalars, n, points);
}
