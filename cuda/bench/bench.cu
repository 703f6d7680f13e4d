// SPDX-License-Identifier: MIT OR Apache-2.0
// Times of the primitive operations on the GPU at hand, each result checked: products, transforms,
// the quotient, MSMs, plain sums, the sort.
//
//   bench [largest log_n, 27] [only: field ntt msm profile]
//
// "profile" runs each operation of the largest size once, for a profiler that starts where told.
// Times are medians of device events; the SM clock and the power are nvidia-smi's, read while the
// line's operation ran (medians).
#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "../msm/buckets.cuh"
#include "../test/device.cuh"
#include "../test/field_test.h"
#include "../ntt/domain.h"

using namespace cuzk;

// cuda_profiler_api.h is not in every toolkit's wheels.
extern "C" cudaError_t cudaProfilerStart(void);
extern "C" cudaError_t cudaProfilerStop(void);

namespace {

int multiprocessors = 0, failures = 0;
bool profiling = false;

// ---- clock and power
// ------------------------------------------------------------------------------

struct sample {
    double when, clock, power;
};
std::vector<sample> samples;
std::mutex samples_lock;

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Reads nvidia-smi until the program ends; without one the columns are 0.
void watch() {
    FILE* f = popen(
        "nvidia-smi --query-gpu=clocks.sm,power.draw --format=csv,noheader,nounits -i 0 -lms 50 "
        "2>/dev/null",
        "r");
    char line[128];
    while (f && std::fgets(line, sizeof line, f)) {
        sample s = {now(), 0, 0};
        if (std::sscanf(line, "%lf, %lf", &s.clock, &s.power) != 2) continue;
        std::lock_guard<std::mutex> guard(samples_lock);
        samples.push_back(s);
    }
}

template <class T>
T median(std::vector<T> v) {
    if (v.empty()) return T();
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

// Prints one line of the table. `work` units (products, additions, ...) give the rate.
void line(const std::string& what, double milliseconds, double work, const char* unit, double since,
          bool right) {
    std::vector<double> clocks, powers;
    {
        std::lock_guard<std::mutex> guard(samples_lock);
        for (const sample& s : samples)
            if (s.when >= since) {
                clocks.push_back(s.clock);
                powers.push_back(s.power);
            }
    }
    if (!right) failures++;
    std::printf("| %-44s | %10.3f ms | %8.2f G %s/s | %5.0f MHz | %4.0f W | %s |\n", what.c_str(),
                milliseconds, work / milliseconds / 1e6, unit, median(clocks), median(powers),
                right ? "right" : "WRONG");
    std::fflush(stdout);
}

// Median milliseconds of `runs` runs after one warm-up, each preceded by `prepare`, in about the
// time nvidia-smi needs to see it.
template <class Prepare, class Run>
double time_of(int runs, Prepare prepare, Run run) {
    cudaEvent_t a, b;
    CUZK_MUST(cudaEventCreate(&a));
    CUZK_MUST(cudaEventCreate(&b));
    if (profiling) {
        CUZK_MUST(cudaProfilerStart());
        prepare();
        run();
        CUZK_MUST(cudaDeviceSynchronize());
        CUZK_MUST(cudaProfilerStop());
        return 1;
    }
    std::vector<float> times;
    double begin = now();
    for (int i = -1; i < runs || (i < 400 && now() - begin < 0.2); i++) {
        prepare();
        CUZK_MUST(cudaEventRecord(a));
        run();
        CUZK_MUST(cudaEventRecord(b));
        CUZK_MUST(cudaEventSynchronize(b));
        float ms;
        CUZK_MUST(cudaEventElapsedTime(&ms, a, b));
        if (i >= 0) times.push_back(ms);
    }
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    return median(times);
}

// ---- fields
// ---------------------------------------------------------------------------------------

constexpr int LOOPS = 2000;
template <class F, int OPERATION>
__global__ void __launch_bounds__(256) field_kernel(F* x, const F* y) {
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    F a = x[t], b = y[t];
    CUZK_NO_UNROLL
    for (int i = 0; i < LOOPS; i++) {
        if (OPERATION == 0) a = mul_lazy(b, a);
        if (OPERATION == 1) a = mul(b, a);
        if (OPERATION == 2) a = sqr_lazy(a);
    }
    x[t] = reduce(a);
}

template <class F, int OPERATION>
void bench_field(const char* name) {
    uint32_t n = (uint32_t)multiprocessors * 1024 * 4;
    random_source random = {7};
    std::vector<F> x(n), y(n);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = test_element<typename F::params>(random, i % 100, 1);
        y[i] = test_element<typename F::params>(random, i % 90, 1);
    }
    device_array<F> dx(x), dy(y);
    field_kernel<F, OPERATION><<<n / 256, 256>>>(dx.p, dy.p);
    std::vector<F> got = dx.get();
    bool right = true;
    for (uint32_t i = 0; i < 300; i++) {
        F a = x[i];
        for (int k = 0; k < LOOPS; k++) a = OPERATION == 2 ? sqr(a) : mul(y[i], a);
        right = right && a == got[i];
    }
    double begin = now();
    double ms =
        time_of(5, [] {}, [&] { field_kernel<F, OPERATION><<<n / 256, 256>>>(dx.p, dy.p); });
    line(name, ms, (double)n * LOOPS, "op", begin, right);
}

__global__ void __launch_bounds__(256) factor_kernel(fr* x, const fr_factor* y) {
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    fr a = x[t];
    const fr_factor f = y[t];
    CUZK_NO_UNROLL
    for (int i = 0; i < LOOPS; i++) a = mul_factor(f, a);
    x[t] = reduce(a);
}

void bench_factor() {
    uint32_t n = (uint32_t)multiprocessors * 1024 * 4;
    random_source random = {7};
    std::vector<fr> x(n), y(n);
    std::vector<fr_factor> factors(n);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = test_element<fr_params>(random, i % 100, 1);
        y[i] = test_element<fr_params>(random, i % 90, 1);
        factors[i] = make_factor(y[i]);
    }
    device_array<fr> dx(x);
    device_array<fr_factor> dy(factors);
    factor_kernel<<<n / 256, 256>>>(dx.p, dy.p);
    std::vector<fr> got = dx.get();
    bool right = true;
    for (uint32_t i = 0; i < 300; i++) {
        fr a = x[i];
        for (int k = 0; k < LOOPS; k++) a = mul(y[i], a);
        right = right && a == got[i];
    }
    double begin = now();
    double ms = time_of(5, [] {}, [&] { factor_kernel<<<n / 256, 256>>>(dx.p, dy.p); });
    line("fr product by a factor, lazy", ms, (double)n * LOOPS, "op", begin, right);
}

