/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Generated from compat/supraseal-c-abi by `make header`: edit there. */
/*
 * The C symbols of supraseal-c2, made by cuzk: Groth16 proofs over BLS12-381
 * of circuits of the bellperson family, whose rows the caller evaluated.
 *
 * New programs are better served by cuzk.h; this library is for software that
 * calls supraseal-c2 already. Link with -lsupraseal_c2.
 *
 *     SRS srs;
 *     supraseal_c2_error error = create_SRS(&srs, "circuit.params", false);
 *     if (error.code == 0)
 *         error = generate_groth16_proofs_c(provers, n, r_s, s_s, proofs, &srs);
 *     if (error.code != 0) {
 *         fprintf(stderr, "%s\n", error.message ? error.message : "");
 *         free(error.message);
 *     }
 *     drop_SRS(&srs);
 *
 * Both generations are here: the six-argument generate_groth16_proofs_c() of
 * 0.1.2, to which a fork passes a lock and a device more (on the stack, where
 * they are ignored), and that fork's proofs in two steps. Where the original
 * ended the process or read past an end, there is an error: every size is
 * compared with the parameters before any work is started.
 *
 * Threads: every function may be called from many threads at once; an ending
 * comes after the handle's last use. Proofs queue for devices by themselves.
 * After fork() a child gets errors and must start a new program.
 *
 * Pointers: an array is null only where it has no elements. What is lent is
 * not changed meanwhile.
 *
 * The process has one context, made by the first create_SRS() and configured
 * by these variables of the environment, read then:
 *
 *   CUZK_BACKEND            auto (a GPU where one can be used), cpu or cuda
 *   CUZK_DEVICES            ordinals or UUIDs of GPUs, separated by commas
 *   CUZK_GPU_THREADS        host threads
 *   CUZK_HOST_MEMORY        most host memory: bytes, or with KiB, MiB, GiB
 *   CUZK_DEVICE_MEMORY      most memory of each device, likewise
 *   CUZK_SRS_CHECKS         none, structure, curve or subgroup (the default):
 *                           what is checked of every point of a file
 *   CUZK_SELF_VERIFICATION  0: proofs are given out unverified
 *   CUZK_LOG                error, warn, info or debug: lines to standard
 *                           error; without it nothing is ever printed
 *   BELLMAN_NO_GPU          1, true and anything else but 0 and false: CPU
 *                           only, and not one CUDA call
 */


#ifndef SUPRASEAL_C2_H
#define SUPRASEAL_C2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks the functions of this library. */
#if defined(__GNUC__)
#define SUPRASEAL_C2_API __attribute__((visibility("default")))
#else
#define SUPRASEAL_C2_API
#endif


/**
 * What a call came to, returned by value.
 *
 * code is 0 or an errno:
 *
 *   EINVAL           a null, a size or a value that does not fit; a parameter
 *                    file with wrong contents
 *   ENOENT, EIO      no parameter file; reading it failed
 *   ENOMEM           host or device memory: the text says which, with needed
 *                    and present
 *   ENODEV           a GPU was asked for and none can be used
 *   EREMOTEIO        a device call failed
 *   EBADMSG          a proof did not verify, twice
 *   EPERM            the call came from a forked child of the process that
 *                    uses the library
 *   ENOTRECOVERABLE  a fault of the library
 *
 * Ownership: message is null, always so when code is 0, or one line of text
 * in malloc's memory that is yours: end it with free().
 */
typedef struct supraseal_c2_error {
    /**
     * 0 or an errno.
     */
    int32_t code;
    /**
     * The cause, or null.
     */
    char *message;
} supraseal_c2_error;

/**
 * A handle of proving parameters: one pointer, null when it holds none.
 *
 * It does not pin memory: what is resident is a cache under a byte budget
 * below all handles, loaded again when it is used.
 */
typedef struct SRS {
    /**
     * For the library.
     */
    const void *ptr;
} SRS;

/**
 * A scalar: four 64-bit limbs, the least first, in Montgomery form, below the
 * modulus; as blst_fr.
 */
typedef struct supraseal_c2_fr {
    /**
     * The limbs.
     */
    uint64_t limbs[4];
} supraseal_c2_fr;

/**
 * Everything of one proof but its parameters and blinding scalars: 17 words.
 *
 * Bit i of a density is bit i mod 64 of word i / 64; its popcount is the
 * number of ones. Inputs start with the constant one.
 */
typedef struct supraseal_c2_assignment {
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
    const struct supraseal_c2_fr *a;
    /**
     * B times the assignment.
     */
    const struct supraseal_c2_fr *b;
    /**
     * C times the assignment.
     */
    const struct supraseal_c2_fr *c;
    /**
     * Rows of each of a, b and c.
     */
    size_t abc_size;
    /**
     * The inputs, the constant one first.
     */
    const struct supraseal_c2_fr *inp_assignment_data;
    /**
     * Number of inputs.
     */
    size_t inp_assignment_size;
    /**
     * The auxiliary variables.
     */
    const struct supraseal_c2_fr *aux_assignment_data;
    /**
     * Number of auxiliary variables.
     */
    size_t aux_assignment_size;
} supraseal_c2_assignment;

