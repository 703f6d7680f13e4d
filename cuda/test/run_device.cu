// SPDX-License-Identifier: MIT OR Apache-2.0
// Tests for a machine with a GPU: the tests of run_host.cpp inside a kernel, and whole operations
// against their slow twins. "run_device small" keeps to sizes that compute-sanitizer's memcheck can
// follow, "run_device race" to a few that racecheck can. CUZK_TEST_SEED chooses the first seed.
#include <cstring>

#include "../msm/plan.h"
#include "device.cuh"
#include "field_test.h"
#include "msm_test.h"
#include "ntt_test.h"

using namespace cuzk;

namespace {

int failures = 0;
uint64_t first_seed = 1000;
int multiprocessors = 0;

void expect(bool condition, const char* what, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) {
    if (condition) return;
    failures++;
    if (failures < 40)
        std::printf("FAILED: %s (%llu, %llu, %llu)\n", what, (unsigned long long)a,
                    (unsigned long long)b, (unsigned long long)c);
}

// ---- functions inside a kernel
// --------------------------------------------------------------------

enum unit { UNIT_FIELD, UNIT_NTT, UNIT_CURVE, UNIT_MSM };

template <unit which>
__global__ void unit_kernel(uint64_t seed, uint32_t n, int* lines) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (which == UNIT_FIELD) lines[i] = field_test(seed + i);
    if (which == UNIT_NTT) lines[i] = ntt_test(seed + i);
    if (which == UNIT_CURVE) lines[i] = curve_test(seed + i);
    if (which == UNIT_MSM) lines[i] = msm_test(seed + i);
}

template <unit which>
void test_unit(const char* name, uint32_t n) {
    device_array<int> lines(n);
    unit_kernel<which><<<(n + 31) / 32, 32>>>(first_seed, n, lines.p);
    CUZK_MUST(cudaGetLastError());
    CUZK_MUST(cudaDeviceSynchronize());
    std::vector<int> got = lines.get();
    for (uint32_t i = 0; i < n; i++) expect(got[i] == 0, name, first_seed + i, got[i]);
    std::printf("%s in a kernel: %u seeds\n", name, n);
}

// ---- transforms
// -----------------------------------------------------------------------------------

std::vector<fr> slow_ntt(std::vector<fr> x, uint32_t log_n, bool inverted, bool coset) {
    const uint32_t n = 1u << log_n;
    std::vector<fr> scratch(n);
    fr g = fr_generator(), w = domain_root(log_n), at = fr::one();
    if (!inverted && coset)
        for (fr& a : x) {
            a = mul(a, at);
            at = mul(at, g);
        }
    slow_transform(x.data(), scratch.data(), n, inverted ? inverse(w) : w);
    if (inverted) {
        at = inverse(fr_from(n));
        for (fr& a : x) {
            a = mul(a, at);
            if (coset) at = mul(at, fr_generator_inverse());
        }
    }
    return x;
}

std::vector<fr> reversed(const std::vector<fr>& x, uint32_t log_n) {
    std::vector<fr> r(x.size());
    for (uint32_t i = 0; i < x.size(); i++) r[reverse_bits(i, log_n)] = x[i];
    return r;
}

bool same(const std::vector<fr>& a, const std::vector<fr>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(fr)) == 0;
}

void test_transforms(uint32_t log_n) {
    random_source random = {first_seed + log_n};
    const uint32_t n = 1u << log_n;
    std::vector<fr> x(n);
    for (uint32_t i = 0; i < n; i++) x[i] = test_element<fr_params>(random, i % 15, 1);
    device_array<uint8_t> tables(cuzk_ntt_tables_size(log_n));
    CUZK_MUST(cuzk_launch_ntt_tables(0, log_n, tables.p));
    for (int kind = 0; kind < 4; kind++) {
        bool inverted = kind & 1, coset = kind & 2;
        std::vector<fr> expected = slow_ntt(x, log_n, inverted, coset);
        device_array<fr> in(x), out(n);
        CUZK_MUST(cuzk_launch_ntt(0, tables.p, log_n, in.p, out.p, inverted, coset));
        expect(same(out.get(), expected), "ntt", log_n, kind);
        in.put(x);
        CUZK_MUST(cuzk_launch_ntt_to_reversed(0, tables.p, log_n, in.p, inverted, coset));
        expect(same(in.get(), reversed(expected, log_n)), "ntt to reversed", log_n, kind);
        in.put(reversed(x, log_n));
        CUZK_MUST(cuzk_launch_ntt_from_reversed(0, tables.p, log_n, in.p, inverted, coset));
        expect(same(in.get(), expected), "ntt from reversed", log_n, kind);
    }
}