// ---- transforms
// -----------------------------------------------------------------------------------

constexpr uint32_t STRETCH = 1024;

__global__ void random_kernel(fr* x, uint64_t n, uint64_t seed) {
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    random_source random = {seed + i * 0x632be59bd9b4e019ull};
    fr a;
    for (int j = 0; j < 8; j++) a.v[j] = (uint32_t)random.next();
    a.v[7] %= fr_params::modulus(7);
    x[i] = a;
}

// Each thread's share of sum x_i z^i.
__global__ void evaluate_kernel(const fr* x, uint64_t n, const __grid_constant__ fr z, fr* parts) {
    uint64_t t = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, i = t * STRETCH;
    if (i >= n) return;
    fr at = power(z, i), sum = fr::zero();
    for (uint64_t end = min(i + STRETCH, n); i < end; i++) {
        sum = add(sum, mul(at, x[i]));
        at = mul(at, z);
    }
    parts[t] = sum;
}

fr evaluate(const fr* x, uint64_t n, const fr& z) {
    device_array<fr> parts((n + STRETCH - 1) / STRETCH);
    evaluate_kernel<<<(unsigned)(parts.n + 63) / 64, 64>>>(x, n, z, parts.p);
    fr sum = fr::zero();
    for (const fr& a : parts.get()) sum = add(sum, a);
    return sum;
}

fr element(const fr* x, uint64_t i) {
    fr a;
    CUZK_MUST(cudaMemcpy(&a, x + i, sizeof a, cudaMemcpyDeviceToHost));
    return a;
}

