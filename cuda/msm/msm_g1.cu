// SPDX-License-Identifier: MIT OR Apache-2.0
// MSM and sums of points over G1.
#include "launchers.cuh"

using namespace cuzk;

extern "C" int cuzk_launch_msm_g1_add(cuzk_stream stream, const cuzk_msm_plan* plan, void* scratch,
                                      const void* points, const uint32_t* indices,
                                      const void* scalars, const uint32_t* sources, uint32_t n,
                                      int montgomery, int first) {
    return launch_add<fp>(stream, plan, scratch, points, indices, scalars, sources, n, montgomery,
                          first);
}
extern "C" int cuzk_launch_msm_g1_finish(cuzk_stream stream, const cuzk_msm_plan* plan,
                                         void* scratch, void* sums) {
    return launch_finish<fp>(stream, plan, scratch, sums);
}
extern "C" void cuzk_msm_g1_combine(const cuzk_msm_plan* plan, const void* sums, void* point_out) {
    combine<fp>(plan, sums, point_out);
}

extern "C" size_t cuzk_sum_g1_scratch_size(uint32_t n, int multiprocessors) {
    return sum_scratch<fp>(n, resident_threads<fp>(multiprocessors), nullptr).size;
}
extern "C" int cuzk_launch_sum_g1(cuzk_stream stream, int multiprocessors, void* scratch,
                                  const void* points, const uint32_t* indices, uint32_t n,
                                  void* parts) {
    return launch_sum<fp>(stream, resident_threads<fp>(multiprocessors), scratch,
                          static_cast<const affine<fp>*>(points), indices, n,
                          static_cast<xyzz<fp>*>(parts));
}
extern "C" void cuzk_sum_g1_combine(const void* parts, uint32_t n, void* point_out) {
    combine_sum<fp>(parts, n, point_out);
}

extern "C" size_t cuzk_running_sum_g1_size(int multiprocessors) {
    return running_size<fp>(multiprocessors);
}
extern "C" int cuzk_launch_running_sum_g1(cuzk_stream stream, int multiprocessors, void* state,
                                          const void* points, const uint32_t* indices, uint32_t n,
                                          int first) {
    return running_add<fp>(stream, multiprocessors, state, points, indices, n, first);
}
extern "C" int cuzk_launch_running_sum_g1_end(cuzk_stream stream, int multiprocessors,
                                              const void* state, void* parts) {
    return running_end<fp>(stream, multiprocessors, state, parts);
}
