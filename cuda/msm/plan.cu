// SPDX-License-Identifier: MIT OR Apache-2.0
// Plans of either group; host code only.
#include "launchers.cuh"

using namespace cuzk;

extern "C" uint64_t cuzk_msm_make_plan(cuzk_msm_plan* plan_out, int g2, uint64_t n,
                                       int multiprocessors, size_t scratch_limit) {
    return g2 ? make_plan<fp2>(plan_out, n, multiprocessors, scratch_limit)
              : make_plan<fp>(plan_out, n, multiprocessors, scratch_limit);
}
extern "C" size_t cuzk_msm_scratch_size(const cuzk_msm_plan* plan) {
    msm_plan p = open_plan(plan);
    return p.g2 ? msm_scratch_size<fp2>(p) : msm_scratch_size<fp>(p);
}
extern "C" size_t cuzk_msm_sums_size(const cuzk_msm_plan* plan) {
    msm_plan p = open_plan(plan);
    if (p.few) return p.windows.windows * (p.g2 ? sizeof(xyzz<fp2>) : sizeof(xyzz<fp>));
    return p.windows.subwindows * (p.g2 ? sizeof(msm_run_sums<fp2>) : sizeof(msm_run_sums<fp>));
}
