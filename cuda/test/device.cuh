// SPDX-License-Identifier: MIT OR Apache-2.0
// What programs for a GPU machine share: device memory, checked calls, and points with known
// logarithms.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../launch.h"
#include "curve_test.h"

#define CUZK_MUST(call)                                               \
    do {                                                              \
        int status_ = (int)(call);                                    \
        if (status_ != 0) {                                           \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                        cudaGetErrorString((cudaError_t)status_));    \
            std::exit(1);                                             \
        }                                                             \
    } while (0)

namespace cuzk {

template <class T>
struct device_array {
    T* p = nullptr;
    size_t n = 0;

    explicit device_array(size_t count) : n(count) {
        CUZK_MUST(cudaMalloc(&p, (n + 1) * sizeof(T)));
    }
    explicit device_array(const std::vector<T>& v) : device_array(v.size()) { put(v); }
    device_array(const device_array&) = delete;
    ~device_array() { cudaFree(p); }
    void put(const std::vector<T>& v) {
        CUZK_MUST(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const {
        std::vector<T> v(n);
        CUZK_MUST(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

// The whole quotient, into b.
inline int launch_quotient(const void* tables, uint32_t log_n, void* a, void* b, void* c) {
    void* const vectors[] = {a, b, c};
    for (int which = 0; which < 3; which++) {
        int status = cuzk_launch_quotient_begin(0, tables, log_n, which, vectors[which]);
        if (status != cudaSuccess) return status;
    }
    return cuzk_launch_quotient_end(0, tables, log_n, a, b, c, b);
}

// points[i] = logs[i] times the generator.
template <class F>
__global__ void make_points_kernel(const scalar* logs, affine<F>* points, uint32_t n) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) points[i] = to_affine(multiply(xyzz<F>::from(generator(F::zero())), logs[i].v, 8));
}

inline scalar to_scalar(const fr& a) {
    fr plain = from_montgomery(a);
    scalar s;
    for (int i = 0; i < 8; i++) s.v[i] = plain.v[i];
    return s;
}

template <class F>
affine<F> times_generator(const fr& a) {
    return to_affine(multiply(xyzz<F>::from(generator(F::zero())), to_scalar(a).v, 8));
}

// points[i] = low[i mod 2^14] + high[i / 2^14]: many different points for little.
constexpr uint32_t LOG_LOW_POINTS = 14;
template <class F>
__global__ void __launch_bounds__(128)
    combine_points_kernel(const affine<F>* low, const affine<F>* high, affine<F>* points,
                          uint64_t n) {
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        points[i] = add_affine(low[i & ((1u << LOG_LOW_POINTS) - 1)], high[i >> LOG_LOW_POINTS]);
}

struct logs_of_points {
    std::vector<fr> low, high;
    fr operator()(uint64_t i) const {
        return add(low[i & ((1u << LOG_LOW_POINTS) - 1)], high[i >> LOG_LOW_POINTS]);
    }
};

inline fr random_fr(random_source& random) {
    fr a;
    for (int i = 0; i < 8; i++) a.v[i] = (uint32_t)random.next();
    a.v[7] %= fr_params::modulus(7);
    return a;
}

// n points with known logarithms, in device memory.
template <class F>
logs_of_points make_many_points(affine<F>* points, uint64_t n, uint64_t seed) {
    random_source random = {seed};
    logs_of_points logs;
    logs.low.resize((size_t)1 << LOG_LOW_POINTS);
    logs.high.resize((n >> LOG_LOW_POINTS) + 1);
    auto fill = [&](std::vector<fr>& list) {
        std::vector<scalar> scalars;
        for (fr& a : list) {
            a = random_fr(random);
            scalars.push_back(to_scalar(a));
        }
        return scalars;
    };
    device_array<scalar> low_logs(fill(logs.low)), high_logs(fill(logs.high));
    device_array<affine<F>> low(low_logs.n), high(high_logs.n);
    make_points_kernel<<<(unsigned)(low.n + 127) / 128, 128>>>(low_logs.p, low.p, (uint32_t)low.n);
    make_points_kernel<<<(unsigned)(high.n + 127) / 128, 128>>>(high_logs.p, high.p,
                                                                (uint32_t)high.n);
    combine_points_kernel<<<(unsigned)((n + 127) / 128), 128>>>(low.p, high.p, points, n);
    CUZK_MUST(cudaGetLastError());
    CUZK_MUST(cudaDeviceSynchronize());
    return logs;
}

// The launchers by group.
template <class F>
struct launchers;
template <>
struct launchers<fp> {
    static constexpr int g2 = 0;
    static constexpr auto add = cuzk_launch_msm_g1_add;
    static constexpr auto finish = cuzk_launch_msm_g1_finish;
    static constexpr auto combine = cuzk_msm_g1_combine;
    static constexpr auto sum_scratch = cuzk_sum_g1_scratch_size;
    static constexpr auto sum = cuzk_launch_sum_g1;
    static constexpr auto sum_combine = cuzk_sum_g1_combine;
    static constexpr auto running_size = cuzk_running_sum_g1_size;
    static constexpr auto running_sum = cuzk_launch_running_sum_g1;
    static constexpr auto running_end = cuzk_launch_running_sum_g1_end;
    static constexpr size_t parts_size = CUZK_SUM_G1_PARTS_SIZE;
};
template <>
struct launchers<fp2> {
    static constexpr int g2 = 1;
    static constexpr auto add = cuzk_launch_msm_g2_add;
    static constexpr auto finish = cuzk_launch_msm_g2_finish;
    static constexpr auto combine = cuzk_msm_g2_combine;
    static constexpr auto sum_scratch = cuzk_sum_g2_scratch_size;
    static constexpr auto sum = cuzk_launch_sum_g2;
    static constexpr auto sum_combine = cuzk_sum_g2_combine;
    static constexpr auto running_size = cuzk_running_sum_g2_size;
    static constexpr auto running_sum = cuzk_launch_running_sum_g2;
    static constexpr auto running_end = cuzk_launch_running_sum_g2_end;
    static constexpr size_t parts_size = CUZK_SUM_G2_PARTS_SIZE;
};

}  // namespace cuzk