/**
 * A proof: three affine points in Montgomery form, as blst_p1_affine,
 * blst_p2_affine and blst_p1_affine.
 */
typedef struct supraseal_c2_proof {
    /**
     * a, in G1: x and y, six limbs each.
     */
    uint64_t a[12];
    /**
     * b, in G2: x and y, two times six limbs each.
     */
    uint64_t b[24];
    /**
     * c, in G1.
     */
    uint64_t c[12];
} supraseal_c2_proof;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens a parameter file, checks it and loads it.
 *
 * srs_path is zero-terminated. With cache the file is kept open by its path
 * until evict_SRS(), so that its parameters outlive the handle in memory, as
 * far as the byte budget lets them. The file is read and never mapped. When
 * the call fails, srs_out holds no parameters.
 *
 * Ownership: the handle is yours; end it with drop_SRS().
 *
 * Errors: ENOENT without such a file; EIO; EINVAL naming file, section, index
 * and bytes of what is wrong, and for a variable of the environment that
 * makes no sense; ENOMEM with the sizes; ENODEV.
 */
SUPRASEAL_C2_API
struct supraseal_c2_error create_SRS(struct SRS *srs_out,
                                     const char *srs_path,
                                     bool cache);

/**
 * Drops the file from the cache, and its parameters from memory: at once, or
 * when the work that uses them has ended. The handle stays good; the next use
 * loads them again. A null or empty handle is left alone.
 */
SUPRASEAL_C2_API void evict_SRS(const struct SRS *srs);

/**
 * Ends a handle, which then holds no parameters; a null or empty one is left
 * alone. Work in flight keeps what it needs.
 */
SUPRASEAL_C2_API void drop_SRS(struct SRS *srs);

/**
 * Makes one more handle of the same parameters, which drop_SRS() ends. Of a
 * null or empty handle it is an empty one.
 */
SUPRASEAL_C2_API struct SRS clone_SRS(const struct SRS *srs);

/**
 * Proves num_circuits assignments whose rows the caller evaluated.
 *
 * provers, r_s, s_s and proofs_out have num_circuits elements. r_s and s_s
 * blind the proofs. Each proof is verified before it is given out. Two more
 * arguments, a lock and a device, which one fork of supraseal-c2 passes here,
 * are ignored.
 *
 * Errors: EINVAL naming the assignment and what does not fit the parameters
 * or is not below the modulus, with both numbers, before any work is started,
 * and for rows that satisfy nothing; EBADMSG; EIO when the parameters must be
 * read again; ENOMEM; EREMOTEIO; EPERM.
 */
SUPRASEAL_C2_API
struct supraseal_c2_error generate_groth16_proofs_c(const struct supraseal_c2_assignment *provers,
                                                    size_t num_circuits,
                                                    const struct supraseal_c2_fr *r_s,
                                                    const struct supraseal_c2_fr *s_s,
                                                    struct supraseal_c2_proof *proofs_out,
                                                    const struct SRS *srs);

/**
 * Begins to prove num_circuits assignments, and returns when the rows a, b
 * and c may be changed and freed.
 *
 * As generate_groth16_proofs_c(). The arrays provers, r_s and s_s are copied;
 * inputs, auxiliary variables and densities are lent until the handle has
 * ended. gpu_mtx is null or a lock of create_gpu_mutex(), held during the
 * call. gpu_index names a device by its index among those that are used; -1
 * leaves the choice to the library, and without GPUs the CPU takes the place
 * of each. pending_out is null when the call fails.
 *
 * Ownership: the handle is yours; end it with finalize_groth16_proof_c() or
 * destroy_pending_proof().
 *
 * Errors: as above, those of proving when they are known by then; EINVAL also
 * for a lock that is none and a device that is not there.
 */
SUPRASEAL_C2_API
struct supraseal_c2_error generate_groth16_proofs_start_c(const struct supraseal_c2_assignment *provers,
                                                          size_t num_circuits,
                                                          const struct supraseal_c2_fr *r_s,
                                                          const struct supraseal_c2_fr *s_s,
                                                          const struct SRS *srs,
                                                          void *gpu_mtx,
                                                          int32_t gpu_index,
                                                          void **pending_out);

/**
 * Waits for the proofs of a handle, which ends, whatever comes of it.
 *
 * proofs_out has room for as many proofs as were started.
 *
 * Errors: EINVAL for a handle that is none or has ended, and for null; those
 * of proving.
 */
SUPRASEAL_C2_API
struct supraseal_c2_error finalize_groth16_proof_c(void *pending,
                                                   struct supraseal_c2_proof *proofs_out);

/**
 * Cancels the proofs of a handle, which ends, and waits until nothing that
 * was lent is used any more. Null, and what is no handle, is left alone.
 */
SUPRASEAL_C2_API void destroy_pending_proof(void *pending);

/**
 * Makes a lock for one GPU: a proof that is given it holds it while it uses
 * the device. Never null.
 *
 * Ownership: the lock is yours; end it with destroy_gpu_mutex().
 */
SUPRASEAL_C2_API void *create_gpu_mutex(void);

/**
 * Ends a lock; proofs that hold it finish. Null, and what is no lock, is left
 * alone.
 */
SUPRASEAL_C2_API void destroy_gpu_mutex(void *mutex);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SUPRASEAL_C2_H */