fr evaluate(const std::vector<fr>& coefficients, const fr& z) {
    fr r = fr::zero();
    for (size_t i = coefficients.size(); i-- > 0;) r = add(mul(r, z), coefficients[i]);
    return r;
}

void test_quotient(uint32_t log_n) {
    random_source random = {first_seed + 100 + log_n};
    const uint32_t n = 1u << log_n;
    std::vector<fr> a(n), b(n), c(n);
    for (uint32_t i = 0; i < n; i++) {
        a[i] = test_element<fr_params>(random, i % 15, 1);
        b[i] = test_element<fr_params>(random, i % 13, 1);
        c[i] = mul(a[i], b[i]);
    }
    device_array<uint8_t> tables(cuzk_ntt_tables_size(log_n));
    CUZK_MUST(cuzk_launch_ntt_tables(0, log_n, tables.p));
    device_array<fr> da(a), db(b), dc(c);
    CUZK_MUST(launch_quotient(tables.p, log_n, da.p, db.p, dc.p));
    std::vector<fr> h = db.get();
    expect(h[n - 1].is_zero(), "quotient's last coefficient", log_n);
    for (fr& x : h) {
        expect(below(x, 1), "quotient is below r", log_n);
        x = to_montgomery(x);
    }
    fr z = random_fr(random), z_n = z;
    for (uint32_t i = 0; i < log_n; i++) z_n = sqr(z_n);
    fr value = sub(mul(evaluate(slow_ntt(a, log_n, true, false), z),
                       evaluate(slow_ntt(b, log_n, true, false), z)),
                   evaluate(slow_ntt(c, log_n, true, false), z));
    expect(mul(evaluate(h, z), sub(z_n, fr::one())) == value, "quotient times Z", log_n);
}

// ---- MSM and sums
// ---------------------------------------------------------------------------------

enum pattern {
    RANDOM,       // nothing special
    EDGES,        // scalars 0, 1, r - 1, ..., infinite, equal and opposite points among random ones
    ALL_EQUAL,    // one point and one scalar: every round doubles
    ALTERNATING,  // P, -P, P, ...: the first round cancels all
    QUARTERS,     // P, Q, -P, -Q, ...: the second round cancels
    SMALL,        // scalars below 4: a few hot buckets
    ZERO_SCALARS,
    INFINITE_POINTS,
    PATTERNS
};

void make_case(pattern kind, uint32_t n, random_source& random, std::vector<fr>& logs,
               std::vector<fr>& scalars) {
    logs.resize(n);
    scalars.resize(n);
    fr p = random_fr(random), q = random_fr(random), s = random_fr(random);
    fr edges[6] = {fr::zero(),      fr::one(),
                   neg(fr::one()),  fr_from(2),
                   neg(fr_from(2)), to_montgomery(fr{{1, ~0u, 7, ~0u, 0, ~0u, 0, 0x39f6d3a9}})};
    for (uint32_t i = 0; i < n; i++) {
        logs[i] = random_fr(random);
        scalars[i] = random_fr(random);
        switch (kind) {
            case EDGES:
                if (i % 3 == 0) scalars[i] = edges[i / 3 % 6];
                if (i > 0 && i % 5 == 0) logs[i] = logs[i - 1];
                if (i > 0 && i % 7 == 0) logs[i] = neg(logs[i - 1]);
                if (i > 0 && i % 10 == 0) scalars[i] = scalars[i - 1];
                if (i % 11 == 0) logs[i] = fr::zero();
                break;
            case ALL_EQUAL:
                logs[i] = p;
                scalars[i] = s;
                break;
            case ALTERNATING:
                logs[i] = i & 1 ? neg(p) : p;
                scalars[i] = s;
                break;
            case QUARTERS:
                logs[i] = i & 1 ? q : p;
                if (i & 2) logs[i] = neg(logs[i]);
                scalars[i] = s;
                break;
            case SMALL:
                scalars[i] = fr_from(random.below(4));
                break;
            case ZERO_SCALARS:
                scalars[i] = fr::zero();
                break;
            case INFINITE_POINTS:
                logs[i] = fr::zero();
                break;
            default:
                break;
        }
    }
}

