/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Generated from src/ffi by `make header`: edit there. */


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
#define CUZK_DEVICE_INIT {(uint32_t)sizeof(cuzk_device), 0, 0, 0, 0, 0, 0, {0}, {0}, {0}}
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
     * What proved: "cpu", or the device.
     */
    char backend[64];
} cuzk_timings;

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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CUZK_H */