void bench_ntt(uint32_t log_n) {
    uint64_t n = (uint64_t)1 << log_n;
    double products = (double)n * log_n / 2;
    int runs = log_n > 24 ? 7 : 20;
    device_array<uint8_t> tables(cuzk_ntt_tables_size(log_n));
    CUZK_MUST(cuzk_launch_ntt_tables(0, log_n, tables.p));
    device_array<fr> a(n), b(n);
    auto fill = [&](fr* x, uint64_t seed) {
        random_kernel<<<(unsigned)((n + 255) / 256), 256>>>(x, n, seed);
    };
    auto nothing = [] {};
    std::string size = " 2^" + std::to_string(log_n);

    fill(a.p, 1);
    const uint64_t at[3] = {1, n / 2 + 77, n - 1};
    fr w = domain_root(log_n), expected[3];
    for (int i = 0; i < 3; i++) expected[i] = evaluate(a.p, n, power(w, at[i]));
    bool right = true;
    CUZK_MUST(cuzk_launch_ntt_to_reversed(0, tables.p, log_n, a.p, 0, 0));
    for (int i = 0; i < 3; i++)
        right = right && element(a.p, reverse_bits((uint32_t)at[i], log_n)) == expected[i];
    double begin = now();
    double ms = time_of(runs, nothing, [&] {
        CUZK_MUST(cuzk_launch_ntt_to_reversed(0, tables.p, log_n, a.p, 0, 0));
    });
    line("ntt in place, natural to reversed" + size, ms, products, "product", begin, right);

    // There and back is the identity.
    fill(a.p, 2);
    fill(b.p, 2);
    CUZK_MUST(cuzk_launch_ntt_to_reversed(0, tables.p, log_n, a.p, 1, 1));
    CUZK_MUST(cuzk_launch_ntt_from_reversed(0, tables.p, log_n, a.p, 0, 1));
    right = true;
    for (uint64_t i = 0; i < n; i += n / 64 + 1)
        right = right && element(a.p, i) == element(b.p, i);
    begin = now();
    ms = time_of(runs, nothing,
                 [&] { CUZK_MUST(cuzk_launch_ntt_from_reversed(0, tables.p, log_n, a.p, 0, 0)); });
    line("ntt in place, reversed to natural" + size, ms, products, "product", begin, right);

    fill(a.p, 3);
    for (int i = 0; i < 3; i++)
        expected[i] = evaluate(a.p, n, mul(fr_generator(), power(w, at[i])));
    CUZK_MUST(cuzk_launch_ntt(0, tables.p, log_n, a.p, b.p, 0, 1));
    right = true;
    for (int i = 0; i < 3; i++) right = right && element(b.p, at[i]) == expected[i];
    begin = now();
    ms = time_of(runs, nothing,
                 [&] { CUZK_MUST(cuzk_launch_ntt(0, tables.p, log_n, a.p, b.p, 0, 1)); });
    line("coset ntt, natural to natural" + size, ms, products, "product", begin, right);

    device_array<fr> c(n);
    auto quotient = [&] { CUZK_MUST(launch_quotient(tables.p, log_n, a.p, b.p, c.p)); };
    fill(a.p, 4);
    fill(b.p, 5);
    fill(c.p, 6);
    fr values[3], z_n = fr_generator();
    fr* abc[3] = {a.p, b.p, c.p};
    device_array<fr> coefficients(n);
    // c is not a b on the domain, but on the coset the quotient is exact at 7 w^k.
    for (int i = 0; i < 3; i++) {
        device_array<fr> copy(n);
        CUZK_MUST(cudaMemcpy(copy.p, abc[i], n * sizeof(fr), cudaMemcpyDeviceToDevice));
        CUZK_MUST(cuzk_launch_ntt(0, tables.p, log_n, copy.p, coefficients.p, 1, 0));
        values[i] = evaluate(coefficients.p, n, mul(fr_generator(), power(w, at[1])));
    }
    for (uint32_t i = 0; i < log_n; i++) z_n = sqr(z_n);
    quotient();
    fr got = to_montgomery(evaluate(b.p, n, mul(fr_generator(), power(w, at[1]))));
    right = mul(got, sub(z_n, fr::one())) == sub(mul(values[0], values[1]), values[2]);
    begin = now();
    ms = time_of(log_n > 24 ? 3 : 10, nothing, quotient);
    line("quotient (6 transforms)" + size, ms, 6 * products, "product", begin, right);
}

// ---- MSM and sums
// ---------------------------------------------------------------------------------

// Each thread's share of sum scalar_i log_i, plain numbers.
__global__ void dot_kernel(const scalar* scalars, const fr* low, const fr* high, uint64_t n,
                           fr* parts) {
    uint64_t t = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, i = t * STRETCH;
    if (i >= n) return;
    fr sum = fr::zero();
    for (uint64_t end = min(i + STRETCH, n); i < end; i++) {
        fr s;
        for (int j = 0; j < 8; j++) s.v[j] = scalars[i].v[j];
        fr log = add(low[i & ((1u << LOG_LOW_POINTS) - 1)], high[i >> LOG_LOW_POINTS]);
        sum = add(sum, mul(s, log));
    }
    parts[t] = sum;
}

