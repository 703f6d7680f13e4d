// SPDX-License-Identifier: MIT OR Apache-2.0
// Digits sorted by bucket: what the MSM of either group does before it touches a point.
#pragma once
#include "plan.h"

namespace cuzk {

// The scalars of one call.
struct msm_scalars {
    const void* values;       // scalars (plain numbers below r) or Fr elements in Montgomery form
    const uint32_t* sources;  // scalar i is values[sources[i]]; null: values[i]
    const uint32_t* indices;  // point i is points[indices[i]]; null: points[i]
    uint32_t n;
    uint32_t montgomery;
};

// A group of windows: its digits, and its buckets.
struct msm_sorted {
    uint32_t* keys[2];    // bucket of each digit, counted from the group's first; [1] is sorted
    uint32_t* values[2];  // the digit's point, FLAG for its negative
    uint32_t* begin;      // a bucket's digits are sorted positions [begin, end)
    uint32_t* end;
    void* temporary;
    size_t temporary_size;
};

// Temporary bytes for the sort and the scans of a plan.
size_t msm_temporary_size(const msm_plan& plan);

// Writes the digits of the windows of `groups` groups from `first_group` on, one group after the
// other, at keys and values. A digit of zero gets the bucket after the group's last.
cudaError_t launch_digits(cudaStream_t stream, const msm_plan& plan, const msm_scalars& scalars,
                          uint32_t first_group, uint32_t groups, uint32_t* keys, uint32_t* values);

// Sorts a group's digits, n scalars', from keys[0] and values[0] to keys[1] and values[1] (which
// may change places), and finds its buckets.
cudaError_t launch_sort(cudaStream_t stream, const msm_plan& plan, uint32_t group, uint32_t n,
                        msm_sorted& sorted);

// offsets[k] for k = 0 ... buckets: pairs of this round (1, 2, ...) before bucket k in the high
// half, elements left after it in the low half.
cudaError_t launch_round_offsets(cudaStream_t stream, const msm_sorted& sorted, uint32_t buckets,
                                 uint32_t round, uint64_t* offsets);

// Lists the buckets that are not finished after `round` rounds; *found is how many there are.
cudaError_t launch_find_hot_buckets(cudaStream_t stream, const msm_sorted& sorted, uint32_t buckets,
                                    uint32_t round, uint32_t* found, uint32_t* list);

}  // namespace cuzk
