// SPDX-License-Identifier: MIT OR Apache-2.0
// How an MSM is cut: windows, groups of windows that are sorted together, rounds, and the sizes
// that follow. Everything here is decided on the host before anything runs.
#pragma once
#include <cmath>

#include "digits.h"

namespace cuzk {

constexpr uint32_t MSM_MAX_BITS = 23;
// Pairs that share a launch at most: 3.2 GB of prefix products in G1.
constexpr uint32_t PAIR_CHUNK = 1u << 26;

// From so many buckets on, their rows and columns are summed by pairs, not in XYZZ coordinates.
constexpr uint32_t LINES_END = 1u << 19;

// An MSM of few points (few.cuh): threads of a block, the most points a block takes, and the most
// slices that the points are cut into.
constexpr uint32_t FEW_BLOCK = 128;
constexpr uint32_t FEW_SLICE = 8192;
constexpr uint32_t FEW_MAX_SLICES = 32;
// Points up to which that is faster than sorted buckets and pairs, in G1 and in G2.
constexpr uint32_t FEW_MOST = 1u << 16, FEW_MOST_G2 = 1u << 14;

// Elements left of a bucket that had `count` points, after `round` rounds; a bucket leaves the
// rounds with the round that finishes it (2^round >= count).
CUZK_HD uint32_t bucket_elements(uint32_t count, uint32_t round) {
    if (round == 0) return count;
    if (count <= (1u << round)) return 0;
    return ((count - 1) >> round) + 1;
}

struct msm_plan {
    uint64_t n;         // points of the whole MSM
    uint32_t call_n;    // points of one call; more calls add to the same buckets
    uint32_t resident;  // threads of the pair kernel that the device holds at once
    uint32_t group;     // windows sorted together
    uint32_t rounds;    // of pairs; larger buckets are finished apart
    uint32_t chunk;     // pairs of one launch
    uint32_t g2;        // 0: G1, 1: G2
    uint32_t few;       // slices of an MSM of few points; 0: sorted buckets and pairs
    msm_windows windows;