template <class F>
void bench_msm(const affine<F>* points, const logs_of_points& logs, uint64_t n,
               const std::string& size) {
    device_array<fr> random(n);
    random_kernel<<<(unsigned)((n + 255) / 256), 256>>>(random.p, n, 9);
    const scalar* scalars = reinterpret_cast<const scalar*>(random.p);
    device_array<fr> low(logs.low), high(logs.high), parts((n + STRETCH - 1) / STRETCH);
    dot_kernel<<<(unsigned)(parts.n + 63) / 64, 64>>>(scalars, low.p, high.p, n, parts.p);
    fr sum = fr::zero();
    for (const fr& a : parts.get()) sum = add(sum, a);
    affine<F> expected = times_generator<F>(to_montgomery(sum)), got;

    cuzk_msm_plan plan;
    uint64_t call_n =
        cuzk_msm_make_plan(&plan, sizeof(F) == 96, n, multiprocessors, (size_t)60 << 30);
    msm_plan p;
    std::memcpy(&p, &plan, sizeof p);
    device_array<uint8_t> scratch(cuzk_msm_scratch_size(&plan));
    size_t sums_size = cuzk_msm_sums_size(&plan);
    uint8_t* sums;
    CUZK_MUST(cudaMallocHost(&sums, sums_size));
    double host = 0;
    auto add_all = [&] {
        for (uint64_t i = 0; i < n; i += call_n)
            CUZK_MUST(launchers<F>::add(0, &plan, scratch.p, points + i, nullptr, scalars + i,
                                        nullptr, (uint32_t)std::min(call_n, n - i), 0, i == 0));
    };
    auto all = [&] {
        add_all();
        CUZK_MUST(launchers<F>::finish(0, &plan, scratch.p, sums));
    };
    all();
    CUZK_MUST(cudaDeviceSynchronize());
    double begin = now();
    launchers<F>::combine(&plan, sums, &got);
    host = now() - begin;
    for (int i = 0; i < 5; i++) {  // the first time is cold
        begin = now();
        launchers<F>::combine(&plan, sums, &got);
        host = std::min(host, now() - begin);
    }
    bool right = got == expected;
    const char* group = sizeof(F) == 48 ? "g1" : "g2";
    auto nothing = [] {};
    int runs = n > (1u << 24) ? 3 : 10;
    begin = now();
    double ms = time_of(runs, nothing, all);
    double additions = (double)p.windows.windows * n + 2.0 * p.windows.buckets();
    char what[128];
    std::snprintf(what, sizeof what, "msm %s %s (%u x %u bits, %u %s)", group, size.c_str(),
                  p.windows.windows, p.windows.bits, p.few ? p.few : p.rounds,
                  p.few ? "slices" : "rounds");
    line(what, ms, additions, "addition", begin, right);
    if (p.few) std::printf("|   host afterwards %.3f ms\n", host * 1e3);
    if (p.few || profiling) {
        cudaFreeHost(sums);
        return;
    }
    double finish =
        time_of(runs, nothing, [&] { CUZK_MUST(launchers<F>::finish(0, &plan, scratch.p, sums)); });
    // The digits and their sort alone, in buffers of its own.
    uint64_t digits = p.group_digits();
    uint64_t buckets = p.group_buckets();
    device_array<uint32_t> k0(digits * p.groups_ahead()), v0(digits * p.groups_ahead()), k1(digits),
        v1(digits), b0(buckets), b1(buckets);
    device_array<uint8_t> temporary(msm_temporary_size(p));
    uint32_t count = (uint32_t)std::min(call_n, n);
    msm_scalars in = {scalars, nullptr, nullptr, count, 0};
    double sort = time_of(runs, nothing, [&] {
        for (uint32_t g = 0; g < p.groups(); g++) {
            uint32_t ahead = g % p.groups_ahead();
            if (ahead == 0)
                CUZK_MUST(launch_digits(0, p, in, g, std::min(p.groups_ahead(), p.groups() - g),
                                        k0.p, v0.p));
            uint64_t place = (uint64_t)ahead * p.group * count;
            msm_sorted s = {{k0.p + place, k1.p}, {v0.p + place, v1.p}, b0.p, b1.p,
                            temporary.p,          temporary.n};
            CUZK_MUST(launch_sort(0, p, g, count, s));
        }
    });
    std::printf(
        "|   of which digits and sort %.3f ms, bucket reduction %.3f ms; scratch %.2f GB; "
        "host afterwards %.3f ms\n",
        sort, finish, scratch.n / 1e9, host * 1e3);
    cudaFreeHost(sums);
}

