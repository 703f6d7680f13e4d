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

VALUE(CUZK_BACKEND_DEFAULT, 0);
VALUE(CUZK_BACKEND_AUTO, 1);
VALUE(CUZK_BACKEND_CPU, 2);
VALUE(CUZK_BACKEND_CUDA, 3);
VALUE(CUZK_SELF_VERIFICATION_DEFAULT, 0);
VALUE(CUZK_SELF_VERIFICATION_ON, 1);
VALUE(CUZK_SELF_VERIFICATION_OFF, 2);
VALUE(CUZK_LOG_LEVEL_DEFAULT, 0);
VALUE(CUZK_LOG_LEVEL_ERROR, 1);
VALUE(CUZK_LOG_LEVEL_WARN, 2);
VALUE(CUZK_LOG_LEVEL_INFO, 3);
VALUE(CUZK_LOG_LEVEL_DEBUG, 4);

SIZE(cuzk_context_options, 72);
OFFSET(cuzk_context_options, struct_size, 0);
OFFSET(cuzk_context_options, backend, 4);
OFFSET(cuzk_context_options, self_verification, 8);
OFFSET(cuzk_context_options, log_level, 12);
OFFSET(cuzk_context_options, threads, 16);
OFFSET(cuzk_context_options, host_memory_bytes, 24);
OFFSET(cuzk_context_options, device_memory_bytes, 32);
OFFSET(cuzk_context_options, devices, 40);
OFFSET(cuzk_context_options, parameter_directory, 48);
OFFSET(cuzk_context_options, log, 56);
OFFSET(cuzk_context_options, log_user, 64);

VALUE(CUZK_SRS_CHECKS_DEFAULT, 0);
VALUE(CUZK_SRS_CHECKS_NONE, 1);
VALUE(CUZK_SRS_CHECKS_STRUCTURE, 2);
VALUE(CUZK_SRS_CHECKS_CURVE, 3);
VALUE(CUZK_SRS_CHECKS_SUBGROUP, 4);

SIZE(cuzk_srs_options, 16);
OFFSET(cuzk_srs_options, struct_size, 0);
OFFSET(cuzk_srs_options, checks, 4);
OFFSET(cuzk_srs_options, digest, 8);

SIZE(cuzk_srs_shape, 72);
OFFSET(cuzk_srs_shape, resident, 4);
OFFSET(cuzk_srs_shape, inputs, 8);
OFFSET(cuzk_srs_shape, h, 16);
OFFSET(cuzk_srs_shape, l, 24);
OFFSET(cuzk_srs_shape, a, 32);
OFFSET(cuzk_srs_shape, b_g1, 40);
OFFSET(cuzk_srs_shape, b_g2, 48);
OFFSET(cuzk_srs_shape, host_bytes, 56);
OFFSET(cuzk_srs_shape, device_bytes, 64);

VALUE(CUZK_PROOF_BYTES, 192);
SIZE(cuzk_fr, 32);
SIZE(cuzk_g1_affine, 96);
OFFSET(cuzk_g1_affine, y, 48);
SIZE(cuzk_g2_affine, 192);
OFFSET(cuzk_g2_affine, y, 96);
SIZE(cuzk_proof, 192);
SIZE(cuzk_proof_points, 384);
OFFSET(cuzk_proof_points, a, 0);
OFFSET(cuzk_proof_points, b, 96);
OFFSET(cuzk_proof_points, c, 288);
SIZE(cuzk_randomness, 64);
OFFSET(cuzk_randomness, s, 32);

SIZE(cuzk_assignment, 136);
OFFSET(cuzk_assignment, a_aux_density, 0);
OFFSET(cuzk_assignment, a_aux_bit_len, 8);
OFFSET(cuzk_assignment, a_aux_popcount, 16);
OFFSET(cuzk_assignment, b_inp_density, 24);
OFFSET(cuzk_assignment, b_inp_bit_len, 32);
OFFSET(cuzk_assignment, b_inp_popcount, 40);
OFFSET(cuzk_assignment, b_aux_density, 48);
OFFSET(cuzk_assignment, b_aux_bit_len, 56);
OFFSET(cuzk_assignment, b_aux_popcount, 64);
OFFSET(cuzk_assignment, a, 72);
OFFSET(cuzk_assignment, b, 80);
OFFSET(cuzk_assignment, c, 88);
OFFSET(cuzk_assignment, abc_size, 96);
OFFSET(cuzk_assignment, inp_assignment_data, 104);
OFFSET(cuzk_assignment, inp_assignment_size, 112);
OFFSET(cuzk_assignment, aux_assignment_data, 120);
OFFSET(cuzk_assignment, aux_assignment_size, 128);

SIZE(cuzk_c2_description, 360);
OFFSET(cuzk_c2_description, registered_proof, 4);
OFFSET(cuzk_c2_description, sector_size, 8);
OFFSET(cuzk_c2_description, partitions, 16);
OFFSET(cuzk_c2_description, has_sector_number, 20);
OFFSET(cuzk_c2_description, sector_number, 24);
OFFSET(cuzk_c2_description, proof_len, 32);
OFFSET(cuzk_c2_description, name, 40);
OFFSET(cuzk_c2_description, circuit, 104);

SIZE(cuzk_c2_statement, 176);
OFFSET(cuzk_c2_statement, registered_proof, 4);
OFFSET(cuzk_c2_statement, sector_number, 8);
OFFSET(cuzk_c2_statement, prover_id, 16);
OFFSET(cuzk_c2_statement, comm_r, 48);
OFFSET(cuzk_c2_statement, comm_d, 80);
OFFSET(cuzk_c2_statement, ticket, 112);
OFFSET(cuzk_c2_statement, seed, 144);

VALUE(CUZK_PRIORITY_DEFAULT, 0);
VALUE(CUZK_PRIORITY_LOW, 1);
VALUE(CUZK_PRIORITY_NORMAL, 2);
VALUE(CUZK_PRIORITY_HIGH, 3);
VALUE(CUZK_PRIORITY_CRITICAL, 4);

VALUE(CUZK_JOB_PHASE_QUEUED, 0);
VALUE(CUZK_JOB_PHASE_PLANNING, 1);
VALUE(CUZK_JOB_PHASE_PROVING, 2);
VALUE(CUZK_JOB_PHASE_FINISHING, 3);
VALUE(CUZK_JOB_PHASE_DONE, 4);

SIZE(cuzk_progress, 48);
OFFSET(cuzk_progress, phase, 4);
OFFSET(cuzk_progress, requests_done, 8);
OFFSET(cuzk_progress, requests_total, 16);
OFFSET(cuzk_progress, partitions_done, 24);
OFFSET(cuzk_progress, partitions_total, 32);
OFFSET(cuzk_progress, fraction, 40);

SIZE(cuzk_job_options, 32);
OFFSET(cuzk_job_options, priority, 4);
OFFSET(cuzk_job_options, progress, 8);
OFFSET(cuzk_job_options, done, 16);
OFFSET(cuzk_job_options, user, 24);

SIZE(cuzk_c2_request, 72);
OFFSET(cuzk_c2_request, sector_number, 8);
OFFSET(cuzk_c2_request, c1, 16);
OFFSET(cuzk_c2_request, c1_len, 24);
OFFSET(cuzk_c2_request, prover_id, 32);
OFFSET(cuzk_c2_request, circuit_proofs, 64);

VALUE(CUZK_AGGREGATION_SNARK_PACK_V1, 0);
VALUE(CUZK_AGGREGATION_SNARK_PACK_V2, 1);
