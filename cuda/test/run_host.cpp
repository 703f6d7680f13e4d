// SPDX-License-Identifier: MIT OR Apache-2.0
// Device code on the host: every test that is an ordinary function, with all stated invariants
// asserted. CUZK_TEST_SEED chooses the first seed.
#include <cstdio>
#include <cstdlib>

#include "curve_test.h"
#include "field_test.h"
#include "msm_test.h"
#include "ntt_test.h"
#include "srs_test.h"

using namespace cuzk;

static int failures = 0;

static void report(const char* file, uint64_t seed, int line) {
    if (line == 0) return;
    std::printf("%s:%d failed, seed %llu\n", file, line, (unsigned long long)seed);
    failures++;
}

int main() {
    const char* text = std::getenv("CUZK_TEST_SEED");
    const uint64_t first = text ? std::strtoull(text, nullptr, 0) : 1000;
    std::printf("seeds from %llu\n", (unsigned long long)first);
    for (uint64_t seed = first; seed < first + 400 && failures < 5; seed++) {
        report("field_test.h", seed, field_test(seed));
        report("ntt_test.h", seed, ntt_test(seed));
    }
    for (uint64_t seed = first; seed < first + 3 && failures < 5; seed++) {
        report("curve_test.h", seed, curve_test(seed));
        report("srs_test.h", seed, srs_test(seed));
        report("msm_test.h", seed, msm_test(seed));
    }
    report("msm_test.h", first, msm_host_test(first));
    report("ntt_test.h", first, ntt_host_test());
    // The slow twin of whole transforms against the sum that defines them.
    random_source random = {first};
    for (uint32_t log_n = 0; log_n <= 6; log_n++) {
        const uint32_t n = 1u << log_n;
        fr x[64], y[64], scratch[64], w = log_n ? domain_root(log_n) : fr::one();
        for (uint32_t i = 0; i < n; i++) x[i] = y[i] = test_element<fr_params>(random, i % 12, 1);
        slow_transform(y, scratch, n, w);
        for (uint32_t k = 0; k < n; k++)
            if (y[k] != slow_transform_at(x, n, w, k)) report("ntt_test.h", first, __LINE__);
    }
    std::printf(failures ? "device code on the host: FAILED\n"
                         : "device code on the host: passed\n");
    return failures != 0;
}
