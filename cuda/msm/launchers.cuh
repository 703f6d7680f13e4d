// SPDX-License-Identifier: MIT OR Apache-2.0
// The launchers' bodies, one text for both groups.
#pragma once
#include <cstring>

#include "../launch.h"
#include "few.cuh"
#include "msm.cuh"
#include "running.cuh"
#include "sum.cuh"

namespace cuzk {

static_assert(sizeof(msm_plan) <= sizeof(cuzk_msm_plan), "a plan fits its opaque form");
static_assert(SUM_PARTS == CUZK_SUM_PARTS, "one number of partial sums");

inline msm_plan open_plan(const cuzk_msm_plan* plan) {
    msm_plan p;
    std::memcpy(&p, plan, sizeof p);
    return p;
}

template <class F>
constexpr uint32_t resident_threads(int multiprocessors) {
    return (uint32_t)multiprocessors * PAIR_BLOCK<F> * PAIR_BLOCKS_PER_SM;
}

template <class F>
size_t msm_scratch_size(const msm_plan& plan) {
    return plan.few ? few_scratch_size<F>(plan) : msm_scratch<F>(plan, nullptr).size;
}

// Calls of n points if the best plan for them fits, else the cheapest with calls of n/2, n/4, ...
// points or of n in smaller windows; below 2^16 a call is not worth its rounds.
template <class F>
uint64_t make_plan(cuzk_msm_plan* plan_out, uint64_t n, int multiprocessors, size_t limit) {
    constexpr uint64_t MOST = 1u << 28;
    constexpr bool g2 = sizeof(F) == 96;
    uint64_t call_n = n < 1 ? 1 : n < MOST ? n : MOST;
    msm_plan best = {};
    auto fits = [&](const msm_plan& p) { return msm_scratch_size<F>(p) <= limit; };
    if (n <= (g2 ? FEW_MOST_G2 : FEW_MOST)) {
        best = few_plan(g2, (uint32_t)call_n, (uint32_t)multiprocessors);
        if (!fits(best)) return 0;
    } else {
        const uint32_t resident = resident_threads<F>(multiprocessors);
        double cost = 0;
        while (!msm_best_plan(g2, n, (uint32_t)call_n, resident, fits, best, cost) &&
               call_n > 1u << 16)
            call_n = (call_n + 1) / 2;
        if (cost == 0) return 0;
    }
    std::memset(plan_out, 0, sizeof *plan_out);
    std::memcpy(plan_out, &best, sizeof best);
    return best.call_n;
}

template <class F>
int launch_add(cudaStream_t stream, const cuzk_msm_plan* plan, void* scratch, const void* points,
               const uint32_t* indices, const void* scalars, const uint32_t* sources, uint32_t n,
               int montgomery, int first) {
    msm_plan p = open_plan(plan);
    if (n > p.call_n) return cudaErrorInvalidValue;
    msm_scalars s = {scalars, sources, indices, n, (uint32_t)montgomery};
    if (p.few && n == 0 && !first) return cudaSuccess;
    if (p.few)
        return few_add<F>(stream, p, scratch, static_cast<const affine<F>*>(points), s, first != 0);
    return msm_add<F>(stream, p, scratch, static_cast<const affine<F>*>(points), s, first != 0);
}

template <class F>
int launch_finish(cudaStream_t stream, const cuzk_msm_plan* plan, void* scratch, void* sums) {
    msm_plan p = open_plan(plan);
    if (p.few) return few_finish<F>(stream, p, scratch, sums);
    const msm_run_sums<F>* run_sums;
    cudaError_t status = msm_sum_runs<F>(stream, p, scratch, run_sums);
    if (status != cudaSuccess) return status;
    return cudaMemcpyAsync(sums, run_sums, p.windows.subwindows * sizeof(msm_run_sums<F>),
                           cudaMemcpyDefault, stream);
}

template <class F>
void combine(const cuzk_msm_plan* plan, const void* sums, void* point_out) {
    msm_plan p = open_plan(plan);
    affine<F> r = p.few ? combine_windows(p.windows, static_cast<const xyzz<F>*>(sums))
                        : combine_runs(p, static_cast<const msm_run_sums<F>*>(sums));
    std::memcpy(point_out, &r, sizeof r);
}

template <class F>
void combine_sum(const void* parts, uint32_t n, void* point_out) {
    affine<F> r = combine_parts(static_cast<const xyzz<F>*>(parts), n);
    std::memcpy(point_out, &r, sizeof r);
}

}  // namespace cuzk
