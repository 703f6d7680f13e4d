/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sizes, offsets and values of ABI 1, written out. The same numbers stand
 * beside the definitions in src/ffi. A number here changes only together with
 * CUZK_ABI_VERSION; structures that grow get new lines. */
#include <stddef.h>

#include "cuzk.h"

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#define OFFSET(type, member, bytes) \
    _Static_assert(offsetof(type, member) == (bytes), #type "." #member)
#define VALUE(name, value) _Static_assert((name) == (value), #name)

VALUE(CUZK_ABI_VERSION, 1);

VALUE(CUZK_STATUS_OK, 0);
VALUE(CUZK_STATUS_INVALID_ARGUMENT, 1);
VALUE(CUZK_STATUS_ABI_MISMATCH, 2);
VALUE(CUZK_STATUS_IO, 3);
VALUE(CUZK_STATUS_PARAMETERS_NOT_FOUND, 4);
VALUE(CUZK_STATUS_INVALID_SRS, 5);
VALUE(CUZK_STATUS_INVALID_ASSIGNMENT, 6);
VALUE(CUZK_STATUS_INVALID_C1, 7);
VALUE(CUZK_STATUS_BUFFER_TOO_SMALL, 8);
VALUE(CUZK_STATUS_NO_DEVICE, 9);
VALUE(CUZK_STATUS_OUT_OF_MEMORY, 10);
VALUE(CUZK_STATUS_OUT_OF_DEVICE_MEMORY, 11);
VALUE(CUZK_STATUS_DEVICE_FAILED, 12);
VALUE(CUZK_STATUS_SELF_CHECK_FAILED, 13);
VALUE(CUZK_STATUS_CANCELLED, 14);
VALUE(CUZK_STATUS_TIMEOUT, 15);
VALUE(CUZK_STATUS_FORKED, 16);
VALUE(CUZK_STATUS_UNSUPPORTED, 17);
VALUE(CUZK_STATUS_INTERNAL, 18);
SIZE(cuzk_status, 4);

VALUE(CUZK_ERROR_MESSAGE_BYTES, 1024);
SIZE(cuzk_error, 1032);
OFFSET(cuzk_error, struct_size, 0);
OFFSET(cuzk_error, status, 4);
OFFSET(cuzk_error, message, 8);

SIZE(cuzk_device, 488);
OFFSET(cuzk_device, struct_size, 0);
OFFSET(cuzk_device, ordinal, 4);
OFFSET(cuzk_device, compute_capability_major, 8);
OFFSET(cuzk_device, compute_capability_minor, 12);
OFFSET(cuzk_device, total_bytes, 16);
OFFSET(cuzk_device, free_bytes, 24);
OFFSET(cuzk_device, usable, 32);
OFFSET(cuzk_device, uuid, 36);
OFFSET(cuzk_device, name, 100);
OFFSET(cuzk_device, reason, 228);

SIZE(cuzk_timings, 232);
OFFSET(cuzk_timings, proofs, 4);
OFFSET(cuzk_timings, queue, 8);
OFFSET(cuzk_timings, parse, 16);
OFFSET(cuzk_timings, parameter_load, 24);
OFFSET(cuzk_timings, witness, 32);
OFFSET(cuzk_timings, constraint_evaluation, 40);
OFFSET(cuzk_timings, upload, 48);
OFFSET(cuzk_timings, ntt, 56);
OFFSET(cuzk_timings, msm_h, 64);
OFFSET(cuzk_timings, msm_l, 72);
OFFSET(cuzk_timings, msm_a, 80);
OFFSET(cuzk_timings, msm_b_g1, 88);
OFFSET(cuzk_timings, msm_b_g2, 96);
OFFSET(cuzk_timings, assemble, 104);
OFFSET(cuzk_timings, verify, 112);
OFFSET(cuzk_timings, device_busy, 120);
OFFSET(cuzk_timings, total, 128);
OFFSET(cuzk_timings, bytes_up, 136);
OFFSET(cuzk_timings, bytes_down, 144);
OFFSET(cuzk_timings, peak_host_bytes, 152);
OFFSET(cuzk_timings, peak_device_bytes, 160);
OFFSET(cuzk_timings, backend, 168);
