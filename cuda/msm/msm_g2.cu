// SPDX-License-Identifier: MIT OR Apache-2.0
// MSM and sums of points over G2.
#include "launchers.cuh"

using namespace cuzk;

extern "C" int cuzk_launch_msm_g2_add(cuzk_stream stream, const cuzk_msm_plan* plan, void* scratch,
                                      const void* points, const uint32_t* indices,
                                      const void* scalars, const uint32_t* sources, uint32_t n,
                                      int montgomery, int first) {
    return launch_add<fp2>(stream, plan, scratch, points, indices, scalars, sources, n, montgomery,
                           first);
}
extern "C" int cuzk_launch_msm_g2_finish(cuzk_stream stream, const cuzk_msm_plan* plan,
                                         void* scratch, void* sums) {
    return launch_finish<fp2>(stream, plan, scratch, sums);
}
extern "C" void cuzk_msm_g2_combine(const cuzk_msm_plan* plan, const void* sums, void* point_out) {
    combine<fp2>(plan, sums, point_out);
}

extern "C" size_t cuzk_sum_g2_scratch_size(uint32_t n, int multiprocessors) {
    return sum_scratch<fp2>(n, resident_threads<fp2>(multiprocessors), nullptr).size;
}
extern "C" int cuzk_launch_sum_g2(cuzk_stream stream, int multiprocessors, void* scratch,
                                  const void* points, const uint32_t* indices, uint32_t n,
                                  void* parts) {
    return launch_sum<fp2>(stream, resident_threads<fp2>(multiprocessors), scratch,
                           static_cast<const affine<fp2>*>(points), indices, n,
                           static_cast<xyzz<fp2>*>(parts));
}
extern "C" void cuzk_sum_g2_combine(const void* parts, uint32_t n, void* point_out) {
    combine_sum<fp2>(parts, n, point_out);
}

extern "C" size_t cuzk_running_sum_g2_size(int multiprocessors) {
    return running_size<fp2>(multiprocessors);
}
extern "C" int cuzk_launch_running_sum_g2(cuzk_stream stream, int multiprocessors, void* state,
                                          const void* points, const uint32_t* indices, uint32_t n,
                                          int first) {
    return running_add<fp2>(stream, multiprocessors, state, points, indices, n, first);
}
extern "C" int cuzk_launch_running_sum_g2_end(cuzk_stream stream, int multiprocessors,
                                              const void* state, void* parts) {
    return running_end<fp2>(stream, multiprocessors, state, parts);
}
