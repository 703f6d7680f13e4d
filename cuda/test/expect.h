// SPDX-License-Identifier: MIT OR Apache-2.0
// What the tests of both sides share: a test is a function of a seed that returns 0, or the line of
// the first thing that was not as expected; and random numbers made from the seed.
#pragma once
#include "../host_device.h"

#define CUZK_EXPECT(condition)             \
    do {                                   \
        if (!(condition)) return __LINE__; \
    } while (0)
// Runs another such test.
#define CUZK_EXPECT_PASS(test)        \
    do {                              \
        int line_ = (test);           \
        if (line_ != 0) return line_; \
    } while (0)

namespace cuzk {

struct random_source {
    uint64_t state;

    // splitmix64
    CUZK_HD uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    CUZK_HD uint32_t below(uint32_t n) { return (uint32_t)((next() >> 32) * n >> 32); }
};

}  // namespace cuzk
