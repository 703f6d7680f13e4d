/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Generated from src/ffi by `make header`: edit there. */
/*
 * cuzk: Filecoin's Commit-2 (C2) proofs, and any other Groth16 proof over
 * BLS12-381 of the bellperson family, on NVIDIA GPUs or on the CPU.
 *
 * From the output of Commit-1 to the proof that goes on chain:
 *
 *     #include "cuzk.h"
 *
 *     cuzk_status prove(const uint8_t *c1, size_t c1_len, uint64_t sector,
 *                       uint64_t miner, uint8_t *proof, size_t capacity,
 *                       size_t *proof_len, cuzk_error *error)
 *     {
 *         uint8_t id[32];
 *         cuzk_context *context;
 *         cuzk_status status = cuzk_context_new(NULL, &context, error);
 *         if (status == CUZK_STATUS_OK)
 *             status = cuzk_prover_id_from_actor(miner, id, error);
 *         if (status == CUZK_STATUS_OK)
 *             status = cuzk_c2_prove(context, c1, c1_len, sector, id, proof,
 *                                    capacity, proof_len, NULL, error);
 *         cuzk_context_free(context);
 *         return status;
 *     }
 *
 * A program makes one context and keeps it: parameters and circuits stay in
 * memory from one proof to the next. ffi-tests/prove.c is a whole program.
 *
 * Order of parameters: the handle, inputs (each array followed by its
 * length), outputs (`..._out`), the error. A null array of length 0 is fine;
 * any other null is an error unless the function says otherwise.
 *
 * Threads: every function may be called from many threads at once, on the
 * same handles; an ending (`_free`, `_release`) comes after the handle's last
 * use. Several contexts in one process are independent. Callbacks run on the
 * library's threads and must not wait for the library. In a forked child each
 * call returns CUZK_STATUS_FORKED and endings do nothing.
 *
 * Ownership: what `_new` and `_open` give ends with `_free` and `_release`,
 * in any order; null is accepted. Inputs are borrowed for the call. Memory
 * for results is the caller's.
 *
 * Errors: whatever can fail returns a cuzk_status and takes, last, a
 * cuzk_error or null, which is filled on failure only. Other results are then
 * untouched, but a handle is null and a length that was asked for in vain is
 * set (CUZK_STATUS_BUFFER_TOO_SMALL). A fault inside the library, a panic
 * included, is CUZK_STATUS_INTERNAL with its text; the context stays usable.
 * Besides those that a function lists, any call can return
 * CUZK_STATUS_ABI_MISMATCH (the error has no size that can be served),
 * CUZK_STATUS_FORKED and CUZK_STATUS_INTERNAL.
 *
 * ABI: CUZK_ABI_VERSION is the number in the library's soname; a program that
 * loads the library itself compares it with cuzk_abi_version() first. Within
 * one number functions are only added, values never change, and structures
 * that start with struct_size grow at their end: the caller says how much of
 * one it knows, by the INIT macro; what is missing counts as zero, the
 * default. A cuzk_assignment and a cuzk_proof never change.
 *
 * Quiet: the library prints nothing, installs no signal handler, changes no
 * environment variable, writes no files but those it was asked for, and
 * starts no thread before the first context. These are read from the
 * environment, by cuzk_context_new(), where the options say nothing:
 *
 *   CUZK_LOG                     error, warn, info or debug: log lines to
 *                                standard error
 *   CUZK_BACKEND                 auto, cpu or cuda
 *   CUZK_DEVICES                 ordinals or UUIDs, separated by commas
 *   CUZK_GPU_THREADS             host threads
 *   FIL_PROOFS_PARAMETER_CACHE   folder of the parameter files; without it
 *                                /var/tmp/filecoin-proof-parameters/
 *   BELLMAN_NO_GPU               unset, empty, 0, false: a GPU may be used;
 *                                1, true and anything else: CPU only, and not
 *                                one CUDA call (cuzk_device_count() too)
 */


#ifndef CUZK_H
#define CUZK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks the functions of this ABI. */
#if defined(__GNUC__)
#define CUZK_API __attribute__((visibility("default")))
#else
#define CUZK_API
#endif

/* Starting values of the structures that grow: their size, every default. */
#define CUZK_ERROR_INIT {(uint32_t)sizeof(cuzk_error), CUZK_STATUS_OK, {0}}
#define CUZK_DEVICE_INIT                                                       \
    {(uint32_t)sizeof(cuzk_device), 0, 0, 0, 0, 0, 0, {0}, {0}, {0}}