template <class F>
std::vector<affine<F>> points_of(const std::vector<fr>& logs) {
    std::vector<scalar> plain;
    for (const fr& a : logs) plain.push_back(to_scalar(a));
    device_array<scalar> d_logs(plain);
    device_array<affine<F>> points(logs.size());
    uint32_t n = (uint32_t)logs.size();
    if (n) make_points_kernel<<<(n + 63) / 64, 64>>>(d_logs.p, points.p, n);
    CUZK_MUST(cudaGetLastError());
    return points.get();
}

// An MSM by the plan, in calls of `call_n`.
template <class F>
affine<F> run_msm(const cuzk_msm_plan& plan, uint64_t call_n, const affine<F>* points,
                  const uint32_t* indices, const scalar* scalars, const uint32_t* sources,
                  uint32_t n, bool montgomery) {
    device_array<uint8_t> scratch(cuzk_msm_scratch_size(&plan));
    CUZK_MUST(cudaMemset(scratch.p, 0xee, scratch.n));
    std::vector<uint8_t> sums(cuzk_msm_sums_size(&plan));
    for (uint64_t i = 0; i == 0 || i < n; i += call_n) {
        uint32_t count = (uint32_t)(n - i < call_n ? n - i : call_n);
        CUZK_MUST(launchers<F>::add(0, &plan, scratch.p, indices ? points : points + i,
                                    indices ? indices + i : nullptr,
                                    sources ? scalars : scalars + i,
                                    sources ? sources + i : nullptr, count, montgomery, i == 0));
    }
    CUZK_MUST(launchers<F>::finish(0, &plan, scratch.p, sums.data()));
    CUZK_MUST(cudaDeviceSynchronize());
    affine<F> r;
    launchers<F>::combine(&plan, sums.data(), &r);
    return r;
}

