// SPDX-License-Identifier: MIT OR Apache-2.0
// How points lie in device memory, and how they are read and written 16 bytes at a time.
//
//   table   affine points one after the other (96 or 192 bytes), for gathering single points
//   planes  each 16-byte piece of a point in a plane of its own, for consecutive points
#pragma once
#include "../curve/affine.h"

namespace cuzk {

// A reference to a point is an index and two flags. Without IN_PLANES it is a table's point,
// negated with FLAG; with IN_PLANES FLAG chooses the second of two sets of planes.
constexpr uint32_t FLAG = 0x80000000u;
constexpr uint32_t IN_PLANES = 0x40000000u;
constexpr uint32_t INDEX_MASK = 0x3fffffffu;

template <class T>
constexpr int pieces = (int)(sizeof(T) / sizeof(uint4));

template <class T>
CUZK_DEVICE T load_pieces(const uint4* base, uint64_t stride) {
    T r;
    uint32_t* v = reinterpret_cast<uint32_t*>(&r);
    CUZK_UNROLL
    for (int j = 0; j < pieces<T>; j++) {
        uint4 q = __ldg(base + j * stride);
        v[4 * j] = q.x;
        v[4 * j + 1] = q.y;
        v[4 * j + 2] = q.z;
        v[4 * j + 3] = q.w;
    }
    return r;
}

template <class T>
CUZK_DEVICE void store_pieces(uint4* base, uint64_t stride, const T& a) {
    const uint32_t* v = reinterpret_cast<const uint32_t*>(&a);
    CUZK_UNROLL
    for (int j = 0; j < pieces<T>; j++)
        base[j * stride] = make_uint4(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
}

// Field elements in planes.
template <class F>
struct element_planes {
    uint4* base;
    uint64_t stride;  // elements of a plane

    // Written and read by the same thread or by another launch.
    CUZK_DEVICE F load(uint64_t i) const { return load_pieces<F>(base + i, stride); }
    CUZK_DEVICE void store(uint64_t i, const F& a) const { store_pieces(base + i, stride, a); }
};

// Points in planes: x's, then y's.
template <class F>
struct point_planes {
    uint4* base;
    uint64_t stride;  // points of a plane

    CUZK_DEVICE F x(uint64_t i) const { return load_pieces<F>(base + i, stride); }
    CUZK_DEVICE F y(uint64_t i) const {
        return load_pieces<F>(base + pieces<F> * stride + i, stride);
    }
    CUZK_DEVICE affine<F> load(uint64_t i) const { return {x(i), y(i)}; }
    CUZK_DEVICE void store(uint64_t i, const affine<F>& a) const {
        store_pieces(base + i, stride, a.x);
        store_pieces(base + pieces<F> * stride + i, stride, a.y);
    }
    // The same planes from point `first` on.
    CUZK_HD point_planes from(uint64_t first) const { return {base + first, stride}; }
};

// Where references lead.
template <class F>
struct point_source {
    const affine<F>* table;
    point_planes<F> planes[2];

    // Selects and no branches: this is between the products of a hot loop.
    CUZK_DEVICE uint64_t stride(uint32_t ref) const {
        uint64_t in_planes = ref & FLAG ? planes[1].stride : planes[0].stride;
        return ref & IN_PLANES ? in_planes : 1;
    }
    CUZK_DEVICE const uint4* x(uint32_t ref) const {
        const uint4* base = ref & FLAG ? planes[1].base : planes[0].base;
        base = ref & IN_PLANES ? base : reinterpret_cast<const uint4*>(table);
        uint32_t step = ref & IN_PLANES ? 1 : pieces<affine<F>>;
        return base + (uint64_t)(ref & INDEX_MASK) * step;
    }
    CUZK_DEVICE const uint4* y(uint32_t ref) const { return x(ref) + pieces<F> * stride(ref); }
    CUZK_DEVICE bool negative(uint32_t ref) const { return (ref & (FLAG | IN_PLANES)) == FLAG; }

    CUZK_DEVICE affine<F> load(uint32_t ref) const {
        F px = load_pieces<F>(x(ref), stride(ref)), py = load_pieces<F>(y(ref), stride(ref));
        return {px, negative(ref) ? neg(py) : py};
    }
};

// Copies 16 bytes to shared memory, in the background where the device can (8.0 and newer).
CUZK_DEVICE void copy_async(uint4* shared, const uint4* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(shared)),
                 "l"(from)
                 : "memory");
#else
    *shared = __ldg(from);
#endif
}
// Waits for all copies of this thread.
CUZK_DEVICE void copy_async_wait() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace cuzk
