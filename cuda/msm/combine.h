// SPDX-License-Identifier: MIT OR Apache-2.0
// From the sums of bucket runs to the MSM's result: a few hundred doublings, done on the host.
#pragma once
#include "../curve/g1.h"
#include "../curve/g2.h"
#include "plan.h"

namespace cuzk {

// A run of 2^(c-1) bucket sums B_i, i = row * columns + column, weight i + 1 in its window.
template <class F>
struct msm_run_sums {
    xyzz<F> rows;     // sum of row * B_i
    xyzz<F> columns;  // sum of column * B_i
    xyzz<F> plain;    // sum of B_i
};

template <class F>
affine<F> combine_runs(const msm_plan& plan, const msm_run_sums<F>* runs) {
    const msm_windows& g = plan.windows;
    xyzz<F> total = xyzz<F>::infinity();
    for (uint32_t w = g.windows; w-- > 0;) {
        const uint32_t end = w + 1 == g.windows ? g.subwindows : w + 1;
        // A row weighs 2^log_columns: it joins when so many doublings of the window are left.
        for (uint32_t i = 0; i < g.bits - plan.log_columns(); i++) total = dbl(total);
        for (uint32_t run = w; run < end; run++) total = add(total, runs[run].rows);
        for (uint32_t i = 0; i < plan.log_columns(); i++) total = dbl(total);
        for (uint32_t run = w; run < end; run++) {
            uint32_t weight = (run - w) * g.run() + 1;
            total = add(total, add(runs[run].columns, multiply(runs[run].plain, &weight, 1)));
        }
    }
    return to_affine(total);
}

// The result from windows that are sums already.
template <class F>
affine<F> combine_windows(const msm_windows& g, const xyzz<F>* sums) {
    xyzz<F> total = xyzz<F>::infinity();
    for (uint32_t w = g.windows; w-- > 0;) {
        for (uint32_t i = 0; i < g.bits; i++) total = dbl(total);
        total = add(total, sums[w]);
    }
    return to_affine(total);
}

template <class F>
affine<F> combine_parts(const xyzz<F>* parts, uint32_t n) {
    xyzz<F> total = xyzz<F>::infinity();
    for (uint32_t i = 0; i < n; i++) total = add(total, parts[i]);
    return to_affine(total);
}

}  // namespace cuzk