// `bits` chooses windows, `call_n` the points of a call, `part` a limit: that part of the scratch
// that the best plan asks for.
template <class F>
void test_msm(pattern kind, uint32_t n, uint32_t bits = 0, uint32_t call_n = 0, uint32_t part = 1) {
    random_source random = {first_seed + 31 * n + kind};
    std::vector<fr> logs, scalars;
    make_case(kind, n, random, logs, scalars);
    fr sum = fr::zero();
    for (uint32_t i = 0; i < n; i++) sum = add(sum, mul(logs[i], scalars[i]));
    std::vector<scalar> plain;
    for (const fr& a : scalars) plain.push_back(to_scalar(a));
    device_array<affine<F>> points(points_of<F>(logs));
    device_array<scalar> d_scalars(plain);
    cuzk_msm_plan plan = {};
    if (bits) {
        msm_plan p = msm_plan_for(sizeof(F) == 96, n, call_n ? call_n : n, 67584 * 48 / sizeof(F),
                                  bits, (254 + bits - 1) / bits);
        std::memcpy(&plan, &p, sizeof p);
        if (!call_n) call_n = n;
    } else {
        uint64_t most = cuzk_msm_make_plan(&plan, sizeof(F) == 96, n, multiprocessors, ~(size_t)0);
        if (part > 1) {
            size_t limit = cuzk_msm_scratch_size(&plan) / part;
            most = cuzk_msm_make_plan(&plan, sizeof(F) == 96, n, multiprocessors, limit);
            expect(most > 0 && cuzk_msm_scratch_size(&plan) <= limit, "plan in a limit", n, part);
            if (most == 0) return;
        }
        if (!call_n) call_n = (uint32_t)most;
    }
    affine<F> got =
        run_msm<F>(plan, call_n ? call_n : 1, points.p, nullptr, d_scalars.p, nullptr, n, false);
    affine<F> expected = times_generator<F>(sum);
    expect(got == expected, sizeof(F) == 48 ? "msm g1" : "msm g2", kind, n, bits);

    // The plain sum of the same points.
    sum = fr::zero();
    for (const fr& a : logs) sum = add(sum, a);
    device_array<uint8_t> scratch(launchers<F>::sum_scratch(n, multiprocessors)),
        parts(launchers<F>::parts_size);
    CUZK_MUST(launchers<F>::sum(0, multiprocessors, scratch.p, points.p, nullptr, n, parts.p));
    launchers<F>::sum_combine(parts.get().data(), CUZK_SUM_PARTS, &got);
    const affine<F> plain_sum = times_generator<F>(sum);
    expect(got == plain_sum, sizeof(F) == 48 ? "sum g1" : "sum g2", kind, n);

    // The same in pieces, by few threads with many points each and by all.
    for (int processors : {1, multiprocessors}) {
        device_array<uint8_t> state(launchers<F>::running_size(processors));
        const uint32_t piece = n / 3 + 1;
        for (uint32_t i = 0; i == 0 || i < n + piece; i += piece) {
            const uint32_t count = i >= n ? 0 : n - i < piece ? n - i : piece;
            CUZK_MUST(launchers<F>::running_sum(0, processors, state.p, points.p + (i < n ? i : 0),
                                                nullptr, count, i == 0));
        }
        CUZK_MUST(launchers<F>::running_end(0, processors, state.p, parts.p));
        launchers<F>::sum_combine(parts.get().data(), CUZK_SUM_PARTS, &got);
        expect(got == plain_sum, sizeof(F) == 48 ? "running sum g1" : "running sum g2", kind, n);
    }
}