template <class F>
void bench_sum(const affine<F>* points, const logs_of_points& logs, uint64_t n,
               const std::string& size) {
    // Every second point, about.
    random_source random = {11};
    std::vector<uint32_t> indices;
    for (uint64_t i = 0; i < n; i++)
        if (random.next() >> 63) indices.push_back((uint32_t)i);
    fr sum = fr::zero();
    for (uint32_t i : indices) sum = add(sum, logs(i));
    device_array<uint32_t> d_indices(indices);
    uint32_t count = (uint32_t)indices.size();
    device_array<uint8_t> scratch(launchers<F>::sum_scratch(count, multiprocessors)),
        parts(launchers<F>::parts_size);
    auto run = [&] {
        CUZK_MUST(
            launchers<F>::sum(0, multiprocessors, scratch.p, points, d_indices.p, count, parts.p));
    };
    run();
    affine<F> got;
    launchers<F>::sum_combine(parts.get().data(), CUZK_SUM_PARTS, &got);
    bool right = got == times_generator<F>(sum);
    double begin = now();
    double ms = time_of(5, [] {}, run);
    line(std::string("sum of half of ") + (sizeof(F) == 48 ? "g1 " : "g2 ") + size, ms, count,
         "addition", begin, right);
}

template <class F>
void bench_group(uint32_t most) {
    std::vector<uint32_t> sizes = {most, 24, 22, 20, 18, 16, 14, 12, 10, 8};
    uint64_t n = (uint64_t)1 << most;
    device_array<affine<F>> points(n);
    logs_of_points logs = make_many_points(points.p, n, 5);
    for (size_t i = 0; i < sizes.size(); i++) {
        if (i > 0 && sizes[i] >= most) continue;
        bench_msm<F>(points.p, logs, (uint64_t)1 << sizes[i], "2^" + std::to_string(sizes[i]));
    }
    if (n > 1700000) bench_msm<F>(points.p, logs, 1700000, "1.7 M");
    for (size_t i = 0; i < sizes.size(); i += 2)
        if (i == 0 || sizes[i] < most)
            bench_sum<F>(points.p, logs, (uint64_t)1 << sizes[i], "2^" + std::to_string(sizes[i]));
}

}  // namespace

int main(int argc, char** argv) {
    uint32_t most = argc > 1 ? (uint32_t)std::atoi(argv[1]) : 27;
    std::string only = argc > 2 ? argv[2] : "";
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        std::printf("bench: no CUDA device\n");
        return 1;
    }
    cudaDeviceProp properties;
    CUZK_MUST(cudaGetDeviceProperties(&properties, 0));
    multiprocessors = properties.multiProcessorCount;
    profiling = only == "profile";
    if (!profiling) std::thread(watch).detach();
    std::printf("%s, %d SMs\n", properties.name, multiprocessors);
    if (only.empty() || only == "field") {
        bench_field<fp, 0>("fp product, lazy");
        bench_field<fp, 1>("fp product, canonical");
        bench_field<fp, 2>("fp square, lazy");
        bench_field<fr, 0>("fr product, lazy");
        bench_field<fr, 1>("fr product, canonical");
        bench_factor();
    }
    if (profiling) {
        device_array<g1_affine> points((size_t)1 << most);
        logs_of_points logs = make_many_points(points.p, (uint64_t)1 << most, 5);
        bench_msm<fp>(points.p, logs, (uint64_t)1 << most, "2^" + std::to_string(most));
    }
    if (only.empty() || only == "ntt") {
        bench_ntt(most);
        for (uint32_t log_n : {24u, 20u, 16u})
            if (log_n < most) bench_ntt(log_n);
    }
    if (only.empty() || only == "msm") {
        bench_group<fp>(most);
        bench_group<fp2>(most < 24 ? most : 24);
    }
    std::printf(failures ? "%d results are WRONG\n" : "all results right (%d wrong)\n", failures);
    std::fflush(stdout);
    std::_Exit(failures != 0);
}