#define CUZK_CONTEXT_OPTIONS_INIT                                              \
    {(uint32_t)sizeof(cuzk_context_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
#define CUZK_SRS_OPTIONS_INIT {(uint32_t)sizeof(cuzk_srs_options), 0, 0}
#define CUZK_SRS_SHAPE_INIT                                                    \
    {(uint32_t)sizeof(cuzk_srs_shape), 0, 0, 0, 0, 0, 0, 0, 0, 0}
#define CUZK_C2_DESCRIPTION_INIT                                               \
    {(uint32_t)sizeof(cuzk_c2_description), 0, 0, 0, 0, 0, 0, {0}, {0}}
#define CUZK_C2_STATEMENT_INIT                                                 \
    {(uint32_t)sizeof(cuzk_c2_statement), 0, 0, {0}, {0}, {0}, {0}, {0}}
#define CUZK_JOB_OPTIONS_INIT {(uint32_t)sizeof(cuzk_job_options), 0, 0, 0, 0}
#define CUZK_PROGRESS_INIT                                                     \
    {(uint32_t)sizeof(cuzk_progress), 0, 0, 0, 0, 0, 0}
#define CUZK_C2_REQUEST_INIT                                                   \
    {(uint32_t)sizeof(cuzk_c2_request), 0, 0, 0, {0}, 0}
#define CUZK_TIMINGS_INIT                                                      \
    {(uint32_t)sizeof(cuzk_timings), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    \
     0, 0, 0, 0, 0, 0, 0, 0, {0}}


/**
 * The ABI that this header describes: the number in the library's soname.
 * A program that loads the library at run time compares it with
 * cuzk_abi_version() before any other call.
 */
#define CUZK_ABI_VERSION 1

/**
 * Major release number of this header.
 */
#define CUZK_VERSION_MAJOR 0

/**
 * Minor release number of this header.
 */
#define CUZK_VERSION_MINOR 1

/**
 * Patch release number of this header.
 */
#define CUZK_VERSION_PATCH 0

/**
 * Bytes of an error's text, the closing zero included.
 */
#define CUZK_ERROR_MESSAGE_BYTES 1024

/**
 * Bytes of one Groth16 proof as Filecoin stores it.
 */
#define CUZK_PROOF_BYTES 192

/**
 * What a call came to. The values are pinned: none changes, none is reused.
 */
enum cuzk_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Done.
     */
    CUZK_STATUS_OK = 0,
    /**
     * A null, misaligned, out-of-range or inconsistent argument.
     */
    CUZK_STATUS_INVALID_ARGUMENT = 1,
    /**
     * A struct_size that this library cannot serve.
     */
    CUZK_STATUS_ABI_MISMATCH = 2,
    /**
     * The operating system refused to read or write a file.
     */
    CUZK_STATUS_IO = 3,
    /**
     * No parameter file where one was looked for; the text says where.
     */
    CUZK_STATUS_PARAMETERS_NOT_FOUND = 4,
    /**
     * A parameter or verifying key file with wrong contents.
     */
    CUZK_STATUS_INVALID_SRS = 5,
    /**
     * An assignment that does not fit the parameters.
     */
    CUZK_STATUS_INVALID_ASSIGNMENT = 6,
    /**
     * A Commit-1 output that cannot be proved.
     */
    CUZK_STATUS_INVALID_C1 = 7,
    /**
     * The caller's buffer is shorter than the result; the length was set.
     */
    CUZK_STATUS_BUFFER_TOO_SMALL = 8,
    /**
     * A device was asked for and there is none, or none usable.
     */
    CUZK_STATUS_NO_DEVICE = 9,
    /**
     * Host memory: the budget or the machine has too little.
     */
    CUZK_STATUS_OUT_OF_MEMORY = 10,
    /**
     * Device memory: the budget or the device has too little.
     */
    CUZK_STATUS_OUT_OF_DEVICE_MEMORY = 11,
    /**
     * A device call failed.
     */
    CUZK_STATUS_DEVICE_FAILED = 12,
    /**
     * A proof was made and did not verify; it was not given out.
     */
    CUZK_STATUS_SELF_CHECK_FAILED = 13,
    /**
     * The caller cancelled the work.
     */
    CUZK_STATUS_CANCELLED = 14,
    /**
     * A wait ran out of time; the work goes on.
     */
    CUZK_STATUS_TIMEOUT = 15,
    /**
     * Called in a forked child of the process that uses the library.
     */
    CUZK_STATUS_FORKED = 16,
    /**
     * Known, but not supported by this build or this function.
     */
    CUZK_STATUS_UNSUPPORTED = 17,
    /**
     * A fault of the library; please report it with the text. The context
     * stays usable.
     */
    CUZK_STATUS_INTERNAL = 18,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum cuzk_status cuzk_status;
#else
typedef int32_t cuzk_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What proves. Zero leaves the choice to CUZK_BACKEND in the environment,
 * then to CUZK_BACKEND_AUTO.
 */
enum cuzk_backend
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * As the environment says.
     */
    CUZK_BACKEND_DEFAULT = 0,
    /**
     * A GPU where one can be used, otherwise the CPU.
     */
    CUZK_BACKEND_AUTO = 1,
    /**
     * The CPU; no CUDA call is made.
     */
    CUZK_BACKEND_CPU = 2,
    /**
     * A GPU, or CUZK_STATUS_NO_DEVICE.
     */
    CUZK_BACKEND_CUDA = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum cuzk_backend cuzk_backend;
#else
typedef int32_t cuzk_backend;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Whether each proof is verified before it is given out.
 */
enum cuzk_self_verification
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * On.
     */
    CUZK_SELF_VERIFICATION_DEFAULT = 0,
    /**
     * On: a proof that does not verify is made once more, then it is
     * CUZK_STATUS_SELF_CHECK_FAILED.
     */
    CUZK_SELF_VERIFICATION_ON = 1,
    /**
     * Off: the caller verifies.
     */
    CUZK_SELF_VERIFICATION_OFF = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum cuzk_self_verification cuzk_self_verification;
#else
typedef int32_t cuzk_self_verification;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How much a log line matters; each level includes those before it.
 */
enum cuzk_log_level
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * CUZK_LOG_LEVEL_INFO.
     */
    CUZK_LOG_LEVEL_DEFAULT = 0,
    /**
     * Work failed.
     */
    CUZK_LOG_LEVEL_ERROR = 1,
    /**
     * Something was worked around.
     */
    CUZK_LOG_LEVEL_WARN = 2,
    /**
     * A choice was made, something large was loaded or dropped.
     */
    CUZK_LOG_LEVEL_INFO = 3,
    /**
     * Each step.
     */
    CUZK_LOG_LEVEL_DEBUG = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum cuzk_log_level cuzk_log_level;
#else
typedef int32_t cuzk_log_level;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What is checked of a parameter file's points whenever it is loaded; each
 * level includes those before it. Sizes, counts and the verifying key are
 * always checked in full.
 */
enum cuzk_srs_checks
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * CUZK_SRS_CHECKS_CURVE.
     */
    CUZK_SRS_CHECKS_DEFAULT = 0,
    /**
     * Nothing more.
     */
    CUZK_SRS_CHECKS_NONE = 1,
    /**
     * The encoding of each point.
     */
    CUZK_SRS_CHECKS_STRUCTURE = 2,
    /**
     * That each point is on the curve: every damaged byte is noticed.
     */
    CUZK_SRS_CHECKS_CURVE = 3,
    /**
     * That each point is in the subgroup of prime order.
     */
    CUZK_SRS_CHECKS_SUBGROUP = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum cuzk_srs_checks cuzk_srs_checks;
#else
typedef int32_t cuzk_srs_checks;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How urgent a job is. Between the partitions of a job more urgent ones
 * overtake it; a partition that was begun is never interrupted.
 */
enum cuzk_priority
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * CUZK_PRIORITY_NORMAL.
     */
    CUZK_PRIORITY_DEFAULT = 0,
    /**
     * When there is nothing else to do.
     */
    CUZK_PRIORITY_LOW = 1,
    /**
     * The usual; that of the calls that do not start a job.
     */
    CUZK_PRIORITY_NORMAL = 2,
    /**
     * Before the usual.
     */
    CUZK_PRIORITY_HIGH = 3,
    /**
     * Before everything.
     */
    CUZK_PRIORITY_CRITICAL = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum cuzk_priority cuzk_priority;
#else
typedef int32_t cuzk_priority;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What a job is doing.
 */
enum cuzk_job_phase
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Waiting to begin.
     */
    CUZK_JOB_PHASE_QUEUED = 0,
    /**
     * Reading and checking a request.
     */
    CUZK_JOB_PHASE_PLANNING = 1,
    /**
     * Proving partitions, or waiting for a device.
     */
    CUZK_JOB_PHASE_PROVING = 2,
    /**
     * Joining proofs.
     */
    CUZK_JOB_PHASE_FINISHING = 3,
    /**
     * Ended: every request has its result.
     */
    CUZK_JOB_PHASE_DONE = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum cuzk_job_phase cuzk_job_phase;
#else
typedef int32_t cuzk_job_phase;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How proofs are aggregated: Filecoin's numbers of registered aggregations.
 */
enum cuzk_aggregation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * SnarkPack, version 1.
     */
    CUZK_AGGREGATION_SNARK_PACK_V1 = 0,
    /**
     * SnarkPack, version 2: that of non-interactive sectors.
     */
    CUZK_AGGREGATION_SNARK_PACK_V2 = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum cuzk_aggregation cuzk_aggregation;
#else
typedef int32_t cuzk_aggregation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What proofs are made with: devices, memory budgets, threads, and the
 * parameters and circuits that are in memory. Most programs need one.
 */
typedef struct cuzk_context cuzk_context;

/**
 * Work in the background and its results, one for each request.
 *
 * A job keeps its context and its parameters alive. Its functions may be
 * called from many threads at once, except cuzk_job_free(), which comes after
 * the others have returned.
 */
typedef struct cuzk_job cuzk_job;

/**
 * An open parameter file: the structured reference string (SRS) of one
 * circuit. Handles are counted; a handle does not pin memory: what is in
 * memory is a cache of the context and comes back from the file.
 */
typedef struct cuzk_srs cuzk_srs;

/**
 * Why a call failed: the caller's memory, the last argument of every call
 * that can fail. Start it with CUZK_ERROR_INIT. It is written on failure only.
 */
typedef struct cuzk_error {
    /**
     * sizeof(cuzk_error), as CUZK_ERROR_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * The status that the call returned.
     */
    cuzk_status status;
    /**
     * One line of UTF-8, zero-terminated: what was wrong with which thing,
     * and the numbers.
     */
    char message[CUZK_ERROR_MESSAGE_BYTES];
} cuzk_error;

/**
 * A device, usable or not. Start it with CUZK_DEVICE_INIT.
 */
typedef struct cuzk_device {
    /**
     * sizeof(cuzk_device), as CUZK_DEVICE_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * The number by which a context's device list names it.
     */
    uint32_t ordinal;
    /**
     * Compute capability: the part before the point.
     */
    uint32_t compute_capability_major;
    /**
     * Compute capability: the part after the point.
     */
    uint32_t compute_capability_minor;
    /**
     * Memory of the device in bytes.
     */
    uint64_t total_bytes;
    /**
     * Memory that is free now, in bytes.
     */
    uint64_t free_bytes;
    /**
     * 1 when a context would use it, else 0.
     */
    uint32_t usable;
    /**
     * The name that stays with the card, such as "GPU-2c6e...".
     */
    char uuid[64];
    /**
     * The product's name.
     */
    char name[128];
    /**
     * Why it is not usable; empty when it is.
     */
    char reason[260];
} cuzk_device;

/**
 * What a context is made with. Start it with CUZK_CONTEXT_OPTIONS_INIT; zero
 * means the default in every member. What is set here wins over the
 * environment.
 */
typedef struct cuzk_context_options {
    /**
     * sizeof(cuzk_context_options), as CUZK_CONTEXT_OPTIONS_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * A cuzk_backend.
     */
    int32_t backend;
    /**
     * A cuzk_self_verification.
     */
    int32_t self_verification;
    /**
     * A cuzk_log_level: the least urgent lines that log gets.
     */
    int32_t log_level;
    /**
     * Host threads; 0: CUZK_GPU_THREADS, then one for each processor that
     * the process may use. At most 4096.
     */
    size_t threads;
    /**
     * Most host memory for parameters, circuits and work, in bytes; 0: seven
     * eighths of the machine's memory or of the cgroup's limit.
     */
    uint64_t host_memory_bytes;
    /**
     * Most memory of each device in bytes; 0: what is free when the context
     * is made.
     */
    uint64_t device_memory_bytes;
    /**
     * Devices to use: ordinals or UUIDs, separated by commas ("0,2"); null:
     * CUZK_DEVICES, then all that are usable.
     */
    const char *devices;
    /**
     * Folder of Filecoin's parameter files; null: FIL_PROOFS_PARAMETER_CACHE,
     * then /var/tmp/filecoin-proof-parameters/.
     */
    const char *parameter_directory;
    /**
     * Gets log lines (zero-terminated UTF-8, valid for the call), one after
     * the other on a thread of the context; null: none, or to standard error
     * where CUZK_LOG in the environment says so.
     */
    void (*log)(void *user, int32_t level, const char *line);
    /**
     * Handed to log.
     */
    void *log_user;
} cuzk_context_options;

/**
 * How a parameter file is opened. Start it with CUZK_SRS_OPTIONS_INIT.
 */
typedef struct cuzk_srs_options {
    /**
     * sizeof(cuzk_srs_options), as CUZK_SRS_OPTIONS_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * A cuzk_srs_checks.
     */
    int32_t checks;
    /**
     * The first 16 bytes of the file's BLAKE2b-512 as 32 hexadecimal digits,
     * as Filecoin publishes them; null: not compared.
     */
    const char *digest;
} cuzk_srs_options;

/**
 * The size of a circuit's parameters. Start it with CUZK_SRS_SHAPE_INIT.
 */
typedef struct cuzk_srs_shape {
    /**
     * sizeof(cuzk_srs_shape), as CUZK_SRS_SHAPE_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * 1 when the parameters are in memory now, else 0.
     */
    uint32_t resident;
    /**
     * Public inputs, the constant one included.
     */
    uint64_t inputs;
    /**
     * Points of the h query: one less than the domain.
     */
    uint64_t h;
    /**
     * Points of the l query: the auxiliary variables.
     */
    uint64_t l;
    /**
     * Points of the a query.
     */
    uint64_t a;
    /**
     * Points of the b query in G1.
     */
    uint64_t b_g1;
    /**
     * Points of the b query in G2.
     */
    uint64_t b_g2;
    /**
     * Host memory in bytes that they take when in memory.
     */
    uint64_t host_bytes;
    /**
     * Device memory in bytes that they take when in memory.
     */
    uint64_t device_bytes;
} cuzk_srs_shape;

/**
 * A proof as Filecoin stores it: a, b, c compressed.
 */
typedef struct cuzk_proof {
    /**
     * 48, 96 and 48 bytes.
     */
    uint8_t bytes[CUZK_PROOF_BYTES];
} cuzk_proof;

/**
 * A point of G1: affine coordinates of six limbs in Montgomery form, as
 * blst_p1_affine.
 */
typedef struct cuzk_g1_affine {
    /**
     * Least significant limb first.
     */
    uint64_t x[6];
    /**
     * Least significant limb first.
     */
    uint64_t y[6];
} cuzk_g1_affine;

/**
 * A point of G2: affine coordinates c0 + c1 u, as blst_p2_affine.
 */
typedef struct cuzk_g2_affine {
    /**
     * c0, c1.
     */
    uint64_t x[2][6];
    /**
     * c0, c1.
     */
    uint64_t y[2][6];
} cuzk_g2_affine;

/**
 * A proof as affine points: what supraseal-c2 gives, and bellperson's Proof
 * in memory.
 */
typedef struct cuzk_proof_points {
    /**
     * In G1.
     */
    struct cuzk_g1_affine a;
    /**
     * In G2.
     */
    struct cuzk_g2_affine b;
    /**
     * In G1.
     */
    struct cuzk_g1_affine c;
} cuzk_proof_points;

/**
 * Where the time of a call went, and what it needed. Times are nanoseconds;
 * phases that overlap are each counted in full, so their sum can exceed the
 * total. Start it with CUZK_TIMINGS_INIT.
 */
typedef struct cuzk_timings {
    /**
     * sizeof(cuzk_timings), as CUZK_TIMINGS_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * Partitions or assignments proved.
     */
    uint32_t proofs;
    /**
     * Waiting in the queue.
     */
    uint64_t queue;
    /**
     * Parsing and validating the Commit-1 output.
     */
    uint64_t parse;
    /**
     * Loading parameters and circuits that were not in memory.
     */
    uint64_t parameter_load;
    /**
     * Making the witness.
     */
    uint64_t witness;
    /**
     * Evaluating the constraint rows a, b, c.
     */
    uint64_t constraint_evaluation;
    /**
     * Copying to the device.
     */
    uint64_t upload;
    /**
     * All number-theoretic transforms.
     */
    uint64_t ntt;
    /**
     * The multi-scalar multiplication over the h query.
     */
    uint64_t msm_h;
    /**
     * Over the l query.
     */
    uint64_t msm_l;
    /**
     * Over the a query.
     */
    uint64_t msm_a;
    /**
     * Over the b query in G1.
     */
    uint64_t msm_b_g1;
    /**
     * Over the b query in G2.
     */
    uint64_t msm_b_g2;
    /**
     * Joining the sums into proofs.
     */
    uint64_t assemble;
    /**
     * Verifying the proofs.
     */
    uint64_t verify;
    /**
     * Device time, by the device's own clock.
     */
    uint64_t device_busy;
    /**
     * From the call to its result.
     */
    uint64_t total;
    /**
     * Bytes copied to the device.
     */
    uint64_t bytes_up;
    /**
     * Bytes copied from the device.
     */
    uint64_t bytes_down;
    /**
     * Most host memory held for the call, parameters included.
     */
    uint64_t peak_host_bytes;
    /**
     * Most device memory held for the call, parameters included.
     */
    uint64_t peak_device_bytes;
    /**
     * What proved: "cpu", or the devices.
     */
    char backend[64];
} cuzk_timings;

/**
 * A scalar of BLS12-381: four little-endian limbs in Montgomery form, below
 * the modulus, as blst_fr.
 */
typedef struct cuzk_fr {
    /**
     * Least significant limb first.
     */
    uint64_t limbs[4];
} cuzk_fr;

/**
 * Everything of one proof but its parameters and blinding scalars. This
 * structure is frozen: 17 words, laid out as supraseal-c2's Assignment.
 *
 * Bit i of a density is bit i mod 64 of word i / 64; its popcount is the
 * number of ones. Inputs start with the constant one.
 */
typedef struct cuzk_assignment {
    /**
     * Auxiliary variables with a point in the a query.
     */
    const uint64_t *a_aux_density;
    /**
     * Its bits: one for each auxiliary variable.
     */
    size_t a_aux_bit_len;
    /**
     * Its ones.
     */
    size_t a_aux_popcount;
    /**
     * Inputs with points in the b queries.
     */
    const uint64_t *b_inp_density;
    /**
     * Its bits: one for each input.
     */
    size_t b_inp_bit_len;
    /**
     * Its ones.
     */
    size_t b_inp_popcount;
    /**
     * Auxiliary variables with points in the b queries.
     */
    const uint64_t *b_aux_density;
    /**
     * Its bits: one for each auxiliary variable.
     */
    size_t b_aux_bit_len;
    /**
     * Its ones.
     */
    size_t b_aux_popcount;
    /**
     * A times the assignment: one scalar for each row. The rows that bind
     * the inputs, input i times zero is zero, stand at the end.
     */
    const struct cuzk_fr *a;
    /**
     * B times the assignment.
     */
    const struct cuzk_fr *b;
    /**
     * C times the assignment.
     */
    const struct cuzk_fr *c;
    /**
     * Rows of each of a, b and c.
     */
    size_t abc_size;
    /**
     * The inputs, the constant one first.
     */
    const struct cuzk_fr *inp_assignment_data;
    /**
     * Number of inputs.
     */
    size_t inp_assignment_size;
    /**
     * The auxiliary variables.
     */
    const struct cuzk_fr *aux_assignment_data;
    /**
     * Number of auxiliary variables.
     */
    size_t aux_assignment_size;
} cuzk_assignment;

/**
 * The blinding scalars of one proof, in Montgomery form. Give them in tests
 * only: whoever knows or can guess them learns about the witness.
 */
typedef struct cuzk_randomness {
    /**
     * Blinds a.
     */
    struct cuzk_fr r;
    /**
     * Blinds b.
     */
    struct cuzk_fr s;
} cuzk_randomness;

/**
 * What a Commit-1 output asks for. Start it with CUZK_C2_DESCRIPTION_INIT.
 */
typedef struct cuzk_c2_description {
    /**
     * sizeof(cuzk_c2_description), as CUZK_C2_DESCRIPTION_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * Filecoin's number of the registered seal proof.
     */
    uint32_t registered_proof;
    /**
     * Bytes of the sector.
     */
    uint64_t sector_size;
    /**
     * Partitions of the proof, each a Groth16 proof of its own.
     */
    uint32_t partitions;
    /**
     * 1 when the output names its sector (the wrapped form does), else 0.
     */
    uint32_t has_sector_number;
    /**
     * The sector's number, where the output names it.
     */
    uint64_t sector_number;
    /**
     * Bytes of the proof: 192 a partition, or those of an aggregate.
     */
    uint64_t proof_len;
    /**
     * The registered proof's name, such as "StackedDrg32GiBV1_1".
     */
    char name[64];
    /**
     * The circuit's name in Filecoin's parameter folder.
     */
    char circuit[256];
} cuzk_c2_description;

/**
 * What a seal proof states, as its verifiers know it. Start it with
 * CUZK_C2_STATEMENT_INIT.
 */
typedef struct cuzk_c2_statement {
    /**
     * sizeof(cuzk_c2_statement), as CUZK_C2_STATEMENT_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * Filecoin's number of the registered seal proof.
     */
    uint32_t registered_proof;
    /**
     * The sector's number.
     */
    uint64_t sector_number;
    /**
     * The prover: see cuzk_prover_id_from_actor().
     */
    uint8_t prover_id[32];
    /**
     * Commitment to the replica.
     */
    uint8_t comm_r[32];
    /**
     * Commitment to the data.
     */
    uint8_t comm_d[32];
    /**
     * Randomness of the replica id.
     */
    uint8_t ticket[32];
    /**
     * Randomness of the challenges.
     */
    uint8_t seed[32];
} cuzk_c2_statement;

/**
 * How far a job is. Start it with CUZK_PROGRESS_INIT.
 */
typedef struct cuzk_progress {
    /**
     * sizeof(cuzk_progress), as CUZK_PROGRESS_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * A cuzk_job_phase.
     */
    int32_t phase;
    /**
     * Requests that have ended, well or not.
     */
    uint64_t requests_done;
    /**
     * Requests in all.
     */
    uint64_t requests_total;
    /**
     * Partitions proved.
     */
    uint64_t partitions_done;
    /**
     * Partitions in all, as far as is known: those of a request that failed
     * count as far as they were proved.
     */
    uint64_t partitions_total;
    /**
     * The part that is done, from 0 to 1.
     */
    double fraction;
} cuzk_progress;

/**
 * A sector to be proved by a job. Start it with CUZK_C2_REQUEST_INIT; in an
 * array all elements have the same struct_size.
 */
typedef struct cuzk_c2_request {
    /**
     * sizeof(cuzk_c2_request), as CUZK_C2_REQUEST_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * The sector's number.
     */
    uint64_t sector_number;
    /**
     * The Commit-1 output's JSON, plain or wrapped.
     */
    const uint8_t *c1;
    /**
     * Its bytes.
     */
    size_t c1_len;
    /**
     * The prover: see cuzk_prover_id_from_actor().
     */
    uint8_t prover_id[32];
    /**
     * 1 for the partitions' proofs one after the other instead of a proof,
     * as cuzk_c2_circuit_proofs() makes them, and prover_id is not looked
     * at; else 0.
     */
    uint32_t circuit_proofs;
} cuzk_c2_request;

/**
 * How a job is started. Start it with CUZK_JOB_OPTIONS_INIT; zero means the
 * default in every member.
 *
 * The functions are called one after the other on a thread of the context,
 * never on the caller's. Work does not wait for them, but the context's other
 * callbacks do: they should be quick. They may call the functions of this
 * header, cuzk_job_free() for their own job included.
 */
typedef struct cuzk_job_options {
    /**
     * sizeof(cuzk_job_options), as CUZK_JOB_OPTIONS_INIT sets it.
     */
    uint32_t struct_size;
    /**
     * A cuzk_priority.
     */
    int32_t priority;
    /**
     * Told how far the job is (valid for the call); null: not told. Several
     * steps may be told at once, and the last one always is.
     */
    void (*progress)(void *user, const struct cuzk_progress *now);
    /**
     * Called once when the job has ended, after the last progress; null: not
     * called.
     */
    void (*done)(void *user);
    /**
     * Handed to both.
     */
    void *user;
} cuzk_job_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the library's release, such as "0.1.0".
 *
 * Ownership: the text belongs to the library and stays valid.
 */
CUZK_API const char *cuzk_version(void);

/**
 * Returns the library's ABI number; it must equal CUZK_ABI_VERSION.
 */
CUZK_API uint32_t cuzk_abi_version(void);

/**
 * Returns how the library was built, as JSON.
 *
 * Members: "version", "abi_version", "target", "compiler", "backends" (array
 * of names) and "cuda": an object with "compiled" (boolean), "architectures"
 * (array of text), "toolkit" (text or null) and "driver_floor" (the oldest
 * driver release that serves, or null).
 *
 * Ownership: the text belongs to the library and stays valid.
 */
CUZK_API const char *cuzk_build_info(void);

/**
 * Returns a status' name, such as "CUZK_STATUS_IO".
 *
 * For a number that is no status of this library: "CUZK_STATUS_UNKNOWN".
 *
 * Ownership: the text belongs to the library and stays valid.
 */
CUZK_API const char *cuzk_status_name(int32_t status);

/**
 * Counts the devices of this machine, usable or not.
 *
 * None is a normal answer: proofs are then made on the CPU. reason_out is
 * null or gets the reason when there is none, else null. These are exactly
 * the devices among which a context chooses.
 *
 * Ownership: the text belongs to the library and stays valid.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT when count_out is null.
 */
CUZK_API
cuzk_status cuzk_device_count(size_t *count_out,
                              const char **reason_out,
                              struct cuzk_error *error_out);

/**
 * Describes device number index, from 0 to cuzk_device_count() - 1.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT when there is no such device or
 * device_out is null; CUZK_STATUS_ABI_MISMATCH when device_out has no size that
 * this library can serve.
 */
CUZK_API
cuzk_status cuzk_device_info(size_t index,
                             struct cuzk_device *device_out,
                             struct cuzk_error *error_out);

/**
 * Makes a context and starts its threads.
 *
 * options is null or started with CUZK_CONTEXT_OPTIONS_INIT. The environment
 * is read now and never again; the introduction has the table.
 *
 * Ownership: the context is yours; end it with cuzk_context_free().
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT for an option or a variable of the
 * environment that makes no sense, CUZK_STATUS_ABI_MISMATCH for the
 * structure, CUZK_STATUS_NO_DEVICE when a GPU was asked for and none can be
 * used, CUZK_STATUS_OUT_OF_MEMORY when threads cannot be started.
 */
CUZK_API
cuzk_status cuzk_context_new(const struct cuzk_context_options *options,
                             struct cuzk_context **context_out,
                             struct cuzk_error *error_out);

/**
 * Ends a context; null is accepted.
 *
 * Calls on the context must have returned. SRS handles may still be open:
 * they keep what they need, and its threads and memory go with the last.
 */
CUZK_API void cuzk_context_free(struct cuzk_context *context);

/**
 * Writes what a context chose and why, its budgets, what is in memory and
 * its counters, as JSON, zero-terminated.
 *
 * length_out is null or gets the length without the closing zero, also when
 * the text does not fit: call once with capacity 0 to learn it, and leave
 * some room, since the text changes.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT, CUZK_STATUS_BUFFER_TOO_SMALL.
 */
CUZK_API
cuzk_status cuzk_context_info(const struct cuzk_context *context,
                              char *json_out,
                              size_t capacity,
                              size_t *length_out,
                              struct cuzk_error *error_out);

/**
 * Opens a parameter file, checks it and brings it into memory.
 *
 * options is null or started with CUZK_SRS_OPTIONS_INIT. The file is read
 * into the library's own memory and never mapped.
 *
 * Ownership: the handle is yours; end it with cuzk_srs_release(). It keeps
 * what it needs of the context.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for the
 * structure; CUZK_STATUS_PARAMETERS_NOT_FOUND without such a file;
 * CUZK_STATUS_IO when it cannot be read; CUZK_STATUS_INVALID_SRS naming
 * section, index and bytes of what is wrong; CUZK_STATUS_OUT_OF_MEMORY or
 * CUZK_STATUS_OUT_OF_DEVICE_MEMORY when the budget cannot hold it.
 */
CUZK_API
cuzk_status cuzk_srs_open(const struct cuzk_context *context,
                          const char *path,
                          const struct cuzk_srs_options *options,
                          struct cuzk_srs **srs_out,
                          struct cuzk_error *error_out);

/**
 * Counts one more owner of a handle, who ends with cuzk_srs_release().
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT when srs is null.
 */
CUZK_API
cuzk_status cuzk_srs_retain(const struct cuzk_srs *srs,
                            struct cuzk_error *error_out);

/**
 * Ends one owner's use of a handle; null is accepted. The last one closes
 * the file; the parameters stay in memory until it is needed for others.
 */
CUZK_API void cuzk_srs_release(struct cuzk_srs *srs);

/**
 * Drops the parameters from memory: at once, or when the work that uses them
 * has ended. The handle stays good; the next use loads them again.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT when srs is null.
 */
CUZK_API
cuzk_status cuzk_srs_evict(const struct cuzk_srs *srs,
                           struct cuzk_error *error_out);

/**
 * Describes the parameters: points in each query, memory, whether resident.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for the
 * structure.
 */
CUZK_API
cuzk_status cuzk_srs_info(const struct cuzk_srs *srs,
                          struct cuzk_srs_shape *shape_out,
                          struct cuzk_error *error_out);

/**
 * Decompresses a proof to affine points.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT when a point is not in its group.
 */
CUZK_API
cuzk_status cuzk_proof_to_points(const struct cuzk_proof *proof,
                                 struct cuzk_proof_points *points_out,
                                 struct cuzk_error *error_out);

/**
 * Compresses affine points to a proof.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT when a point is not in its group.
 */
CUZK_API
cuzk_status cuzk_proof_from_points(const struct cuzk_proof_points *points,
                                   struct cuzk_proof *proof_out,
                                   struct cuzk_error *error_out);

/**
 * Writes timings as JSON, zero-terminated.
 *
 * Members are named like the structure's; the times stand in an object
 * "nanoseconds". length_out is null or gets the length without the closing
 * zero, also when the text does not fit: call once with capacity 0 to learn
 * it.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT, CUZK_STATUS_ABI_MISMATCH for the
 * structure, CUZK_STATUS_BUFFER_TOO_SMALL.
 */
CUZK_API
cuzk_status cuzk_timings_json(const struct cuzk_timings *timings,
                              char *json_out,
                              size_t capacity,
                              size_t *length_out,
                              struct cuzk_error *error_out);

/**
 * Proves n assignments whose rows the caller evaluated.
 *
 * All are of the circuit that srs has the parameters of. randomness is null,
 * then the operating system's generator is used, or has n elements.
 * proofs_out has room for n proofs. timings_out is null or started with
 * CUZK_TIMINGS_INIT and gets the sums over all n. With self-verification on
 * (the default) each proof is verified.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for
 * timings_out; CUZK_STATUS_INVALID_ASSIGNMENT naming the assignment and what
 * does not fit the parameters or is not below the modulus, before anything
 * is proved; CUZK_STATUS_SELF_CHECK_FAILED, also for rows that satisfy
 * nothing; CUZK_STATUS_INVALID_SRS and CUZK_STATUS_IO when the parameters
 * must be read again; CUZK_STATUS_OUT_OF_MEMORY and
 * CUZK_STATUS_OUT_OF_DEVICE_MEMORY with needed and present;
 * CUZK_STATUS_DEVICE_FAILED.
 */
CUZK_API
cuzk_status cuzk_prove(const struct cuzk_context *context,
                       const struct cuzk_srs *srs,
                       const struct cuzk_assignment *assignments,
                       size_t n,
                       const struct cuzk_randomness *randomness,
                       struct cuzk_proof *proofs_out,
                       struct cuzk_timings *timings_out,
                       struct cuzk_error *error_out);

/**
 * Verifies n proofs of one circuit together.
 *
 * inputs has n times inputs_len scalars: those of the first proof, then those
 * of the second, and so on; the constant one is left out, so inputs_len is
 * one less than the circuit's inputs. valid_out becomes true when all are
 * valid; a proof whose bytes are no points of the groups is not.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT, also for inputs that are not below
 * the modulus or another number of them than the parameters need.
 */
CUZK_API
cuzk_status cuzk_groth16_verify(const struct cuzk_srs *srs,
                                const struct cuzk_proof *proofs,
                                size_t n,
                                const struct cuzk_fr *inputs,
                                size_t inputs_len,
                                bool *valid_out,
                                struct cuzk_error *error_out);

/**
 * Writes the 32 bytes of the prover id of an actor.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT when prover_id_out is null.
 */
CUZK_API
cuzk_status cuzk_prover_id_from_actor(uint64_t actor_id,
                                      uint8_t *prover_id_out,
                                      struct cuzk_error *error_out);

/**
 * Describes a Commit-1 output: registered proof, partitions, proof length.
 *
 * c1 is the output's JSON, plain or wrapped with sector number and size. The
 * vanilla proofs in it are skipped.
 *
 * Errors: CUZK_STATUS_INVALID_C1; CUZK_STATUS_INVALID_ARGUMENT;
 * CUZK_STATUS_ABI_MISMATCH for the structure.
 */
CUZK_API
cuzk_status cuzk_c2_info(const uint8_t *c1,
                         size_t c1_len,
                         struct cuzk_c2_description *description_out,
                         struct cuzk_error *error_out);

/**
 * Checks that a Commit-1 output belongs to a sector of a prover.
 *
 * The replica id is computed again from prover id (32 bytes), sector number,
 * ticket, comm_d and registered proof, and compared: a wrong miner or sector
 * is found in microseconds, before anything is proved. cuzk_c2_prove() does
 * it by itself.
 *
 * Errors: CUZK_STATUS_INVALID_C1; CUZK_STATUS_INVALID_ARGUMENT when it
 * belongs to another, or for null.
 */
CUZK_API
cuzk_status cuzk_c2_check(const uint8_t *c1,
                          size_t c1_len,
                          uint64_t sector_number,
                          const uint8_t *prover_id,
                          struct cuzk_error *error_out);

/**
 * Writes what the proof for a Commit-1 output will state, for
 * cuzk_c2_verify().
 *
 * Errors: those of cuzk_c2_check(), and CUZK_STATUS_ABI_MISMATCH for the
 * structure.
 */
CUZK_API
cuzk_status cuzk_c2_statement_from_c1(const uint8_t *c1,
                                      size_t c1_len,
                                      uint64_t sector_number,
                                      const uint8_t *prover_id,
                                      struct cuzk_c2_statement *statement_out,
                                      struct cuzk_error *error_out);

/**
 * Proves a sector: from a Commit-1 output to the proof that goes on chain.
 *
 * That of a non-interactive sector is the aggregate of its partitions'
 * proofs; to aggregate several such sectors, see cuzk_c2_circuit_proofs().
 *
 * Parameters and circuit are brought into memory when they are not there;
 * cuzk_context_warm_up() does that beforehand. prover_id has 32 bytes.
 * proof_out has room for capacity bytes; proof_len_out gets the proof's
 * length, also when it does not fit, which is found before anything is
 * proved: cuzk_c2_info() tells it too. timings_out is null or started with
 * CUZK_TIMINGS_INIT.
 *
 * Errors: CUZK_STATUS_INVALID_C1 naming the field;
 * CUZK_STATUS_INVALID_ARGUMENT, also for an output of another sector or
 * prover; CUZK_STATUS_BUFFER_TOO_SMALL; CUZK_STATUS_PARAMETERS_NOT_FOUND
 * with the file and how to get it; CUZK_STATUS_INVALID_SRS and
 * CUZK_STATUS_IO for a bad file; CUZK_STATUS_OUT_OF_MEMORY and
 * CUZK_STATUS_OUT_OF_DEVICE_MEMORY with needed and present;
 * CUZK_STATUS_SELF_CHECK_FAILED; CUZK_STATUS_DEVICE_FAILED;
 * CUZK_STATUS_ABI_MISMATCH for timings_out.
 */
CUZK_API
cuzk_status cuzk_c2_prove(const struct cuzk_context *context,
                          const uint8_t *c1,
                          size_t c1_len,
                          uint64_t sector_number,
                          const uint8_t *prover_id,
                          uint8_t *proof_out,
                          size_t capacity,
                          size_t *proof_len_out,
                          struct cuzk_timings *timings_out,
                          struct cuzk_error *error_out);

/**
 * Proves partition k alone, so that one proof can be spread over machines.
 *
 * As cuzk_c2_prove(), but 192 bytes are written; cuzk_c2_assemble() joins
 * the partitions' proofs.
 *
 * Errors: those of cuzk_c2_prove(), and CUZK_STATUS_INVALID_ARGUMENT for a
 * partition that the proof does not have.
 */
CUZK_API
cuzk_status cuzk_c2_prove_partition(const struct cuzk_context *context,
                                    const uint8_t *c1,
                                    size_t c1_len,
                                    uint64_t sector_number,
                                    const uint8_t *prover_id,
                                    uint32_t k,
                                    struct cuzk_proof *proof_out,
                                    struct cuzk_timings *timings_out,
                                    struct cuzk_error *error_out);

/**
 * Joins the proofs of all n partitions, in their order, after verifying
 * each; those of a non-interactive sector are aggregated.
 *
 * proof_out has room for capacity bytes; proof_len_out gets the length, also
 * when it does not fit.
 *
 * Errors: those of cuzk_c2_check(); CUZK_STATUS_INVALID_ARGUMENT, also for
 * another number of partitions and for a partition whose proof is not valid,
 * which is named; CUZK_STATUS_BUFFER_TOO_SMALL;
 * CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
 * CUZK_STATUS_IO for the verifying key and the file for aggregation.
 */
CUZK_API
cuzk_status cuzk_c2_assemble(const struct cuzk_context *context,
                             const uint8_t *c1,
                             size_t c1_len,
                             uint64_t sector_number,
                             const uint8_t *prover_id,
                             const struct cuzk_proof *proofs,
                             size_t n,
                             uint8_t *proof_out,
                             size_t capacity,
                             size_t *proof_len_out,
                             struct cuzk_error *error_out);

/**
 * Verifies a seal proof, under the verifying key in the context's parameter
 * folder; that of a non-interactive sector also under the powers there.
 *
 * valid_out becomes true or false; bytes that are no proof's points are
 * false.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT, also for a proof of another length
 * and an unknown registered proof; CUZK_STATUS_ABI_MISMATCH for the
 * structure; CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
 * CUZK_STATUS_IO for the verifying key and the file for aggregation.
 */
CUZK_API
cuzk_status cuzk_c2_verify(const struct cuzk_context *context,
                           const struct cuzk_c2_statement *statement,
                           const uint8_t *proof,
                           size_t proof_len,
                           bool *valid_out,
                           struct cuzk_error *error_out);

/**
 * Brings the parameters and the circuit of a registered proof into memory,
 * so that its first proof takes no longer than the later ones.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT, also for an unknown registered
 * proof; CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
 * CUZK_STATUS_IO for the files; CUZK_STATUS_OUT_OF_MEMORY and
 * CUZK_STATUS_OUT_OF_DEVICE_MEMORY when the budget cannot hold them.
 */
CUZK_API
cuzk_status cuzk_context_warm_up(const struct cuzk_context *context,
                                 uint32_t registered_proof,
                                 struct cuzk_error *error_out);

/**
 * Proves a sector and leaves the partitions' proofs apart, so that those of
 * several sectors can be aggregated by cuzk_c2_aggregate().
 *
 * As cuzk_c2_prove(), for non-interactive sectors above all: the proof of one
 * such sector is an aggregate already, and aggregates cannot be aggregated.
 * No prover is named: the proofs are for the replica id in the output, and
 * sector_number is compared with that of a wrapped output only. proofs_out
 * has room for capacity proofs; n_out gets their number, the partitions',
 * also when they do not fit, which is found before anything is proved.
 * timings_out is null or started with CUZK_TIMINGS_INIT.
 *
 * Errors: those of cuzk_c2_prove().
 */
CUZK_API
cuzk_status cuzk_c2_circuit_proofs(const struct cuzk_context *context,
                                   const uint8_t *c1,
                                   size_t c1_len,
                                   uint64_t sector_number,
                                   struct cuzk_proof *proofs_out,
                                   size_t capacity,
                                   size_t *n_out,
                                   struct cuzk_timings *timings_out,
                                   struct cuzk_error *error_out);

/**
 * Aggregates the proofs of sectors of one kind, after verifying each.
 *
 * aggregation is a cuzk_aggregation. statements says of each of the n sectors
 * what its proof states; each was started with CUZK_C2_STATEMENT_INIT.
 * proofs are those of all partitions, sector after sector in the order of the
 * statements: proofs_len is n times the partitions of the kind. Proofs of
 * interactive sectors are such proofs, one after the other; of
 * non-interactive ones cuzk_c2_circuit_proofs() makes them. aggregate_out has
 * room for capacity bytes; aggregate_len_out gets the length, also when it
 * does not fit, which is found before anything is done.
 *
 * An aggregate has at most 16384 partitions, and at most 65 sectors of a
 * non-interactive kind. A context without self-verification verifies neither
 * the proofs nor the aggregate.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT, also for sectors of several kinds,
 * too many or none, and for a proof that is not valid, which is named;
 * CUZK_STATUS_ABI_MISMATCH for the structures; CUZK_STATUS_BUFFER_TOO_SMALL;
 * CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
 * CUZK_STATUS_IO for the verifying key and the file for aggregation;
 * CUZK_STATUS_OUT_OF_MEMORY with needed and present;
 * CUZK_STATUS_SELF_CHECK_FAILED.
 */
CUZK_API
cuzk_status cuzk_c2_aggregate(const struct cuzk_context *context,
                              int32_t aggregation,
                              const struct cuzk_c2_statement *statements,
                              size_t n,
                              const struct cuzk_proof *proofs,
                              size_t proofs_len,
                              uint8_t *aggregate_out,
                              size_t capacity,
                              size_t *aggregate_len_out,
                              struct cuzk_error *error_out);

/**
 * Verifies an aggregate of the proofs of n sectors, in the order of the
 * statements, under verifying key and powers in the context's parameter
 * folder.
 *
 * aggregation is a cuzk_aggregation. valid_out becomes true or false; bytes
 * that are no group elements are false. The proof of one non-interactive
 * sector is an aggregate of version 2; cuzk_c2_verify() verifies it too.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT, also for sectors of several kinds,
 * too many or none, and for an aggregate of another length;
 * CUZK_STATUS_ABI_MISMATCH for the structures;
 * CUZK_STATUS_PARAMETERS_NOT_FOUND, CUZK_STATUS_INVALID_SRS and
 * CUZK_STATUS_IO for the verifying key and the file for aggregation.
 */
CUZK_API
cuzk_status cuzk_c2_verify_aggregate(const struct cuzk_context *context,
                                     int32_t aggregation,
                                     const struct cuzk_c2_statement *statements,
                                     size_t n,
                                     const uint8_t *aggregate,
                                     size_t aggregate_len,
                                     bool *valid_out,
                                     struct cuzk_error *error_out);

/**
 * Waits until a job has ended: until then, or timeout_ms milliseconds; below
 * zero without a limit.
 *
 * That it ended says nothing about its requests: each has a result of its
 * own, see cuzk_job_result_status().
 *
 * Errors: CUZK_STATUS_TIMEOUT when it has not ended in time, and it goes on;
 * CUZK_STATUS_INVALID_ARGUMENT when job is null.
 */
CUZK_API
cuzk_status cuzk_job_wait(const struct cuzk_job *job,
                          int64_t timeout_ms,
                          struct cuzk_error *error_out);

/**
 * Says whether a job has ended, and does not wait.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT for null.
 */
CUZK_API
cuzk_status cuzk_job_poll(const struct cuzk_job *job,
                          bool *ended_out,
                          struct cuzk_error *error_out);

/**
 * Says how far a job is.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for the
 * structure.
 */
CUZK_API
cuzk_status cuzk_job_progress(const struct cuzk_job *job,
                              struct cuzk_progress *progress_out,
                              struct cuzk_error *error_out);

/**
 * Asks a job to end, and does not wait for it.
 *
 * It ends within one partition. Requests that have ended keep their results,
 * those of the others are CUZK_STATUS_CANCELLED.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT when job is null.
 */
CUZK_API
cuzk_status cuzk_job_cancel(const struct cuzk_job *job,
                            struct cuzk_error *error_out);

/**
 * Ends a job; null is accepted.
 *
 * A job that still runs is cancelled and waited for: afterwards nothing that
 * it was lent is used any more. What its results pointed to is gone. A
 * function of its options that runs is waited for, unless this is called
 * from it. Context and parameters may be ended before.
 */
CUZK_API void cuzk_job_free(struct cuzk_job *job);

/**
 * Number of results: the requests that the job was started with.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT for null.
 */
CUZK_API
cuzk_status cuzk_job_result_count(const struct cuzk_job *job,
                                  size_t *count_out,
                                  struct cuzk_error *error_out);

/**
 * Writes the status of request i: CUZK_STATUS_OK when it was proved.
 *
 * Results are there as soon as their request has ended, also while the job
 * goes on.
 *
 * Errors: CUZK_STATUS_TIMEOUT while the request has not ended;
 * CUZK_STATUS_INVALID_ARGUMENT, also for a request that is not there.
 */
CUZK_API
cuzk_status cuzk_job_result_status(const struct cuzk_job *job,
                                   size_t i,
                                   cuzk_status *status_out,
                                   struct cuzk_error *error_out);

/**
 * Points to the text of why request i failed, zero-terminated, empty when it
 * was proved.
 *
 * Ownership: the text is the job's and lives until cuzk_job_free().
 *
 * Errors: those of cuzk_job_result_status().
 */
CUZK_API
cuzk_status cuzk_job_result_message(const struct cuzk_job *job,
                                    size_t i,
                                    const char **message_out,
                                    struct cuzk_error *error_out);

/**
 * Points to the proof of request i and writes its length: 192 bytes for each
 * partition, or those of an aggregate.
 *
 * Ownership: the bytes are the job's and live until cuzk_job_free().
 *
 * Errors: those of cuzk_job_result_status(); the request's own status and
 * text when it failed.
 */
CUZK_API
cuzk_status cuzk_job_result_proof(const struct cuzk_job *job,
                                  size_t i,
                                  const uint8_t **proof_out,
                                  size_t *proof_len_out,
                                  struct cuzk_error *error_out);

/**
 * Writes where the time of request i went, also when it failed.
 *
 * Errors: those of cuzk_job_result_status(); CUZK_STATUS_ABI_MISMATCH for
 * the structure.
 */
CUZK_API
cuzk_status cuzk_job_result_timings(const struct cuzk_job *job,
                                    size_t i,
                                    struct cuzk_timings *timings_out,
                                    struct cuzk_error *error_out);

/**
 * Writes where the time of partition k of request i went.
 *
 * Errors: those of cuzk_job_result_status(); CUZK_STATUS_INVALID_ARGUMENT
 * for a partition that was not proved; CUZK_STATUS_ABI_MISMATCH for the
 * structure.
 */
CUZK_API
cuzk_status cuzk_job_result_partition_timings(const struct cuzk_job *job,
                                              size_t i,
                                              size_t k,
                                              struct cuzk_timings *timings_out,
                                              struct cuzk_error *error_out);

/**
 * Starts to prove n sectors, and does not wait.
 *
 * As cuzk_c2_prove() for each, in their order; their kinds and sizes may
 * differ. Each has a result of its own, and one that is bad does not fail
 * the others. requests and the Commit-1 outputs are copied. options is null
 * or started with CUZK_JOB_OPTIONS_INIT.
 *
 * Ownership: the job is yours; end it with cuzk_job_free().
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for a
 * structure; CUZK_STATUS_OUT_OF_MEMORY when there is none for the copies or
 * no thread can be started. Everything else is the result of a request.
 */
CUZK_API
cuzk_status cuzk_c2_prove_start(const struct cuzk_context *context,
                                const struct cuzk_c2_request *requests,
                                size_t n,
                                const struct cuzk_job_options *options,
                                struct cuzk_job **job_out,
                                struct cuzk_error *error_out);

/**
 * Starts to prove n assignments whose rows the caller evaluated, and does
 * not wait.
 *
 * As cuzk_prove(), but each assignment is a request of the job with a result
 * of its own, and one that is bad does not fail the others. options is null
 * or started with CUZK_JOB_OPTIONS_INIT. The arrays assignments and
 * randomness are copied. What an assignment points to is lent: a, b and c
 * until cuzk_job_abc_released() says so, the rest until the job has ended;
 * nobody may change it before.
 *
 * Ownership: the job is yours; end it with cuzk_job_free().
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT; CUZK_STATUS_ABI_MISMATCH for
 * options; CUZK_STATUS_OUT_OF_MEMORY when no thread can be started.
 * Everything else is the result of a request.
 */
CUZK_API
cuzk_status cuzk_prove_start(const struct cuzk_context *context,
                             const struct cuzk_srs *srs,
                             const struct cuzk_assignment *assignments,
                             size_t n,
                             const struct cuzk_randomness *randomness,
                             const struct cuzk_job_options *options,
                             struct cuzk_job **job_out,
                             struct cuzk_error *error_out);

/**
 * Waits until the rows a, b and c of assignment i of a job made by
 * cuzk_prove_start() may be changed or freed: until then, or timeout_ms
 * milliseconds; below zero without a limit, and 0 only asks.
 *
 * A proof that does not verify is made again from the rows: with
 * self-verification on they are needed until the proof has been verified,
 * which can be long before the job has ended.
 *
 * Errors: CUZK_STATUS_TIMEOUT when they are still needed;
 * CUZK_STATUS_INVALID_ARGUMENT, also for an assignment that is not there and
 * for another kind of job.
 */
CUZK_API
cuzk_status cuzk_job_abc_released(const struct cuzk_job *job,
                                  size_t i,
                                  int64_t timeout_ms,
                                  struct cuzk_error *error_out);

/**
 * INSECURE: makes parameters for development from a seed of 32 bytes.
 *
 * Whoever knows the seed can prove anything under these parameters; they are
 * for tests on small sectors only. Writes the files of the registered
 * proof's sector size (.params, .vk, .meta, named as Filecoin does) into the
 * context's parameter folder, which is made when missing, and the file for
 * aggregation (.srs), which serves all sizes, unless it is there; files that
 * are there are never replaced. The same seed makes the same files. progress
 * is null or gets the part done, from 0 to 1, on a thread of the context.
 *
 * Errors: CUZK_STATUS_INVALID_ARGUMENT, also when a file is there already;
 * CUZK_STATUS_IO.
 */
CUZK_API
cuzk_status cuzk_dev_setup(const struct cuzk_context *context,
                           uint32_t registered_proof,
                           const uint8_t *seed,
                           void (*progress)(void *user, double fraction),
                           void *progress_user,
                           struct cuzk_error *error_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CUZK_H */