// Bitmaps against an assignment, split, then both sums, against the sum over the assignment.
template <class F>
void test_split(uint32_t n, uint32_t of_dense, bool compact) {
    random_source random = {first_seed + n + of_dense};
    std::vector<fr> assignment(n), full_values;
    std::vector<uint32_t> density((n + 31) / 32 + 1, 0xa5a5a5a5u);
    std::vector<uint32_t> want_ones, want_rest, want_values;
    const uint32_t first_point = 3;
    uint32_t point = first_point;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t what = random.below(10);
        assignment[i] = what < 5 ? fr::zero() : what < 9 ? fr::one() : random_fr(random);
        bool dense = of_dense == 0 || random.below(of_dense) == 0, full = what == 9;
        density[i / 32] = (density[i / 32] & ~(1u << i % 32)) | (uint32_t)dense << i % 32;
        if (dense && what >= 5 && what < 9) want_ones.push_back(point);
        if (dense && full) {
            want_rest.push_back(point);
            want_values.push_back(compact ? (uint32_t)full_values.size() : i);
        }
        if (full) full_values.push_back(assignment[i]);
        point += dense;
    }
    device_array<fr> d_assignment(assignment);
    device_array<uint32_t> d_density(density), ones(n / 32 + 1), full(n / 32 + 1), counts(2);
    device_array<uint32_t> one_points(n), rest_points(n), rest_values(n);
    device_array<uint8_t> scratch(cuzk_split_scratch_size(n));
    CUZK_MUST(cudaMemset(ones.p, 0xff, ones.n * 4));
    CUZK_MUST(cudaMemset(full.p, 0xff, full.n * 4));
    CUZK_MUST(cuzk_launch_classify(0, d_assignment.p, n, ones.p, full.p));
    CUZK_MUST(cuzk_launch_split(0, scratch.p, n, ones.p, full.p, of_dense ? d_density.p : nullptr,
                                first_point, compact, one_points.p, rest_points.p, rest_values.p,
                                counts.p));
    CUZK_MUST(cudaDeviceSynchronize());
    std::vector<uint32_t> count = counts.get(), o = one_points.get(), r = rest_points.get(),
                          v = rest_values.get();
    expect(count[0] == want_ones.size() && count[1] == want_rest.size(), "split counts", n,
           count[0], count[1]);
    if (count[0] != want_ones.size() || count[1] != want_rest.size()) return;
    o.resize(count[0]);
    r.resize(count[1]);
    v.resize(count[1]);
    expect(o == want_ones && r == want_rest && v == want_values, "split lists", n, of_dense,
           compact);
    if (n > 2000) return;

    // The lists used: sum of ones, and the rest by MSM from Montgomery values.
    std::vector<fr> logs(point);
    for (fr& a : logs) a = random_fr(random);
    device_array<affine<F>> points(points_of<F>(logs));
    fr sum = fr::zero();
    for (uint32_t i : o) sum = add(sum, logs[i]);
    device_array<uint8_t> sum_scratch(launchers<F>::sum_scratch(count[0], multiprocessors)),
        parts(launchers<F>::parts_size);
    CUZK_MUST(launchers<F>::sum(0, multiprocessors, sum_scratch.p, points.p, one_points.p, count[0],
                                parts.p));
    affine<F> got;
    launchers<F>::sum_combine(parts.get().data(), CUZK_SUM_PARTS, &got);
    expect(got == times_generator<F>(sum), "sum of ones", n, of_dense, compact);
    device_array<uint8_t> state(launchers<F>::running_size(multiprocessors));
    CUZK_MUST(launchers<F>::running_sum(0, multiprocessors, state.p, points.p, one_points.p,
                                        count[0], 1));
    CUZK_MUST(launchers<F>::running_end(0, multiprocessors, state.p, parts.p));
    launchers<F>::sum_combine(parts.get().data(), CUZK_SUM_PARTS, &got);
    expect(got == times_generator<F>(sum), "running sum of ones", n, of_dense, compact);
    sum = fr::zero();
    const std::vector<fr>& values = compact ? full_values : assignment;
    for (uint32_t i = 0; i < count[1]; i++) sum = add(sum, mul(logs[r[i]], values[v[i]]));
    device_array<fr> d_values(values);
    cuzk_msm_plan plan;
    uint64_t call_n =
        cuzk_msm_make_plan(&plan, sizeof(F) == 96, count[1], multiprocessors, ~(size_t)0);
    got = run_msm<F>(plan, call_n, points.p, rest_points.p,
                     reinterpret_cast<const scalar*>(d_values.p), rest_values.p, count[1], true);
    expect(got == times_generator<F>(sum), "msm of the rest", n, of_dense, compact);

    // The same terms collected behind one other, which is left as it was.
    device_array<affine<F>> own_points(count[1] + 1);
    device_array<fr> own_values(count[1] + 1);
    const affine<F> other = times_generator<F>(fr::one());
    CUZK_MUST(cudaMemcpy(own_points.p, &other, sizeof other, cudaMemcpyHostToDevice));
    CUZK_MUST(cuzk_launch_collect(0, points.p, sizeof(affine<F>), rest_points.p, d_values.p,
                                  rest_values.p, count[1], own_points.p + 1, own_values.p + 1));
    got = run_msm<F>(plan, call_n, own_points.p + 1, nullptr,
                     reinterpret_cast<const scalar*>(own_values.p + 1), nullptr, count[1], true);
    expect(got == times_generator<F>(sum) && own_points.get()[0] == other, "msm of collected terms",
           n, of_dense, compact);
}

}  // namespace