    CUZK_HD uint32_t groups() const { return (windows.windows + group - 1) / group; }
    CUZK_HD uint32_t group_size(uint32_t i) const {
        uint32_t first = i * group;
        return windows.windows - first < group ? windows.windows - first : group;
    }
    // Groups whose digits are written in one go, so that scalars are not read once for each.
    uint32_t groups_ahead() const { return groups() < 4 ? groups() : 4; }
    // The most buckets of any group, and the most digits.
    uint64_t group_buckets() const {
        uint64_t most = 0;
        for (uint32_t i = 0; i < groups(); i++) {
            uint64_t b = windows.used_buckets(i * group, group_size(i));
            if (b > most) most = b;
        }
        return most;
    }
    uint64_t group_digits() const { return (uint64_t)group * call_n; }
    // The most elements that can be left in a group after `round` rounds, round >= 1: a bucket that
    // is still there had more than 2^round points, and keeps at most points/2^round + 1 -
    // 1/2^round.
    uint64_t elements(uint32_t round) const {
        uint64_t digits = group_digits(), by_buckets = (digits >> round) + group_buckets();
        uint64_t worst = 2 * digits / ((1ull << round) + 1) + 1;
        return worst < by_buckets ? worst : by_buckets;
    }
    // Few buckets: rounds of pairs would be latency for the most part.
    bool by_lines() const { return windows.buckets() < LINES_END; }
    // log2 of the rows and columns a run of buckets is seen as when it is summed.
    uint32_t log_columns() const { return (windows.bits - 1) / 2; }
    uint32_t log_rows() const { return windows.bits - 1 - log_columns(); }
};

// What the whole costs, in additions of one pair: the pairs themselves and sorting, 0.11 ms (in G1)
// of latency for each round whatever its size, and the reduction of the buckets as measured: two
// additions a bucket and a shorter latency for each of its rounds, or, without inversions, slower
// additions after a latency of 0.45 ms in G1 and 1.9 ms in G2.
inline double msm_cost(const msm_plan& p) {
    double digits = (double)p.windows.windows * (double)p.n;
    double buckets = (double)p.windows.buckets();
    // Each call after the first has its sums of buckets meet the ones that are there.
    double calls = p.n > p.call_n ? std::ceil((double)p.n / p.call_n) : 1;
    double rounds = (p.g2 ? 1.6e5 : 4.4e5) * calls * p.groups() * p.rounds;
    double reduction = p.by_lines() ? 4.5 * buckets + (p.g2 ? 2.2e6 : 1.4e6)
                                    : 2.1 * buckets + 2.8e5 * (p.log_rows() + 4);
    return 1.15 * (digits + (calls - 1) * buckets) + rounds + reduction;
}

// Rounds for `buckets` buckets that hold `average` points by chance: as many as leave none of them
// over, but once in a hundred times. (Chernoff's bound: a bucket holds t times the average or more
// with a chance below e^(-average (t log t - t + 1)).)
inline uint32_t msm_rounds(double average, double buckets) {
    uint32_t r = 1;
    for (; r < 28; r++) {
        double t = (double)(1u << r) / average;
        if (t > 1 && buckets * std::exp(-average * (t * std::log(t) - t + 1)) < 0.01) break;
    }
    return r;
}

// The most digits sorted at a time, unless one window has more: 2 GB of keys and values.
constexpr uint64_t GROUP_DIGITS = 1ull << 27;

// The plan for n points in calls of at most call_n, windows of `bits` bits.
inline msm_plan msm_plan_for(bool g2, uint64_t n, uint32_t call_n, uint32_t resident, uint32_t bits,
                             uint32_t windows, uint64_t group_digits = GROUP_DIGITS) {
    msm_plan p = {};
    p.n = n;
    p.call_n = call_n;
    p.resident = resident;
    p.g2 = g2;
    p.windows = make_windows(bits, windows);
    uint64_t group = group_digits / (call_n ? call_n : 1);
    p.group = group < 1 ? 1 : group > windows ? windows : (uint32_t)group;
    // Groups of like size, so that none is nearly empty.
    p.group = (windows + p.groups() - 1) / p.groups();
    uint64_t pairs = p.group_digits() / 2 + 1;
    if (pairs < p.windows.buckets()) pairs = p.windows.buckets();
    p.chunk = (uint32_t)(pairs < PAIR_CHUNK ? pairs : PAIR_CHUNK);
    const double points = call_n ? call_n : 1, top = points / p.windows.top_max;
    p.rounds = msm_rounds(points / p.windows.run(), p.windows.buckets());
    // The top window may have fewer buckets, with more points each. A hundred can be finished
    // apart, a block each, if that leaves a thread few points; more than that not.
    uint32_t least = 1;
    if (p.windows.top_max > 100) {
        least = msm_rounds(top, p.windows.top_max);
    } else {
        while (least < 28 && top / (1u << least) > 1024) least++;
    }
    if (p.rounds < least) p.rounds = least;
    return p;
}

// The plan for few points, n <= FEW_SLICE * FEW_MAX_SLICES: the one with the fewest additions in a
// row. A second block on a multiprocessor costs the first one some speed, and from there on all of
// them share the multiplier.
inline msm_plan few_plan(bool g2, uint32_t n, uint32_t multiprocessors) {
    msm_plan best = {};
    double best_cost = 0;
    for (uint32_t bits = 4; bits <= 8; bits++) {
        const uint32_t windows = (254 + bits - 1) / bits;
        for (uint32_t slices = 1; slices <= FEW_MAX_SLICES; slices++) {
            if (n > slices * FEW_SLICE) continue;
            // A thread's share of the points, then trees, whose additions are of 14 products and
            // not of 10.
            const double threads = FEW_BLOCK >> (bits - 1);  // of a bucket
            double trees = std::log2(threads) + 2 * bits + std::ceil(std::log2(slices));
            double row = (double)n / slices / FEW_BLOCK + 1 + 1.4 * trees;
            double blocks = std::ceil((double)windows * slices / multiprocessors);
            double cost = row * (blocks < 2 ? 1 : 0.7 * blocks);
            if (best.few == 0 || cost < best_cost) {
                best.n = n;
                best.call_n = n;
                best.g2 = g2;
                best.few = slices;
                best.windows = make_windows(bits, windows);
                best_cost = cost;
            }
        }
    }
    return best;
}

// The cheapest plan by msm_cost of those with calls of call_n points that `fits` accepts, if it is
// cheaper than `best` (of cost 0: none yet). Returns whether the cheapest of all fits.
template <class Fits>
inline bool msm_best_plan(bool g2, uint64_t n, uint32_t call_n, uint32_t resident, const Fits& fits,
                          msm_plan& best, double& best_cost) {
    double least = 0, least_fitting = 0;
    for (uint32_t bits = 4; bits <= MSM_MAX_BITS; bits++) {
        // The top window takes the bits that are left: fewer than the others', or up to two more.
        for (uint32_t windows = 254 / bits; windows <= (254 + bits - 1) / bits; windows++) {
            uint32_t top = 254 - bits * (windows - 1);
            if (top > bits + 2) continue;
            // Smaller groups cost more rounds, and less memory.
            for (uint64_t digits = GROUP_DIGITS; digits >= 1u << 16; digits /= 2) {
                msm_plan p = msm_plan_for(g2, n, call_n, resident, bits, windows, digits);
                double cost = msm_cost(p);
                if (least == 0 || cost < least) least = cost;
                if ((least_fitting == 0 || cost < least_fitting) && fits(p)) {
                    least_fitting = cost;
                    if (best_cost == 0 || cost < best_cost) {
                        best = p;
                        best_cost = cost;
                    }
                }
                if (p.group == 1) break;
            }
        }
    }
    return least_fitting == least;
}

}  // namespace cuzk
