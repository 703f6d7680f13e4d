// SPDX-License-Identifier: MIT OR Apache-2.0
// Every function that Rust calls. `cuzk_launch_*` put work on a stream: they take device pointers
// and scratch whose size another function gives, allocate nothing, wait for nothing, and return a
// cudaError_t as int (0: all launched). The others run on the host and touch no device.
//
// Field elements and points have blst's bytes: Fr 32, affine G1 96, affine G2 192, Montgomery form,
// infinity all zeros; a scalar is a plain number below r in 32 little-endian bytes. All device
// pointers are 16-byte aligned; scratch is 256-byte aligned.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct CUstream_st* cuzk_stream;

#ifdef __cplusplus
extern "C" {
#endif

// ---- number-theoretic transforms
// ------------------------------------------------------------------

// Tables of the domain of 2^log_n, 1 <= log_n <= 28: about 150 MB for the largest. Each transform
// is given the tables of its own log_n. Cosets are 7 w^i. An inverse transform divides by n.
size_t cuzk_ntt_tables_size(uint32_t log_n);
int cuzk_launch_ntt_tables(cuzk_stream stream, uint32_t log_n, void* tables);

// In place, natural order to bit-reversed and back.
int cuzk_launch_ntt_to_reversed(cuzk_stream stream, const void* tables, uint32_t log_n, void* data,
                                int inverse, int coset);
int cuzk_launch_ntt_from_reversed(cuzk_stream stream, const void* tables, uint32_t log_n,
                                  void* data, int inverse, int coset);
// Natural order in and out; `in` and `out` must not overlap, and `in` is overwritten.
int cuzk_launch_ntt(cuzk_stream stream, const void* tables, uint32_t log_n, void* in, void* out,
                    int inverse, int coset);

// The quotient (a b - c)/Z of the polynomials with these values on the domain (2^log_n Fr elements
// each, overwritten), in steps as the vectors arrive: begin for each (which: 0 is a, 1 is b, 2 is
// c), in place and in any order, then end: its 2^log_n coefficients, scalars, in natural order into
// h; the last one is 0 when a b = c holds on the domain. h may be b, or lie apart; not a or c.
int cuzk_launch_quotient_begin(cuzk_stream stream, const void* tables, uint32_t log_n, int which,
                               void* values);
int cuzk_launch_quotient_end(cuzk_stream stream, const void* tables, uint32_t log_n, void* a,
                             const void* b, const void* c, void* h);

// ---- multi-scalar multiplication
// ------------------------------------------------------------------

// A plan, opaque; CUZK_MSM_PLAN_SIZE bytes that the caller holds.
#define CUZK_MSM_PLAN_SIZE 128
typedef struct {
    uint64_t opaque[CUZK_MSM_PLAN_SIZE / 8];
} cuzk_msm_plan;

// Plans the sum of n products in G1 (g2 = 0) or G2 (g2 = 1), scratch within `scratch_limit` bytes
// if that can be done. Returns the most points that one cuzk_launch_msm_*_add may be given: n, or
// less when the limit asks for several calls; 0 when even the smallest plan is above the limit.
uint64_t cuzk_msm_make_plan(cuzk_msm_plan* plan_out, int g2, uint64_t n, int multiprocessors,
                            size_t scratch_limit);
size_t cuzk_msm_scratch_size(const cuzk_msm_plan* plan);
// Bytes that cuzk_launch_msm_*_finish writes and cuzk_msm_*_combine reads.
size_t cuzk_msm_sums_size(const cuzk_msm_plan* plan);

// Adds the sum of scalars[sources[i]] points[indices[i]] over i < n; a null list means i itself.
// `first` is non-zero for the first call of an MSM. With `montgomery` the scalars are Fr elements.
// n may be 0; points may be infinite, equal or opposite; scalars may be 0.
int cuzk_launch_msm_g1_add(cuzk_stream stream, const cuzk_msm_plan* plan, void* scratch,
                           const void* points, const uint32_t* indices, const void* scalars,
                           const uint32_t* sources, uint32_t n, int montgomery, int first);
int cuzk_launch_msm_g2_add(cuzk_stream stream, const cuzk_msm_plan* plan, void* scratch,
                           const void* points, const uint32_t* indices, const void* scalars,
                           const uint32_t* sources, uint32_t n, int montgomery, int first);
// Sums the buckets into `sums` (device or page-locked memory), after the last add.
int cuzk_launch_msm_g1_finish(cuzk_stream stream, const cuzk_msm_plan* plan, void* scratch,
                              void* sums);
int cuzk_launch_msm_g2_finish(cuzk_stream stream, const cuzk_msm_plan* plan, void* scratch,
                              void* sums);
// Host: the result, an affine point, from the sums copied back.
void cuzk_msm_g1_combine(const cuzk_msm_plan* plan, const void* sums, void* point_out);
void cuzk_msm_g2_combine(const cuzk_msm_plan* plan, const void* sums, void* point_out);

// ---- plain sums of points
// -------------------------------------------------------------------------

size_t cuzk_sum_g1_scratch_size(uint32_t n, int multiprocessors);
size_t cuzk_sum_g2_scratch_size(uint32_t n, int multiprocessors);
// Partial sums of points[indices[i]] (indices null: of points[i]) into `parts`, CUZK_SUM_PARTS of
// them.
#define CUZK_SUM_PARTS 16
#define CUZK_SUM_G1_PARTS_SIZE (CUZK_SUM_PARTS * 192)
#define CUZK_SUM_G2_PARTS_SIZE (CUZK_SUM_PARTS * 384)
int cuzk_launch_sum_g1(cuzk_stream stream, int multiprocessors, void* scratch, const void* points,
                       const uint32_t* indices, uint32_t n, void* parts);
int cuzk_launch_sum_g2(cuzk_stream stream, int multiprocessors, void* scratch, const void* points,
                       const uint32_t* indices, uint32_t n, void* parts);
// The same sum over points that come in pieces: `state`, of the size given, holds it from launch to
// launch, the first of which says so. The end leaves parts as above.
size_t cuzk_running_sum_g1_size(int multiprocessors);
size_t cuzk_running_sum_g2_size(int multiprocessors);
int cuzk_launch_running_sum_g1(cuzk_stream stream, int multiprocessors, void* state,
                               const void* points, const uint32_t* indices, uint32_t n, int first);
int cuzk_launch_running_sum_g2(cuzk_stream stream, int multiprocessors, void* state,
                               const void* points, const uint32_t* indices, uint32_t n, int first);
int cuzk_launch_running_sum_g1_end(cuzk_stream stream, int multiprocessors, const void* state,
                                   void* parts);
int cuzk_launch_running_sum_g2_end(cuzk_stream stream, int multiprocessors, const void* state,
                                   void* parts);
// Host: the sum, an affine point, of `n` parts copied back (those of several launches may be
// joined).
void cuzk_sum_g1_combine(const void* parts, uint32_t n, void* point_out);
void cuzk_sum_g2_combine(const void* parts, uint32_t n, void* point_out);

// ---- the zero/one/rest split
// ----------------------------------------------------------------------

// Bitmaps of the elements that are one, and that are neither zero nor one. Bit i is bit i mod 32 of
// word i / 32; (n + 31) / 32 words are written.
int cuzk_launch_classify(cuzk_stream stream, const void* assignment, uint32_t n, uint32_t* ones,
                         uint32_t* full);

// Of n variables, those in `density` (null: all) have points first_point, first_point + 1, ... of a
// query. one_points: the points of variables that are one; rest_points: of those that are full, and
// rest_values: where their values lie, counted among all full ones (compact) or among all variables
// (not compact). counts[0], counts[1]: how many of each. Each list must have room for n, or for
// what the caller knows; with one_points null, only the counts are written.
size_t cuzk_split_scratch_size(uint32_t n);
int cuzk_launch_split(cuzk_stream stream, void* scratch, uint32_t n, const uint32_t* ones,
                      const uint32_t* full, const uint32_t* density, uint32_t first_point,
                      int compact, uint32_t* one_points, uint32_t* rest_points,
                      uint32_t* rest_values, uint32_t* counts);

// Copies points[indices[i]] and scalars[sources[i]], i < n, one after the other into points_out and
// scalars_out: terms that outlive the points' memory. point_bytes is a point's size, 96 or 192.
int cuzk_launch_collect(cuzk_stream stream, const void* points, uint32_t point_bytes,
                        const uint32_t* indices, const void* scalars, const uint32_t* sources,
                        uint32_t n, void* points_out, void* scalars_out);

// ---- the rows of a circuit
// ------------------------------------------------------------------------

// Rows of one matrix in compact form (evaluate/rows.h), which a circuit has `copies` times. Each
// further copy adds the strides to its own columns: inputs from own_inputs on, auxiliary columns
// from own_aux on.
typedef struct {
    const void* blocks;
    const void* words;
    uint32_t rows, copies;
    uint32_t own_inputs, own_aux;
    uint32_t input_stride, aux_stride;
} cuzk_rows;

// These rows for a witness, copy after copy: rows * copies scalars. With `ranks` (the full
// variables before every 512th) only the full variables' values are in `values`; with ranks null
// every variable's is, and ones and full are not read.
int cuzk_launch_evaluate(cuzk_stream stream, const cuzk_rows* rows, const void* coefficients,
                         const void* inputs, uint32_t n_inputs, const void* values,
                         const uint32_t* ones, const uint32_t* full, const uint32_t* ranks,
                         void* out);

// ---- parameters
// -----------------------------------------------------------------------------------

// Turns n points of a parameter file (uncompressed, big-endian) into affine points in place. What
// is checked: 0 nothing, 1 the encoding (no flags, coordinates below p, not infinity), 2 the curve
// too. *fault becomes the least of itself and first + i over the points i that fail.
int cuzk_launch_decode_g1(cuzk_stream stream, void* points, uint32_t n, uint64_t first,
                          uint32_t checks, uint64_t* fault);
int cuzk_launch_decode_g2(cuzk_stream stream, void* points, uint32_t n, uint64_t first,
                          uint32_t checks, uint64_t* fault);
// The reverse: n affine points become their encoding, in place.
int cuzk_launch_encode_g1(cuzk_stream stream, void* points, uint32_t n);
int cuzk_launch_encode_g2(cuzk_stream stream, void* points, uint32_t n);
// Decode's check for affine points of the curve that are not in the subgroup of order r. Slow: each
// point is multiplied by r.
int cuzk_launch_subgroup_g1(cuzk_stream stream, const void* points, uint32_t n, uint64_t first,
                            uint64_t* fault);
int cuzk_launch_subgroup_g2(cuzk_stream stream, const void* points, uint32_t n, uint64_t first,
                            uint64_t* fault);

// Multiples of a point, for parameters of development: a table of the point's own (affine, in
// device memory), then points[i] = scalars[i] times it, for Fr elements.
size_t cuzk_multiples_g1_table_size(void);
size_t cuzk_multiples_g2_table_size(void);
int cuzk_launch_multiples_g1_table(cuzk_stream stream, const void* generator, void* table);
int cuzk_launch_multiples_g2_table(cuzk_stream stream, const void* generator, void* table);
int cuzk_launch_multiples_g1(cuzk_stream stream, const void* table, const void* scalars, uint32_t n,
                             void* points);
int cuzk_launch_multiples_g2(cuzk_stream stream, const void* table, const void* scalars, uint32_t n,
                             void* points);

#ifdef __cplusplus
}
#endif