int main(int argc, char** argv) {
    const bool small = argc > 1 && std::strcmp(argv[1], "small") == 0;
    if (const char* text = std::getenv("CUZK_TEST_SEED"))
        first_seed = std::strtoull(text, nullptr, 0);
    int device_count = 0;
    if (cudaGetDeviceCount(&device_count) != cudaSuccess || device_count == 0) {
        std::printf("run_device: SKIPPED, no CUDA device\n");
        return 77;
    }
    cudaDeviceProp properties;
    CUZK_MUST(cudaGetDeviceProperties(&properties, 0));
    multiprocessors = properties.multiProcessorCount;
    CUZK_MUST(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    std::printf("%s, seeds from %llu\n", properties.name, (unsigned long long)first_seed);

    if (argc > 1 && std::strcmp(argv[1], "race") == 0) {
        for (uint32_t log_n : {3u, 9u, 10u, 11u}) test_transforms(log_n);
        test_quotient(10);
        test_msm<fp>(EDGES, 200, 9);
        test_msm<fp2>(EDGES, 100, 8);
        test_msm<fp>(EDGES, 300);
        test_split<fp>(500, 3, true);
        std::printf("a few of each operation: %d failures\n", failures);
        return failures != 0;
    }
    test_unit<UNIT_FIELD>("field_test", small ? 32 : 4000);
    test_unit<UNIT_NTT>("ntt_test", small ? 32 : 2000);
    test_unit<UNIT_CURVE>("curve_test", small ? 1 : 64);
    test_unit<UNIT_MSM>("msm_test", small ? 1 : 64);
    CUZK_MUST(cudaDeviceSetLimit(cudaLimitStackSize, 1024));

    for (uint32_t log_n = 1; log_n <= (small ? 11u : 20u); log_n++) test_transforms(log_n);
    for (uint32_t log_n = 1; log_n <= (small ? 11u : 19u); log_n++) test_quotient(log_n);
    std::printf("transforms and quotients: %d failures so far\n", failures);

    const std::vector<uint32_t> sizes =
        small ? std::vector<uint32_t>{0, 1, 2, 3, 33, 300}
              : std::vector<uint32_t>{0,   1,   2,   3,    4,    5,    7,    31,    32,    33,
                                      127, 128, 129, 1000, 4095, 4096, 4097, 65535, 65536, 65537};
    for (uint32_t n : sizes) {
        for (int kind = 0; kind < PATTERNS; kind++) test_msm<fp>((pattern)kind, n);
        for (int kind = 0; kind < PATTERNS; kind++)
            if (n <= 4097 || kind == EDGES) test_msm<fp2>((pattern)kind, n);
    }
    std::printf("msm and sums by size and pattern: %d failures so far\n", failures);
    for (uint32_t bits = small ? 13 : 4; bits <= (small ? 13u : 20u); bits++) {
        test_msm<fp>(EDGES, small ? 100 : 1500, bits);
        test_msm<fp>(EDGES, small ? 100 : 1500, bits, small ? 40 : 400);
    }
    test_msm<fp2>(EDGES, small ? 100 : 1500, 8, small ? 40 : 400);
    // Sorted buckets where few points are the plan, and few points in several calls.
    for (int kind = 0; kind < PATTERNS; kind++) {
        test_msm<fp>((pattern)kind, small ? 100 : 4097, small ? 5 : 9);
        test_msm<fp2>((pattern)kind, small ? 30 : 1000, small ? 4 : 8);
        test_msm<fp>((pattern)kind, small ? 100 : 4097, 0, small ? 33 : 1500);
        test_msm<fp2>((pattern)kind, small ? 30 : 4097, 0, small ? 13 : 1500);
    }
    test_msm<fp>(QUARTERS, small ? 100 : 30000, 8, small ? 40 : 7000);
    // Scratch for less means smaller groups of windows, and then several calls.
    for (uint32_t part : {2u, 3u, 5u, 9u}) {
        if (!small) test_msm<fp>(EDGES, 300000, 0, 0, part);
        if (!small) test_msm<fp2>(EDGES, 100000, 0, 0, part);
    }
    std::printf("msm by window size and call size: %d failures so far\n", failures);
    for (uint32_t n : {0u, 1u, 31u, 32u, 33u, 1000u, small ? 500u : 300000u})
        for (uint32_t of_dense : {0u, 1u, 3u}) {
            test_split<fp>(n, of_dense, true);
            test_split<fp>(n, of_dense, false);
            if (!small) test_split<fp2>(n, of_dense, true);
        }
    std::printf(failures ? "device tests: %d FAILED\n" : "device tests: passed (%d failures)\n",
                failures);
    return failures != 0;
}
